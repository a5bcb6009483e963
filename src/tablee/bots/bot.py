"""What a bot is: a program that gets what a person at its seat would see, and answers with a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tablee.core.sight import Sight


@dataclass(frozen=True)
class Candidate:
    """A move that was considered: how often it was tried, and what it promised (0 to 1)."""

    move: int
    visits: int
    value: float


@dataclass(frozen=True)
class Decision:
    """The move, and what led to it."""

    move: int
    candidates: tuple[Candidate, ...] = ()
    worlds: int = 0  # how many worlds were looked at
    facts: dict[str, float] = field(default_factory=dict)


class Bot(Protocol):
    """A player without a body. It sees a sight and the legal moves, never the true record."""

    name: str
    version: int

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose one of the moves."""
        ...


def demand_own_turn(sight: Sight, moves: Sequence[int]) -> None:
    """Refuse anything but the sight of the seat on turn, with moves to choose from."""
    if not isinstance(sight, Sight):
        raise TypeError(f"a bot decides from a Sight, not from a {type(sight).__name__}")
    if sight.seat != sight.to_move or not moves:
        raise ValueError(f"seat {sight.seat} is not on turn: it is seat {sight.to_move}")
