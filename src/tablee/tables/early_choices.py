"""Simultaneous choices: the engine plays them in seat order and hides them; a table lets people make theirs early.

Whether they may is computed from their sight, in worlds that fit it: computed from the true state, the answer could
tell them what the others hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.kernels import imagine, legal_moves, play, sees_move
from tablee.core.match import Match
from tablee.core.randomness import start
from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.twins import set_twin
from tablee.core.types import Generator, Moves, Seat, SightState, States
from tablee.tables.worlds import AGREED, FIRST, OTHER, WORLD, looks_alike, worlds_of

WORLDS = 3  # that must all agree
MAX_EARLY_CHOICES = 4  # per seat that are made at the same time
MAX_COMPARED = 24  # moves of another seat that are compared; simultaneous choices have few


def position_at_own_turn(match: Match, sight: Sight) -> Match | None:
    """Return the match as it will look to a seat at its next turn, if the seat learns nothing before; else None.

    What is hidden from the seat, and what the others choose in between, is imagined.
    """
    if match.is_over or match.to_move == sight.seat:
        return None
    worlds = worlds_of(sight.game)
    if not worlds.ask(_can_choose, sight):
        return None
    return Match.from_state(match.game, worlds.states[WORLD], match.players)


@kernel
def _can_choose(
    sight: SightState, stream: np.uint64, generator: Generator, states: States, words: Any, moves: Moves
) -> bool:
    """Whether the seat's turn comes, and looks the same, in all worlds; the last one is left at that turn."""
    start(generator, stream)
    for number in range(WORLDS):
        states[WORLD] = sight
        imagine(states[WORLD], sight.viewer, generator)
        if not _reaches_turn(sight.viewer, states, words, moves):
            return False
        if not looks_alike(states, words, WORLD, sight.viewer, AGREED, number == 0):
            return False
    return True


set_twin(_can_choose, lambda *_: False)  # until it is compiled, nobody chooses early: worlds take long to imagine


@kernel
def _reaches_turn(seat: Seat, states: States, words: Any, moves: Moves) -> bool:
    """Play on until it is the seat's turn, as long as it learns nothing; return whether that turn is reached."""
    world = states[WORLD]
    for _ in range(MAX_EARLY_CHOICES * world.seats):
        count = legal_moves(world, moves)
        if not _learns_nothing(seat, states, words, moves, count):
            return False
        play(world, moves[0])
        if world.to_move == NOBODY:
            return False
        if world.to_move == seat:
            return True
    return False


@kernel
def _learns_nothing(seat: Seat, states: States, words: Any, moves: Moves, count: int) -> bool:
    """Whether a seat learns nothing by the coming move: neither which it is, nor from what it brings about."""
    for index in range(count):
        if sees_move(states[WORLD], moves[index], seat):
            return False
    for index in range(0, count, 1 + count // MAX_COMPARED):
        states[OTHER] = states[WORLD]
        play(states[OTHER], moves[index])
        if not looks_alike(states, words, OTHER, seat, FIRST, index == 0):
            return False
    return True
