"""Move counts: how many sequences of moves there are, which any slip in the rules changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.game import Game
from tablee.core.state import new_states
from tablee.testing.walk import count_leaves


def count_moves(game: Game, state: Any, depth: int) -> int:
    """Count the sequences of exactly `depth` moves from a position; the chance in it is what its generator holds."""
    if depth == 0:
        return 1
    states = new_states(state.dtype, depth)
    states[0] = state
    listed = np.zeros((depth, game.max_legal_moves), np.int32)
    return int(count_leaves(states, listed, np.zeros(depth, np.int64), np.zeros(depth, np.int64), depth))
