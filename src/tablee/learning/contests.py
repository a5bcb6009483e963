"""Contests: a bot against others of the roster on duplicate deals, one seat against all others."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from tablee.arena.contest import Contest
from tablee.arena.estimates import Estimate, mean_over_deals, share_over_deals
from tablee.arena.lineups import one_against_the_rest
from tablee.arena.matches import GameResult
from tablee.arena.pool import play_all, processes

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup


class BotComparison(NamedTuple):
    """How one seat of a bot did against another bot in all other seats; a deal is one observation."""

    bot: str
    opponent: str
    seats: int
    lead: Estimate | None  # points ahead of the mean of the others, positive for the better bot in every game
    wins: Estimate | None  # share of the wins; 1 / seats for an equal bot


def compare(
    game: Game,
    setup: Setup,
    bot: str,
    opponent: str,
    *,
    deals: int = 200,
    seed: int = 1,
    workers: int = 1,
    seconds: float = float("inf"),
) -> BotComparison:
    """Play up to `deals` deals, each from every seat, for at most `seconds`; incomplete deals are left out."""
    contest = Contest("train", game, setup, one_against_the_rest(bot, opponent, setup.seats), seed)
    played: dict[int, list[GameResult]] = defaultdict(list)
    with processes(workers) as pool:
        tasks = chain.from_iterable(contest.tasks(deal) for deal in range(deals))
        for result, _ in play_all(pool, tasks, 2 * workers, time.monotonic() + seconds):
            played[result.deal].append(result)
    complete = [results for _, results in sorted(played.items()) if len(results) == setup.seats]
    leads = [_mean([_lead(result, bot, game) for result in results]) for results in complete]
    wins = [_mean([result.win_shares[result.lineup.index(bot)] for result in results]) for results in complete]
    return BotComparison(bot, opponent, setup.seats, mean_over_deals(leads), share_over_deals(wins))


def _lead(result: GameResult, bot: str, game: Game) -> float:
    assert result.scores is not None
    seat, sign = result.lineup.index(bot), -1 if game.fewest_points_win else 1
    others = [score for other, score in enumerate(result.scores) if other != seat]
    return sign * (result.scores[seat] - _mean(others))


def _mean(numbers: list[float] | list[int]) -> float:
    return sum(numbers) / len(numbers)
