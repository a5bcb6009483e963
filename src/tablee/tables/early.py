"""Simultaneous choices: the engine plays them in seat order and hides them, a table lets a person give his early.

Whether he may is worked out from his sight alone, in worlds that fit it: an answer made from the true record could tell
him what the others hold.
"""

from __future__ import annotations

from typing import Any

from tablee.bots.simple import generator_for
from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.core.state import copy_state

WORLDS = 3  # that must all agree
MOST_AHEAD = 4  # choices per seat that are made at the same time
MOST_TRIED = 24  # moves of another seat that are compared; simultaneous choices have few


def own_choice_ahead(match: Match, seat: int) -> Match | None:
    """Return the match as it will look to a seat when its turn comes, if nothing it may learn happens before.

    What is hidden from the seat, and what the others choose in between, is made up. None if it has to wait.
    """
    if match.is_over or match.to_move == seat:
        return None
    sight = match.sight(seat)
    generator = generator_for(0, sight)
    found: Match | None = None
    for _ in range(WORLDS):
        world = Match.from_state(match.game, sight.imagine(generator), match.players)
        ahead = _at_own_turn(world, seat)
        if ahead is None or (found is not None and ahead.sight(seat) != found.sight(seat)):
            return None
        found = ahead
    return found


def _at_own_turn(world: Match, seat: int) -> Match | None:
    """Play on until it is the seat's turn, as long as it learns nothing."""
    for _ in range(MOST_AHEAD * world.seats):
        moves = world.legal_moves()
        if not _is_blind(world, moves, seat):
            return None
        world.play(moves[0])
        if world.is_over:
            return None
        if world.to_move == seat:
            return world
    return None


def _is_blind(world: Match, moves: list[int], seat: int) -> bool:
    """Whether a seat learns nothing from the coming move: neither which it is, nor by what it brings about."""
    kernels = world.game.kernels
    if any(kernels.sees_move(world.state, move, seat) for move in moves):
        return False
    tried = moves[:: 1 + len(moves) // MOST_TRIED]
    return len({_sight_after(world, move, seat) for move in tried}) == 1


def _sight_after(world: Match, move: int, seat: int) -> bytes:
    state: Any = copy_state(world.state)
    world.game.kernels.play(state, move)
    return Sight.of(world.game, state, seat).to_bytes()
