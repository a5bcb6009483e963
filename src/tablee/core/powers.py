"""Powers of e, quickly: to six digits, which is enough for chances, and the same on every machine."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel

STEPS = 16  # per power: what lies between two steps is left to the first terms of the series
LOWEST = -40.0  # what is below it counts as this: next to nothing
STEP_DOWN = 0.9394130628134758  # e to the power of -1 / STEPS
POWERS = np.cumprod([1.0] + [STEP_DOWN] * int(-LOWEST * STEPS))  # by steps down from e to the power of 0


@kernel
def quick_power(exponent):
    """Return about e to the power of a number that is not above 0."""
    exponent = max(LOWEST, exponent)  # also where it is no number
    step = int(exponent * -STEPS)
    rest = exponent + step * (1.0 / STEPS)
    return POWERS[step] * (1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0))))
