"""The results of many games: exact counts, from which every figure is computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tablee.core.game import Game, Setup, show

CUT_OFF = "cut_off"  # instead of a reason of the game
NORMAL_95 = 1.959963984540054  # half the width of a 95 % interval, in standard deviations


class Tally:
    """A histogram of integers: how often each one was counted."""

    def __init__(self, counts: Iterable[tuple[int, int]] = ()) -> None:
        self.counts: dict[int, int] = {}
        self.add(counts)

    def add(self, counts: Iterable[tuple[int, int]]) -> None:
        """Add pairs of a number and its count."""
        for number, count in counts:
            self.counts[number] = self.counts.get(number, 0) + count

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(sorted(self.counts.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.counts == other.counts

    __hash__ = None  # type: ignore[assignment]

    @property
    def total(self) -> int:
        """The number of integers counted."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """The mean."""
        return sum(number * count for number, count in self) / self.total

    @property
    def deviation(self) -> float:
        """The standard deviation, estimated for the population (n - 1)."""
        mean = self.mean
        squares = math.fsum((number - mean) ** 2 * count for number, count in self)
        return math.sqrt(squares / (self.total - 1)) if self.total > 1 else 0.0

    def quantile(self, share: float) -> int:
        """Return the smallest number such that at least this share of all is not above it."""
        remaining = max(1, math.ceil(share * self.total))
        for number, count in self:
            remaining -= count
            if remaining <= 0:
                return number
        raise ValueError("an empty tally has no quantiles")

    def summary(self) -> dict[str, float]:
        """Return quartiles, extremes, mean and standard deviation."""
        return {
            "min": self.quantile(0),
            "quartile_1": self.quantile(0.25),
            "median": self.quantile(0.5),
            "quartile_3": self.quantile(0.75),
            "max": self.quantile(1),
            "mean": self.mean,
            "sd": self.deviation,
        }


@dataclass(frozen=True)
class WinShare:
    """A seat's share of the wins, with a 95 % interval; a shared win counts in equal parts."""

    share: float
    margin: float  # half the width of the interval
    fair: float  # the share if all seats were equal

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.share - self.margin

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.share + self.margin

    @property
    def advantage(self) -> float:
        """The share minus the fair share."""
        return self.share - self.fair

    @property
    def is_fair(self) -> bool:
        """Whether the fair share lies within the interval."""
        return self.low <= self.fair <= self.high


@dataclass
class Results:
    """The counts of a simulation; they do not depend on the order in which batches are added."""

    game: Game
    setup: Setup
    seed: int
    first: int  # number of the first game
    lengths: Tally = field(default_factory=Tally)
    scores: list[Tally] = field(default_factory=list)  # per seat
    victories: list[Tally] = field(default_factory=list)  # per seat: number of winners where it won, 0 where it did not
    reasons: Tally = field(default_factory=Tally)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        self.scores = self.scores or [Tally() for _ in range(self.setup.seats)]
        self.victories = self.victories or [Tally() for _ in range(self.setup.seats)]

    @property
    def games(self) -> int:
        """The number of games."""
        return self.lengths.total

    @property
    def moves(self) -> int:
        """The number of moves of all games."""
        return sum(length * count for length, count in self.lengths)

    @property
    def moves_per_second(self) -> float:
        """The speed of the simulation; 0 if it was not timed."""
        return self.moves / self.seconds if self.seconds else 0.0

    def wins(self, seat: int) -> WinShare:
        """Return the win share of a seat."""
        tally = self.victories[seat]
        shares = [(1 / winners if winners else 0.0, count) for winners, count in tally]
        mean = math.fsum(share * count for share, count in shares) / tally.total
        variance = math.fsum((share - mean) ** 2 * count for share, count in shares) / max(1, tally.total - 1)
        return WinShare(mean, NORMAL_95 * math.sqrt(variance / tally.total), 1 / self.setup.seats)

    def reason_names(self) -> dict[str, int]:
        """Return how many games each reason ended, most frequent first; "cut_off" for reductions that were cut off."""
        reasons = self.game.kernels.end_reasons
        counts = sorted(self.reasons, key=lambda pair: -pair[1])
        return {reasons(code).key if code else CUT_OFF: count for code, count in counts}

    def as_dict(self) -> dict[str, Any]:
        """Return counts and figures as plain values, ready for JSON."""
        return {
            "game": self.game.name,
            "version": self.game.version,
            "seats": self.setup.seats,
            "reduction": self.setup.reduction,
            "options": {name: show(value) for name, value in self.setup.options.items()},
            "seed": self.seed,
            "first": self.first,
            "games": self.games,
            "moves": self.moves,
            "seconds": self.seconds,
            "moves_per_second": self.moves_per_second,
            "length": self.lengths.summary(),
            "reasons": self.reason_names(),
            "per_seat": [self._seat_as_dict(seat) for seat in range(self.setup.seats)],
        }

    def _seat_as_dict(self, seat: int) -> dict[str, Any]:
        wins = self.wins(seat)
        return {
            "score": self.scores[seat].summary(),
            "win_share": wins.share,
            "win_share_95": [wins.low, wins.high],
            "advantage": wins.advantage,
        }
