"""Ratings of puzzles and of those who solve them, on one scale; an attempt counts as a game between the two.

A puzzle's rating follows from which bots solve it, and stays. A person's rating follows from their first attempts in
order, by Glicko (M. Glickman, "Parameter estimation in large dynamic paired comparison experiments", 1999).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# The scale: what the bots are taken to be. Only differences matter; 400 points are odds of ten to one.
BOT_RATINGS: Mapping[str, float] = {"random": 700, "greedy": 1100, "novice": 1300, "club": 1600, "expert": 2000}
MIN_RATING, MAX_RATING = 600, 2400  # of a puzzle
INITIAL_RATING, INITIAL_DEVIATION = 1200.0, 350.0  # of a person
MIN_DEVIATION = 50.0  # so that a person's rating keeps following how they play
PUZZLE_DEVIATION = 100.0  # bots are not people: what is hard for them may be easy
LOGISTIC = math.log(10) / 400


def expected_score(rating: float, other: float) -> float:
    """Return the probability that a player of one rating solves a puzzle of another."""
    return 1.0 / (1.0 + math.exp(-LOGISTIC * (rating - other)))


def rate_puzzle(solved: Mapping[str, float]) -> int:
    """Return the rating at which the bots would have solved a puzzle as often as they did (name -> share of tries)."""
    low, high = float(MIN_RATING), float(MAX_RATING)
    total = sum(solved.values())
    for _ in range(30):
        middle = (low + high) / 2
        if sum(expected_score(BOT_RATINGS[bot], middle) for bot in solved) > total:
            low = middle
        else:
            high = middle
    return round(low)


@dataclass(frozen=True)
class Attempt:
    """A person's first answer to a puzzle."""

    rating: int  # of the puzzle
    is_solved: bool


@dataclass(frozen=True)
class SolverRating:
    """How well a person solves the puzzles of a game."""

    rating: float = INITIAL_RATING
    deviation: float = INITIAL_DEVIATION
    tried: int = 0
    solved: int = 0
    streak: int = 0  # puzzles solved in a row, up to the last one
    best_streak: int = 0

    @property
    def margin(self) -> int:
        """Half the width of the 95 % interval of the rating."""
        return round(1.96 * self.deviation)

    def after(self, attempt: Attempt) -> SolverRating:
        """Return the rating after another attempt."""
        rating, deviation = _updated(self.rating, self.deviation, attempt)
        streak = self.streak + 1 if attempt.is_solved else 0
        return SolverRating(
            rating,
            deviation,
            self.tried + 1,
            self.solved + attempt.is_solved,
            streak,
            max(self.best_streak, streak),
        )


def rate_solver(attempts: Iterable[Attempt]) -> SolverRating:
    """Return the rating after all attempts, the oldest first."""
    rating = SolverRating()
    for attempt in attempts:
        rating = rating.after(attempt)
    return rating


def _updated(rating: float, deviation: float, attempt: Attempt) -> tuple[float, float]:
    """Return rating and deviation after one game of Glicko's rating period."""
    weight = 1.0 / math.sqrt(1.0 + 3.0 * (LOGISTIC * PUZZLE_DEVIATION / math.pi) ** 2)
    expected = 1.0 / (1.0 + math.exp(-LOGISTIC * weight * (rating - attempt.rating)))
    information = (LOGISTIC * weight) ** 2 * expected * (1.0 - expected)
    variance = 1.0 / (1.0 / deviation**2 + information)
    change = variance * LOGISTIC * weight * (attempt.is_solved - expected)
    return rating + change, max(MIN_DEVIATION, math.sqrt(variance))
