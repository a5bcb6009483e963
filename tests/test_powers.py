"""Quick powers of e, compared with the exact ones."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablee.core.powers import LOWEST, quick_power

patient = settings(deadline=None)  # the first call compiles


@patient
@given(st.floats(LOWEST, 0.0))
def test_a_quick_power_has_six_digits(exponent):
    assert quick_power(exponent) == pytest.approx(math.exp(exponent), rel=1e-6)


@pytest.mark.parametrize("exponent", [LOWEST - 1, -1e300, -math.inf, math.nan])
def test_exponents_below_the_lowest_count_as_the_lowest(exponent):
    assert quick_power(exponent) == quick_power(LOWEST) < 1e-17


def test_the_power_of_zero_is_exactly_one():
    assert quick_power(0.0) == 1.0
