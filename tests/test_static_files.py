"""Scripts are sent without comments, and with nothing else removed."""

import re

import pytest

from tablee.core.registry import all_games
from tablee.server.javascript import strip_comments
from tablee.server.static_files import WEB, encode_file

SCRIPTS = [
    *WEB.rglob("*.js"),
    *(script for game in all_games() for script in (game.folder / "web").rglob("*.js")),
]


def stripped(script):
    return strip_comments(script.encode()).decode()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("// all\nlet a; // end\n", " \nlet a; \n"),
        ("/** two\n lines */\nlet a;", "\n\nlet a;"),
        ("() => { return/* why */a }", "() => { return a }"),
        ("let a = /** @type {any} */ (null);", "let a =  (null);"),
        ("let a = 1; /* a\n b */ let b", "let a = 1;\n let b"),
    ],
)
def test_comments_are_removed_and_lines_keep_their_numbers(script, expected):
    assert stripped(script) == expected


@pytest.mark.parametrize(
    "script",
    [
        "const page = html`<p>\n  // text\n  /* text */\n</p>`;",
        "const page = html`<p>${is ? html`<b>\n// nested\n</b>` : `\n/* nested */`}\n// text</p>`;",
        'const address = "https://example.org"; const glob = "/* not */";',
        "const pattern = /\\/\\*[/*]/g;",
        "/* @license MIT */\nlet a;",
        "let a = ; // cannot be parsed",
    ],
)
def test_nothing_else_is_removed(script):
    assert stripped(script) == script


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(WEB.parent)))
def test_every_script_is_parsed(script):
    """A script that cannot be parsed would be sent with its comments."""
    source, sent = script.read_text(encoding="utf-8"), stripped(script.read_text(encoding="utf-8"))
    assert len(source.splitlines()) == len(sent.splitlines())
    if "vendor" not in script.parts:
        assert not re.search(r"^\s*(/\*\*|\* )", sent, re.MULTILINE)
        assert re.search(r"^\s*/\*\*", source, re.MULTILINE)


def test_a_changed_file_is_encoded_again(tmp_path):
    file = tmp_path / "page.js"
    digests = []
    for text in ("let a;", "let b;"):
        file.write_text(text)
        encodings, digest = encode_file(str(file), len(digests))
        assert encodings["identity"] == text.encode()
        digests.append(digest)
    assert digests[0] != digests[1]
