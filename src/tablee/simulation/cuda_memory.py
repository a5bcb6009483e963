"""Memory of a CUDA device: arrays that host and device share, and kernels over arrays that know no game.

Import this module only where CUDA is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from tablee.core.compilation import Kernel
from tablee.core.errors import TableeError
from tablee.core.numba_internals import import_cuda
from tablee.core.randomness import below
from tablee.simulation.full_state import decode_state

cuda = import_cuda()

IS_SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
WARP = 32  # threads in a block, or fewer if the states of that many games exceed its shared memory
WORD = numba.uint64  # the unit in which states are copied; their size is a multiple of it
SHARED_BYTES = 48 * 1024  # of a block, without a special request

kernel_function: Callable[[Kernel], Any] = cuda.jit
device_function: Callable[[Kernel], Kernel] = cuda.jit(device=True)


def require_device() -> None:
    """Raise TableeError without a CUDA device."""
    if not cuda.is_available():
        raise TableeError("there is no CUDA device; NUMBA_ENABLE_CUDASIM=1 with NUMBA_DISABLE_JIT=1 simulates one")


def to_device(array: np.ndarray) -> Any:
    """Copy an array to the device."""
    return cuda.to_device(array)


def as_device_array(array: Any) -> Any:
    """Return an array that is on the device already, from any library, without a copy; None for other arrays."""
    if hasattr(array, "__cuda_ndarray__"):
        return array
    return cuda.as_cuda_array(array) if hasattr(array, "__cuda_array_interface__") else None


def shared_with_host(count: int) -> Any:
    """Return an int32 array of zeros that host and device read and write without copies or waiting."""
    if IS_SIMULATED:
        return to_device(np.zeros(count, np.int32))
    array = cuda.mapped_array(count, np.int32)
    array[:] = 0
    return array


def synchronize() -> None:
    """Wait for the device."""
    cuda.synchronize()


def local_type(dtype: np.dtype[Any]) -> Any:
    """Return the element type of local and shared arrays; the simulator needs np.record for fields as attributes."""
    return np.dtype((np.record, dtype)) if IS_SIMULATED else numba.from_dtype(dtype)


# Kernels that know no game


@kernel_function
def draw_moves(counts: Any, legal: Any, generators: Any, out: Any) -> None:
    """Draw a legal move for each game, -1 where it is over."""
    index = cuda.grid(1)
    if index < len(counts):
        out[index] = legal[index, below(generators[index], counts[index])] if counts[index] > 0 else -1


@kernel_function
def decode_states(states: Any, table: Any, out: Any) -> None:
    """Write the fields of states, given as consecutive bytes, as numbers."""
    index = cuda.grid(1)
    if index < len(out):
        size = len(states) // len(out)
        decode_state(states[index * size : (index + 1) * size], table, out[index])


@kernel_function
def pack_moves(counts: Any, legal: Any, offsets: Any, out: Any) -> None:
    """Write the legal moves of all games one after another, those of each game from its offset on."""
    game = cuda.grid(1)
    if game < len(counts):
        for index in range(counts[game]):
            out[offsets[game] + index] = legal[game, index]


@kernel_function
def gather_rows(table: Any, indices: Any, out: Any) -> None:
    """Write the row of the table that each index says."""
    row = cuda.grid(1)
    if row < len(indices):
        for column in range(table.shape[1]):
            out[row, column] = table[indices[row], column]


@kernel_function
def pad_rows(rows: Any, offsets: Any, out: Any) -> None:
    """Write the rows of each game into a table of its own."""
    game = cuda.grid(1)
    if game < len(out):
        for index in range(offsets[game + 1] - offsets[game]):
            for column in range(rows.shape[1]):
                out[game, index, column] = rows[offsets[game] + index, column]
