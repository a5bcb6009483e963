"""What came out of many games: exact counts, from which every figure is computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tablee.core.game import Game, Setup, show

NORMAL_95 = 1.959963984540054  # half the width of a 95 % interval, in standard deviations


class Tally:
    """How often each whole number came up."""

    def __init__(self, counts: Iterable[tuple[int, int]] = ()) -> None:
        self.counts: dict[int, int] = {}
        self.add(counts)

    def add(self, counts: Iterable[tuple[int, int]]) -> None:
        """Count in pairs of a number and how often it came up."""
        for number, times in counts:
            self.counts[number] = self.counts.get(number, 0) + times

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(sorted(self.counts.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.counts == other.counts

    __hash__ = None  # type: ignore[assignment]

    @property
    def total(self) -> int:
        """How many numbers were counted."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """Their mean."""
        return sum(number * times for number, times in self) / self.total

    @property
    def deviation(self) -> float:
        """Their standard deviation, as an estimate for the whole population."""
        mean = self.mean
        squares = math.fsum((number - mean) ** 2 * times for number, times in self)
        return math.sqrt(squares / (self.total - 1)) if self.total > 1 else 0.0

    def quantile(self, share: float) -> int:
        """Return the least number that at least this share of all does not exceed."""
        wanted = max(1, math.ceil(share * self.total))
        for number, times in self:
            wanted -= times
            if wanted <= 0:
                return number
        raise ValueError("nothing was counted")

    def summary(self) -> dict[str, float]:
        """Return what describes the numbers."""
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
    """What part of the victories a seat had, with a 95 % interval; a shared victory counts in parts."""

    share: float
    margin: float
    fair: float

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
        """How much more than the fair share."""
        return self.share - self.fair

    @property
    def is_fair(self) -> bool:
        """Whether the fair share lies within the interval."""
        return self.low <= self.fair <= self.high


@dataclass
class Results:
    """The counts of a simulation; adding a batch in another order gives the same."""

    game: Game
    setup: Setup
    seed: int
    first: int
    lengths: Tally = field(default_factory=Tally)
    scores: list[Tally] = field(default_factory=list)  # per seat
    victories: list[Tally] = field(default_factory=list)  # per seat: among how many it won; 0 where it did not
    reasons: Tally = field(default_factory=Tally)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        self.scores = self.scores or [Tally() for _ in range(self.setup.seats)]
        self.victories = self.victories or [Tally() for _ in range(self.setup.seats)]

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.lengths.total

    @property
    def moves(self) -> int:
        """How many moves they took."""
        return sum(length * times for length, times in self.lengths)

    @property
    def moves_per_second(self) -> float:
        """How fast that was."""
        return self.moves / self.seconds if self.seconds else 0.0

    def wins(self, seat: int) -> WinShare:
        """Return the win share of a seat."""
        tally = self.victories[seat]
        shares = [(1 / winners if winners else 0.0, times) for winners, times in tally]
        mean = math.fsum(share * times for share, times in shares) / tally.total
        variance = math.fsum((share - mean) ** 2 * times for share, times in shares) / max(1, tally.total - 1)
        return WinShare(mean, NORMAL_95 * math.sqrt(variance / tally.total), 1 / self.setup.seats)

    def reason_names(self) -> dict[str, int]:
        """Return how often each reason ended a game, most often first."""
        reasons = self.game.kernels.end_reasons
        return {reasons(code).key: times for code, times in sorted(self.reasons, key=lambda pair: -pair[1])}

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "game": self.game.name,
            "version": self.game.version,
            "seats": self.setup.seats,
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
