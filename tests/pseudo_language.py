"""A made-up language: English with other letters, a third longer, in brackets; text without them is not translated."""

import json
import re
import tomllib
from pathlib import Path

from tablee.core.game import Game
from tablee.core.languages import DEFAULT, languages

CODE = "xx"
OPEN, CLOSE = "⟦", "⟧"
LETTERS = str.maketrans("aeioucnsyAEIOUCNSY", "àéîöûçñšýÀÉÎÖÛÇÑŠÝ")
KEPT = re.compile(r"(\{[^{}]*\}|\[[^\[\]]*\])")  # parameters, and markup of the terminal
CLAUSE = re.compile(r"^(\*\*[A-Z]+[0-9]+\.\*\*\s+)(.*)$")


def pseudo(text: str) -> str:
    """Return a text in the made-up language; parameters and markup stay."""
    parts = [part if KEPT.fullmatch(part) else part.translate(LETTERS) for part in KEPT.split(text)]
    return f"{OPEN}{''.join(parts)}{'~' * (len(text) // 3)}{CLOSE}"


def write_language(parent: Path, games: list[Game]) -> Path:
    """Write the language's folder below `parent`: the only files that a new language needs."""
    english, folder = languages()[DEFAULT].folder, parent / CODE
    folder.mkdir(parents=True)
    (folder / "language.toml").write_text('name = "⟦Pšéûdö⟧"\n', encoding="utf-8")
    _write_toml(folder / "common.toml", tomllib.loads((english / "common.toml").read_text(encoding="utf-8")))
    web = json.loads((english / "web.json").read_text(encoding="utf-8"))
    (folder / "web.json").write_text(json.dumps(_translated(web), ensure_ascii=False), encoding="utf-8")
    for game in games:
        _write_game(folder / "games" / game.name, game)
    return parent


def _write_game(folder: Path, game: Game) -> None:
    folder.mkdir(parents=True)
    words, rules = game.words_path(DEFAULT), game.rulebook_path(DEFAULT)
    assert words is not None
    assert rules is not None
    _write_toml(folder / "words.toml", tomllib.loads(words.read_text(encoding="utf-8")))
    lines = rules.read_text(encoding="utf-8").splitlines()
    (folder / "rules.md").write_text("\n".join(map(_rule_line, lines)) + "\n", encoding="utf-8")
    examples = game.folder / "examples.toml"
    if examples.is_file():
        entries = tomllib.loads(examples.read_text(encoding="utf-8"))["example"]
        _write_toml(folder / "examples.toml", {entry["name"]: entry["words"][DEFAULT] for entry in entries})


def _rule_line(line: str) -> str:
    clause = CLAUSE.match(line)
    return clause[1] + pseudo(clause[2]) if clause else line


def _translated(branch):
    if isinstance(branch, dict):
        return {key: _translated(below) for key, below in branch.items()}
    return pseudo(branch)


def _write_toml(path: Path, texts: dict) -> None:
    lines = [f"{_key(keys)} = {json.dumps(pseudo(text), ensure_ascii=False)}" for keys, text in _leaves(texts)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _leaves(branch, keys=()):
    for key, below in branch.items():
        if isinstance(below, dict):
            yield from _leaves(below, (*keys, key))
        else:
            yield (*keys, key), below


def _key(keys):
    return ".".join(json.dumps(key) for key in keys)
