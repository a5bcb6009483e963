"""Runners: where the arrays of a batch are, and how its kernels are run there."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tablee.core.compilation import Kernel, direct_call
from tablee.core.errors import BadMove, TableeError
from tablee.core.game import Game
from tablee.core.notices import compile_notice
from tablee.core.state import NOBODY, SPECTATOR, new_states
from tablee.simulation import steps
from tablee.simulation.arguments import check_row, integer_row, is_row, one_of, whole_number
from tablee.simulation.full_state import decode_states
from tablee.simulation.random_play import usable_threads
from tablee.simulation.rewards import RewardRule
from tablee.simulation.steps import BatchArrays, RolloutTally, Scratch

DEVICES = ("cpu", "cuda")
# Minimum games per thread: with fewer, waking a thread costs more than it saves. For one move of each game, for reading
# what is already computed, and for many moves of each game.
MIN_STEPPED_PER_THREAD, MIN_READ_PER_THREAD, MIN_PLAYED_PER_THREAD = 512, 1 << 15, 64
# Maximum of one call of a compiled function, a tenth of a second in which Python cannot react to an interrupt: games in
# which one move is played, games that are played until a seat is on turn, moves of all games in rollouts.
MAX_STEPPED_PER_CALL, MAX_PLAYED_PER_CALL, MAX_MOVES_PER_CALL = 1 << 16, 1 << 12, 1 << 18
MOVES_PER_LAUNCH = 1 << 10  # of each game in a rollout on CUDA


class Runner(Protocol):
    """Holds the arrays of a batch in some memory, and runs its kernels there."""

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def to_device(self, array: np.ndarray) -> Any: ...  # noqa: D102
    def to_host(self, array: Any) -> Any: ...  # noqa: D102
    def fill(self, array: Any, content: np.ndarray) -> None: ...  # noqa: D102
    def moves(self, arrays: BatchArrays, moves: Any) -> Any: ...  # noqa: D102
    def seats(self, seats: Any, count: int) -> Any: ...  # noqa: D102
    def reset(self, arrays: BatchArrays, only_ended: bool) -> None: ...  # noqa: D102
    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None: ...  # noqa: D102
    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None: ...  # noqa: D102
    def observe_final(self, arrays: BatchArrays, seats: Any, out: Any) -> None: ...  # noqa: D102
    def list_final(self, arrays: BatchArrays, legal: Any, counts: Any) -> None: ...  # noqa: D102
    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None: ...  # noqa: D102
    def play_until(self, arrays: BatchArrays, generators: Any, seats: Any, policy: int, auto_reset: bool) -> None: ...  # noqa: D102
    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None: ...  # noqa: D102
    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None: ...  # noqa: D102
    def decode(self, states: Any, table: Any, out: Any) -> None: ...  # noqa: D102
    def pack(self, arrays: BatchArrays, offsets: Any, out: Any) -> None: ...  # noqa: D102
    def gather(self, table: Any, indices: Any, out: Any) -> None: ...  # noqa: D102
    def pad(self, rows: Any, offsets: Any, out: Any) -> None: ...  # noqa: D102


def make_runner(
    game: Game, size: int, device: Any, threads: Any, rule: RewardRule, is_reduced: bool, is_limited: bool
) -> Runner:
    """Make the runner of a batch; raise BadSetup for an unknown device, TableeError if there is none."""
    if threads is not None:
        threads = whole_number("threads", threads, 1)
    if one_of("device", device, DEVICES) == "cpu":
        return CpuRunner(game, size, threads or usable_threads())
    return CudaRunner(game, size, rule, is_reduced, is_limited)


class CpuRunner:
    """Runs a batch on several threads of the CPU: compiled kernels release the GIL."""

    def __init__(self, game: Game, size: int, threads: int) -> None:
        self.game = game
        self.size = size
        self.threads = max(1, min(threads, size // MIN_PLAYED_PER_THREAD))
        self.compiled: dict[Kernel, Kernel] = {}  # by kernel: itself, compiled for the arrays of this batch
        self.scratch = [
            Scratch(
                sights=new_states(game.kernels.state_type, 1),
                choices=np.zeros(game.max_legal_moves, np.int32),
                ratings=np.zeros(game.max_legal_moves),
                gains=np.zeros(game.seats[-1]),
                tally=RolloutTally(*(np.zeros(game.seats[-1], kind) for kind in (float, float, np.int64, np.int64))),
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

    def fill(self, array: Any, content: np.ndarray) -> None:
        """Write into an array."""
        array[...] = content

    def moves(self, arrays: BatchArrays, moves: Any) -> np.ndarray:
        """Return a move per game as an int32 array, without a copy where possible; raise BadMove for anything else."""
        row = integer_row("moves", moves, self.size)
        check_moves(self.game, row, arrays.to_move)
        return np.require(row, np.int32, ("C_CONTIGUOUS", "ALIGNED"))

    def seats(self, seats: Any, count: int) -> np.ndarray:
        """Return a seat per game, -1 for a spectator, as an int32 array; raise BadSetup for others."""
        return checked_seats(seats, self.size, count)

    def _run(self, min_games: int, max_games: int, kernel: Kernel, arrays: BatchArrays, *arguments: Any) -> None:
        """Run a kernel over all games.

        Each thread gets at least `min_games`, the first part is run in this thread. A call is for at most `max_games`,
        and between calls an interrupt is possible. Arguments must have the same types whenever a kernel is run.
        """
        if kernel not in self.compiled:
            with compile_notice(f"{self.game.name} for simulation, about 20 s the first time"):
                self.compiled[kernel] = direct_call(kernel, arrays, self.scratch[0], *arguments, 0, 0)
        compiled = self.compiled[kernel]
        for start in range(0, self.size, max_games * self.threads):
            count = min(self.size - start, max_games * self.threads)
            self._run_part(start, count, min_games, compiled, arrays, *arguments)

    def _run_part(
        self, start: int, count: int, min_games: int, kernel: Kernel, arrays: BatchArrays, *arguments: Any
    ) -> None:
        """Run a kernel over some games, split among the threads."""
        parts = max(1, min(self.threads, count // min_games))
        if parts == 1:
            kernel(arrays, self.scratch[0], *arguments, start, start + count)
            return
        ranges = list(pairwise(start + count * part // parts for part in range(parts + 1)))
        futures = [
            self.pool.submit(kernel, arrays, self.scratch[part], *arguments, *ranges[part]) for part in range(1, parts)
        ]
        try:
            kernel(arrays, self.scratch[0], *arguments, *ranges[0])
        finally:
            wait(futures)  # also after an interrupt: nobody else may use the arrays before
        for future in futures:
            future.result()

    def reset(self, arrays: BatchArrays, only_ended: bool) -> None:
        """Deal all games, or only those that have ended."""
        self._run(MIN_STEPPED_PER_THREAD, MAX_STEPPED_PER_CALL, steps.reset_games, arrays, only_ended)

    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self._run(MIN_STEPPED_PER_THREAD, MAX_STEPPED_PER_CALL, steps.step_games, arrays, moves, auto_reset)

    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat of each game observes."""
        self._run(MIN_STEPPED_PER_THREAD, MAX_STEPPED_PER_CALL, steps.observe_games, arrays, seats, out)

    def observe_final(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat observes in the last position of each episode that has just ended."""
        self._run(MIN_READ_PER_THREAD, MAX_STEPPED_PER_CALL, steps.observe_final_states, arrays, seats, out)

    def list_final(self, arrays: BatchArrays, legal: Any, counts: Any) -> None:
        """Write the legal moves in the last position of each episode that has just ended."""
        self._run(MIN_READ_PER_THREAD, MAX_STEPPED_PER_CALL, steps.list_final_moves, arrays, legal, counts)

    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None:
        """Write the refusal code of a move in each game."""
        self._run(MIN_READ_PER_THREAD, MAX_STEPPED_PER_CALL, steps.refuse_moves, arrays, moves, out)

    def play_until(self, arrays: BatchArrays, generators: Any, seats: Any, policy: int, auto_reset: bool) -> None:
        """Let the other seats play until one is on turn; `seats` has a row for this episode and one for the next."""
        arguments = (generators, seats, policy, auto_reset)
        self._run(MIN_PLAYED_PER_THREAD, MAX_PLAYED_PER_CALL, steps.play_games_until, arrays, *arguments)
        missed = (arrays.to_move != np.where(arrays.ended, seats[1], seats[0])) & (arrays.to_move != NOBODY)
        if missed.any():
            raise never_on_turn(int(missed.argmax()))

    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self._run(MIN_READ_PER_THREAD, MAX_STEPPED_PER_CALL, steps.draw_moves, arrays, generators, out)

    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game."""
        for part in parts_of(moves, max(1, MAX_MOVES_PER_CALL * self.threads // self.size)):
            self._run(
                MIN_PLAYED_PER_THREAD, MAX_STEPPED_PER_CALL, steps.roll_out_games, arrays, generators, part, policy
            )

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the states as numbers."""
        decode_states(states.view(np.ndarray).view(np.uint8).reshape(len(states), -1), table, out)

    def pack(self, arrays: BatchArrays, offsets: Any, out: Any) -> None:
        """Write the legal moves of all games one after another."""
        self._run(MIN_READ_PER_THREAD, MAX_STEPPED_PER_CALL, steps.pack_moves, arrays, offsets, out)

    def gather(self, table: Any, indices: Any, out: Any) -> None:
        """Write the row of the table that each index says."""
        np.take(table, indices, axis=0, out=out)

    def pad(self, rows: Any, offsets: Any, out: Any) -> None:
        """Write the rows of each game into a table of its own."""
        counts = np.diff(offsets)
        games = np.repeat(np.arange(self.size), counts)
        out[games, np.arange(len(rows)) - offsets[games]] = rows


def parts_of(total: int, most: int) -> Iterator[int]:
    """Yield numbers of at most `most` that sum to `total`; once 0 if it is 0."""
    yield min(total, most)
    for start in range(most, total, most):
        yield min(most, total - start)


def check_moves(game: Game, moves: np.ndarray, to_move: np.ndarray) -> None:
    """Raise BadMove for a number that is no move of the game; where no move is due, -1 may stand for one."""
    wide = moves if moves.dtype == np.int32 else moves.astype(np.int64)  # two types, so that only these are compiled
    bad = int(steps.first_bad_move(wide, to_move, game.moves))
    if bad >= 0:
        raise BadMove(
            f"game {bad} of the batch: {game.name} has no move {moves[bad]}; they are numbered 0 to {game.moves - 1}"
        )


def never_on_turn(index: int) -> TableeError:
    """Return the error for a seat that has waited for its turn in vain."""
    return TableeError(
        f"game {index} of the batch: {steps.MAX_DEALS} games in a row ended before the seat was on turn; "
        "a larger max_moves may help"
    )


def checked_seats(seats: Any, size: int, count: int, lowest: int = SPECTATOR) -> np.ndarray:
    """Return a seat per game, -1 for a spectator, as an int32 array, from one seat for all games or one per game."""
    if not is_row(seats):
        return np.full(size, whole_number("a seat", seats, lowest, count - 1), np.int32)
    row = integer_row("seats", seats, size)
    if row.min() < lowest or row.max() >= count:
        bad = int(np.flatnonzero((row < lowest) | (row >= count))[0])
        raise BadMove(f"game {bad} of the batch: there is no seat {row[bad]}; they are numbered 0 to {count - 1}")
    return row.astype(np.int32)


class CudaRunner:
    """Runs a batch on a CUDA device, with one thread per game.

    Launches are not waited for. So a number on the device that is no move or no seat is found by the kernel: the game
    keeps its position, and the next call that is made after the device has found it raises BadMove.
    """

    def __init__(self, game: Game, size: int, rule: RewardRule, is_reduced: bool, is_limited: bool) -> None:
        from tablee.simulation import cuda, cuda_memory

        cuda_memory.require_device()
        self.cuda, self.memory = cuda, cuda_memory
        self.game = game
        self.size = size
        self.kernels = cuda.kernels_of(game, rule, is_reduced, is_limited)
        self.launch = cuda.launch_configuration(game, size)
        self.launched: set[Any] = set()  # kernels, before
        self.faults = cuda_memory.shared_with_host(
            2
        )  # 1 + a game with a number that is no move, with a seat never on turn
        self._flat: Any = None

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Make an array of zeros on the device."""
        array = np.zeros(shape, dtype)
        return self.to_device(array.view(np.recarray) if array.dtype.names else array)

    def to_device(self, array: np.ndarray) -> Any:
        """Copy an array to the device."""
        return self.memory.to_device(array)

    def to_host(self, array: Any) -> Any:
        """Copy an array from the device."""
        return array.copy_to_host()

    def fill(self, array: Any, content: np.ndarray) -> None:
        """Copy an array to the device, into memory that is there; structures as words of 64 bits."""
        if content.dtype.names:
            array, content = array.view(np.uint64), np.ascontiguousarray(content).view(np.uint64)
        array.copy_to_device(content)

    def moves(self, arrays: BatchArrays, moves: Any) -> Any:
        """Return a move per game on the device; raise BadMove for other shapes and types, and for bad numbers here."""
        on_device = self.memory.as_device_array(moves)
        if on_device is not None:
            check_row("moves", on_device, self.size)
            return on_device
        row = integer_row("moves", moves, self.size)
        to_move = self.to_host(arrays.to_move) if (row < 0).any() else np.zeros(self.size, np.int32)
        check_moves(self.game, row, to_move)
        return self.to_device(row.astype(np.int32))

    def seats(self, seats: Any, count: int) -> Any:
        """Return a seat per game on the device, -1 for a spectator."""
        on_device = self.memory.as_device_array(seats)
        if on_device is not None:
            check_row("seats", on_device, self.size)
            return on_device
        return self.to_device(checked_seats(seats, self.size, count))

    def flat(self, arrays: BatchArrays) -> Any:
        """Return flat views of the larger arrays; their memory stays the same."""
        if self._flat is None:
            self._flat = self.cuda.flat_arrays(arrays)
        return self._flat

    def _run(self, kernel: Any, *arguments: Any) -> None:
        """Launch a kernel for all games."""
        self._raise_fault()
        if kernel in self.launched:
            kernel[self.launch](*arguments)
            return
        with compile_notice(f"{self.game.name} for CUDA, about a minute in each process", starts_now=True):
            kernel[self.launch](*arguments)
        self.launched.add(kernel)

    def _raise_fault(self) -> None:
        """Raise what the device has reported since the last call."""
        if self.faults[1]:
            index, self.faults[1] = int(self.faults[1]) - 1, 0
            raise never_on_turn(index)
        if self.faults[0]:
            index, self.faults[0] = int(self.faults[0]) - 1, 0
            raise BadMove(
                f"game {index} of the batch: an earlier call had a number on the device that is no move "
                f"(0 to {self.game.moves - 1}) or no seat; the game has kept its position"
            )

    def reset(self, arrays: BatchArrays, only_ended: bool) -> None:
        """Deal all games, or only those that have ended."""
        self._run(self.kernels.reset, arrays, self.flat(arrays), only_ended)

    def step(self, arrays: BatchArrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self._run(self.kernels.step, arrays, self.flat(arrays), moves, auto_reset, self.faults)

    def observe(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat of each game observes."""
        self._run(self.kernels.observe, arrays.states, seats, out, self.faults)

    def observe_final(self, arrays: BatchArrays, seats: Any, out: Any) -> None:
        """Write what one seat observes in the last position of each episode that has just ended."""
        self._run(self.kernels.observe_final, arrays.final_states, arrays.ended, seats, out, self.faults)

    def list_final(self, arrays: BatchArrays, legal: Any, counts: Any) -> None:
        """Write the legal moves in the last position of each episode that has just ended."""
        self._run(self.kernels.list_final, arrays.final_states, arrays.ended, legal, counts)

    def refuse(self, arrays: BatchArrays, moves: Any, out: Any) -> None:
        """Write the refusal code of a move in each game."""
        self._run(self.kernels.refuse, arrays.states, moves, out, self.faults)

    def play_until(self, arrays: BatchArrays, generators: Any, seats: Any, policy: int, auto_reset: bool) -> None:
        """Let the other seats play until one is on turn; `seats` has a row for this episode and one for the next."""
        arguments = (generators, seats, policy, auto_reset, self.faults)
        self._run(self.kernels.play_until, arrays, self.flat(arrays), *arguments)

    def draw_moves(self, arrays: BatchArrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self._run(self.kernels.draw_moves, arrays.counts, arrays.legal, generators, out)

    def roll_out(self, arrays: BatchArrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game; waits between launches, so that an interrupt is possible."""
        for index, part in enumerate(parts_of(moves, MOVES_PER_LAUNCH)):
            if index > 0:
                self.memory.synchronize()
            self._run(self.kernels.roll_out[policy], arrays, self.flat(arrays), generators, part)

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the states as numbers."""
        self._run(self.kernels.decode, states.view(np.uint8), table, out)

    def pack(self, arrays: BatchArrays, offsets: Any, out: Any) -> None:
        """Write the legal moves of all games one after another."""
        self._run(self.kernels.pack, arrays.counts, arrays.legal, offsets, out)

    def gather(self, table: Any, indices: Any, out: Any) -> None:
        """Write the row of the table that each index says."""
        self.kernels.gather.forall(len(indices))(table, indices, out)

    def pad(self, rows: Any, offsets: Any, out: Any) -> None:
        """Write the rows of each game into a table of its own."""
        self._run(self.kernels.pad, rows, offsets, out)
