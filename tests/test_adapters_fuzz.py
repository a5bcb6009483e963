"""Adapters called with right and wrong arguments."""

from __future__ import annotations

import pytest

from fuzz_adapters import fuzz


@pytest.mark.parametrize("seed", [1, 2])
def test_every_call_returns_or_raises_an_error_that_says_why(seed: int) -> None:
    outcomes = fuzz(400, seed)
    assert outcomes["returned"] > 100
    assert outcomes["BadSetup"] > 10
