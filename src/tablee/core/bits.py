"""Sets of small whole numbers as the bits of one."""

from __future__ import annotations

from tablee.core.compiling import kernel, lean_kernel


@kernel
def count_of(bits):
    """Count the bits of a set; written as compilers know it, so that it becomes one instruction."""
    bits = int(bits)
    bits -= (bits >> 1) & 0x5555_5555_5555_5555
    bits = (bits & 0x3333_3333_3333_3333) + ((bits >> 2) & 0x3333_3333_3333_3333)
    bits = (bits + (bits >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
    return (bits * 0x0101_0101_0101_0101 >> 56) & 0x7F


@kernel
def lowest_bit(bits):
    """Return the place of the lowest bit of a set that is not empty: one instruction, too."""
    return count_of((bits & -bits) - 1)


@kernel
def highest_bit(bits):
    """Return the place of the highest bit of a set that is not empty."""
    bits |= bits >> 1
    bits |= bits >> 2
    bits |= bits >> 4
    bits |= bits >> 8
    bits |= bits >> 16
    return count_of(bits | bits >> 32) - 1


@lean_kernel
def list_bits(bits, first, out, count):
    """Append `first + i` for every bit i that is set, ascending; return the new count."""
    while bits:
        out[count] = first + lowest_bit(bits)
        bits &= bits - 1
        count += 1
    return count
