"""Memory for worlds (true states that fit a sight), and how kernels compare them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import see
from tablee.core.state import new_states
from tablee.core.types import Index, Seat, States

WORLD, OTHER, SEEN, FIRST, AGREED = range(5)  # indices of the states, which are used again and again


def new_worlds(game: Game) -> tuple[States, Any]:
    """Return states, and the same memory as rows of bytes, by which they are compared."""
    states = new_states(game.kernels.state_type, AGREED + 1)
    return states, states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)


@kernel
def looks_alike(states: States, raw: Any, world: Index, viewer: Seat, kept: Index, is_first: bool) -> bool:
    """Whether a world looks to a viewer like the first one did, whose sight is in `kept`."""
    see(states[world], viewer, states[SEEN])
    if is_first:
        states[kept] = states[SEEN]
    return np.array_equal(raw[SEEN], raw[kept])
