"""The steps of a batch as CUDA kernels, with one thread per game. Import this module only where CUDA is wanted.

They call the steps of `simulation/cuda_steps.py`. With `NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` everything
runs without a device, as plain Python.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tablee.core.compilation import Kernel
from tablee.core.game import Game
from tablee.core.randomness import GENERATOR
from tablee.core.state import NOBODY
from tablee.core.types import Index, Moves, Seat, State, States
from tablee.simulation import cuda_memory, steps
from tablee.simulation.cuda_memory import (
    SHARED_BYTES,
    WARP,
    WORD,
    cuda,
    device_function,
    kernel_function,
    local_type,
)
from tablee.simulation.cuda_rows import BitRow, SparseRow
from tablee.simulation.cuda_steps import batch_steps
from tablee.simulation.policies import POLICIES
from tablee.simulation.rewards import RewardRule
from tablee.simulation.steps import NO_MOVE, RolloutTally

WIDE_MASK = 2048  # moves of a game, from which on a step clears single mask entries instead of whole rows
WIDE_ROW = 1024  # numbers of an observation, from which on the rows of all running games exceed the cache
MAX_OTHERS = 24  # numbers of a wide row, other than 0 and 1, that are written without a second pass
WORD_BYTES = 8
ONE = 0x3F800000  # 1.0 in float32


class CudaKernels(NamedTuple):
    """The CUDA kernels of one game."""

    reset: Any  # (arrays, flat, only_ended)
    step: Any  # (arrays, flat, moves, auto_reset, faults)
    observe: Any  # (states, seats, out, faults)
    observe_final: Any  # (states, ended, seats, out, faults)
    list_final: Any  # (states, ended, legal, counts)
    refuse: Any  # (states, moves, out, faults)
    play_until: Any  # (arrays, flat, generators, seats, policy, auto_reset, faults)
    draw_moves: Any  # (counts, legal, generators, out)
    roll_out: Any  # by policy: (arrays, flat, generators, moves)
    decode: Any  # (states as bytes, table, out)
    pack: Any  # (counts, legal, offsets, out)
    gather: Any  # (table, indices, out)
    pad: Any  # (rows, offsets, out)


class FlatArrays(NamedTuple):
    """One-dimensional views of some arrays of a batch, which the threads of a block copy or clear together."""

    words: Any  # the states, as WORD
    pairs: Any  # the observations, two numbers in a WORD
    mask: Any
    mask_words: Any  # the mask, as WORD, without the last bytes that fill no word


def launch_configuration(game: Game, games: int) -> tuple[int, int, int, int]:
    """Return the number of blocks, threads per block, stream, and bytes of shared memory for the states of a block."""
    threads = threads_per_block(game)
    return -(-games // threads), threads, 0, threads * game.kernels.state_type.itemsize


def threads_per_block(game: Game) -> int:
    """Return the number of threads whose states fit into the shared memory of a block."""
    threads = WARP
    while threads * game.kernels.state_type.itemsize > SHARED_BYTES:
        threads //= 2
    return threads


def flat_arrays(arrays: steps.BatchArrays) -> FlatArrays:
    """Return flat views of a batch's larger arrays."""
    numbers, mask = (array.reshape(array.size) for array in (arrays.observations, arrays.mask))
    mask_words = mask[: mask.size // WORD_BYTES * WORD_BYTES].view(np.uint64)
    return FlatArrays(arrays.states.view(np.uint64), numbers.view(np.uint64), mask, mask_words)


@cache
def kernels_of(game: Game, rule: RewardRule, is_reduced: bool, is_limited: bool) -> CudaKernels:
    """Make the kernels of a game, or its reductions, for one kind of reward; each is compiled at its first launch."""
    plain_steps = batch_steps(game, rule, is_reduced, is_limited, is_mask_cleared=False)
    bound_steps = batch_steps(game, rule, is_reduced, is_limited, is_mask_cleared=clears_mask(game))
    return CudaKernels(
        reset=_reset_kernel(game, plain_steps),
        step=_step_kernel(game, bound_steps),
        observe=_observe_kernel(game),
        observe_final=_observe_final_kernel(game),
        list_final=_list_final_kernel(game),
        refuse=_refuse_kernel(game),
        play_until=_play_until_kernel(game, bound_steps),
        draw_moves=cuda_memory.draw_moves,
        roll_out={policy: _roll_out_kernel(game, bound_steps, policy) for policy in POLICIES.values()},
        decode=cuda_memory.decode_states,
        pack=cuda_memory.pack_moves,
        gather=cuda_memory.gather_rows,
        pad=cuda_memory.pad_rows,
    )


def clears_mask(game: Game) -> bool:
    """Whether a step clears whole rows of the mask; those of a block must be whole words then."""
    return game.moves < WIDE_MASK and threads_per_block(game) % WORD_BYTES == 0


# Memory that the threads of a block copy or clear together: neighbouring threads access neighbouring words. The
# simulator demands that device functions that use `cuda` are in the module of the kernels that call them.


@device_function
def block_range(memory: Any, count: int) -> tuple[Index, Index]:
    """Return the range of a flat array that belongs to the block's games, with `count` elements per game."""
    first = cuda.blockIdx.x * cuda.blockDim.x * count
    return first, min(first + cuda.blockDim.x * count, len(memory))


@device_function
def thread_indices(count: int) -> range:
    """Return this thread's part of the indices 0 to count - 1: one in every `blockDim`, starting at its own number.

    The indices are unsigned, as in `core/runs.py`, so that Numba does not check for negative ones.
    """
    return range(np.uint64(cuda.threadIdx.x), np.uint64(count), np.uint64(cuda.blockDim.x))


@device_function
def load_states(words: Any, staged: Any) -> None:
    """Copy the states of the block's games into shared memory.

    Each thread then reads its own state there byte by byte at no cost. In global memory the 32 addresses that a warp
    reads at a time would be far apart, and each a transaction of its own.
    """
    first, last = block_range(words, len(staged) // cuda.blockDim.x)
    own = words[first:last]
    for index in thread_indices(len(own)):
        staged[index] = own[index]
    cuda.syncthreads()


@device_function
def store_states(staged: Any, words: Any) -> None:
    """Copy the states of the block's games back to global memory."""
    cuda.syncthreads()
    first, last = block_range(words, len(staged) // cuda.blockDim.x)
    own = words[first:last]
    for index in thread_indices(len(own)):
        own[index] = staged[index]


@device_function
def clear_range(memory: Any, first: Index, last: Index) -> None:
    """Write zeros from `first` to before `last`; all threads of the block take part."""
    own = memory[first:last]
    for index in thread_indices(len(own)):
        own[index] = 0


@device_function
def clear_rows(memory: Any, width: int) -> None:
    """Write zeros into the rows of the block's games; all its threads take part."""
    first, last = block_range(memory, width)
    clear_range(memory, first, last)
    cuda.syncthreads()


@device_function
def clear_mask(mask: Any, words: Any, width: int) -> None:
    """Write zeros into the mask of the block's games, word by word; all its threads take part."""
    first, last = block_range(mask, width)
    clear_range(words, first // WORD_BYTES, last // WORD_BYTES)
    clear_range(mask, max(first, last // WORD_BYTES * WORD_BYTES), last)
    cuda.syncthreads()


@device_function
def write_rows(bits: Any, pairs: Any, width: int) -> None:
    """Write the rows of the block's games, of `width` pairs of numbers, from their bits; all its threads take part."""
    cuda.syncthreads()
    first, last = block_range(pairs, width)
    own = pairs[first:last]
    for column in thread_indices(width):
        word, shift = column >> np.uint64(4), np.uint32(2 * (column & np.uint64(15)))
        index = column
        for lane in range(np.uint64(len(own) // width)):
            two = np.uint64(bits[word, lane] >> shift)
            own[index] = (two & np.uint64(1)) * np.uint64(ONE) | (two >> np.uint64(1) & np.uint64(1)) * np.uint64(
                ONE << 32
            )
            index += np.uint64(width)
    cuda.syncthreads()


# Observations


def _observation_writer(game: Game) -> Kernel:
    """Make the function (states, arrays, flat) that writes what the seats on turn observe.

    All threads of a block take part. The states in shared memory must be stored by then: each one is turned into the
    sight of the seat on turn.
    """
    return _wide_row_writer(game) if game.kernels.observation.size >= WIDE_ROW else _narrow_row_writer(game)


def _hiding_function(game: Game) -> Kernel:
    """Make the function (state, seat) that turns a state into what a seat knows of it, in place."""
    glimpse, state_type = game.kernels.glimpse, local_type(game.kernels.state_type)
    if glimpse is not game.kernels.see:
        return device_function(lambda state, seat: glimpse(state, seat, state))

    @device_function
    def hide(state: State, seat: Seat) -> None:
        copied = cuda.local.array(1, state_type)
        copied[0] = state
        glimpse(copied[0], seat, state)

    return hide


def _narrow_row_writer(game: Game) -> Kernel:
    """Make a writer that clears the rows and then writes the numbers other than zero."""
    hide, observe = _hiding_function(game), game.kernels.observe

    @device_function
    def write(states: States, arrays: steps.BatchArrays, flat: FlatArrays) -> None:
        cuda.syncthreads()
        index, seat = cuda.grid(1), 0
        state = states[cuda.threadIdx.x]
        if index < len(arrays.states):
            seat = int(arrays.to_move[index])
            hide(state, seat)
        clear_rows(flat.pairs, arrays.observations.shape[1] // 2)  # as late as possible: rows stay in the cache
        if index < len(arrays.states):
            observe(state, seat, SparseRow(arrays.observations[index], 0))

    return write


def _wide_row_writer(game: Game) -> Kernel:
    """Make a writer that writes each row once, zeros and ones together: cleared rows would not stay in the cache."""
    hide, observe, size = _hiding_function(game), game.kernels.observe, game.kernels.observation.size
    words, max_others = -(-size // 32), MAX_OTHERS

    @device_function
    def write(states: States, arrays: steps.BatchArrays, flat: FlatArrays) -> None:
        cuda.syncthreads()
        index, lane = cuda.grid(1), cuda.threadIdx.x
        bits = cuda.shared.array((words, WARP), np.uint32)
        indices, values = cuda.local.array(max_others, np.int32), cuda.local.array(max_others, np.float32)
        count = cuda.local.array(1, np.int32)
        state, seat = states[lane], 0
        for word in range(words):
            bits[word, lane] = 0
        count[0] = 0
        if index < len(arrays.states):
            seat = int(arrays.to_move[index])
            hide(state, seat)
            observe(state, seat, BitRow(bits, lane, indices, values, count, 0))
        write_rows(bits, flat.pairs, size // 2)
        for other in range(min(count[0], max_others)):
            arrays.observations[index, indices[other]] = values[other]
        if count[0] > max_others:
            observe(state, seat, SparseRow(arrays.observations[index], 0))

    return write


# Kernels


def _reset_kernel(game: Game, bound_steps: dict[str, Kernel]) -> Any:
    """Make the kernel that deals."""
    state_type, write_observations = local_type(game.kernels.state_type), _observation_writer(game)
    reset_game, max_seats = bound_steps["reset_game"], game.seats[-1]

    @kernel_function
    def reset(arrays: steps.BatchArrays, flat: FlatArrays, only_ended: bool) -> None:
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        gains = cuda.local.array(max_seats, np.float64)
        load_states(flat.words, staged)
        if index < len(arrays.states):
            reset_game(states[lane : lane + 1], arrays, index, only_ended, gains)
        store_states(staged, flat.words)
        if len(arrays.observations) > 0:
            write_observations(states, arrays, flat)

    return reset


def _step_kernel(game: Game, bound_steps: dict[str, Kernel]) -> Any:
    """Make the kernel that plays a move in each game."""
    state_type, write_observations = local_type(game.kernels.state_type), _observation_writer(game)
    step_game, is_mask_cleared = bound_steps["step_game"], clears_mask(game)
    max_seats, limit = game.seats[-1], game.moves

    @kernel_function
    def step(arrays: steps.BatchArrays, flat: FlatArrays, moves: Moves, auto_reset: bool, faults: Any) -> None:
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        gains = cuda.local.array(max_seats, np.float64)
        if is_mask_cleared:
            clear_mask(flat.mask, flat.mask_words, arrays.mask.shape[1])
        load_states(flat.words, staged)
        if index < len(arrays.states):
            move = moves[index]
            if move != NO_MOVE and not 0 <= move < limit and arrays.to_move[index] != NOBODY:
                faults[0] = index + 1
                move = NO_MOVE
            step_game(states[lane : lane + 1], arrays, index, move, auto_reset, gains)
        store_states(staged, flat.words)
        if len(arrays.observations) > 0:
            write_observations(states, arrays, flat)

    return step


def _observe_kernel(game: Game) -> Any:
    """Make the kernel that writes what one seat of each game observes, into rows of zeros."""
    state_type, glimpse, observe = local_type(game.kernels.state_type), game.kernels.glimpse, game.kernels.observe

    @kernel_function
    def write(states: States, seats: Any, out: Any, faults: Any) -> None:
        index = cuda.grid(1)
        sight = cuda.local.array(1, state_type)
        if index < len(states):
            if -1 <= seats[index] < states[index].seats:
                glimpse(states[index], int(seats[index]), sight[0])
                observe(sight[0], int(seats[index]), out[index])
            else:
                faults[0] = index + 1

    return write


def _observe_final_kernel(game: Game) -> Any:
    """Make the kernel that writes what a seat observes in the last position of each episode that has just ended."""
    state_type, glimpse, observe = local_type(game.kernels.state_type), game.kernels.glimpse, game.kernels.observe

    @kernel_function
    def write(states: States, ended: Any, seats: Any, out: Any, faults: Any) -> None:
        index = cuda.grid(1)
        sight = cuda.local.array(1, state_type)
        if index < len(states) and ended[index]:
            if -1 <= seats[index] < states[index].seats:
                glimpse(states[index], int(seats[index]), sight[0])
                observe(sight[0], int(seats[index]), out[index])
            else:
                faults[0] = index + 1

    return write


def _list_final_kernel(game: Game) -> Any:
    """Make the kernel that writes the legal moves in the last position of each episode that has just ended."""
    legal_moves = game.kernels.legal_moves

    @kernel_function
    def write(states: States, ended: Any, legal: Any, counts: Any) -> None:
        index = cuda.grid(1)
        if index < len(states) and ended[index]:
            counts[index] = legal_moves(states[index], legal[index])

    return write


def _refuse_kernel(game: Game) -> Any:
    """Make the kernel that writes the refusal code of a move in each game."""
    refusal, limit = game.kernels.refusal, game.moves

    @kernel_function
    def refuse(states: States, moves: Moves, out: Any, faults: Any) -> None:
        index = cuda.grid(1)
        if index < len(states):
            if moves[index] == NO_MOVE:
                out[index] = 0
            elif -1 <= moves[index] < limit:
                out[index] = refusal(states[index], max(0, int(moves[index])))
            else:
                faults[0] = index + 1

    return refuse


def _play_until_kernel(game: Game, bound_steps: dict[str, Kernel]) -> Any:
    """Make the kernel that lets the other seats play until one is on turn."""
    state_type, write_observations = local_type(game.kernels.state_type), _observation_writer(game)
    play_game_until, is_mask_cleared = bound_steps["play_game_until"], clears_mask(game)
    max_legal_moves, max_seats = game.max_legal_moves, game.seats[-1]

    @kernel_function
    def play_until(
        arrays: steps.BatchArrays,
        flat: FlatArrays,
        generators: Any,
        seats: Any,
        policy: int,
        auto_reset: bool,
        faults: Any,
    ) -> None:
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        choices = cuda.local.array(max_legal_moves, np.int32)
        ratings = cuda.local.array(max_legal_moves, np.float64)
        gains = cuda.local.array(max_seats, np.float64)
        if is_mask_cleared:
            clear_mask(flat.mask, flat.mask_words, arrays.mask.shape[1])
        load_states(flat.words, staged)
        if index < len(arrays.states):
            slot = states[lane : lane + 1]
            seat, next_seat, generator = seats[0, index], seats[1, index], generators[index]
            play_game_until(
                slot, arrays, index, seat, next_seat, generator, choices, ratings, gains, policy, auto_reset
            )
            target = next_seat if arrays.ended[index] else seat
            if arrays.to_move[index] != target and arrays.to_move[index] != NOBODY:
                faults[1] = index + 1
        store_states(staged, flat.words)
        if len(arrays.observations) > 0:
            write_observations(states, arrays, flat)

    return play_until


def _roll_out_kernel(game: Game, bound_steps: dict[str, Kernel], policy: int) -> Any:
    """Make the kernel that plays many moves in each game; without ratings its code is half as long."""
    max_legal_moves, state_type = game.max_legal_moves, local_type(game.kernels.state_type)
    generator_type, is_mask_cleared = local_type(GENERATOR), clears_mask(game)
    roll_out_game, max_seats = bound_steps["roll_out_game"], game.seats[-1]

    @kernel_function
    def roll_out(arrays: steps.BatchArrays, flat: FlatArrays, generators: Any, moves: int) -> None:
        index, lane = cuda.grid(1), cuda.threadIdx.x
        states, staged = cuda.shared.array(0, state_type), cuda.shared.array(0, WORD)
        generator = cuda.local.array(1, generator_type)
        choices = cuda.local.array(max_legal_moves, np.int32)
        ratings = cuda.local.array(max_legal_moves, np.float64)
        gains = cuda.local.array(max_seats, np.float64)
        rewards, returns = cuda.local.array(max_seats, np.float64), cuda.local.array(max_seats, np.float64)
        points, ranks = cuda.local.array(max_seats, np.int64), cuda.local.array(max_seats, np.int64)
        tally = RolloutTally(rewards, returns, points, ranks)
        if is_mask_cleared:
            clear_mask(flat.mask, flat.mask_words, arrays.mask.shape[1])
        load_states(flat.words, staged)
        if index < len(arrays.states):
            generator[0] = generators[index]
            slot = states[lane : lane + 1]
            roll_out_game(slot, arrays, index, generator[0], choices, ratings, gains, tally, moves, policy)
            generators[index] = generator[0]
        store_states(staged, flat.words)

    return roll_out
