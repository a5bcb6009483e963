"""Advice about a decision that is to be made: what each move is worth, from what one seat knows alone.

Everything follows from the sight and the legal moves: two states that look the same to a seat give it the same advice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tablee.bots.roster import SearchKind, find_kind
from tablee.bots.search import make_plan
from tablee.bots.simple import generator_for
from tablee.bots.tree import roll_out
from tablee.core.game import Game
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.types import Generator, State
from tablee.review.beliefs import draw_likely_world
from tablee.review.evaluation import NEVER, Evaluator
from tablee.review.orders import ALONE, Order, choose_orders, judge_orders
from tablee.review.report import LOSSES, UNIT, Grade

FINALISTS = 3  # moves among which the best is chosen closely
MAX_JUDGED = 64  # moves that are compared with the best, the most promising first
CLEAR = 2.0  # standard errors by which a move must be worse to be called so
SCREENING, CHOOSING, JUDGING, COUNTING, ORDERING, LAST_SEED = range(6)  # seeds: each purpose has worlds of its own
MIN_LOSS = {grade: loss / UNIT for grade, loss in LOSSES}

FactFinder = Callable[[State, int, State], Iterable[str]]  # of a world, a move, and the world after it


@dataclass(frozen=True)
class AdviceDepth:
    """How many worlds are imagined for what."""

    screening: int = 48  # to choose FINALISTS among all moves, dropping the worse half each time; and to choose orders
    choosing: int = 512  # to choose the best of them
    judging: int = 384  # to compare all others with it
    counting: int = 400  # to count facts about it and the best of the others


USUAL = AdviceDepth()
DEPTHS = {"quick": AdviceDepth(screening=1, choosing=2, judging=2, counting=4), "usual": USUAL}


@dataclass(frozen=True)
class JudgedMove:
    """A move, compared with the best one."""

    move: int
    gain: float  # in shares of the others that one finishes ahead of; negative: it is worse
    error: float  # standard error of the gain
    order: Order = ALONE  # in which both were compared

    @property
    def is_good(self) -> bool:
        """Whether the move does not clearly lose as much as an inaccuracy does."""
        return -self.gain < MIN_LOSS[Grade.INACCURACY] or -self.gain <= CLEAR * self.error

    @property
    def is_blunder(self) -> bool:
        """Whether the move clearly loses as much as a blunder does."""
        return -self.gain >= MIN_LOSS[Grade.BLUNDER] and -self.gain > CLEAR * self.error


@dataclass(frozen=True)
class MoveCounts:
    """What happens after a move, over the same worlds as after another one."""

    chances: float  # mean share of the others that one finishes ahead of
    points: float  # mean points until the end of the round
    facts: dict[str, int]  # in how many worlds each fact of the game holds


@dataclass(frozen=True)
class Advice:
    """The moves of a decision, the best first, and what speaks for it."""

    moves: tuple[JudgedMove, ...]
    worlds: int = 0  # in which the best was compared with `other`; 0 if there is no other move
    other: int | None = None  # the best of the moves that are not good, or if all are, of all but the first
    as_good: int = 0  # worlds in which the best does at least as well as `other`
    error: float = 0.0  # standard error of the difference of their chances
    best_counts: MoveCounts | None = None
    other_counts: MoveCounts | None = None

    @property
    def good(self) -> tuple[JudgedMove, ...]:
        """The best move, and those that are about as good."""
        return tuple(move for move in self.moves if move.is_good)

    @property
    def blunders(self) -> tuple[JudgedMove, ...]:
        """The moves that cost much."""
        return tuple(move for move in self.moves if move.is_blunder)


class Adviser:
    """Advises on decisions of one game in one thread."""

    def __init__(self, game: Game, depth: AdviceDepth = USUAL) -> None:
        kind = find_kind("expert")
        assert isinstance(kind, SearchKind)
        self._game = game
        self._depth = depth
        settings = kind.settings(game)
        self._plan = make_plan(settings, 0)
        self._evaluator = Evaluator(game, settings)
        self._facts = fact_finder(game)

    def advise(self, sight: Sight, moves: Sequence[int]) -> Advice:
        """Compare the legal moves of the seat that is to move; the same sight gives the same advice."""
        if len(moves) == 1:
            return Advice((JudgedMove(moves[0], 0.0, 0.0),))
        ordered = self._order(sight, moves)
        best, *others = ordered[:MAX_JUDGED]
        judged = self._judge(sight, best, others)
        worse = [each for each in judged if not each.is_good]
        return self._counted(sight, (JudgedMove(best, 0.0, 0.0), *judged), worse[0] if worse else judged[0])

    def _order(self, sight: Sight, moves: Sequence[int]) -> list[int]:
        """Return the moves in the order in which they seem good; the first ones were looked at more closely."""
        promising, dropped = list(moves), list[int]()
        for stage in range(len(moves)):
            if len(promising) <= FINALISTS:
                break
            ranked = self._rank(sight, promising, self._depth.screening, SCREENING + LAST_SEED * stage)
            kept = max(FINALISTS, len(promising) // 2)
            promising, dropped = ranked[:kept], ranked[kept:] + dropped
        return self._rank(sight, promising, self._depth.choosing, CHOOSING) + dropped

    def _rank(self, sight: Sight, moves: list[int], worlds: int, seed: int) -> list[int]:
        gains = self._evaluator.compare(sight, moves, worlds, generator_for(seed, sight)).gains
        return [moves[index] for index in sorted(range(len(moves)), key=lambda each: (-gains[each], moves[each]))]

    def _judge(self, sight: Sight, best: int, others: list[int]) -> list[JudgedMove]:
        """Return the other moves compared with the best, in other worlds than those in which it was chosen."""
        compared = self._evaluator.compare(sight, [best, *others], self._depth.judging, generator_for(JUDGING, sight))
        judged = [
            JudgedMove(move, float(gain), float(error))
            for move, gain, error in zip(others, compared.gains[1:], compared.errors[1:], strict=True)
        ]
        good = [each for each in judged if each.is_good]
        worse = self._judge_orders(sight, best, [each for each in judged if not each.is_good])
        return sorted([*good, *worse], key=lambda each: -each.gain)

    def _judge_orders(self, sight: Sight, best: int, judged: list[JudgedMove]) -> list[JudgedMove]:
        """Return moves that seem worse, compared with the best in the order in which they lose least."""
        if not judged:
            return []
        moves, generator = [each.move for each in judged], generator_for(ORDERING, sight)
        orders = choose_orders(self._evaluator, sight, best, moves, self._depth.screening, generator)
        losses, errors = judge_orders(
            self._evaluator, sight, best, moves, orders, self._depth.judging, lambda: generator_for(JUDGING, sight)
        )
        return [
            JudgedMove(move, -float(loss), float(error), order)
            for move, loss, error, order in zip(moves, losses, errors, orders, strict=True)
        ]

    def _counted(self, sight: Sight, moves: tuple[JudgedMove, ...], other: JudgedMove) -> Advice:
        """Return the advice with what was counted for the best move and another one, in the same worlds and order."""
        best, own = WorldCounts(), WorldCounts()
        played = ((moves[0].move, other.order.after_best, best), (other.move, other.order.after_other, own))
        generator = generator_for(COUNTING, sight)
        for number in range(self._depth.counting):
            world = draw_likely_world(sight, generator)
            for move, follower, count in played:
                drawn = new_generator(number, int(generator.stream))
                self._play_on(world, (move, follower), drawn, sight.seat, count)
        gains = np.array(best.chances) - np.array(own.chances)
        return Advice(
            moves,
            self._depth.counting,
            other.move,
            int((gains >= 0).sum()),
            float(gains.std() / sqrt(len(gains))),
            best.summary(),
            own.summary(),
        )

    def _play_on(
        self, world: State, plan: tuple[int, int], generator: Generator, seat: int, count: WorldCounts
    ) -> None:
        """Play a move and its follower in a world, and on by the policy to the end of the round; count what comes."""
        move, follower = plan
        kernels, after = self._game.kernels, copy_state(world)
        shares, scores = np.zeros(int(world.seats)), np.zeros(int(world.seats), np.int64)
        kernels.scores(world, scores)
        before = int(scores[seat])
        kernels.play(after, move)
        facts = frozenset(self._facts(world, move, after))
        if follower != NEVER:
            self._evaluator.follow(after, seat, follower, kernels.stage(world), generator)
        legal = self._game.max_legal_moves
        roll_out(after, np.zeros(legal, np.int32), np.zeros(legal), kernels.stage(world), self._plan, generator)
        kernels.shares(after, shares)
        kernels.scores(after, scores)
        count.add(float(shares[seat]), int(scores[seat]) - before, facts)


class WorldCounts:
    """What came of a move in each world."""

    def __init__(self) -> None:
        self.chances: list[float] = []
        self.points: list[int] = []
        self.facts: Counter[str] = Counter()

    def add(self, chances: float, points: int, facts: frozenset[str]) -> None:
        """Count a world."""
        self.chances.append(chances)
        self.points.append(points)
        self.facts.update(facts)

    def summary(self) -> MoveCounts:
        """Return the means, and how often each fact holds."""
        return MoveCounts(float(np.mean(self.chances)), float(np.mean(self.points)), dict(sorted(self.facts.items())))


def fact_finder(game: Game) -> FactFinder:
    """Return the function of a game that names what holds after a move in a world; one that names nothing without."""
    if not (game.folder / "hints.py").exists():
        return lambda world, move, after: ()
    found: FactFinder = game.module("hints").find_facts
    return found
