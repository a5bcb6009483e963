"""A command that is refused says why, in the asker's language."""

from __future__ import annotations

from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.words import common


class Refused(TableeError):
    """The command changes nothing; `code` is for programs (docs/protocol.md)."""

    clause: str | None = None

    def __init__(self, code: str, key: str = "", **parameters: object) -> None:
        self.code = code
        self.key = f"refused.{key or code}"
        self.parameters = parameters
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """Say why."""
        return common(language).say(self.key, **self.parameters)


class RefusedMove(Refused):
    """The game's rules refuse a move; they say why and where."""

    def __init__(self, match: Match, move: int, clause: str) -> None:
        self.match, self.move = match, move
        self.clause = clause
        super().__init__("illegal")

    def text(self, language: str) -> str:
        """Say why, in the game's words."""
        return self.match.why_not(self.move, language) or ""
