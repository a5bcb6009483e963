"""What a front end draws: zones of pieces, the choices of the seat to move, and events.

A view is made from a sight, never from a full state. Its texts are in one language. Ids (`seat1.b3`, `discard`) are the
same for every viewer and in every language, so that a front end can follow a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, asdict, fields, make_dataclass
from functools import lru_cache, wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

import msgspec

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound="Drawn")

MAX_DRAWN = 4096  # results that a function marked `drawn_once` keeps
MAX_DRAWN_WITH_NAMES = 32  # results of functions marked `drawn_with_names` that are kept for a table
ZONE_KINDS = ("grid", "row", "fan", "stack", "board", "counter")
SECRET = "secret"  # the group of choices that a front end does not name again once they are made
COLOURS = ("red", "orange", "yellow", "green", "sky", "blue", "purple", "pink")


def drawn_once(function: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function draws from plain values and a catalogue: after a move, few pieces are new.

    For functions that always return the same for the same arguments. The state is no argument for them: it changes.
    """
    return lru_cache(MAX_DRAWN)(function)  # type: ignore[return-value]  # hides the cache


class Names(list[str]):
    """The names of a table's players, with what was drawn with them: it is forgotten when a name changes."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self.drawn: dict[Any, Any] = {}  # by function and arguments


def drawn_with_names(
    function: Callable[Concatenate[Sequence[str], P], R],
) -> Callable[Concatenate[Sequence[str], P], R]:
    """Keep what a function draws from the names of a table, its first argument, and from plain values.

    It is kept with the names, not with the function: a person who is deleted must not stay in memory.
    """

    @wraps(function)
    def kept(names: Sequence[str], /, *arguments: P.args, **options: P.kwargs) -> R:
        if not isinstance(names, Names):
            return function(names, *arguments, **options)
        key = (function, arguments, *options.items())
        drawn: R | None = names.drawn.get(key)
        if drawn is None:
            if len(names.drawn) >= MAX_DRAWN_WITH_NAMES:
                names.drawn.clear()
            drawn = names.drawn[key] = function(names, *arguments, **options)
        return drawn

    return kept


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """Base class of what is drawn: made, compared and encoded in a fraction of the time that a dataclass takes.

    The garbage collector does not track it, as nothing drawn refers back. `dataclasses.replace`, `fields` and `asdict`
    work on it as on a dataclass (docs/decisions/0073-views-are-structures.md).
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = {}


def _like_dataclass(kind: type[D]) -> type[D]:
    """Describe the fields of a structure to the functions of the module `dataclasses`."""
    twin = make_dataclass(kind.__name__, [(name, Any) for name in kind.__struct_fields__])
    kind.__dataclass_fields__ = {field.name: field for field in fields(twin)}
    return kind


@_like_dataclass
class Piece(Drawn, frozen=True, gc=False):
    """A card, tile, pawn or ring; `face` is what is printed on it, None while it is face down."""

    id: str
    label: str  # in words, for screen readers
    face: str | None = None
    colour: str | None = None  # one of COLOURS
    symbol: str | None = None  # the name of a picture
    marks: tuple[str, ...] = ()  # "last" (part of the last move), "held", "empty", ...


@_like_dataclass
class Zone(Drawn, frozen=True, gc=False):
    """A part of the table that holds pieces or a number."""

    id: str
    kind: str  # one of ZONE_KINDS
    label: str
    pieces: tuple[Piece, ...] = ()
    owner: int | None = None  # seat, None for what all share
    columns: int = 0  # of a grid or board
    count: int | None = None  # cards in a stack, value of a counter


@_like_dataclass
class Choice(Drawn, frozen=True, gc=False):
    """A legal move of the viewer: its texts, and what to select, in order, to play it."""

    move: int
    text: str
    label: str
    targets: tuple[str, ...]  # ids of pieces or zones
    group: str = ""  # choices of one kind
    typed: str = ""  # the text in the viewer's language, if that differs (`Game.move_words`)


@_like_dataclass
class Event(Drawn, frozen=True, gc=False):
    """A fact that the viewer may know, with the path of a piece where one moved."""

    code: str
    text: str
    seat: int | None = None
    path: tuple[str, ...] = ()  # ids, from start to end
    begins_round: bool = False  # it and what follows belong to the next round, and are told after the rest


@_like_dataclass
class RoundScore(Drawn, frozen=True, gc=False):
    """What a seat scored in a finished round, and why where the points alone do not say it."""

    seat: int
    points: int  # of the round
    total: int  # of all finished rounds, this one included
    note: str = ""  # "doubled", "bonus of 10", ...; in the viewer's language


@_like_dataclass
class RoundSummary(Drawn, frozen=True, gc=False):
    """The result of a finished round."""

    number: int  # counted from 1
    scores: tuple[RoundScore, ...]  # by seat


@_like_dataclass
class View(Drawn, frozen=True, gc=False):
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
    facts: dict[str, Any] = {}  # what else the game's own board needs
    round: RoundSummary | None = None  # of the round shown, in views made by `draw_round` only

    def as_dict(self) -> dict[str, Any]:
        """Return the view as plain values, ready for JSON."""
        return asdict(self)


def with_typed(view: View, typed: Callable[[str], str]) -> View:
    """Return a view whose choices have their texts as they are typed in another language."""
    return msgspec.structs.replace(view, choices=tuple(_with_typed(each, typed) for each in view.choices))


def _with_typed(choice: Choice, typed: Callable[[str], str]) -> Choice:
    """Return a choice as it is typed; it is not kept, as its label may name a player."""
    text = _typed_text(choice.text, typed)
    return choice if text == choice.text else msgspec.structs.replace(choice, typed=text)


@drawn_once
def _typed_text(text: str, typed: Callable[[str], str]) -> str:
    return typed(text)
