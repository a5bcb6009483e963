"""The clauses of a rulebook: lines that begin with `**R14.**`."""

from __future__ import annotations

import re
from pathlib import Path

from tablee.core.game import Game

CLAUSE = re.compile(r"^\*\*([A-Z]+[0-9]+)\.\*\*\s+(\S.*)$", re.MULTILINE)


def rulebook_path(game: Game, language: str) -> Path:
    """Return where a game's rulebook in a language is."""
    return game.folder / f"rules.{language}.md"


def read_clauses(game: Game, language: str) -> list[tuple[str, str]]:
    """Return the clauses of a rulebook in their order: number and first line; none if there is no rulebook."""
    path = rulebook_path(game, language)
    return CLAUSE.findall(path.read_text(encoding="utf-8")) if path.is_file() else []
