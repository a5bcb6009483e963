"""Runs: the first entries of an array, in order and without holes.

Indices are unsigned here: Numba checks signed ones for negative values before each use, which keeps the processor from
moving many entries at once (six times slower for forty entries).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.types import Index


@kernel
def open_gap(run: Any, index: Index, count: int) -> None:
    """Move the entries from `index` on up by one; the run had `count` entries before."""
    end = np.uint32(count)
    for step in range(np.uint32(end - np.uint32(index))):
        run[np.uint32(end - step)] = run[np.uint32(end - step - np.uint32(1))]


@kernel
def close_gap(run: Any, index: Index, count: int) -> None:
    """Move the entries after `index` down by one, over it; the run had `count` entries before."""
    for behind in range(np.uint32(index + 1), np.uint32(count)):
        run[np.uint32(behind - np.uint32(1))] = run[np.uint32(behind)]
