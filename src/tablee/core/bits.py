"""Sets of small integers as the bits of one 64-bit integer, with the processor's own instructions for them."""

from __future__ import annotations

from typing import Any

from tablee.core.compilation import is_interpreted, kernel, lean_kernel
from tablee.core.targets import is_on_cuda
from tablee.core.twins import substitute
from tablee.core.types import Bits, Index

WIDTH = 64


def count_bits(bits: Any) -> int:
    """Count the bits that are set."""
    return (int(bits) & (1 << WIDTH) - 1).bit_count()


def zeros_below(bits: Any) -> int:
    """Count the zeros below the lowest bit that is set; the set must not be empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


def zeros_above(bits: Any) -> int:
    """Count the zeros above the highest bit that is set, out of 64."""
    return WIDTH - int(bits).bit_length()


if not is_interpreted():
    substitute(__name__, count_bits=count_bits, zeros_below=zeros_below, zeros_above=zeros_above)
    from tablee.core.numba_internals import count_bits, zeros_above, zeros_below


@kernel
def count_of(bits: Bits) -> int:
    """Count the elements of a set."""
    return count_bits(bits)


@kernel
def lowest_bit(bits: Bits) -> Index:
    """Return the lowest element of a set that is not empty."""
    return zeros_below(bits)


@kernel
def highest_bit(bits: Bits) -> Index:
    """Return the highest element of a set, -1 for the empty set."""
    return WIDTH - 1 - zeros_above(bits)


@kernel
def nth_bit(bits: Bits, index: Index) -> Index:
    """Return the element of a set that has `index` lower ones."""
    for _ in range(index):
        bits &= bits - 1
    return lowest_bit(bits)


@lean_kernel
def list_bits(bits: Bits, first: int, out: Any, count: int) -> int:
    """Append `first + i` to the `count` entries of `out` for every element i, ascending; return the new count."""
    while bits:
        out[count] = first + lowest_bit(bits)
        bits &= bits - 1
        count += 1
    return count


@lean_kernel
def write_bits(bits: Bits, out: Any, start: Index, width: int) -> None:
    """Write a set over `width` zeros from `out[start]` on: 1 at `out[start + i]` for every element i.

    A CPU writes the zeros too, because it would mispredict branches; a CUDA device skips zeros anyway.
    """
    if is_on_cuda():
        write_elements(bits, out, start)
    else:
        block = out[start : start + width]
        for index in range(width):
            block[index] = (bits >> index) & 1


@lean_kernel
def write_elements(bits: Bits, out: Any, start: Index) -> None:
    """Write 1 at `out[start + i]` for every element i of a set, and nothing elsewhere."""
    while bits != 0:
        out[start + lowest_bit(bits)] = 1.0
        bits &= bits - 1
