"""What a front end draws: zones of pieces, the choices of the seat to move, and events.

A view is made from a sight, never from a full state. Its texts are in one language. Ids (`seat1.b3`, `discard`) are the
same for every viewer and in every language, so that a front end can follow a piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

MAX_DRAWN = 4096  # results that a function marked `drawn_once` keeps
ZONE_KINDS = ("grid", "row", "fan", "stack", "board", "counter")
SECRET = "secret"  # the group of choices that a front end does not name again once they are made
COLOURS = ("red", "orange", "yellow", "green", "sky", "blue", "purple", "pink")


def drawn_once(function: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function draws from plain values and a catalogue: after a move, few pieces are new.

    For functions that always return the same for the same arguments. The state is no argument for them: it changes.
    """
    return lru_cache(MAX_DRAWN)(function)  # type: ignore[return-value]  # hides the cache


@dataclass(frozen=True)
class Piece:
    """A card, tile, pawn or ring; `face` is what is printed on it, None while it is face down."""

    id: str
    label: str  # in words, for screen readers
    face: str | None = None
    colour: str | None = None  # one of COLOURS
    symbol: str | None = None  # the name of a picture
    marks: tuple[str, ...] = ()  # "last" (part of the last move), "held", "empty", ...


@dataclass(frozen=True)
class Zone:
    """A part of the table that holds pieces or a number."""

    id: str
    kind: str  # one of ZONE_KINDS
    label: str
    pieces: tuple[Piece, ...] = ()
    owner: int | None = None  # seat, None for what all share
    columns: int = 0  # of a grid or board
    count: int | None = None  # cards in a stack, value of a counter


@dataclass(frozen=True)
class Choice:
    """A legal move of the viewer: its texts, and what to select, in order, to play it."""

    move: int
    text: str
    label: str
    targets: tuple[str, ...]  # ids of pieces or zones
    group: str = ""  # choices of one kind
    typed: str = ""  # the text in the viewer's language, if that differs (`Game.move_words`)


@dataclass(frozen=True)
class Event:
    """A fact that the viewer may know, with the path of a piece where one moved."""

    code: str
    text: str
    seat: int | None = None
    path: tuple[str, ...] = ()  # ids, from start to end
    begins_round: bool = False  # it and what follows belong to the next round, and are told after the rest


@dataclass(frozen=True)
class RoundScore:
    """What a seat scored in a finished round, and why where the points alone do not say it."""

    seat: int
    points: int  # of the round
    total: int  # of all finished rounds, this one included
    note: str = ""  # "doubled", "bonus of 10", ...; in the viewer's language


@dataclass(frozen=True)
class RoundSummary:
    """The result of a finished round."""

    number: int  # counted from 1
    scores: tuple[RoundScore, ...]  # by seat


@dataclass(frozen=True)
class View:
    """Everything that a front end needs to draw a game for one viewer."""

    game: str
    viewer: int
    seats: int
    to_move: int
    prompt: str  # what the viewer can do now, or which player they wait for
    zones: tuple[Zone, ...]
    scores: tuple[int, ...]
    choices: tuple[Choice, ...] = ()
    end: str | None = None  # why the game is over, in words
    winners: tuple[int, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)  # what else the game's own board needs
    round: RoundSummary | None = None  # of the round shown, in views made by `draw_round` only

    def as_dict(self) -> dict[str, Any]:
        """Return the view as plain values, ready for JSON."""
        return asdict(self)
