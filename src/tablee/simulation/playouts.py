"""Whole games inside compiled code, for any game: the stubs find its kernels by the record's type."""

from __future__ import annotations

from tablee.core.compiling import kernel
from tablee.core.kernels import deal, legal_moves, places, play, scores
from tablee.core.randomness import below, start
from tablee.core.state import NOBODY


@kernel
def play_games(records, policy, first, moves, lengths, points, ranks, reasons):
    """Play one random game per entry of `lengths`, numbered from `first`; return how many moves that took.

    `records` are a blank record and one to play in, `policy` the generator that chooses. Game number n draws from stream
    n of both generators, so it is the same game whichever batch it is in. Shapes: `moves` (most_legal,), `lengths` and
    `reasons` (games,), `points` and `ranks` (games, seats).
    """
    total = 0
    for game in range(len(lengths)):
        records[1] = records[0]
        state = records[1]
        start(state.generator, first + game)
        start(policy, first + game)
        deal(state)
        length = play_out(state, policy, moves)
        scores(state, points[game])
        places(state, ranks[game])
        lengths[game] = length
        reasons[game] = state.end_reason
        total += length
    return total


@kernel
def play_out(state, policy, moves):
    """Play legal moves at random to the end of the game; return how many."""
    length = 0
    while state.to_move != NOBODY:
        count = legal_moves(state, moves)
        play(state, moves[below(policy, count)])
        length += 1
    return length
