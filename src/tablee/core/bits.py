"""Sets of small whole numbers as the bits of one, with the instructions that processors have for them."""

from __future__ import annotations

from typing import Any

from tablee.core.compilation import is_interpreted, kernel, lean_kernel

WIDTH = 64

if is_interpreted():

    def count_bits(bits: Any) -> int:
        """Count the bits of a set."""
        return (int(bits) & (1 << WIDTH) - 1).bit_count()

    def zeros_below(bits: Any) -> int:
        """Count the zeros below the lowest bit of a set that is not empty."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def zeros_above(bits: Any) -> int:
        """Count the zeros above the highest bit of a set, in 64."""
        return WIDTH - int(bits).bit_length()

else:
    from tablee.core.numba_internals import count_bits, zeros_above, zeros_below


@kernel
def count_of(bits):
    """Count the bits of a set."""
    return count_bits(bits)


@kernel
def lowest_bit(bits):
    """Return the place of the lowest bit of a set that is not empty."""
    return zeros_below(bits)


@kernel
def highest_bit(bits):
    """Return the place of the highest bit of a set, -1 for the empty one."""
    return WIDTH - 1 - zeros_above(bits)


@lean_kernel
def list_bits(bits, first, out, count):
    """Append `first + i` for every bit i that is set, ascending; return the new count."""
    while bits:
        out[count] = first + lowest_bit(bits)
        bits &= bits - 1
        count += 1
    return count
