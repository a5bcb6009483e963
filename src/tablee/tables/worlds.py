"""SearchBuffers for worlds that kernels make up and compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import see
from tablee.core.state import new_states

WORLD, OTHER, SEEN, FIRST, AGREED = range(5)  # places for records, used again and again


def new_worlds(game: Game) -> tuple[Any, Any]:
    """Make records, and the same memory as rows of bytes: by those they are compared."""
    states = new_states(game.kernels.state_type, AGREED + 1)
    return states, states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)


@kernel
def looks_alike(states, raw, world, viewer, kept, is_first):
    """Whether a world looks to a viewer as the first one did, which is kept."""
    see(states[world], viewer, states[SEEN])
    if is_first:
        states[kept] = states[SEEN]
    return np.array_equal(raw[SEEN], raw[kept])
