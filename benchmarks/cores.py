"""Finds processors that are on separate cores."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Sequence

from numba import njit

ADDITIONS = 30_000_000
RUNS = 3  # the fastest counts


def separate_cores(processors: Collection[int]) -> tuple[tuple[int, int], float]:
    """Return the two processors that slow each other down least, and their speed at additions relative to one.

    Virtual machines do not always report that processors are threads of one core; two such gain nothing here.
    """
    first, *others = sorted(processors)
    gains = {(first, other): gain_of(first, other) for other in others}
    best = max(gains, key=gains.__getitem__)
    return best, gains[best]


def gain_of(*processors: int) -> float:
    """Return the speed of some processors at additions, relative to the first one alone."""
    single = min(seconds_of_additions(processors[:1]) for _ in range(RUNS))
    parallel = min(seconds_of_additions(processors) for _ in range(RUNS))
    return len(processors) * single / parallel


def seconds_of_additions(processors: Sequence[int]) -> float:
    """Return the seconds in which each of some processors does ADDITIONS, all at once."""

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
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


@njit(nogil=True, cache=False)
def additions(count: int) -> int:
    """Do independent additions, which leave no execution units idle for a second thread of the core."""
    a = b = c = d = e = 1
    for index in range(count):
        a, b, c, d, e = (a ^ (index >> 1)) + index, (b ^ (index >> 2)) + 3, (c ^ index) + 5, (d ^ index) - 7, e ^ index
    return a ^ b ^ c ^ d ^ e
