"""Whole games inside compiled code, for any game: the stubs find its kernels by the record's type."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tablee.core.compilation import lean_kernel
from tablee.core.kernels import deal, legal_moves, play, ranks, scores
from tablee.core.randomness import below, start
from tablee.core.state import NOBODY


class PlayoutArrays(NamedTuple):
    """The results of games with consecutive numbers, a row per game."""

    lengths: np.ndarray  # (games,)
    reasons: np.ndarray  # (games,)
    points: np.ndarray  # (games, seats)
    ranks: np.ndarray  # (games, seats)


@lean_kernel
def play_games(states, policy, first, moves, batch):
    """Play one random game per row of the batch, numbered from `first`.

    `records` are a blank record and one to play in, `policy` is the generator that chooses, `moves` an array of
    `max_legal_moves`. Game number n draws from stream n of both generators, so it is the same in whichever batch it is.
    """
    for game in range(len(batch.lengths)):
        states[1] = states[0]
        state = states[1]
        start(state.generator, first + game)
        start(policy, first + game)
        deal(state)
        batch.lengths[game] = play_out(state, policy, moves)
        batch.reasons[game] = state.end_reason
        scores(state, batch.points[game])
        ranks(state, batch.ranks[game])


@lean_kernel
def play_out(state, policy, moves):
    """Play legal moves at random to the end of the game; return how many."""
    length = 0
    while state.to_move != NOBODY:
        count = legal_moves(state, moves)
        play(state, int(moves[below(policy, count)]))
        length += 1
    return length
