"""Move counts: how many sequences of moves there are, which almost any error in the rules changes; and random moves."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import legal_moves, play
from tablee.core.randomness import new_generator
from tablee.core.state import new_states
from tablee.core.types import State, States


def count_moves(game: Game, state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` moves from a position; random events come from its generator."""
    if depth == 0:
        return 1
    states = new_states(state.dtype, depth)
    states[0] = state
    listed = np.zeros((depth, game.max_legal_moves), np.int32)
    return int(count_leaves(states, listed, np.zeros(depth, np.int64), np.zeros(depth, np.int64), depth))


@kernel
def count_leaves(states: States, listed: Any, counts: Any, tried: Any, depth: int) -> int:
    """Count the sequences of `depth` moves from states[0]; the arrays have a row per depth."""
    leaves = 0
    level = 0
    counts[0] = legal_moves(states[0], listed[0])
    tried[0] = 0
    while level >= 0:
        if level == depth - 1:
            leaves += counts[level]
            level -= 1
        elif tried[level] == counts[level]:
            level -= 1
        else:
            states[level + 1] = states[level]
            play(states[level + 1], listed[level][tried[level]])
            tried[level] += 1
            level += 1
            counts[level] = legal_moves(states[level], listed[level])
            tried[level] = 0
    return leaves


def drawn_moves(game: Game, state: State, count: int) -> Counter[int]:
    """Draw `count` random moves in a position; return how often each was drawn."""
    generator, memory = new_generator(1), np.zeros(game.max_legal_moves, np.int32)
    return Counter(int(game.kernels.random_move(state, generator, memory)) for _ in range(count))
