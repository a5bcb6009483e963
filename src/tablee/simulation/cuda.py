"""The very same steps as CUDA kernels, a thread per game. Import it only where CUDA is wanted: it needs a device.

A CUDA kernel can call a game's kernels, but not by way of the stubs. So the functions of `simulation/steps.py` are
bound to one game: the same code, in which the stubs' names mean that game's kernels. With `NUMBA_ENABLE_CUDASIM=1` and
`NUMBA_DISABLE_JIT=1` all of it runs without a device, as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.kernels import Kernels
from tablee.core.randomness import GENERATOR
from tablee.core.state import NOBODY
from tablee.simulation import steps
from tablee.simulation.truth import decode_row

if "row_stack" not in dir(np):  # NumPy 2.5 has dropped it, and numba-cuda 0.30 cannot be imported without
    np.row_stack = np.vstack
from numba import cuda

STUBS = ("deal", "legal_moves", "observe", "places", "play", "rate", "refusal", "scores", "see")
STEPS = (  # those first that others call
    "deal_game",
    "list_game",
    "unmark_game",
    "lead",
    "end_game",
    "renew_game",
    "step_game",
    "reset_game",
    "look",
    "draw_move",
    "choose",
    "roll_game",
)

WARP = 32  # threads in a block: one warp, which hands rows over in tiles of 32 by 32
TILE = (WARP, WARP + 1)  # a column more than needed, so that no two threads write to one bank
IS_SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


class CudaKernels(NamedTuple):
    """The kernels of one game."""

    reset: Any  # (arrays, renews)
    step: Any  # (arrays, moves, renews)
    observe: Any  # (arrays, seats, out)
    refuse: Any  # (arrays, moves, out)
    draw: Any  # (arrays, policies, out)
    roll: Any  # (arrays, policies, moves, way)
    decode: Any  # (records as bytes, table, out)


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


def blocks(games: int) -> int:
    """Return how many blocks so many games take."""
    return -(-games // WARP)


@cache
def kernels_of(game: Game) -> CudaKernels:
    """Make the kernels of a game; each is compiled when it is first launched."""
    bound_steps = _bound_steps(game.kernels)
    write_rows = _row_writer(game)
    return CudaKernels(
        reset=_reset_kernel(game, bound_steps, write_rows),
        step=_step_kernel(game, bound_steps, write_rows),
        observe=_observe_kernel(game, bound_steps, write_rows),
        refuse=_refuse_kernel(game),
        draw=_draw_kernel(bound_steps),
        roll=_roll_kernel(game, bound_steps),
        decode=_decode,
    )


def _bound_steps(kernels: Kernels) -> dict[str, Any]:
    """Bind the steps of one game to its kernels."""
    names = {name: getattr(kernels, name) for name in STUBS}
    for name in STEPS:
        names[name] = cuda.jit(device=True)(bound(getattr(steps, name), names))
    return names


def bound(function: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """Return the same code, in which some global names mean something else."""
    plain: Any = getattr(function, "py_func", function)
    return FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__)


def _local_type(dtype: np.dtype[Any]) -> Any:
    """Return the type of records in a thread's own memory; simulated ones must give their fields as attributes."""
    return np.dtype((np.record, dtype)) if IS_SIMULATED else numba.from_dtype(dtype)


def _row_writer(game):
    """Make the function that writes the rows of a warp's games: in tiles, so that neighbours write neighbours."""
    numbers = game.kernels.observation.size

    @cuda.jit(device=True)
    def write_rows(row, out):
        tile = cuda.shared.array(TILE, np.float32)
        first = cuda.blockIdx.x * WARP
        lane = cuda.threadIdx.x
        for column in range(0, numbers, WARP):
            for place in range(min(WARP, numbers - column)):
                tile[lane, place] = row[column + place]
            cuda.syncthreads()
            if column + lane < numbers:
                for other in range(min(WARP, len(out) - first)):
                    out[first + other, column + lane] = tile[other, lane]
            cuda.syncthreads()

    return write_rows


def _reset_kernel(game, bound_steps, write_rows):
    """Make the kernel that deals."""
    numbers, record_type = game.kernels.observation.size, _local_type(game.kernels.state_type)
    reset_game, look = bound_steps["reset_game"], bound_steps["look"]

    @cuda.jit
    def reset(arrays, renews):
        place = cuda.grid(1)
        row = cuda.local.array(numbers, np.float32)
        sight = cuda.local.array(1, record_type)
        if place < len(arrays.states):
            reset_game(arrays, place, renews)
            if len(arrays.observations) > 0:
                look(arrays.states[place], int(arrays.to_move[place]), sight[0], row)
        if len(arrays.observations) > 0:
            write_rows(row, arrays.observations)

    return reset


def _step_kernel(game, bound_steps, write_rows):
    """Make the kernel that plays a move in each game."""
    numbers, record_type = game.kernels.observation.size, _local_type(game.kernels.state_type)
    step_game, look = bound_steps["step_game"], bound_steps["look"]

    @cuda.jit
    def step(arrays, moves, renews):
        place = cuda.grid(1)
        row = cuda.local.array(numbers, np.float32)
        sight = cuda.local.array(1, record_type)
        if place < len(arrays.states):
            step_game(arrays, place, moves[place], renews)
            if len(arrays.observations) > 0:
                look(arrays.states[place], int(arrays.to_move[place]), sight[0], row)
        if len(arrays.observations) > 0:
            write_rows(row, arrays.observations)

    return step


def _observe_kernel(game, bound_steps, write_rows):
    """Make the kernel that writes what one seat of each game observes."""
    numbers, record_type = game.kernels.observation.size, _local_type(game.kernels.state_type)
    look = bound_steps["look"]

    @cuda.jit
    def observe(arrays, seats, out):
        place = cuda.grid(1)
        row = cuda.local.array(numbers, np.float32)
        sight = cuda.local.array(1, record_type)
        if place < len(arrays.states):
            look(arrays.states[place], int(seats[place]), sight[0], row)
        write_rows(row, out)

    return observe


def _refuse_kernel(game):
    """Make the kernel that says what speaks against each move."""
    refusal = game.kernels.refusal

    @cuda.jit
    def refuse(arrays, moves, out):
        place = cuda.grid(1)
        if place < len(arrays.states):
            out[place] = refusal(arrays.states[place], int(moves[place]))

    return refuse


def _draw_kernel(bound_steps):
    """Make the kernel that draws a legal move for each game."""
    draw_move = bound_steps["draw_move"]

    @cuda.jit
    def draw(arrays, policies, out):
        place = cuda.grid(1)
        if place < len(arrays.states):
            out[place] = draw_move(arrays, place, policies[place])

    return draw


def _roll_kernel(game, bound_steps):
    """Make the kernel that plays many moves in each game, with the record in the thread's own memory."""
    most_legal, record_type = game.most_legal, _local_type(game.kernels.state_type)
    generator_type = _local_type(GENERATOR)
    roll_game, list_game, unmark_game = (bound_steps[name] for name in ("roll_game", "list_game", "unmark_game"))

    @cuda.jit
    def roll(arrays, policies, moves, way):
        place = cuda.grid(1)
        if place < len(arrays.states):
            record = cuda.local.array(1, record_type)
            policy = cuda.local.array(1, generator_type)
            choices = cuda.local.array(most_legal, np.int32)
            ratings = cuda.local.array(most_legal, np.float64)
            unmark_game(arrays, place)
            record[0] = arrays.states[place]
            policy[0] = policies[place]
            roll_game(record, arrays, place, policy[0], choices, ratings, moves, way)
            arrays.states[place] = record[0]
            policies[place] = policy[0]
            arrays.ended[place] = record[0].to_move == NOBODY
            list_game(arrays, place)

    return roll


@cuda.jit
def _decode(records, table, out):
    """Read the numbers of records that lie one after the other as bytes."""
    place = cuda.grid(1)
    if place < len(out):
        size = len(records) // len(out)
        decode_row(records[place * size : (place + 1) * size], table, out[place])
