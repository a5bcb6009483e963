"""What hidden pieces can be, and how likely, from one seat's knowledge alone.

Worlds that fit the seat's sight are drawn as if the seat saw them. A view gives a piece the same id whatever is on it:
the faces of an id over many worlds are what the piece can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from tablee.bots.tree import MAX_WORLDS_TRIED
from tablee.core.game import Game
from tablee.core.randomness import uniform
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.types import Generator, State
from tablee.core.view import Piece, View
from tablee.core.words import Words


@dataclass(frozen=True)
class Face:
    """What is on a piece."""

    face: str
    colour: str | None
    symbol: str | None


@dataclass(frozen=True)
class Possibility:
    """A face, and how likely it is."""

    face: Face
    label: str  # of a piece with this face, in words
    probability: float
    error: float  # standard error


@dataclass(frozen=True)
class Belief:
    """What a hidden piece can be, or what is among the hidden pieces of a zone; the likeliest first.

    The probabilities of a piece add up to 1, those of a zone to the number of different faces to expect.
    """

    id: str
    label: str
    possibilities: tuple[Possibility, ...]


@dataclass(frozen=True)
class Beliefs:
    """Of all hidden pieces and of all zones with several of them."""

    pieces: tuple[Belief, ...]
    zones: tuple[Belief, ...]
    worlds: int


def find_beliefs(sight: Sight, worlds: int, generator: Generator, words: Words, names: Sequence[str]) -> Beliefs:
    """Imagine worlds that fit a sight, and count what lies where."""
    seen = _draw(sight, words, names)
    hidden = {piece.id: piece for zone in seen.zones for piece in zone.pieces if is_hidden(piece)}
    zones = {zone.id: zone for zone in seen.zones if sum(piece.id in hidden for piece in zone.pieces) > 1}
    by_piece = {piece_id: FaceTally(piece.label) for piece_id, piece in hidden.items()}
    by_zone = {zone_id: FaceTally(zone.label) for zone_id, zone in zones.items()}
    for _ in range(worlds):
        imagined = _draw(_as_seen(sight.game, draw_likely_world(sight, generator), sight.seat), words, names)
        for zone in imagined.zones:
            pieces = [piece for piece in zone.pieces if piece.id in hidden and piece.face is not None]
            for piece in pieces:
                by_piece[piece.id].count([piece])
            if zone.id in zones:
                by_zone[zone.id].count(pieces)
    return Beliefs(_beliefs(by_piece, worlds), _beliefs(by_zone, worlds), worlds)


class FaceTally:
    """In how many worlds each face was found."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.worlds: Counter[Face] = Counter()
        self.labels: dict[Face, str] = {}

    def count(self, pieces: Sequence[Piece]) -> None:
        """Count a world with these pieces; several with the same face count once."""
        faces = {Face(piece.face or "", piece.colour, piece.symbol): piece.label for piece in pieces}
        self.worlds.update(faces.keys())
        self.labels = faces | self.labels


def is_hidden(piece: Piece) -> bool:
    """Whether a piece lies face down."""
    return piece.face is None and "empty" not in piece.marks


def draw_likely_world(sight: Sight, generator: Generator) -> State:
    """Imagine a world, accepted with the chance that the game's `believe` gives, as searching bots do."""
    for _ in range(MAX_WORLDS_TRIED):
        world = sight.imagine(generator)
        chance = float(sight.game.kernels.believe(world, sight.seat))
        if chance >= 1.0 or uniform(generator) < chance:
            break
    return world


def _as_seen(game: Game, world: State, seat: int) -> Sight:
    """Return a world as if the seat saw all of it; only for worlds that were imagined from the seat's own sight."""
    shown = copy_state(world)
    shown.viewer = seat
    return Sight(game, seat, shown)


def _draw(sight: Sight, words: Words, names: Sequence[str]) -> View:
    view: View = sight.game.module("view").draw(sight, (), words, names)
    return view


def _beliefs(tallies: Mapping[str, FaceTally], worlds: int) -> tuple[Belief, ...]:
    """Return a belief per tally, without those for which no world says anything."""
    return tuple(_belief(name, tally, worlds) for name, tally in tallies.items() if tally.worlds)


def _belief(name: str, tally: FaceTally, worlds: int) -> Belief:
    ordered = sorted(tally.worlds.items(), key=lambda entry: (-entry[1], tally.labels[entry[0]]))
    return Belief(
        name,
        tally.label,
        tuple(_possibility(face, tally.labels[face], count / worlds, worlds) for face, count in ordered),
    )


def _possibility(face: Face, label: str, share: float, worlds: int) -> Possibility:
    return Possibility(face, label, share, sqrt(share * (1 - share) / worlds))
