"""Write docs/clauses.md: every clause of every rulebook, and the tests that are named after it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tablee import all_games
from tablee.core.game import Game
from tablee.testing.rulebook import checked_languages, read_clauses

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "clauses.md"
CITED = re.compile(r"test((?:_[a-z]+[0-9]+)+)(?:_|$)")
MAX_TEXT_LENGTH = 100


def tests_of(game: Game) -> Iterator[tuple[str, str]]:
    """Yield every test of a game: its file's name and its own."""
    for file in sorted((game.folder / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield file.name, node.name


def cited_clauses(test: str) -> list[str]:
    """Return the clauses that a test's name cites, upper case: `test_r9_b10_...` gives R9 and B10."""
    match = CITED.match(test)
    return match[1].upper().strip("_").split("_") if match else []


def tests_by_clause(game: Game) -> dict[str, list[str]]:
    """Return for every cited clause the tests that cite it, as `file::test`."""
    found: dict[str, list[str]] = {}
    for file, test in tests_of(game):
        for clause in cited_clauses(test):
            found.setdefault(clause, []).append(f"{file}::{test}")
    return found


def offences(game: Game) -> Iterator[str]:
    """Yield what is wrong between a game's rulebooks and its tests."""
    default, *translations = checked_languages(game)
    clauses = [clause for clause, _ in read_clauses(game, default)]
    tests = tests_by_clause(game)
    yield from (f"{game.name}: {clause} has no test" for clause in clauses if clause not in tests)
    for clause in sorted(tests.keys() - set(clauses)):
        yield f"{game.name}: {', '.join(tests[clause])} cites {clause}, which is no clause"
    for language in translations:
        others = [clause for clause, _ in read_clauses(game, language)]
        if others != clauses:
            apart = sorted(set(others) ^ set(clauses)) or "their order"
            yield f"{game.name}: rules.{language}.md and rules.{default}.md differ in {apart}"


def page(games: list[Game]) -> str:
    """Write the page."""
    return "\n".join(["# Clauses and the tests that prove them", "", "Written by `make clauses`.", *_sections(games)])


def _sections(games: list[Game]) -> Iterator[str]:
    for game in games:
        tests = tests_by_clause(game)
        yield f"\n## {game.name}\n\n| clause | | tests |\n|---|---|---|"
        for clause, text in read_clauses(game, "en"):
            proofs = "<br>".join(f"`{test}`" for test in tests.get(clause, ["none"]))
            yield f"| {clause} | {_shortened(text)} | {proofs} |"
    yield ""


def _shortened(text: str) -> str:
    text = text.replace("|", "\\|")
    return text if len(text) <= MAX_TEXT_LENGTH else text[:MAX_TEXT_LENGTH].rsplit(" ", 1)[0] + " …"


if __name__ == "__main__":
    PAGE.write_text(page(all_games()), encoding="utf-8")
