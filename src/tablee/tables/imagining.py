"""Room for worlds that kernels make up and compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.game import Game
from tablee.core.state import new_states


def new_worlds(game: Game, count: int) -> tuple[Any, Any]:
    """Make records, and the same memory as rows of bytes: by those they are compared."""
    records = new_states(game.kernels.state_type, count)
    return records, records.view(np.ndarray).view(np.uint8).reshape(count, -1)
