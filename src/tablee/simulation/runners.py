"""Runners: where the arrays of a batch are, and how its kernels are run there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tablee.core.compilation import Kernel
from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game
from tablee.core.state import new_states
from tablee.simulation import steps
from tablee.simulation.full_state import decode_states
from tablee.simulation.random_play import usable_threads
from tablee.simulation.steps import BatchArrays, Scratch

DEVICES = ("cpu", "cuda")
# Minimum games per thread: with fewer, waking a thread costs more than it saves. For one move of each game, for reading
# what is already computed, and for many moves of each game.
MIN_STEPPED_PER_THREAD, MIN_READ_PER_THREAD, MIN_PLAYED_PER_THREAD = 512, 1 << 15, 64


class Runner(Protocol):
    """Holds the arrays of a batch in some memory, and runs its kernels there."""

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def to_device(self, array: np.ndarray) -> Any: ...  # noqa: D102
    def to_host(self, array: Any) -> Any: ...  # noqa: D102
    def integers(self, array: Any) -> Any: ...  # noqa: D102
    def reset(self, arrays: BatchArrays, only_ended: bool) -> None: ...  # noqa: D102
    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None: ...  # noqa: D102
    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None: ...  # noqa: D102
    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None: ...  # noqa: D102
    def play_until(self, arrays: BatchArrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None: ...  # noqa: D102
    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None: ...  # noqa: D102
    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None: ...  # noqa: D102
    def decode(self, states: Any, table: Any, out: Any) -> None: ...  # noqa: D102


def make_runner(game: Game, size: int, device: str, threads: int | None) -> Runner:
    """Make the runner of a batch; raise BadSetup for an unknown device, TableeError if there is none."""
    if device == "cpu":
        return CpuRunner(game, size, threads or usable_threads())
    if device == "cuda":
        return CudaRunner(game, size)
    raise BadSetup(f"there is no device {device!r}; {did_you_mean(device, DEVICES)}")


class CpuRunner:
    """Runs a batch on several threads of the CPU: compiled kernels release the GIL."""

    def __init__(self, game: Game, size: int, threads: int) -> None:
        self.size = size
        self.threads = max(1, min(threads, size // MIN_PLAYED_PER_THREAD))
        self.scratch = [
            Scratch(
                sights=new_states(game.kernels.state_type, 1),
                choices=np.zeros(game.max_legal_moves, np.int32),
                ratings=np.zeros(game.max_legal_moves),
            )
            for _ in range(self.threads)
        ]

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """The other threads, started when they are first needed."""
        return ThreadPoolExecutor(self.threads - 1)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Make an array of zeros."""
        array = np.zeros(shape, dtype)
        return array.view(np.recarray) if array.dtype.names else array

    def to_device(self, array: np.ndarray) -> Any:
        """Return an array as it is."""
        return array

    def to_host(self, array: Any) -> Any:
        """Return an array as it is."""
        return array

    def integers(self, array: Any) -> np.ndarray:
        """Return an int32 array, without a copy where possible."""
        return np.asarray(array, np.int32)

    def _run(self, min_games: int, kernel: Kernel, arrays: BatchArrays, *arguments: Any) -> None:
        """Run a kernel over all games, in parts of at least `min_games` per thread; the first in this thread."""
        parts = max(1, min(self.threads, self.size // min_games))
        ranges = list(pairwise(self.size * part // parts for part in range(parts + 1)))
        futures = [
            self.pool.submit(kernel, arrays, self.scratch[part], *arguments, *ranges[part]) for part in range(1, parts)
        ]
        kernel(arrays, self.scratch[0], *arguments, *ranges[0])
        for future in futures:
            future.result()

    def reset(self, arrays: BatchArrays, only_ended: bool) -> None:
        """Deal all games, or only those that have ended."""
        self._run(MIN_STEPPED_PER_THREAD, steps.reset_games, arrays, only_ended)

    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self._run(MIN_STEPPED_PER_THREAD, steps.step_games, arrays, moves, auto_reset)

    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat of each game observes."""
        self._run(MIN_STEPPED_PER_THREAD, steps.observe_games, arrays, seats, out)

    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None:
        """Write the refusal code of a move in each game."""
        self._run(MIN_READ_PER_THREAD, steps.refuse_moves, arrays, moves, out)

    def play_until(self, arrays: BatchArrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None:
        """Let the other seats play until `seat` is on turn."""
        self._run(MIN_PLAYED_PER_THREAD, steps.play_games_until, arrays, generators, seat, policy, auto_reset)

    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self._run(MIN_READ_PER_THREAD, steps.draw_moves, arrays, generators, out)

    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game."""
        self._run(MIN_PLAYED_PER_THREAD, steps.roll_out_games, arrays, generators, moves, policy)

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the states as numbers."""
        decode_states(states.view(np.ndarray).view(np.uint8).reshape(len(states), -1), table, out)


class CudaRunner:
    """Runs a batch on a CUDA device, with one thread per game."""

    def __init__(self, game: Game, size: int) -> None:
        from tablee.simulation import cuda

        cuda.require_device()
        self.cuda = cuda
        self.kernels = cuda.kernels_of(game)
        self.launch = cuda.launch_configuration(game, size)
        self._flat: Any = None

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Make an array of zeros on the device."""
        array = np.zeros(shape, dtype)
        return self.to_device(array.view(np.recarray) if array.dtype.names else array)

    def to_device(self, array: np.ndarray) -> Any:
        """Copy an array to the device."""
        return self.cuda.to_device(array)

    def to_host(self, array: Any) -> Any:
        """Copy an array from the device."""
        return array.copy_to_host()

    def integers(self, array: Any) -> Any:
        """Return an int32 array on the device; arrays that are there already are not copied."""
        on_device = self.cuda.as_device_array(array)
        return self.to_device(np.asarray(array, np.int32)) if on_device is None else on_device

    def flat(self, arrays: BatchArrays) -> Any:
        """Return flat views of the larger arrays; their memory stays the same."""
        if self._flat is None:
            self._flat = self.cuda.flat_arrays(arrays)
        return self._flat

    def reset(self, arrays: BatchArrays, only_ended: bool) -> None:
        """Deal all games, or only those that have ended."""
        self.kernels.reset[self.launch](arrays, self.flat(arrays), only_ended)

    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self.kernels.step[self.launch](arrays, self.flat(arrays), moves, auto_reset)

    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat of each game observes."""
        self.kernels.observe[self.launch](arrays, seats, out)

    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None:
        """Write the refusal code of a move in each game."""
        self.kernels.refuse[self.launch](arrays, moves, out)

    def play_until(self, arrays: BatchArrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None:
        """Let the other seats play until `seat` is on turn."""
        self.kernels.play_until[self.launch](arrays, self.flat(arrays), generators, seat, policy, auto_reset)

    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self.kernels.draw_moves[self.launch](arrays, generators, out)

    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game."""
        self.kernels.roll_out[policy][self.launch](arrays, self.flat(arrays), generators, moves)

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the states as numbers."""
        self.kernels.decode[self.launch](states.view(np.uint8), table, out)
