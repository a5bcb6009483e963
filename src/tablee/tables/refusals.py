"""Refusals of commands, with the reason in any language."""

from __future__ import annotations

from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.words import common


class Refused(TableeError):
    """A command was refused and changed nothing; `code` is for programs (docs/protocol.md)."""

    clause: str | None = None

    def __init__(self, code: str, key: str = "", **parameters: object) -> None:
        super().__init__(code)
        self.code = code
        self.key = f"refused.{key or code}"
        self.parameters = parameters

    def __str__(self) -> str:
        return self.text("en")

    def text(self, language: str) -> str:
        """Return the reason."""
        return common(language).say(self.key, **self.parameters)


class RefusedMove(Refused):
    """The game's rules refuse a move; `clause` is the one that does."""

    def __init__(self, match: Match, move: int, clause: str) -> None:
        super().__init__("illegal")
        self.match, self.move = match, move
        self.clause = clause

    def text(self, language: str) -> str:
        """Return the reason, in the game's words."""
        return self.match.why_not(self.move, language) or ""
