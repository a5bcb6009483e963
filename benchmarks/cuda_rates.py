"""Moves per second of batches on a CUDA device, by the device's clock.

As a program it measures the package it finds when it is asked, for `gpu.py --baseline`: questions and answers are lines
of JSON, `[game, figure, size, length]` and the rate. It uses only what batches of every version have.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numba

import tablee
import tablee.simulation.cuda as cuda_kernels
from tablee.simulation.batch import Batch

cuda: Any = (
    cuda_kernels.cuda
)  # `numba.cuda`, which with NumPy 2.5 cannot be imported without a change that is made there
FIGURES = ("rollout", "step")
MIN_MILLISECONDS = 1e-3  # a simulated device has no clock; no measurement on a real one is shorter
PAUSES, PAUSE = 6, 500_000  # of the device before a measured step, nanoseconds: longer than the host takes to launch it
IS_SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


def main() -> None:
    """Say where the package is, then measure until there are no more questions."""
    print(json.dumps(tablee.__file__), flush=True)
    for line in sys.stdin:
        print(json.dumps(rate(*json.loads(line))), flush=True)


def rate(name: str, figure: str, size: int, length: int) -> float:
    """Return moves per second in rollouts of `length` moves, or in `length` steps."""
    return rollout_rate(name, size, length) if figure == "rollout" else step_rate(name, size, length)[0]


def rollout_rate(name: str, size: int, length: int, runs: int = 1, same_game: bool = False) -> float:
    """Measure random play inside the kernel, different games or the same in all threads; the best run counts."""
    batch = Batch(name, size, device="cuda", mask=False, observations=False)
    if same_game:
        batch.reset([7] * size)
    batch.rollout(1)
    return size * length / min(seconds_of(lambda: batch.rollout(length)) for _ in range(runs))


def step_rate(name: str, size: int, steps: int = 40) -> tuple[float, float]:
    """Return the rate of steps with mask and observation, not counting the draw of moves, and the mean legal moves."""
    batch = Batch(name, size, device="cuda")
    batch.rollout(100)  # the positions after the deal are too similar
    batch.step(batch.random_moves())
    count = float(batch.on_host(batch.counts).mean())
    elapsed = 0.0
    for _ in range(steps):
        moves = batch.random_moves()
        if not IS_SIMULATED:
            pause[1, 1](PAUSES)  # the host launches the step meanwhile, so that its time is not measured
        elapsed += seconds_of(lambda: batch.step(moves))  # noqa: B023
    return size * steps / elapsed, count


@cuda.jit
def pause(times: int) -> None:
    """Keep the device waiting."""
    for _ in range(times):
        cuda.nanosleep(PAUSE)


def seconds_of(action: Callable[[], None]) -> float:
    """Return the seconds that the device takes for an action, by its own clock, which a busy host does not disturb."""
    start, end = cuda.event(), cuda.event()
    start.record()
    action()
    end.record()
    end.synchronize()
    return max(float(start.elapsed_time(end)), MIN_MILLISECONDS) / 1000


if __name__ == "__main__":
    main()
