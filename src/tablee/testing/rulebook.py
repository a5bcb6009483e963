"""The clauses of a rulebook, lines that begin with `**R14.**`, and the tests named after them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tablee.core.game import Game

CLAUSE = re.compile(r"^\*\*([A-Z]+[0-9]+)\.\*\*\s+(\S.*)$", re.MULTILINE)
CITED = re.compile(r"test((?:_[a-z]+[0-9]+)+)(?:_|$)")  # the name of a test of clauses


REQUIRED_LANGUAGES = ("en", "fr")  # of every game; it may have more


def checked_languages(game: Game) -> list[str]:
    """Return the languages in which a game's texts are checked."""
    return list(dict.fromkeys((*REQUIRED_LANGUAGES, *game.languages())))


def read_clauses(game: Game, language: str) -> list[tuple[str, str]]:
    """Return the clauses of a rulebook in order, number and first line each; none if there is no rulebook."""
    path = game.rulebook_path(language)
    return [] if path is None else CLAUSE.findall(path.read_text(encoding="utf-8"))


def tests_of(game: Game) -> Iterator[tuple[str, str]]:
    """Yield every test of a game: the names of its file and its function."""
    for file in sorted((game.folder / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield file.name, node.name


def cited_clauses(test: str) -> list[str]:
    """Return the clauses that the name of a test cites, in upper case: `test_r9_b10_...` gives R9 and B10."""
    match = CITED.match(test)
    return match[1].upper().strip("_").split("_") if match else []


def tests_by_clause(game: Game) -> dict[str, list[str]]:
    """Return the tests of every cited clause, as `file::test`."""
    found: dict[str, list[str]] = {}
    for file, test in tests_of(game):
        for clause in cited_clauses(test):
            found.setdefault(clause, []).append(f"{file}::{test}")
    return found


def untested_clauses(game: Game) -> list[str]:
    """Return the clauses of the rulebook that no test is named after, in order."""
    tests = tests_by_clause(game)
    return [clause for clause, _ in read_clauses(game, REQUIRED_LANGUAGES[0]) if clause not in tests]


def wrongly_cited_clauses(game: Game) -> list[str]:
    """Return the tests that cite what is not a clause: `file::test cites B7`."""
    clauses = {clause for clause, _ in read_clauses(game, REQUIRED_LANGUAGES[0])}
    cited = sorted(tests_by_clause(game).items())
    return [f"{', '.join(tests)} cites {clause}" for clause, tests in cited if clause not in clauses]
