"""Which of the machine's processors are cores of their own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Sequence

from numba import njit

ADDITIONS = 30_000_000
RUNS = 3  # the shortest counts


def separate_cores(processors: Collection[int]) -> tuple[tuple[int, int], float]:
    """Return two processors that hinder each other least, and how much faster they do additions than one alone.

    Machines lend processors that are threads of one core and say nothing of it: two such gain nothing here.
    """
    first, *others = sorted(processors)
    gains = {(first, other): gain_of(first, other) for other in others}
    best = max(gains, key=gains.__getitem__)
    return best, gains[best]


def gain_of(*processors: int) -> float:
    """Return how many times as many additions some processors do at once as the first alone."""
    alone = min(seconds_of_additions(processors[:1]) for _ in range(RUNS))
    together = min(seconds_of_additions(processors) for _ in range(RUNS))
    return len(processors) * alone / together


def seconds_of_additions(processors: Sequence[int]) -> float:
    """Let each of some processors do the same many additions at once."""

    def work(processor: int) -> None:
        os.sched_setaffinity(threading.get_native_id(), {processor})
        ready.wait()
        additions(ADDITIONS)

    ready = threading.Barrier(len(processors) + 1)
    threads = [threading.Thread(target=work, args=[processor]) for processor in processors]
    for thread in threads:
        thread.start()
    additions(1)  # compiled before the clock starts
    ready.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


@njit(nogil=True, cache=False)
def additions(count: int) -> int:
    """Do additions that need not wait for each other, so that a core has nothing left to give to a second thread."""
    a = b = c = d = e = 1
    for index in range(count):
        a, b, c, d, e = (a ^ (index >> 1)) + index, (b ^ (index >> 2)) + 3, (c ^ index) + 5, (d ^ index) - 7, e ^ index
    return a ^ b ^ c ^ d ^ e
