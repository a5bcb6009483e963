"""Room for a few numbers inside a kernel: kernels may not allocate arrays, and a loop over these is fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted
from tablee.core.twins import set_twin


def room_for(count: int) -> Any:
    """Return an array of `count` int64, a constant, that is gone when the kernel returns; its content is undefined."""
    return np.zeros(count, np.int64)


def room_for_floats(count: int) -> Any:
    """Return an array of `count` float64, as `room_for` does."""
    return np.zeros(count)


if not is_interpreted():
    from tablee.core import numba_internals

    set_twin(numba_internals.room_for, room_for)
    set_twin(numba_internals.room_for_floats, room_for_floats)
    from tablee.core.numba_internals import room_for, room_for_floats
