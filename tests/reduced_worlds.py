"""Positions of reduced games, each with all worlds that fit what a seat knows there, by enumeration of the deals."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple, TypeAlias

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.core.types import State
from tablee.core.view import Piece, View
from tablee.review.beliefs import UNORDERED, Face, as_seen, face_of, is_hidden

Layout: TypeAlias = tuple[tuple[str, Face], ...]  # the hidden pieces of a world; in a fan in the order of their faces


class Enumerated(NamedTuple):
    """What a seat knows in a position, and the worlds that fit it with their probabilities."""

    sight: Sight
    worlds: list[tuple[State, float]]


def positions(game: Game, reduction: str, count: int, seed: int) -> Iterator[Enumerated]:
    """Yield positions of random games, each from the seat on turn or another one."""
    draw = random.Random(f"{game.name} {reduction} {seed}")
    deals = game.reduction(reduction).deals
    for _ in range(count):
        match, moves = Match.from_deal(game, reduction, draw.randrange(deals)), []
        for _ in range(draw.randrange(5)):
            following = match.copy()
            following.push(move := draw.choice(match.legal_moves()))
            if following.is_over:
                break
            match = following
            moves.append(move)
        yield enumerate_worlds(match.sight(draw.randrange(match.seats)), reduction, deals, moves)


def enumerate_worlds(sight: Sight, reduction: str, deals: int, moves: Sequence[int]) -> Enumerated:
    """Play the moves from every deal, and keep the worlds that look alike to the seat, weighted by `believe`."""
    found: list[tuple[State, float]] = []
    for number in range(deals):
        match = Match.from_deal(sight.game, reduction, number)
        for move in moves:
            if move not in match.legal_moves():
                break
            assert sight.game.kernels.sees_move(match.state, move, sight.seat)
            match.push(move)
        else:
            if match.sight(sight.seat) == sight:
                found.append((match.state, float(sight.game.kernels.believe(match.state, sight.seat))))
    total = sum(weight for _, weight in found)
    return Enumerated(sight, [(world, weight / total) for world, weight in found])


def draw_world(sight: Sight, world: State) -> View:
    """Draw a world as if the seat saw all of it."""
    game = sight.game
    names = [str(seat) for seat in range(sight.seats)]
    return game.module("view").draw(as_seen(game, world, sight.seat), (), game.words("en"), names)


def hidden_pieces(sight: Sight) -> set[str]:
    """Return the ids of the pieces that are hidden from a seat."""
    view = draw_world(sight, sight.state)
    return {piece.id for zone in view.zones for piece in zone.pieces if is_hidden(piece)}


def layout(sight: Sight, world: State, hidden: Set[str]) -> Layout:
    """Return what the hidden pieces are in a world."""
    found: list[tuple[str, Face]] = []
    for zone in draw_world(sight, world).zones:
        pieces = [piece for piece in zone.pieces if piece.id in hidden and piece.face is not None]
        ids, faces = [piece.id for piece in pieces], [face_of(piece) for piece in pieces]
        if zone.kind == UNORDERED:
            faces.sort(key=repr)
        found += zip(ids, faces, strict=True)
    return tuple(found)


def layouts(position: Enumerated) -> dict[Layout, float]:
    """Return the probability of each layout of the hidden pieces."""
    found: defaultdict[Layout, float] = defaultdict(float)
    hidden = hidden_pieces(position.sight)
    for world, probability in position.worlds:
        found[layout(position.sight, world, hidden)] += probability
    return dict(found)


def piece_probabilities(position: Enumerated) -> dict[str, dict[Face, float]]:
    """Return how likely each hidden piece has each face; those of a fan have no order."""
    found: defaultdict[str, defaultdict[Face, float]] = defaultdict(lambda: defaultdict(float))
    hidden = hidden_pieces(position.sight)
    for world, probability in position.worlds:
        for zone in draw_world(position.sight, world).zones:
            pieces = [piece for piece in zone.pieces if piece.id in hidden and piece.face is not None]
            for piece in pieces:
                alike: list[Piece] = pieces if zone.kind == UNORDERED else [piece]
                for face, count in Counter(map(face_of, alike)).items():
                    found[piece.id][face] += probability * count / len(alike)
    return {piece_id: dict(faces) for piece_id, faces in found.items()}


def zone_probabilities(position: Enumerated) -> dict[str, dict[Face, float]]:
    """Return how likely each face is among the hidden pieces of each zone with several."""
    found: defaultdict[str, defaultdict[Face, float]] = defaultdict(lambda: defaultdict(float))
    hidden = hidden_pieces(position.sight)
    for world, probability in position.worlds:
        for zone in draw_world(position.sight, world).zones:
            pieces = [piece for piece in zone.pieces if piece.id in hidden and piece.face is not None]
            for face in set(map(face_of, pieces)) if len(pieces) > 1 else ():
                found[zone.id][face] += probability
    return {zone_id: dict(faces) for zone_id, faces in found.items()}
