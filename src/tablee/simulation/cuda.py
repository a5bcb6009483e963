"""The very same steps as CUDA kernels, a thread per game. Import it only where CUDA is wanted: it needs a device.

A CUDA kernel can call a game's kernels, but not by way of the stubs. So the functions of `simulation/steps.py` are
bound to one game: the same code, in which the stubs' names mean that game's kernels. With `NUMBA_ENABLE_CUDASIM=1` and
`NUMBA_DISABLE_JIT=1` all of it runs without a device, as plain Python.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import overload

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.numba_internals import import_cuda
from tablee.core.randomness import GENERATOR
from tablee.core.state import NOBODY
from tablee.simulation import steps
from tablee.simulation.full_state import decode_row

cuda = import_cuda()

STUBS = ("deal", "legal_moves", "ranks", "play", "rate", "scores")
STEPS = (  # those first that others call
    "deal_game",
    "list_game",
    "unmark_game",
    "lead",
    "end_game",
    "redeal_game",
    "reset_game",
    "step_game",
    "draw_move",
    "choose",
    "play_as",
    "play_game_until",
    "roll_game",
)

WARP = 32  # threads in a block, or fewer where that many records do not fit into its shared memory
WORD = numba.uint64  # what is copied at once; records are whole numbers of them
SHARED_BYTES = 48 * 1024  # that a block may have without asking for more
WIDE_MASK = 2048  # moves of a game from which on its marks are taken back one by one, rather than its row cleared
WIDE_ROW = 1024  # numbers of an observation from which on the rows of all games being played do not fit into the cache
NOTES = 24  # numbers of a wide row, other than ones and zeros, that are noted
IS_SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


class CudaKernels(NamedTuple):
    """The kernels of one game."""

    reset: Any  # (arrays, memory, auto_reset)
    step: Any  # (arrays, memory, moves, auto_reset)
    observe: Any  # (arrays, seats, out)
    refuse: Any  # (arrays, moves, out)
    play_until: Any  # (arrays, memory, policies, seat, way, auto_reset)
    draw: Any  # (arrays, policies, out)
    rolls: Any  # by way: (arrays, memory, policies, moves)
    decode: Any  # (records as bytes, table, out)


class Memory(NamedTuple):
    """What lies in some arrays of a batch, in one row: neighbouring threads copy or clear it side by side."""

    words: Any  # the states, as WORD
    numbers: Any  # the observations
    pairs: Any  # the observations, as WORD
    marks: Any  # the mask


class Row(NamedTuple):
    """A row of zeros that `observe` writes into: what is zero is not written again.

    A write of four bytes alone costs a device as much as one of its sectors; there are about 5e10 of them in a second.
    """

    numbers: Any
    first: Any  # where a part of it begins

    def __setitem__(self, index: int, value: float) -> None:
        _write(self, index, value)

    def __getitem__(self, part: slice) -> Any:  # type: ignore[override]
        return _part(self, part)


def _write(row, index, value):
    """Write a number of a row."""
    if value != 0.0:
        row.numbers[row.first + index] = value


def _part(row, part):
    """Return a part of a row."""
    return Row(row.numbers, row.first + part.start)


class Sheet(NamedTuple):
    """A wide row, before it is written: ones are bits in shared memory, all else that is not zero is noted."""

    bits: Any  # (words, threads of the block) uint32
    lane: Any  # whose row it is
    indices: Any  # (NOTES,)
    values: Any  # (NOTES,)
    count: Any  # (1,): how many there are, also where there was no room for all
    first: Any  # where a part of it begins

    def __setitem__(self, index: int, value: float) -> None:
        _note(self, index, value)

    def __getitem__(self, part: slice) -> Any:  # type: ignore[override]
        return _part_of_sheet(self, part)


def _note(row, index, value):
    """Write a number of a row."""
    index += row.first
    if value == 1.0:
        row.bits[index >> 5, row.lane] |= np.uint32(1) << np.uint32(index & 31)
    elif value != 0.0:
        if row.count[0] < NOTES:
            row.indices[row.count[0]] = index
            row.values[row.count[0]] = value
        row.count[0] += 1


def _part_of_sheet(row, part):
    """Return a part of a row."""
    return Sheet(row.bits, row.lane, row.indices, row.values, row.count, row.first + part.start)


@overload(operator.setitem)
def _write_number(row, index, value):
    return {Row: _write, Sheet: _note}.get(getattr(row, "instance_class", None))


@overload(operator.getitem)
def _part_of_row(row, part):
    return {Row: _part, Sheet: _part_of_sheet}.get(getattr(row, "instance_class", None))


def demand_device() -> None:
    """Refuse to go on without a device."""
    if not cuda.is_available():
        raise TableeError("there is no CUDA device; NUMBA_ENABLE_CUDASIM=1 with NUMBA_DISABLE_JIT=1 simulates one")


def to_device(array: np.ndarray) -> Any:
    """Copy an array to the device."""
    return cuda.to_device(array)


def on_device(array: Any) -> Any:
    """Return an array that already lies on the device, whoever made it; None for any other."""
    if hasattr(array, "__cuda_ndarray__"):
        return array
    return cuda.as_cuda_array(array) if hasattr(array, "__cuda_array_interface__") else None


def launch_shape(game: Game, games: int) -> tuple[int, int, int, int]:
    """Return blocks, threads in each, the stream, and the bytes of shared memory for the records of a block."""
    state = game.kernels.state_type.itemsize
    threads = WARP
    while threads * state > SHARED_BYTES:
        threads //= 2
    return -(-games // threads), threads, 0, threads * state


def memory_of(arrays: steps.Arrays) -> Memory:
    """Return the memory of a batch's larger arrays."""
    numbers, marks = (array.reshape(array.size) for array in (arrays.observations, arrays.mask))
    return Memory(arrays.states.view(np.uint64), numbers, numbers.view(np.uint64), marks)


@cache
def kernels_of(game: Game) -> CudaKernels:
    """Make the kernels of a game; each is compiled when it is first launched."""
    bound_steps = _bound_steps(game)
    return CudaKernels(
        reset=_reset_kernel(game, bound_steps),
        step=_step_kernel(game, bound_steps),
        observe=_observe_kernel(game),
        refuse=_refuse_kernel(game),
        play_until=_play_until_kernel(game, bound_steps),
        draw=_draw_kernel(bound_steps),
        rolls={policy: _roll_kernel(game, bound_steps, policy) for policy in (steps.RANDOM, steps.RATED)},
        decode=_decode,
    )


def _bound_steps(game: Game) -> dict[str, Any]:
    """Bind the steps of one game to its kernels."""
    names = {name: getattr(game.kernels, name) for name in STUBS}
    for name in STEPS:
        names[name] = cuda.jit(device=True)(bound(getattr(steps, name), names))
        if name == "reset_game" and game.moves < WIDE_MASK:
            names["unmark_game"] = leave_marks  # what follows lists the moves of all games of a block
    return names


@cuda.jit(device=True)
def leave_marks(arrays, game):
    """Stand for `unmark_game` where the block has cleared its rows of the mask."""


def bound(function: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """Return the same code, in which some global names mean something else."""
    plain: Any = getattr(function, "py_func", function)
    return FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__)


def _local_type(dtype: np.dtype[Any]) -> Any:
    """Return the type of records in a thread's own memory; simulated ones must give their fields as attributes."""
    return np.dtype((np.record, dtype)) if IS_SIMULATED else numba.from_dtype(dtype)


@cuda.jit(device=True)
def part_of_block(memory, count):
    """Return from where to where a block's games have their places in an array, `count` each."""
    first = cuda.blockIdx.x * cuda.blockDim.x * count
    return first, min(first + cuda.blockDim.x * count, len(memory))


@cuda.jit(device=True)
def own_indices(count):
    """Return every so manyth of the first places, so that a block's threads take all of them, side by side.

    They are unsigned, as in `core/runs.py`: Numba would look whether they are negative.
    """
    return range(np.uint64(cuda.threadIdx.x), np.uint64(count), np.uint64(cuda.blockDim.x))


@cuda.jit(device=True)
def fetch_states(words, staged):
    """Copy the records of a block's games into its shared memory, neighbours beside neighbours.

    There each thread reads its own record byte by byte at no cost; in the device's memory, a warp that asks for 32
    places far apart waits for each of them.
    """
    first, last = part_of_block(words, len(staged) // cuda.blockDim.x)
    own = words[first:last]
    for index in own_indices(len(own)):
        staged[index] = own[index]
    cuda.syncthreads()


@cuda.jit(device=True)
def store_states(staged, words):
    """Copy the records of a block's games back."""
    cuda.syncthreads()
    first, last = part_of_block(words, len(staged) // cuda.blockDim.x)
    own = words[first:last]
    for index in own_indices(len(own)):
        own[index] = staged[index]


@cuda.jit(device=True)
def clear_rows(memory, width):
    """Write zeros into the rows of a block's games, neighbours beside neighbours; all its threads take part."""
    first, last = part_of_block(memory, width)
    own = memory[first:last]
    for index in own_indices(len(own)):
        own[index] = 0
    cuda.syncthreads()


@cuda.jit(device=True)
def write_rows(bits, numbers, width):
    """Write the rows of a block's games out of their ones, neighbours beside neighbours; all its threads take part."""
    cuda.syncthreads()
    first, last = part_of_block(numbers, width)
    own = numbers[first:last]
    for column in own_indices(width):
        word, shift = column >> np.uint64(5), np.uint32(column & np.uint64(31))
        index = column
        for lane in range(np.uint64(len(own) // width)):
            own[index] = (bits[word, lane] >> shift) & np.uint32(1)
            index += np.uint64(width)
    cuda.syncthreads()


def _look(game):
    """Make the function that writes what the seat on turn observes; all threads of a block take part.

    The records in shared memory have been stored by then: each becomes the sight that the seat has of it.
    """
    return _look_at_wide_rows(game) if game.kernels.observation.size >= WIDE_ROW else _look_at_rows(game)


def _hide(game):
    """Make the function that turns a true record into what a seat knows of it."""
    glimpse, state_type = game.kernels.glimpse, _local_type(game.kernels.state_type)
    if glimpse is not game.kernels.see:
        return cuda.jit(device=True)(lambda state, seat: glimpse(state, seat, state))

    @cuda.jit(device=True)
    def hide(state, seat):
        copied = cuda.local.array(1, state_type)
        copied[0] = state
        glimpse(copied[0], seat, state)

    return hide


def _look_at_rows(game):
    """Make it so that rows are cleared, and what is not zero is written into them."""
    hide, observe = _hide(game), game.kernels.observe

    @cuda.jit(device=True)
    def look(states, arrays, memory):
        clear_rows(memory.pairs, arrays.observations.shape[1] // 2)
        index = cuda.grid(1)
        if index < len(arrays.states):
            state, seat = states[cuda.threadIdx.x], int(arrays.to_move[index])
            hide(state, seat)
            observe(state, seat, Row(arrays.observations[index], 0))

    return look


def _look_at_wide_rows(game):
    """Make it so that rows are written once, zeros and ones together: who clears them first finds them gone again."""
    hide, observe, size = _hide(game), game.kernels.observe, game.kernels.observation.size
    words = -(-size // 32)

    @cuda.jit(device=True)
    def look(states, arrays, memory):
        cuda.syncthreads()
        index, lane = cuda.grid(1), cuda.threadIdx.x
        bits = cuda.shared.array((words, WARP), np.uint32)
        indices, values = cuda.local.array(NOTES, np.int32), cuda.local.array(NOTES, np.float32)
        count = cuda.local.array(1, np.int32)
        state, seat = states[lane], 0
        for word in range(words):
            bits[word, lane] = 0
        count[0] = 0
        if index < len(arrays.states):
            seat = int(arrays.to_move[index])
            hide(state, seat)
            observe(state, seat, Sheet(bits, lane, indices, values, count, 0))
        write_rows(bits, memory.numbers, size)
        for note in range(min(count[0], NOTES)):
            arrays.observations[index, indices[note]] = values[note]
        if count[0] > NOTES:
            observe(state, seat, Row(arrays.observations[index], 0))

    return look


def _reset_kernel(game, bound_steps):
    """Make the kernel that deals."""
    state_type, look, reset_game = _local_type(game.kernels.state_type), _look(game), bound_steps["reset_game"]

    @cuda.jit
    def reset(arrays, memory, auto_reset):
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        fetch_states(memory.words, staged)
        if index < len(arrays.states):
            reset_game(states[lane : lane + 1], arrays, index, auto_reset)
        store_states(staged, memory.words)
        if len(arrays.observations) > 0:
            look(states, arrays, memory)

    return reset


def _step_kernel(game, bound_steps):
    """Make the kernel that plays a move in each game."""
    state_type, look, step_game = _local_type(game.kernels.state_type), _look(game), bound_steps["step_game"]
    clears_marks = game.moves < WIDE_MASK

    @cuda.jit
    def step(arrays, memory, moves, auto_reset):
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        if clears_marks:
            clear_rows(memory.marks, arrays.mask.shape[1])
        fetch_states(memory.words, staged)
        if index < len(arrays.states):
            step_game(states[lane : lane + 1], arrays, index, moves[index], auto_reset)
        store_states(staged, memory.words)
        if len(arrays.observations) > 0:
            look(states, arrays, memory)

    return step


def _observe_kernel(game):
    """Make the kernel that writes what one seat of each game observes, into rows of zeros."""
    state_type, glimpse, observe = _local_type(game.kernels.state_type), game.kernels.glimpse, game.kernels.observe

    @cuda.jit
    def write(arrays, seats, out):
        index = cuda.grid(1)
        sight = cuda.local.array(1, state_type)
        if index < len(arrays.states):
            glimpse(arrays.states[index], int(seats[index]), sight[0])
            observe(sight[0], int(seats[index]), out[index])

    return write


def _refuse_kernel(game):
    """Make the kernel that says what speaks against each move."""
    refusal = game.kernels.refusal

    @cuda.jit
    def refuse(arrays, moves, out):
        index = cuda.grid(1)
        if index < len(arrays.states):
            out[index] = refusal(arrays.states[index], int(moves[index]))

    return refuse


def _play_until_kernel(game, bound_steps):
    """Make the kernel that lets the others play until one seat is on turn."""
    state_type, look, play_game_until = (
        _local_type(game.kernels.state_type),
        _look(game),
        bound_steps["play_game_until"],
    )
    max_legal_moves = game.max_legal_moves
    clears_marks = game.moves < WIDE_MASK

    @cuda.jit
    def play_until(arrays, memory, generators, seat, policy, auto_reset):
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        choices = cuda.local.array(max_legal_moves, np.int32)
        ratings = cuda.local.array(max_legal_moves, np.float64)
        if clears_marks:
            clear_rows(memory.marks, arrays.mask.shape[1])
        fetch_states(memory.words, staged)
        if index < len(arrays.states):
            state = states[lane : lane + 1]
            play_game_until(state, arrays, index, seat, generators[index], choices, ratings, policy, auto_reset)
        store_states(staged, memory.words)
        if len(arrays.observations) > 0:
            look(states, arrays, memory)

    return play_until


def _draw_kernel(bound_steps):
    """Make the kernel that draws a legal move for each game."""
    draw_move = bound_steps["draw_move"]

    @cuda.jit
    def draw(arrays, generators, out):
        index = cuda.grid(1)
        if index < len(arrays.states):
            out[index] = draw_move(arrays, index, generators[index])

    return draw


def _roll_kernel(game, bound_steps, policy):
    """Make the kernel that plays many moves in each game; one that does not rate moves is half as long."""
    max_legal_moves, state_type = game.max_legal_moves, _local_type(game.kernels.state_type)
    generator_type = _local_type(GENERATOR)
    roll_game, list_game, unmark_game = (bound_steps[name] for name in ("roll_game", "list_game", "unmark_game"))
    clears_marks = game.moves < WIDE_MASK

    @cuda.jit
    def roll(arrays, memory, generators, moves):
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        generator = cuda.local.array(1, generator_type)
        choices = cuda.local.array(max_legal_moves, np.int32)
        ratings = cuda.local.array(max_legal_moves, np.float64)
        if clears_marks:
            clear_rows(memory.marks, arrays.mask.shape[1])
        fetch_states(memory.words, staged)
        if index < len(arrays.states):
            unmark_game(arrays, index)
            generator[0] = generators[index]
            roll_game(states[lane : lane + 1], arrays, index, generator[0], choices, ratings, moves, policy)
            generators[index] = generator[0]
            arrays.ended[index] = states[lane].to_move == NOBODY
            list_game(states[lane], arrays, index)
        store_states(staged, memory.words)

    return roll


@cuda.jit
def _decode(states, table, out):
    """Read the numbers of records that lie one after the other as bytes."""
    index = cuda.grid(1)
    if index < len(out):
        size = len(states) // len(out)
        decode_row(states[index * size : (index + 1) * size], table, out[index])
