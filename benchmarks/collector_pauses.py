"""Pauses of the garbage collector in another process, each with its time: the server's own metric has buckets."""

from __future__ import annotations

import gc
import os
import struct
import time
from pathlib import Path
from typing import NamedTuple

PAUSE = struct.Struct("dqdd")


class Pause(NamedTuple):
    """One collection."""

    ended_at: float  # time.monotonic(), which all processes of a machine share
    generation: int
    seconds: float
    processor_seconds: float  # less than `seconds` where other programs took the processor away


def record(path: str) -> None:
    """Write every pause of this process to a file, from now on."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    began = (0.0, 0.0)

    def note(phase: str, details: dict[str, int]) -> None:
        nonlocal began
        now = (time.monotonic(), time.thread_time())
        if phase == "start":
            began = now
        else:
            pause = Pause(now[0], details["generation"], now[0] - began[0], now[1] - began[1])
            os.write(descriptor, PAUSE.pack(*pause))

    gc.callbacks.append(note)


def read(path: Path) -> list[Pause]:
    """Return the pauses in a file, in order."""
    return [Pause(*fields) for fields in PAUSE.iter_unpack(path.read_bytes())]


def summary(pauses: list[Pause]) -> dict[str, float]:
    """Return the number of collections, the 99th percentile and the longest, in ms by the clock and the processor."""
    lengths = sorted(pause.seconds for pause in pauses) or [0.0]
    used = sorted(pause.processor_seconds for pause in pauses) or [0.0]
    return {
        "collections": len(pauses),
        "collector_p99_ms": round(lengths[int(0.99 * (len(lengths) - 1))] * 1e3, 1),
        "collector_max_ms": round(lengths[-1] * 1e3, 1),
        "collector_p99_processor_ms": round(used[int(0.99 * (len(used) - 1))] * 1e3, 1),
        "collector_max_processor_ms": round(used[-1] * 1e3, 1),
        "full_collections": sum(pause.generation == 2 for pause in pauses),
    }
