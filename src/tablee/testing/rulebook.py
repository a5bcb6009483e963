"""The clauses of a rulebook: lines that begin with `**R14.**`."""

from __future__ import annotations

import re

from tablee.core.game import Game

CLAUSE = re.compile(r"^\*\*([A-Z]+[0-9]+)\.\*\*\s+(\S.*)$", re.MULTILINE)


REQUIRED_LANGUAGES = ("en", "fr")  # of every game; it may have more


def checked_languages(game: Game) -> list[str]:
    """Return the languages in which a game's texts are checked."""
    return list(dict.fromkeys((*REQUIRED_LANGUAGES, *game.languages())))


def read_clauses(game: Game, language: str) -> list[tuple[str, str]]:
    """Return the clauses of a rulebook in order, number and first line each; none if there is no rulebook."""
    path = game.rulebook_path(language)
    return [] if path is None else CLAUSE.findall(path.read_text(encoding="utf-8"))
