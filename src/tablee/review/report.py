"""The review of a game: what each move changed for each seat, and sums that add up exactly.

Values are whole millionths of the share of the others that a seat can expect to finish ahead of: 500,000 is even, and
with two seats it is the probability of winning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import exp

UNIT = 1_000_000
ACCURACY_SCALE = 0.02  # of a share, lost per decision: an accuracy of 1/e


class Grade(StrEnum):
    """How bad a move was."""

    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


# The least loss of each grade, in millionths of a share, the worst first
LOSSES = ((Grade.BLUNDER, 100_000), (Grade.MISTAKE, 50_000), (Grade.INACCURACY, 20_000))


def grade_of(loss: int) -> Grade:
    """Return the grade of a move that cost its player so many millionths of a share."""
    return next((grade for grade, least in LOSSES if loss >= least), Grade.GOOD)


@dataclass(frozen=True)
class ReviewedMove:
    """A move, and what it changed."""

    seat: int  # who moved
    move: int
    round: int  # from 0
    is_choice: bool  # there was another legal move
    values: tuple[int, ...]  # what each seat could expect before the move, by its own knowledge
    effects: tuple[int, ...]  # what the move changed for each seat, compared with the best move; 0 if it was as good
    better: int | None = None  # the best move, if the played one was clearly worse
    error: int = 0  # standard error of the loss

    @property
    def loss(self) -> int:
        """What the move cost its player, never negative."""
        return -self.effects[self.seat]

    @property
    def grade(self) -> Grade:
        """How bad the move was."""
        return grade_of(self.loss)


@dataclass(frozen=True)
class Balance:
    """Where the change of a seat's share came from: its own decisions, those of the others, and luck."""

    decisions: int = 0
    others: int = 0
    luck: int = 0

    @property
    def total(self) -> int:
        """The whole change."""
        return self.decisions + self.others + self.luck

    def __add__(self, other: Balance) -> Balance:
        return Balance(self.decisions + other.decisions, self.others + other.others, self.luck + other.luck)


@dataclass(frozen=True)
class RoundStart:
    """The first position of a round."""

    step: int
    expected: tuple[int, ...]  # what each seat could expect before anybody looked at the new cards


@dataclass(frozen=True)
class Review:
    """A reviewed game. Whatever happens between two moves is luck: cards drawn, cards revealed, a new deal."""

    game: str
    players: tuple[str, ...]
    steps: tuple[ReviewedMove, ...]
    rounds: tuple[RoundStart, ...]
    results: tuple[int, ...]  # the shares at the end
    depth: str  # with how many worlds it was made

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.players))

    def luck(self, step: int, seat: int) -> int:
        """Return what a seat gained or lost by luck from before a move until before the next one."""
        reviewed = self.steps[step]
        after = self.steps[step + 1].values if step + 1 < len(self.steps) else self.results
        return after[seat] - reviewed.values[seat] - reviewed.effects[seat]

    def deal_luck(self, round_number: int, seat: int) -> int:
        """Return what the first look at a new deal was worth."""
        start = self.rounds[round_number]
        return self.steps[start.step].values[seat] - start.expected[seat]

    @cached_property
    def balances(self) -> tuple[tuple[Balance, ...], ...]:
        """By round and seat; the rounds of a seat add up to its result minus what it could expect at first."""
        return tuple(tuple(self._balance(number, seat) for seat in self.seats) for number in range(len(self.rounds)))

    def _balance(self, number: int, seat: int) -> Balance:
        """Return where a seat's change came from between two deals, or between the last one and the end."""
        first, last = self.rounds[number].step, len(self.steps)
        after = self.results
        if number + 1 < len(self.rounds):
            last, after = self.rounds[number + 1].step, self.rounds[number + 1].expected
        steps = self.steps[first:last]
        decisions = sum(step.effects[seat] for step in steps if step.seat == seat)
        others = sum(step.effects[seat] for step in steps if step.seat != seat)
        change = after[seat] - self.rounds[number].expected[seat]
        return Balance(decisions, others, change - decisions - others)

    def balance(self, seat: int) -> Balance:
        """Return where the change of a seat's share came from in the whole game."""
        return sum((by_seat[seat] for by_seat in self.balances), Balance())

    def choices(self, seat: int) -> list[ReviewedMove]:
        """Return the moves of a seat that had an alternative."""
        return [step for step in self.steps if step.seat == seat and step.is_choice]

    def accuracy(self, seat: int) -> float | None:
        """Return how good a seat's decisions were, from 0 to 1: 1 without any loss; None if it had no choice."""
        return accuracy_of(step.loss for step in self.choices(seat))


def accuracy_of(losses: Iterable[int]) -> float | None:
    """Return the accuracy of decisions with these losses: the mean of what each of them alone would give."""
    each = [exp(-loss / UNIT / ACCURACY_SCALE) for loss in losses]
    return sum(each) / len(each) if each else None
