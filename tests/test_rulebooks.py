"""Rulebooks in the app: HTML, playable examples, refusals that name their clause, pictures that exist."""

import re
from html.parser import HTMLParser

import pytest

from server_process import Guest, serving
from tablee.core.languages import languages
from tablee.core.registry import all_games
from tablee.server.rulebook import render, rulebook_html
from tablee.tables.examples import examples_of
from tablee.testing.rulebook import read_clauses

EXAMPLES = [(game, example) for game in all_games() for example in examples_of(game)]


def matching(match, pattern):
    """Return the texts of the legal moves that match a pattern of an example's aim."""
    texts = [match.text(move) for move in match.legal_moves()]
    return [text for text in texts if re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), text)]


@pytest.mark.parametrize(("game", "example"), EXAMPLES, ids=lambda value: value.name)
def test_the_aim_of_every_example_can_be_played(game, example):
    match = example.position(game)
    seat, played = match.to_move, []
    for pattern in example.aim:
        assert match.to_move == seat, "the turn ends before the clause is shown"
        assert not example.is_seen(played)
        played.append(matching(match, pattern)[0])
        match.play(played[-1])
    assert example.is_seen(played)
    assert example.clause in [clause for clause, _ in read_clauses(game, "en")]
    assert set(example.words) == set(languages())


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_rulebook_has_examples_and_its_pictures(game):
    names = [example.name for example in examples_of(game)]
    assert len(names) == len(set(names)) >= 2
    for language in list(languages()):
        pictures = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", game.rulebook(language))
        assert pictures
        for description, picture in pictures:
            assert (game.folder / picture).is_file(), picture
            assert len(description) > 10, "people who use screen readers need a description"


# As HTML


class Elements(HTMLParser):
    """The elements of a fragment with their attributes, and its text."""

    def __init__(self, fragment):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(fragment)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, text):
        self.text += text

    @property
    def tags(self):
        return [tag for tag, _ in self.found]


def rendered(markdown, *example_clauses):
    return Elements(render(markdown, "/games/some/", example_clauses))


BOOKS = [(game, language) for game in all_games() for language in list(languages())]


@pytest.mark.parametrize(("game", "language"), BOOKS, ids=lambda value: getattr(value, "name", value))
def test_html_has_every_clause_picture_and_example(game, language):
    html = Elements(rulebook_html(game, language))
    clauses = [name for name, _ in read_clauses(game, language)]
    assert [attributes["id"] for _, attributes in html.found if "id" in attributes] == [f"clause-{c}" for c in clauses]
    examples = {example.clause for example in examples_of(game)}
    places = [attributes["data-clause"] for _, attributes in html.found if "data-clause" in attributes]
    assert places == [clause for clause in clauses if clause in examples]
    for tag, attributes in html.found:
        if tag == "img":
            assert (game.folder / attributes["src"].removeprefix(f"/games/{game.name}/")).is_file()
    assert not re.search(r"[*`|]|\]\(", html.text), "Markdown that was not understood"


def test_headings_start_below_the_heading_of_the_page():
    assert rendered("# a\n\n## b\n\n### c\n\n#### d").tags == ["h2", "h3", "h4", "h4"]


def test_a_clause_is_a_link_target_followed_by_room_for_its_examples():
    html = rendered("**R14.** Three\n\n**R15.** Four\n\n**Note.** Five\n\nSix **R16.** Seven", "R14")
    assert html.found == [
        ("p", {"id": "clause-R14", "tabindex": "-1"}),
        ("strong", {}),
        ("div", {"class": "clause-examples", "data-clause": "R14"}),
        ("p", {"id": "clause-R15", "tabindex": "-1"}),
        ("strong", {}),
        ("p", {}),
        ("strong", {}),
        ("p", {}),
        ("strong", {}),
    ]


def test_tables_scroll_and_have_column_headings():
    html = rendered("| a | |\n|--:|---|\n| `1` | 2 |")
    assert html.tags == ["div", "table", "thead", "tr", "th", "td", "tbody", "tr", "td", "code", "td"]
    assert html.found[0] == ("div", {"class": "table-scroll", "tabindex": "0", "role": "group"})
    assert ("th", {"scope": "col"}) in html.found
    assert not any("style" in attributes for _, attributes in html.found)  # forbidden by the security policy


def test_links_and_pictures():
    html = rendered("[b](https://example.org/x?y=1&z=2) ![c](pictures/c.svg)")
    assert html.found == [
        ("p", {}),
        ("a", {"href": "https://example.org/x?y=1&z=2", "rel": "noreferrer"}),
        ("img", {"src": "/games/some/pictures/c.svg", "alt": "c", "loading": "lazy"}),
    ]


HOSTILE = [
    "<script>alert(1)</script>",
    "text <img src=x onerror=alert(1)> text",
    "<div onclick='alert(1)'>\n\ntext\n\n</div>",
    "<!-- comment --><style>p{}</style>",
    "[b](javascript:alert(1))",
    "[b](JaVaScRiPt:alert(1))",
    "[b](&#106;avascript:alert(1))",
    "[b](data:text/html,<script>alert(1)</script>)",
    "[b](http://example.org)",
    "[](http://example.org)",
    "[b](//example.org)",
    "[b](/api/me)",
    "<javascript:alert(1)>",
    "[b]\n\n[b]: javascript:alert(1)",
    "![c](https://elsewhere/c.png)",
    "![c](//elsewhere/c.png)",
    "![c](../../secret.svg)",
    "![c](pictures/%2e%2e/secret.svg)",
    "![c](data:image/svg+xml,x)",
    "![c](javascript:alert(1))",
    '**R1" onclick="alert(1).** text',
    "**R1<img src=x>.** text",
]


@pytest.mark.parametrize("markdown", HOSTILE)
def test_hostile_markdown_stays_text(markdown):
    html = rendered(markdown)
    assert set(html.tags) <= {"p", "strong"}
    assert not any(attributes for _, attributes in html.found)


def test_attributes_cannot_be_injected():
    html = rendered("""![c" onerror="alert(1)](pictures/c.svg "t' onload='x") [b](https://a.b/"onclick="x '" y="z')""")
    assert [(tag, sorted(attributes)) for tag, attributes in html.found] == [
        ("p", []),
        ("img", ["alt", "loading", "src", "title"]),
        ("a", ["href", "rel", "title"]),
    ]


# Over the network


@pytest.fixture(scope="module")
def guest(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("rules") / "tablee.db") as server:
        yield Guest(server.url)


def test_an_example_is_shown_step_by_step(guest):
    listed = guest.get("/api/games/skyjo/examples?lang=fr").json()
    assert {"name": "column", "clause": "R14", "title": "Trois neuf"} in listed
    address = "/api/games/skyjo/examples/column"
    start = guest.get(address).json()
    assert [choice["text"] for choice in start["view"]["choices"]] == ["draw", "take"]
    assert (start["is_over"], start["seen"], start["events"]) == (False, None, [])
    taken = guest.get(f"{address}?move=take").json()
    assert taken["events"]
    assert not taken["is_over"]
    seen = guest.get(f"{address}?move=take&move=swap+b2").json()
    assert seen["is_over"]
    assert seen["seen"].startswith("Three equal cards leave")
    other = guest.get(f"{address}?move=take&move=swap+a1").json()
    assert (other["is_over"], other["seen"]) == (True, None)


def test_a_move_that_an_example_refuses_names_its_clause(guest):
    refused = guest.get("/api/games/skyjo/examples/column?move=take&move=discard")
    assert refused.status_code == 409
    assert refused.json()["clause"] == "R9"
    assert guest.get("/api/games/skyjo/examples/column?move=rubbish").status_code == 422
    assert guest.get("/api/games/skyjo/examples/nothing").status_code == 404
    assert guest.get(f"/api/games/skyjo/examples/column?{'move=take&' * 31}").status_code == 422
    after_the_turn = guest.get("/api/games/skyjo/examples/column?move=take&move=swap+b2&move=draw")
    assert after_the_turn.status_code == 409


def test_an_example_shows_no_more_than_its_seat_knows(guest):
    for game, example in EXAMPLES:
        match = example.position(game)
        shown = guest.get(f"/api/games/{game.name}/examples/{example.name}").json()["view"]
        assert shown["viewer"] == match.to_move
        assert shown["prompt"] == match.view(match.to_move).prompt
