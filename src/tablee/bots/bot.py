"""The interface of a bot: it gets what a person in its seat would see, and returns a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tablee.core.sight import Sight


@dataclass(frozen=True)
class Candidate:
    """A move that was considered.

    After a search: its visits and its mean result, from 0 to 1. Without one: no visits, and the policy's rating.
    """

    move: int
    visits: int
    value: float


@dataclass(frozen=True)
class Decision:
    """The chosen move, and what the choice is based on."""

    move: int
    candidates: tuple[Candidate, ...] = ()  # best first
    worlds: int = 0  # imagined in a search
    facts: dict[str, float] = field(default_factory=dict)


class Bot(Protocol):
    """A program that plays. It gets a sight and the legal moves, never the full state of a game."""

    name: str
    version: int

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose one of the moves."""
        ...


def require_own_turn(sight: Sight, moves: Sequence[int]) -> None:
    """Raise TypeError for anything but a Sight, ValueError unless its seat is on turn and has moves."""
    from tablee.core.sight import Sight  # here, because it loads Numba, and the roster must not

    if not isinstance(sight, Sight):
        raise TypeError(f"a bot decides from a Sight, not from a {type(sight).__name__}")
    if sight.seat != sight.to_move or not moves:
        raise ValueError(f"seat {sight.seat} is not on turn: it is seat {sight.to_move}")
