"""Makes the review of a finished game: evaluates every position by what each seat knew there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablee.bots.roster import SearchKind, find_kind
from tablee.bots.simple import generator_for
from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.review.evaluation import NEVER, Comparison, Evaluator
from tablee.review.report import UNIT, Review, ReviewedMove, RoundStart

FINALISTS = 3  # moves that are compared closely with the one that was played
DOUBTFUL = 1.0  # standard errors by which a move must seem better to be looked at again
CLEAR = 2.0  # standard errors by which it must then be better for the played move to count as a mistake
VALUES, BASELINE, SCREENING, CHOOSING, JUDGING, LAST_SEED = range(6)  # seeds: each purpose has worlds of its own


@dataclass(frozen=True)
class Depth:
    """How many worlds are imagined for what."""

    values: int = 256  # for each seat's chances in each position
    screening: int = 48  # to choose FINALISTS among all moves; each time the worse half is dropped
    choosing: int = 256  # to choose the best of them
    judging: int = 768  # to compare it with the played move
    start_factor: int = 16  # times `values` before a round: games begin alike, so an error there would be a seat's luck

    def __str__(self) -> str:
        return f"{self.values}/{self.screening}/{self.choosing}/{self.judging}"


USUAL = Depth()
DEPTHS = {
    "quick": Depth(values=64, screening=16, choosing=64, judging=192),
    "usual": USUAL,
    "deep": Depth(values=1024, screening=192, choosing=1024, judging=3072),
}


class Cancelled(TableeError):
    """The review was not wanted any more."""


@dataclass(frozen=True)
class PlayedPosition:
    """A position of the game and the move that was played in it."""

    number: int
    sights: tuple[Sight, ...]  # by seat
    spectator: Sight
    mover: int
    moves: tuple[int, ...]
    played: int
    round: int
    is_round_start: bool


def review(
    match: Match,
    depth: Depth = USUAL,
    threads: int = 1,
    progress: Callable[[int, int], bool | None] = lambda done, all_of_them: None,
) -> Review:
    """Review a finished match.

    The same match and depth give the same review. `progress` is called with the number of positions that are done and
    the number of all; if it returns False, the review ends with Cancelled.
    """
    if not match.is_over:
        raise TableeError(f"only a finished game can be reviewed; this one has had {len(match.moves)} moves")
    positions = list_positions(match)
    reviewer = Reviewer(match, depth)
    with ThreadPoolExecutor(threads) as pool:
        tasks = {pool.submit(reviewer.review_position, position): position.number for position in positions}
        _watch(tasks, progress)
    done = {number: task.result() for task, number in tasks.items()}
    steps = [done[position.number] for position in positions]
    return Review(
        game=match.game.name,
        players=tuple(match.names()),
        steps=tuple(step for step, _ in steps),
        rounds=tuple(start for _, start in steps if start is not None),
        results=final_shares(match),
        depth=str(depth),
    )


def _watch(
    tasks: dict[Future[tuple[ReviewedMove, RoundStart | None]], int], progress: Callable[[int, int], bool | None]
) -> None:
    """Report the progress of tasks; raise the first error, and Cancelled if nobody wants the rest."""
    try:
        for number, task in enumerate(as_completed(tasks), start=1):
            task.result()
            if progress(number, len(tasks)) is False:
                raise Cancelled("the review was cancelled")
    except BaseException:
        for task in tasks:
            task.cancel()
        raise


def list_positions(match: Match) -> list[PlayedPosition]:
    """Play a match again and return its positions, each with what every seat knew."""
    again, positions = Match.from_state(match.game, match.first_state), []
    round_before = -1
    for number, move in enumerate(match.moves):
        now = again.finished_rounds()
        positions.append(
            PlayedPosition(
                number=number,
                sights=tuple(again.sight(seat) for seat in range(again.seats)),
                spectator=again.sight(SPECTATOR),
                mover=again.to_move,
                moves=tuple(again.legal_moves()),
                played=move,
                round=now,
                is_round_start=now != round_before,
            )
        )
        round_before = now
        again.push(move)
    return positions


def final_shares(match: Match) -> tuple[int, ...]:
    """Return the share of the others that each seat finished ahead of, a tie counting half."""
    shares = np.zeros(match.seats)
    match.game.kernels.shares(match.state, shares)
    return in_units(shares)


def in_units(values: NDArray[np.float64]) -> tuple[int, ...]:
    """Round shares to millionths."""
    return tuple(round(float(value) * UNIT) for value in values)


class Reviewer:
    """Reviews positions of one game, in any number of threads."""

    def __init__(self, match: Match, depth: Depth) -> None:
        kind = find_kind("expert")
        assert isinstance(kind, SearchKind)
        self._game = match.game
        self._settings = kind.settings(match.game)
        self._depth = depth
        self._local = threading.local()

    @property
    def _evaluator(self) -> Evaluator:
        """The evaluator of the present thread."""
        if not hasattr(self._local, "evaluator"):
            self._local.evaluator = Evaluator(self._game, self._settings)
        evaluator: Evaluator = self._local.evaluator
        return evaluator

    def review_position(self, position: PlayedPosition) -> tuple[ReviewedMove, RoundStart | None]:
        """Return what the move changed, and what was expected before the deal if it is the first of a round."""
        values = [self._expect(sight)[seat] for seat, sight in enumerate(position.sights)]
        start = None
        if position.is_round_start:
            start = RoundStart(position.number, in_units(self.expect_start(position.spectator)))
        effects, better, error = self.judge(position)
        step = ReviewedMove(
            seat=position.mover,
            move=position.played,
            round=position.round,
            is_choice=len(position.moves) > 1,
            values=in_units(np.array(values)),
            effects=effects,
            better=better,
            error=error,
        )
        return step, start

    def judge(self, position: PlayedPosition) -> tuple[tuple[int, ...], int | None, int]:
        """Return what the played move changed for each seat, the better move if there is one, and the error.

        The better move is chosen in other worlds than those in which both are compared in the end. If it were the one
        that looked best there, its value would be too high, and good play would seem to have losses. A better move that
        the player can still make later is missed only as far as it is worth less then.
        """
        sight, none = position.sights[position.mover], (tuple(0 for _ in position.sights), None, 0)
        finalists = self._shortlist(sight, position)
        if not finalists:
            return none
        moves = [position.played, *finalists]
        chosen = self._compare(sight, moves, self._depth.choosing, CHOOSING).better(DOUBTFUL)
        if chosen is None:
            return none
        judged = self._compare(
            sight, [chosen, position.played, position.played], self._depth.judging, JUDGING, [NEVER, NEVER, chosen]
        )
        now, later = judged.gains[1:]
        index = 1 if now >= later else 2
        if judged.gains[index] >= -CLEAR * judged.errors[index]:
            return none
        effects = in_units(judged.values[index] - judged.values[0])
        return effects, chosen, round(float(judged.errors[index]) * UNIT)

    def _shortlist(self, sight: Sight, position: PlayedPosition) -> list[int]:
        """Return the most promising of the moves that were not played."""
        moves = [move for move in position.moves if move != position.played]
        stage = 0
        while len(moves) > FINALISTS:
            seed = SCREENING + LAST_SEED * stage
            gains = self._compare(sight, [position.played, *moves], self._depth.screening, seed).gains[1:]
            order = sorted(range(len(moves)), key=lambda index: (-gains[index], moves[index]))
            moves = [moves[index] for index in order[: max(FINALISTS, len(moves) // 2)]]
            stage += 1
        return moves

    def _compare(
        self, sight: Sight, moves: Sequence[int], worlds: int, seed: int, followed_by: Sequence[int] = ()
    ) -> Comparison:
        return self._evaluator.compare(sight, moves, worlds, generator_for(seed, sight), followed_by)

    def expect_start(self, spectator: Sight) -> NDArray[np.float64]:
        """Return what each seat could expect before the cards of a round were seen."""
        worlds = self._depth.values * self._depth.start_factor
        return self._evaluator.expect(spectator, worlds, generator_for(BASELINE, spectator))

    def _expect(self, sight: Sight) -> NDArray[np.float64]:
        return self._evaluator.expect(sight, self._depth.values, generator_for(VALUES, sight))
