"""A contest being played: plays missing games, counts deals in order, stops when the ranking is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tablee.arena.contest import Contest
from tablee.arena.estimates import DEFAULT_EDGE, Estimate
from tablee.arena.journal import ContestJournal
from tablee.arena.matches import Task
from tablee.arena.pool import Pool, play_all
from tablee.arena.standings import Deal, NeighbourTests, Standings, compute_standings
from tablee.bots.external import BotError, ExternalBot
from tablee.core.errors import BadSetup
from tablee.core.match import Match


class ContestRun:
    """A contest, the games played so far and the deals that count.

    Deals are counted in order, up to the one that decides the last open question, whatever order they were played in.
    So any number of processes gives the same result.
    """

    def __init__(self, contest: Contest, journal: ContestJournal, max_deals: int, edge: float | None) -> None:
        """Start or continue a contest.

        With an `edge` it stops once every pair of neighbouring bots is decided; with None it plays all `max_deals`.
        """
        self.contest = contest
        self.journal = journal
        self.max_deals = max_deals
        self.tests = NeighbourTests(contest.bots, DEFAULT_EDGE if edge is None else edge)
        self.stops_early = edge is not None
        self.counted_deals: list[Deal] = []
        self._count_deals()

    @property
    def is_over(self) -> bool:
        """Whether no more games are needed."""
        return len(self.counted_deals) == self.max_deals or (self.stops_early and self.tests.are_decided)

    def run(self, pool: Pool, max_pending: int, progress: Callable[[int, int], None]) -> None:
        """Play to the end with at most `max_pending` games in the pool; call `progress(deals counted, max deals)`."""
        progress(len(self.counted_deals), self.max_deals)
        for result, record in play_all(pool, self._missing_tasks(), max_pending):
            self.journal.add(result, record)
            self._count_deals()
            progress(len(self.counted_deals), self.max_deals)

    def standings(self) -> Standings:
        """Return the standings over the counted deals."""
        game = self.contest.game
        return compute_standings(
            self.contest.bots, self.contest.setup.seats, self.counted_deals, game.fewest_points_win
        )

    def forfeits(self) -> dict[str, str]:
        """Return the reason of the first forfeit of each bot that forfeited."""
        reasons: dict[str, str] = {}
        for game in (game for deal in self.counted_deals for game in deal):
            if game.forfeit is not None:
                reasons.setdefault(game.lineup[game.forfeit.seat], game.forfeit.reason)
        return reasons

    def _missing_tasks(self) -> Iterator[Task]:
        for deal in range(self.max_deals):
            for task in self.contest.tasks(deal, keeps_records=True):
                if self.is_over:
                    return
                if task.key not in self.journal.results:
                    yield task

    def _count_deals(self) -> None:
        """Count the deals that follow the last counted one without a gap."""
        while not self.is_over:
            games = [self.journal.results.get(task.key) for task in self.contest.tasks(len(self.counted_deals))]
            deal = [game for game in games if game is not None]
            if len(deal) < len(games):
                return
            self.counted_deals.append(deal)
            self.tests.observe(deal)


def require_playable(contest: Contest) -> None:
    """Raise an error if a bot is unknown, or if an external bot does not start."""
    contest.pins()
    match = Match(contest.game, seats=contest.setup.seats, options=contest.setup.options, seed=0)
    for spec in contest.external_bots.values():
        bot = ExternalBot(spec, 0)
        try:
            bot.start(match.game, match.sight(match.to_move))
        except BotError as why:
            raise BadSetup(f"{why}; nothing was played") from None
        finally:
            bot.close()


def results_as_dict(run: ContestRun, ratings: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return contest, ratings and standings as plain values, ready for JSON."""
    verdicts = [{"bots": list(pair), "verdict": verdict} for pair, verdict in run.tests.verdicts().items()]
    return {
        **run.contest.as_dict(),
        "max_deals": run.max_deals,
        "is_decided": run.tests.are_decided,
        "verdicts": verdicts,
        "ratings": {bot: asdict(rating) for bot, rating in ratings.items()},
        "standings": run.standings().as_dict(),
        "forfeits": run.forfeits(),
    }
