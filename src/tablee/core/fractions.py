"""Fractions in observations: the quotient of two integers, rounded once to float32."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import lean_kernel


@lean_kernel
def fraction(number: int, limit: int) -> float:
    """Return `number / limit` for integers up to 2**24: the float32 nearest to the exact quotient.

    The same bits as a quotient in float64 that is then stored as float32, but a CUDA device computes it faster.
    """
    return np.float32(number) / np.float32(limit)  # type: ignore[return-value]  # a float32 is written to float32 arrays
