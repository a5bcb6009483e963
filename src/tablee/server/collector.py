"""Python's garbage collector and the allocator, set so that pauses stay short and memory goes back.

Why it is set this way: docs/decisions/0048-short-pauses.md.
"""

from __future__ import annotations

import ctypes
import gc
import sys

# Objects after which the youngest generation is collected, and how often a generation before the next older one.
# Python's default is 700: hundreds of collections a second that find nothing.
THRESHOLDS = (10_000, 10, 10)


class CollectorSettings:
    """The settings of the garbage collector while a server runs."""

    def __init__(self) -> None:
        self._before: tuple[int, int, int] | None = None

    def start(self) -> None:
        """Leave out of all collections what the start has made: modules, kernels, words, routes."""
        self._before = gc.get_threshold()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)

    def stop(self) -> None:
        """Set everything as it was before."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            gc.unfreeze()
            self._before = None


def give_memory_back() -> None:
    """Return freed memory to the operating system; the C library keeps it otherwise. It takes milliseconds."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's; others have none
        if trim is not None:
            trim(0)
