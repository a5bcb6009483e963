"""Rows of observations that kernels write to on CUDA: like arrays, but zeros cost nothing.

A device writes four bytes at the cost of a whole sector of 32, about 5e10 times per second. `observe` assigns to
`out[index]` and to slices of `out`; these classes give those assignments another meaning, so that games need not know.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from tablee.core.types import Index


class SparseRow(NamedTuple):
    """A row that is all zeros: only other numbers are written."""

    numbers: Any
    first: Any  # offset, in a slice of the row

    def __setitem__(self, index: Index, value: float) -> None:
        _set_sparse(self, index, value)

    def __getitem__(self, part: slice) -> Any:  # type: ignore[override]
        return _slice_sparse(self, part)


# Numba demands that these functions and the overloads below have the same names and annotations of parameters.


def _set_sparse(row: Any, index: Any, value: Any) -> None:
    if value != 0.0:
        row.numbers[row.first + index] = value


def _slice_sparse(row: Any, part: Any) -> SparseRow:
    return SparseRow(row.numbers, row.first + part.start)


class BitRow(NamedTuple):
    """A wide row before it is written: ones are bits in shared memory, numbers other than 0 and 1 are listed."""

    bits: Any  # (words, threads of the block) uint32
    lane: Any  # the row's column of `bits`
    indices: Any  # (max others,) int32: of the listed numbers
    values: Any  # (max others,) float32
    count: Any  # (1,) int32: numbers other than 0 and 1, also those that exceed the list
    first: Any  # offset, in a slice of the row

    def __setitem__(self, index: Index, value: float) -> None:
        _set_bit(self, index, value)

    def __getitem__(self, part: slice) -> Any:  # type: ignore[override]
        return _slice_bits(self, part)


def _set_bit(row: Any, index: Any, value: Any) -> None:
    index += row.first
    if value == 1.0:
        row.bits[index >> 5, row.lane] |= np.uint32(1) << np.uint32(index & 31)
    elif value != 0.0:
        if row.count[0] < len(row.indices):
            row.indices[row.count[0]] = index
            row.values[row.count[0]] = value
        row.count[0] += 1


def _slice_bits(row: Any, part: Any) -> BitRow:
    return BitRow(row.bits, row.lane, row.indices, row.values, row.count, row.first + part.start)


SETTERS = {SparseRow: _set_sparse, BitRow: _set_bit}
SLICERS = {SparseRow: _slice_sparse, BitRow: _slice_bits}


@overload(operator.setitem)
def _assign(row: Any, index: Any, value: Any) -> Any:
    return SETTERS.get(getattr(row, "instance_class", None))  # type: ignore[arg-type]


@overload(operator.getitem)
def _get_slice(row: Any, part: Any) -> Any:
    return SLICERS.get(getattr(row, "instance_class", None))  # type: ignore[arg-type]
