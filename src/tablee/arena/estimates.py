"""Means with 95 % intervals, and a sequential test. One deal is one observation: its games share their cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tablee.simulation.results import NORMAL_95

DEFAULT_EDGE = 0.05  # smallest difference in strength that a test looks for, as a share of the meetings


@dataclass(frozen=True)
class Estimate:
    """A mean over deals, with its 95 % interval."""

    value: float
    low: float
    high: float
    deals: int

    def overlaps(self, other: Estimate) -> bool:
        """Whether the two intervals have a number in common."""
        return self.low <= other.high and other.low <= self.high


def mean_over_deals(values: Sequence[float]) -> Estimate | None:
    """Return the mean of one number per deal, with Student's interval; None for fewer than two deals."""
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    margin = student_95(count - 1) * math.sqrt(variance / count)
    return Estimate(mean, mean - margin, mean + margin, count)


def share_over_deals(values: Sequence[float]) -> Estimate | None:
    """Return the mean of one share (0 to 1) per deal; None for fewer than two deals.

    The interval is Wilson's for the number of independent trials with the same variance. It stays within 0 and 1, and
    keeps a width where all deals agree.
    """
    estimate = mean_over_deals(values)
    if estimate is None:
        return None
    count, mean = estimate.deals, estimate.value
    t = student_95(count - 1)
    standard_error = (estimate.high - mean) / t
    trials = mean * (1 - mean) / standard_error**2 if standard_error > 0 else float(count)
    middle = (mean + t**2 / (2 * trials)) / (1 + t**2 / trials)
    margin = t / (1 + t**2 / trials) * math.sqrt(mean * (1 - mean) / trials + t**2 / (4 * trials**2))
    return Estimate(mean, max(0.0, middle - margin), min(1.0, middle + margin), count)


def student_95(freedom: int) -> float:
    """Return half the width of a 95 % interval of Student's t, in standard errors.

    Exact for one and two degrees of freedom, else Fisher's expansion around the normal distribution (error below 1 %
    at three degrees, below 0.01 % at ten).
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


class SequentialTest:
    """Wald's sequential probability ratio test of two bots, in both directions: stronger by `edge`, or equal.

    An observation is how often the first bot finished ahead of the second in a deal, minus one half. The likelihoods
    are normal with a variance estimated from the observations, as in the testing of chess engines. `error` is the
    chance of a wrong verdict.
    """

    MIN_DEALS = 16  # before the first verdict: fewer say little about the variance

    def __init__(self, edge: float = DEFAULT_EDGE, error: float = 0.05) -> None:
        self.edge = edge
        self.upper_bound = math.log((1 - error) / (error / 2))  # half the error for each direction
        self.lower_bound = math.log(error / (1 - error / 2))
        self.deals = 0
        self._sum = 0.0
        self._squares = 0.25  # one imaginary deal won entirely by one bot, so that the variance is never zero

    def observe(self, advantage: float) -> None:
        """Add a deal: the first bot's advantage, from -1/2 to 1/2."""
        self.deals += 1
        self._sum += advantage
        self._squares += advantage**2

    @property
    def share(self) -> float:
        """How often the first bot finished ahead of the second, from 0 to 1; one half before the first deal."""
        return 0.5 + self._sum / max(1, self.deals)

    @property
    def log_likelihood_ratios(self) -> tuple[float, float]:
        """For the first and the second bot: log-likelihood of "stronger by `edge`" minus that of "equal"."""
        if not self.deals:
            return 0.0, 0.0
        variance = self._squares / self.deals - (self._sum / (self.deals + 1)) ** 2
        half = self.deals * self.edge / 2
        return self.edge * (self._sum - half) / variance, self.edge * (-self._sum - half) / variance

    @property
    def verdict(self) -> str | None:
        """`first` or `second` if that bot is stronger, `close` if they differ by less than `edge`; None while open."""
        if self.deals < self.MIN_DEALS:
            return None
        first, second = self.log_likelihood_ratios
        if max(first, second) >= self.upper_bound:
            return "first" if first > second else "second"
        return "close" if max(first, second) <= self.lower_bound else None
