"""Examines positions: whether one move is clearly best, the bot `greedy` misses it, and the expert finds it.

Values are means over worlds imagined from the sight of the seat to move, so that a puzzle can be solved by what its
player knows. The thorough examination is the same with ten times the worlds and ten times the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tablee.bots.roster import ROSTER, BotKind, SearchKind, find_kind
from tablee.bots.search import SearchBot
from tablee.bots.simple import GreedyBot, generator_for, stream_of
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.puzzles import PERMILLE, MoveValue, Puzzle
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.review.evaluation import Comparison, Evaluator
from tablee.review.orders import Order, choose_orders, judge_orders
from tablee.review.puzzle_ratings import rate_puzzle

SOLVER = "expert"
SEEDS = range(1, 4)  # with each of which the expert must find the solution, and `greedy` must miss it
LADDER_SEEDS = range(5)  # tries of the weaker bots, for the rating
MAX_GREEDY_CHANCE = 0.05  # of the solution, where `greedy` draws among moves
THOROUGH = 10  # times the worlds and the iterations of the search
DOUBT = 2.0  # standard errors by which a move may seem too good before more worlds are imagined
EQUAL = 1e-9  # results of a world that differ by less are the same
# Seeds of the evaluations; each has worlds of its own. Orders are chosen with the second seed of a pair.
GLANCING, SCREENING, CONFIRMING, COUNTING, ORDERING = range(100, 105)
VERIFYING = 200, 201
Shares = NDArray[np.float64]  # (moves,)
CLEAR = 2.0  # standard errors by which the best move of a puzzle must stay ahead of every other in new worlds


@dataclass(frozen=True)
class Criteria:
    """When a position is a puzzle."""

    min_gap: float = 0.02  # by which the best move beats the second: shares of the others to finish ahead of
    min_errors: float = 5.0  # and by how many standard errors
    glanced: int = 32  # worlds after which most positions are given up
    worlds: int = 240  # of the first examination
    counted: int = 200  # worlds in which the result of each move is compared with that of the best
    min_moves: int = 3  # legal ones
    max_moves: int = 48

    @property
    def thorough_worlds(self) -> int:
        """The worlds of the second examination."""
        return THOROUGH * self.worlds


class Examiner:
    """Examines positions of one game in one thread."""

    def __init__(self, game: Game, criteria: Criteria) -> None:
        self.game = game
        self.criteria = criteria

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.game, self._solver().settings(self.game))

    def _solver(self) -> SearchKind:
        kind = find_kind(SOLVER)
        assert isinstance(kind, SearchKind)
        return kind

    # Bots

    def choice(self, name: str, sight: Sight, moves: Sequence[int], seed: int) -> int:
        """Return the move that a bot of the roster plays."""
        return find_kind(name).make(self.game, seed).decide(sight, moves).move

    def solves(self, name: str, sight: Sight, moves: Sequence[int], solution: int, seeds: Sequence[int]) -> float:
        """Return the share of seeds with which a bot finds the solution."""
        return sum(self.choice(name, sight, moves, seed) == solution for seed in seeds) / len(seeds)

    def greedy_chances(self, sight: Sight, moves: Sequence[int]) -> dict[int, float]:
        """Return with which probability `greedy` plays each move, likeliest first; ties are broken at random."""
        bot = find_kind("greedy").make(self.game, 0)
        assert isinstance(bot, GreedyBot)
        chances = bot.probabilities(bot.decide(sight, moves).candidates)
        return dict(sorted(chances.items(), key=lambda entry: (-entry[1], entry[0])))

    def is_missed(self, sight: Sight, moves: Sequence[int], solution: int) -> bool:
        """Whether `greedy` does not play the solution, however it breaks ties."""
        chances = self.greedy_chances(sight, moves)
        is_preferred = chances.get(solution, 0.0) >= max(chances.values())
        is_likely = chances.get(solution, 0.0) > MAX_GREEDY_CHANCE
        return not is_preferred and not is_likely and not self.solves("greedy", sight, moves, solution, SEEDS)

    def is_found(self, sight: Sight, moves: Sequence[int], solution: int, times: int = 1) -> bool:
        """Whether the expert, with so many times its search, plays the solution with every seed."""
        kind, settings = self._solver(), self._solver().settings(self.game)
        settings = replace(settings, iterations=times * settings.iterations)
        bots = [SearchBot(kind.name, kind.version, settings, seed) for seed in (SEEDS if times == 1 else SEEDS[:1])]
        return all(bot.decide(sight, moves).move == solution for bot in bots)

    # Values

    def compare(self, sight: Sight, solution: int, moves: Sequence[int], worlds: int, seed: int) -> Comparison:
        """Compare all moves with the solution."""
        others = [move for move in moves if move != solution]
        return self._evaluator.compare(sight, [solution, *others], worlds, generator_for(seed, sight))

    def is_possible(self, comparison: Comparison) -> bool:
        """Whether the first move may be better than every other by enough."""
        losses, errors = -comparison.gains[1:], comparison.errors[1:]
        return bool(np.all(losses + DOUBT * errors >= self.criteria.min_gap))

    def is_clear(self, comparison: Comparison) -> bool:
        """Whether the first move is better than every other by enough."""
        losses, errors = -comparison.gains[1:], comparison.errors[1:]
        return bool(np.all(losses >= self.criteria.min_gap) and np.all(losses >= self.criteria.min_errors * errors))

    def compare_orders(
        self, sight: Sight, solution: int, moves: Sequence[int], worlds: int, seeds: tuple[int, int]
    ) -> tuple[list[Order], Comparison]:
        """Compare all moves with the solution in both orders; return the orders in which they lose least, too.

        The value of each move is that of the solution without what it loses.
        """
        alone, (seed, ordering) = self.compare(sight, solution, moves, worlds, seeds[0]), seeds
        others = alone.moves[1:]
        orders = choose_orders(self._evaluator, sight, solution, others, worlds, generator_for(ordering, sight))
        losses, errors = judge_orders(
            self._evaluator, sight, solution, others, orders, worlds, lambda: generator_for(seed, sight)
        )
        values = alone.values.copy()
        values[1:, sight.seat] = values[0, sight.seat] - losses
        return orders, replace(alone, values=values, errors=np.concatenate([[0.0], errors]))

    def count_worlds(self, sight: Sight, moves: Sequence[int], orders: Sequence[Order]) -> tuple[Shares, Shares]:
        """Return in which share of worlds each move does worse, and better, than the first, in these orders."""
        worse, better = np.zeros(len(moves)), np.zeros(len(moves))
        stream, (best, *others) = stream_of(sight), moves
        for world in range(self.criteria.counted):
            draw = partial(new_generator, COUNTING, (stream + world) % 2**64)
            losses = judge_orders(self._evaluator, sight, best, others, orders, 1, draw).losses
            worse[1:] += losses > EQUAL
            better[1:] += losses < -EQUAL
        return worse / self.criteria.counted, better / self.criteria.counted

    # Examinations

    def screen(self, match: Match, solution: int) -> bool:
        """Whether a position seems to be a puzzle with this solution: the cheap examination."""
        moves = match.legal_moves()
        if not self.criteria.min_moves <= len(moves) <= self.criteria.max_moves:
            return False
        sight = match.sight(match.to_move)
        if not self.is_missed(sight, moves, solution):
            return False
        looks = ((self.criteria.glanced, GLANCING), (self.criteria.worlds, SCREENING))
        if not all(self.is_possible(self.compare(sight, solution, moves, *look)) for look in looks):
            return False
        return self.is_found(sight, moves, solution)

    def examine(self, match: Match, solution: int) -> Puzzle | None:
        """Examine a position with ten times the search; return it as a puzzle, None if it is not clear enough."""
        sight, moves = match.sight(match.to_move), match.legal_moves()
        worlds = self.criteria.thorough_worlds
        if not self.is_clear(self.compare(sight, solution, moves, worlds, CONFIRMING)):
            return None
        orders, comparison = self.compare_orders(sight, solution, moves, worlds, (CONFIRMING, ORDERING))
        if not self.is_clear(comparison) or not self.is_found(sight, moves, solution, THOROUGH):
            return None
        assert match.seed is not None
        solved = {kind.name: self._success(kind, sight, moves, solution) for kind in ROSTER}
        return Puzzle(
            seats=match.seats,
            seed=match.seed,
            stream=match.stream,
            moves=tuple(match.moves),
            digest=match.digest(),
            values=self._values(match, sight, comparison, orders),
            greedy=match.text(next(iter(self.greedy_chances(sight, moves)))),
            level=next(name for name, share in solved.items() if share > 0.5),
            rating=rate_puzzle(solved),
        )

    def verify(self, puzzle: Puzzle) -> dict[str, bool]:
        """Return what holds for a puzzle, by name: worlds are drawn again, everything else is repeated."""
        match = puzzle.position(self.game)
        sight, moves, solution = match.sight(match.to_move), match.legal_moves(), match.parse(puzzle.solution)
        _, compared = self.compare_orders(sight, solution, moves, self.criteria.thorough_worlds, VERIFYING)
        losses, errors = -compared.gains[1:], compared.errors[1:]
        return {
            "missed by `greedy`": self.is_missed(sight, moves, solution),
            "solved by `expert`": self.is_found(sight, moves, solution),
            "by ten times its search": self.is_found(sight, moves, solution, THOROUGH),
            "best over ten times the worlds": bool((losses > CLEAR * errors).all()),
        }

    def _success(self, kind: BotKind, sight: Sight, moves: Sequence[int], solution: int) -> float:
        """Return how often a bot finds the solution; the ends of the ladder are known."""
        if kind.name == "random":
            return 1 / len(moves)
        if kind.name in ("greedy", SOLVER):
            return float(kind.name == SOLVER)
        return self.solves(kind.name, sight, moves, solution, LADDER_SEEDS)

    def _values(
        self, match: Match, sight: Sight, comparison: Comparison, orders: Sequence[Order]
    ) -> tuple[MoveValue, ...]:
        """Return what each move is worth, the solution first, then the best of the others."""
        columns = (
            comparison.values[:, sight.seat],
            comparison.errors,
            *self.count_worlds(sight, comparison.moves, orders),
        )
        rows = np.rint(PERMILLE * np.stack(columns, axis=1)).astype(int)
        best, *others = [
            MoveValue(match.text(move), *(int(each) for each in row))
            for move, row in zip(comparison.moves, rows, strict=True)
        ]
        return (best, *sorted(others, key=lambda value: -value.share))
