"""Statistical assertions: whether counts fit probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from tablee.core.errors import TableeError

Outcome = TypeVar("Outcome", bound=Hashable)

MIN_EXPECTED = 5  # below this expected count the chi-square test is not reliable
MIN_P_VALUE = 1e-4


def chi_square(counts: Sequence[int], expected: Sequence[float]) -> float:
    """Return the p-value of counts, given the expected ones (Pearson's chi-square test)."""
    try:
        from scipy.stats import chisquare
    except ImportError:
        raise TableeError("comparing frequencies needs SciPy: install tablee[dev], or scipy alone") from None
    if min(expected) < MIN_EXPECTED:
        raise ValueError(f"each count should be expected {MIN_EXPECTED} times or more, not {min(expected):.2f} times")
    return float(chisquare(counts, expected).pvalue)


def assert_follows(
    counts: Mapping[Outcome, int], probabilities: Mapping[Outcome, float], min_p_value: float = MIN_P_VALUE
) -> None:
    """Fail if an outcome of probability 0 happened, or if the counts do not fit the probabilities.

    Probabilities are relative: they need not add up to 1.

    >>> assert_follows({"head": 52, "tail": 48}, {"head": 0.5, "tail": 0.5})
    """
    impossible = {outcome: count for outcome, count in counts.items() if count and not probabilities.get(outcome)}
    assert not impossible, f"impossible outcomes happened: {impossible}"
    total = sum(counts.values())
    outcomes = [outcome for outcome, probability in probabilities.items() if probability]
    total_probability = sum(probabilities.values())
    expected = [total * probabilities[outcome] / total_probability for outcome in outcomes]
    found = [counts.get(outcome, 0) for outcome in outcomes]
    if len(outcomes) > 1:
        p_value = chi_square(found, expected)
        assert p_value >= min_p_value, (
            f"counts this far off have a p-value of {p_value:.2g}: {dict(zip(outcomes, found))}"
        )


def assert_uniform(
    counts: Mapping[Outcome, int], outcomes: Sequence[Outcome], min_p_value: float = MIN_P_VALUE
) -> None:
    """Fail unless exactly these outcomes happened, all about equally often."""
    assert_follows(counts, dict.fromkeys(outcomes, 1.0), min_p_value)
