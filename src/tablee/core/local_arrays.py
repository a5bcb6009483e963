"""Arrays on the stack for a few numbers: kernels may not allocate arrays, and loops over these are fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted
from tablee.core.twins import set_twin


def local_array(count: int) -> Any:
    """Return an array of `count` int64, a constant, that is gone when the kernel returns; its content is undefined."""
    return np.zeros(count, np.int64)


def local_float_array(count: int) -> Any:
    """Return an array of `count` float64, as `local_array` does."""
    return np.zeros(count)


if not is_interpreted():
    from tablee.core import numba_internals

    set_twin(numba_internals.local_array, local_array)
    set_twin(numba_internals.local_float_array, local_float_array)
    from tablee.core.numba_internals import local_array, local_float_array
