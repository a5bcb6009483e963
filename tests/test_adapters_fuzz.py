"""Adapters called with right and wrong arguments."""

from __future__ import annotations

import pytest

from fuzz_adapters import AdapterFuzzer


@pytest.mark.parametrize("seed", [1, 2])
def test_every_call_returns_or_raises_an_error_that_says_why(seed: int) -> None:
    fuzzer = AdapterFuzzer(seed, ["skyjo", "xe_queo"])
    fuzzer.run(900)
    outcomes = fuzzer.outcomes
    for name in ("TableEnv.step", "LearnerEnv.step", "BatchVectorEnv.step", "State.apply_action"):
        assert outcomes[f"{name}: returned"]
        assert sum(count for outcome, count in outcomes.items() if outcome.startswith(name)) > 10
    assert sum(count for outcome, count in outcomes.items() if outcome.endswith("BadSetup")) > 5
