"""Is chance fair? Compare how often things happened with how often they should have."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from tablee.core.errors import TableeError

Thing = TypeVar("Thing", bound=Hashable)

MIN_EXPECTED = 5  # the usual bound below which the chi-square test is not to be trusted
SUSPICIOUS = 1e-4


def chi_square(counts: Sequence[int], expected: Sequence[float]) -> float:
    """Return the chance of counts at least this far from the expected ones (Pearson's test)."""
    try:
        from scipy.stats import chisquare
    except ImportError:
        raise TableeError("comparing frequencies needs SciPy: install tablee[dev], or scipy alone") from None
    if min(expected) < MIN_EXPECTED:
        raise ValueError(f"each count should be expected {MIN_EXPECTED} times or more, not {min(expected):.2f} times")
    return float(chisquare(counts, expected).pvalue)


def assert_follows(counts: Mapping[Thing, int], chances: Mapping[Thing, float], least: float = SUSPICIOUS) -> None:
    """Fail if something happened that has no chance, or if the frequencies do not fit the chances.

    >>> assert_follows({"head": 52, "tail": 48}, {"head": 0.5, "tail": 0.5})
    """
    impossible = {thing: count for thing, count in counts.items() if count and not chances.get(thing)}
    assert not impossible, f"this cannot happen, and did: {impossible}"
    total = sum(counts.values())
    things = [thing for thing, chance in chances.items() if chance]
    share = sum(chances.values())
    expected = [total * chances[thing] / share for thing in things]
    found = [counts.get(thing, 0) for thing in things]
    if len(things) > 1:
        likely = chi_square(found, expected)
        assert likely >= least, f"frequencies this far off have the chance {likely:.2g}: {dict(zip(things, found))}"


def assert_uniform(counts: Mapping[Thing, int], things: Sequence[Thing], least: float = SUSPICIOUS) -> None:
    """Fail unless exactly these things happened, each about equally often."""
    assert_follows(counts, dict.fromkeys(things, 1.0), least)
