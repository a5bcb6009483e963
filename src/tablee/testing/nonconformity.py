"""The error that the conformance suite raises for a game that breaks the contract."""

from __future__ import annotations

from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup


class Nonconformity(TableeError):
    """A game breaks the contract; the message says what is wrong, in which check, setup, deal and move."""

    def __init__(
        self,
        game: Game,
        what: str,
        *,
        setup: Setup | None = None,
        seed: int | None = None,
        stream: int | None = None,
        move: int | None = None,
    ) -> None:
        parts = [("", setup), ("seed ", seed), ("stream ", stream), ("after move ", move)]
        where = ", ".join(f"{name}{part}" for name, part in parts if part is not None)
        super().__init__(f"{game.name}{f' ({where})' if where else ''}: {what}")
        self.check = ""

    def __str__(self) -> str:
        return f"{self.check}: {super().__str__()}" if self.check else super().__str__()


def viewer_name(viewer: int) -> str:
    """Return the name of a viewer in messages."""
    return "a spectator" if viewer < 0 else f"seat {viewer}"
