"""Errors, with messages for the person who must act: what was refused, the value, where, and why."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TableeError(Exception):
    """Base class of all errors that Tablée raises on purpose."""


class UnknownGame(TableeError):
    """No game of that name is installed."""


class BadGame(TableeError):
    """The folder or the manifest of a game breaks the contract."""


class BadSetup(TableeError):
    """The seats, the options or the seed of a new match are not possible."""


class BadMove(TableeError):
    """The text or number is no move of the game."""


class BadRecord(TableeError):
    """A record cannot be read or replayed; `line` is counted from 1, 0 for the file as a whole."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


class BadSave(TableeError):
    """A saved batch cannot be read, or does not fit the game that is installed."""


class IllegalMove(TableeError):
    """The rules refuse a move in the present position.

    `code` is the key of the reason in the game's words, `clause` the clause of the rulebook.
    """

    def __init__(self, message: str, *, code: str, clause: str) -> None:
        super().__init__(message)
        self.code = code
        self.clause = clause


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the tail of an error message: the nearest known word, or all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known are: {', '.join(known)}" if known else "none is known"
