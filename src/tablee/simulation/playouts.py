"""Whole random games inside compiled code, for any game: the stubs find its kernels by the type of the state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tablee.core.compilation import lean_kernel
from tablee.core.kernels import deal, play, random_move, ranks, scores
from tablee.core.randomness import below, start
from tablee.core.state import NOBODY
from tablee.core.types import Generator, Moves, State, States


class PlayoutArrays(NamedTuple):
    """The results of consecutive games, one row per game."""

    lengths: np.ndarray  # (games,) moves
    reasons: np.ndarray  # (games,) codes of the end reasons, 0 where a reduction was cut off
    points: np.ndarray  # (games, seats)
    ranks: np.ndarray  # (games, seats)


@lean_kernel
def play_games(
    states: States,
    deals: States,
    max_moves: int,
    generator: Generator,
    first: int,
    moves: Moves,
    results: PlayoutArrays,
) -> None:
    """Play one random game per row of the results, numbered from `first`.

    `states` are a blank state and one to play in, `deals` those of a reduction, else none, `generator` chooses the
    moves, `moves` is a buffer of `max_legal_moves`. Game n uses stream n of both generators, so that it is the same in
    every batch.
    """
    for game in range(len(results.lengths)):
        states[1] = states[0]
        state = states[1]
        start(state.generator, first + game)
        start(generator, first + game)
        if len(deals) > 0:
            states[1] = deals[below(state.generator, len(deals))]
        else:
            deal(state)
        results.lengths[game] = play_out(state, max_moves, generator, moves)
        results.reasons[game] = state.end_reason
        scores(state, results.points[game])
        ranks(state, results.ranks[game])


@lean_kernel
def play_out(state: State, max_moves: int, generator: Generator, moves: Moves) -> int:
    """Play random legal moves to the end of the game, or until it is cut off; return their number."""
    length = 0
    while state.to_move != NOBODY and length < max_moves:
        play(state, random_move(state, generator, moves))
        length += 1
    return length
