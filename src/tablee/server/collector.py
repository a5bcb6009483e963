"""Python's garbage collector and the allocator, set so that pauses stay short and memory goes back.

Why it is set this way: docs/decisions/0048-short-pauses.md.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys

# Objects after which the youngest generation is collected, and how often before the next older one. Python's default is
# 700: hundreds of collections a second that find nothing. The oldest is collected every FULL_SECONDS.
THRESHOLDS = (5_000, 10, 1_000_000)
FULL_SECONDS = 30.0  # between two full collections


class CollectorSettings:
    """The settings of the garbage collector while a server runs."""

    def __init__(self) -> None:
        self._before: tuple[int, int, int] | None = None
        self._collecting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Leave what the start has made out of all collections: modules, kernels, words, routes; in an event loop."""
        self._before = gc.get_threshold()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        self._collecting = asyncio.create_task(self._collect_fully())

    async def _collect_fully(self) -> None:
        """Collect all generations from time to time, not whenever so many objects have survived.

        Recent positions of tables survive and are freed soon after: by themselves they would cause a full collection
        every few seconds.
        """
        while True:
            await asyncio.sleep(FULL_SECONDS)
            gc.collect()

    def stop(self) -> None:
        """Set everything as it was before."""
        if self._collecting is not None:
            self._collecting.cancel()
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
