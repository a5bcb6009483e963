"""What hidden pieces can be, and how likely, from one seat's knowledge alone.

A game that can count it does so exactly (`beliefs.py` in its folder). Otherwise worlds that fit the seat's sight are
drawn as if the seat saw them. A view gives a piece the same id whatever is on it: the faces of an id over many worlds
are what the piece can be. In a fan the order of hidden pieces means nothing, so that each of them can be any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from tablee.bots.tree import MAX_WORLDS_TRIED
from tablee.core.counting import CountedPieces
from tablee.core.game import Game
from tablee.core.randomness import uniform
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.types import Generator, State
from tablee.core.view import Piece, View, Zone
from tablee.core.words import Words

UNORDERED = "fan"  # the kind of zone in which hidden pieces have no order


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
    error: float  # standard error; 0 if the probability was counted


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
    worlds: int  # that were imagined; 0 if everything was counted

    @property
    def is_exact(self) -> bool:
        """Whether everything was counted."""
        return self.worlds == 0


def find_beliefs(sight: Sight, worlds: int, generator: Generator, words: Words, names: Sequence[str]) -> Beliefs:
    """Count what lies where, if the game can in this position; else imagine so many worlds that fit the sight."""
    counted = count_beliefs(sight, words, names)
    return imagine_beliefs(sight, worlds, generator, words, names) if counted is None else counted


def count_beliefs(sight: Sight, words: Words, names: Sequence[str]) -> Beliefs | None:
    """Return what the game counts; None if it cannot in this position, or not at all."""
    if not (sight.game.folder / "beliefs.py").exists():
        return None
    counted: list[CountedPieces] | None = sight.game.module("beliefs").count(sight, words)
    if counted is None:
        return None
    hidden = HiddenPieces(_draw(sight, words, names))
    hidden.add_counted(counted)
    return hidden.beliefs(0)


def imagine_beliefs(sight: Sight, worlds: int, generator: Generator, words: Words, names: Sequence[str]) -> Beliefs:
    """Imagine worlds that fit a sight, and count what lies where."""
    hidden = HiddenPieces(_draw(sight, words, names))
    for _ in range(worlds):
        world = draw_likely_world(sight, generator)
        hidden.add_world(_draw(as_seen(sight.game, world, sight.seat), words, names))
    return hidden.beliefs(worlds)


class HiddenPieces:
    """The hidden pieces of a view and its zones with several of them, with what has been found out about them."""

    def __init__(self, view: View) -> None:
        self._zones = {zone.id: [piece.id for piece in zone.pieces if is_hidden(piece)] for zone in view.zones}
        self._unordered = {zone.id for zone in view.zones if zone.kind == UNORDERED}
        pieces = [piece for zone in view.zones for piece in zone.pieces if is_hidden(piece)]
        self._by_piece = {piece.id: FaceTally(piece.label) for piece in pieces}
        self._by_zone = {zone.id: FaceTally(zone.label) for zone in view.zones if len(self._zones[zone.id]) > 1}

    def add_world(self, view: View) -> None:
        """Count a world, drawn as if the seat saw all of it."""
        for zone in view.zones:
            self._add_zone(zone)

    def _add_zone(self, zone: Zone) -> None:
        ids = set(self._zones.get(zone.id, ()))
        pieces = [piece for piece in zone.pieces if piece.id in ids and piece.face is not None]
        for piece in pieces:
            self._by_piece[piece.id].add(pieces if zone.id in self._unordered else [piece])
        if pieces and zone.id in self._by_zone:
            for face in {face_of(piece): piece for piece in pieces}.values():
                self._by_zone[zone.id].add([face])

    def add_counted(self, counted: Iterable[CountedPieces]) -> None:
        """Take over what a game has counted."""
        zone_of = {piece_id: zone_id for zone_id, ids in self._zones.items() for piece_id in ids}
        for group in counted:
            for face in group.faces:
                for piece_id in group.ids:
                    self._by_piece[piece_id].add_share(face.piece, face.probability)
                if (zone_id := zone_of[group.ids[0]]) in self._by_zone:
                    self._by_zone[zone_id].add_share(face.piece, face.among)

    def beliefs(self, worlds: int) -> Beliefs:
        """Return a belief per piece and zone, without those that nothing is known about; `worlds` is 0 if counted."""
        return Beliefs(_beliefs(self._by_piece, worlds), _beliefs(self._by_zone, worlds), worlds)


class FaceTally:
    """The share of each face, added up over worlds."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.sums: defaultdict[Face, float] = defaultdict(float)
        self.squares: defaultdict[Face, float] = defaultdict(float)
        self.labels: dict[Face, str] = {}

    def add(self, pieces: Sequence[Piece]) -> None:
        """Add a world in which it is one of these pieces, each with the same probability."""
        shares: defaultdict[Face, float] = defaultdict(float)
        for piece in pieces:
            shares[face_of(piece)] += 1 / len(pieces)
            self.labels.setdefault(face_of(piece), piece.label)
        for face, share in shares.items():
            self.sums[face] += share
            self.squares[face] += share**2

    def add_share(self, piece: Piece, share: float) -> None:
        """Add a share of one face."""
        self.labels.setdefault(face_of(piece), piece.label)
        self.sums[face_of(piece)] += share

    def possibilities(self, worlds: int) -> tuple[Possibility, ...]:
        """Return what it can be, the likeliest first."""
        ordered = sorted(self.sums, key=lambda face: (-self.sums[face], self.labels[face]))
        return tuple(
            Possibility(face, self.labels[face], self.sums[face] / (worlds or 1), self._error(face, worlds))
            for face in ordered
        )

    def _error(self, face: Face, worlds: int) -> float:
        if worlds == 0:
            return 0.0
        return sqrt(max(0.0, self.squares[face] / worlds - (self.sums[face] / worlds) ** 2) / worlds)


def face_of(piece: Piece) -> Face:
    """Return what is on a piece that is not hidden."""
    return Face(piece.face or "", piece.colour, piece.symbol)


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


def as_seen(game: Game, world: State, seat: int) -> Sight:
    """Return a world as if the seat saw all of it; only for worlds that were imagined from the seat's own sight."""
    shown = copy_state(world)
    shown.viewer = seat
    return Sight(game, seat, shown)


def _draw(sight: Sight, words: Words, names: Sequence[str]) -> View:
    view: View = sight.game.module("view").draw(sight, (), words, names)
    return view


def _beliefs(tallies: Mapping[str, FaceTally], worlds: int) -> tuple[Belief, ...]:
    return tuple(
        Belief(name, tally.label, tally.possibilities(worlds)) for name, tally in tallies.items() if tally.sums
    )
