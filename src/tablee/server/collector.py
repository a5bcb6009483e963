"""Python's garbage collector and the allocator, set so that pauses stay short and memory goes back.

Why it is set this way: docs/decisions/0048-short-pauses.md.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Objects after which the youngest generation is collected. Python's default is 700: hundreds of collections a second
# that find nothing. The next one stays empty, as what survives is left out; the oldest is `CollectorSettings`' matter.
THRESHOLDS = (2_000, 1_000_000, 1_000_000)
YOUNG_SECONDS = 5.0  # between two collections of what is new, where little is
FULL_SECONDS = 3600.0  # between two full collections, which wait until the server is quiet
MAX_GROWTH = 3.0  # times the memory after the last full collection; more is a reason for another, quiet or not


class CollectorSettings:
    """The settings of the garbage collector while a server runs.

    What survives a collection is left out of all others until a full one: modules, kernels and words, but also open
    connections and tables. Their number must not decide how long a pause is. They hold no cycles when they end.
    """

    def __init__(self, is_quiet: Callable[[], bool] = lambda: False) -> None:
        """Set nothing yet; `is_quiet` says whether nobody would notice a pause."""
        self._is_quiet = is_quiet
        self._before: tuple[int, int, int] | None = None
        self._collecting: asyncio.Task[None] | None = None
        self._collected_at = 0.0
        self._memory = 0  # bytes, after the last full collection

    def start(self) -> None:
        """Collect and leave out what the start has made; in an event loop."""
        self._before = gc.get_threshold()
        self.collect_fully()
        gc.callbacks.append(self._collected)
        gc.set_threshold(*THRESHOLDS)
        self._collecting = asyncio.create_task(self._collect())

    def collect_fully(self) -> None:
        """Collect everything; also after the machine code of all games is loaded. The pause grows with all there is."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._collected_at, self._memory = time.monotonic(), resident_memory()

    async def _collect(self) -> None:
        while True:
            await asyncio.sleep(YOUNG_SECONDS)
            gc.collect(1)
            if self._is_full_due():
                self.collect_fully()

    def _collected(self, phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.freeze()

    def _is_full_due(self) -> bool:
        if resident_memory() > MAX_GROWTH * self._memory:
            return True
        return time.monotonic() - self._collected_at > FULL_SECONDS and self._is_quiet()

    def stop(self) -> None:
        """Set everything as it was before."""
        if self._collecting is not None:
            self._collecting.cancel()
        if self._before is not None:
            gc.callbacks.remove(self._collected)
            gc.set_threshold(*self._before)
            gc.unfreeze()
            self._before = None


def resident_memory() -> int:
    """Return the memory of this process in bytes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def give_memory_back() -> None:
    """Return freed memory to the operating system; the C library keeps it otherwise. It takes milliseconds."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's; others have none
        if trim is not None:
            trim(0)
