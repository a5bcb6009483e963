"""Means with intervals, and when to stop. A deal is one observation: its games share their cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tablee.simulation.results import NORMAL_95


@dataclass(frozen=True)
class Estimate:
    """A mean over deals, with its 95 % interval."""

    value: float
    low: float
    high: float
    deals: int

    def overlaps(self, other: Estimate) -> bool:
        """Say whether the intervals have a number in common."""
        return self.low <= other.high and other.low <= self.high


def mean_over_deals(values: Sequence[float]) -> Estimate | None:
    """Return the mean of one number per deal, with the interval of Student's t; None if there are fewer than two."""
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    margin = student_95(count - 1) * math.sqrt(variance / count)
    return Estimate(mean, mean - margin, mean + margin, count)


def share_over_deals(values: Sequence[float]) -> Estimate | None:
    """Return the mean of one share (0 to 1) per deal; None if there are fewer than two.

    The interval is Wilson's for as many independent trials as would vary as much: it stays within 0 and 1, and does
    not shrink to nothing where all deals agree.
    """
    plain = mean_over_deals(values)
    if plain is None:
        return None
    count, mean = plain.deals, plain.value
    t = student_95(count - 1)
    standard_error = (plain.high - mean) / t
    trials = mean * (1 - mean) / standard_error**2 if standard_error > 0 else float(count)
    middle = (mean + t**2 / (2 * trials)) / (1 + t**2 / trials)
    margin = t / (1 + t**2 / trials) * math.sqrt(mean * (1 - mean) / trials + t**2 / (4 * trials**2))
    return Estimate(mean, max(0.0, middle - margin), min(1.0, middle + margin), count)


def student_95(freedom: int) -> float:
    """Return half the width of a 95 % interval of Student's t, in standard errors.

    Exact for one and two degrees of freedom, else Fisher's expansion around the normal distribution (off by less than
    one part in a hundred at three degrees, in ten thousand at ten).
    """
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return math.sqrt(2 * 0.95**2 / (1 - 0.95**2))
    z, v = NORMAL_95, freedom
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


class WhoIsStronger:
    """Wald's sequential test for two bots, twice: the first is stronger by `edge` or equal, the second is.

    What it observes per deal is how often the first came before the second, less one half. Its likelihoods are those
    of a normal distribution whose variance is estimated on the way (as chess engines are tested).
    """

    MIN_COUNT = 16  # deals before it says anything: less says little about a variance

    def __init__(self, edge: float = 0.05, error: float = 0.05) -> None:
        self.edge = edge
        self.stronger = math.log((1 - error) / (error / 2))  # either of the two may be taken to be stronger wrongly
        self.equal = math.log(error / (1 - error / 2))
        self.deals = 0
        self._sum = 0.0
        self._squares = 0.25  # as if one deal had gone entirely to one side: the variance is never taken to be zero

    def observe(self, advantage: float) -> None:
        """Count a deal in, from -1/2 to 1/2."""
        self.deals += 1
        self._sum += advantage
        self._squares += advantage**2

    @property
    def evidence(self) -> tuple[float, float]:
        """For the first and for the second: how much likelier the deals are if it is stronger (a logarithm)."""
        if not self.deals:
            return 0.0, 0.0
        variance = self._squares / self.deals - (self._sum / (self.deals + 1)) ** 2
        half = self.deals * self.edge / 2
        return self.edge * (self._sum - half) / variance, self.edge * (-self._sum - half) / variance

    @property
    def answer(self) -> str | None:
        """`first` or `second` is stronger, or they are `close` (nearer than the edge); None while it is open."""
        if self.deals < self.MIN_COUNT:
            return None
        first, second = self.evidence
        if max(first, second) >= self.stronger:
            return "first" if first > second else "second"
        return "close" if max(first, second) <= self.equal else None
