"""Hold a contest: play what is missing, count deals in their order, stop when the question is settled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tablee.arena.contest import Contest
from tablee.arena.estimates import Estimate
from tablee.arena.journal import Journal
from tablee.arena.matches import Task
from tablee.arena.pool import Pool, play_all
from tablee.arena.standings import Deal, Ladder, Standings, standings
from tablee.bots.external import BotError, ExternalBot
from tablee.core.errors import BadSetup
from tablee.core.match import Match


class ContestRun:
    """A contest on its way.

    Which deals count does not depend on how fast they were played, so that any number of processes gives the same
    result: deals are counted in order, up to the one after which all is settled.
    """

    def __init__(self, contest: Contest, journal: Journal, deals: int, edge: float | None) -> None:
        """Take up a contest; without an `edge` all deals are played, else until each step of the ladder is settled."""
        self.contest = contest
        self.journal = journal
        self.deals = deals
        self.ladder = Ladder(contest.bots, 0.05 if edge is None else edge)
        self.stops_early = edge is not None
        self.counted: list[Deal] = []
        self._count()

    @property
    def is_over(self) -> bool:
        """Whether nothing more needs to be played."""
        return len(self.counted) == self.deals or (self.stops_early and self.ladder.is_settled)

    def run(self, pool: Pool, ahead: int, progress: Callable[[int, int], None]) -> None:
        """Play to the end; `progress` is told how many deals are counted, of how many at most."""
        progress(len(self.counted), self.deals)
        for result, record in play_all(pool, self._tasks(), ahead):
            self.journal.add(result, record)
            self._count()
            progress(len(self.counted), self.deals)

    def standings(self) -> Standings:
        """Return how the bots did."""
        game = self.contest.game
        return standings(self.contest.bots, self.contest.setup.seats, self.counted, game.fewest_points_win)

    def forfeits(self) -> dict[str, str]:
        """Return the first reason per bot that had to give up."""
        reasons: dict[str, str] = {}
        for game in (game for deal in self.counted for game in deal):
            if game.forfeit is not None:
                reasons.setdefault(game.lineup[game.forfeit.seat], game.forfeit.reason)
        return reasons

    def _tasks(self) -> Iterator[Task]:
        for deal in range(self.deals):
            for task in self.contest.tasks(deal, keeps_records=True):
                if self.is_over:
                    return
                if task.key not in self.journal.results:
                    yield task

    def _count(self) -> None:
        while not self.is_over:
            games = [self.journal.results.get(task.key) for task in self.contest.tasks(len(self.counted))]
            deal = [game for game in games if game is not None]
            if len(deal) < len(games):
                return
            self.counted.append(deal)
            self.ladder.observe(deal)


def demand_playable(contest: Contest) -> None:
    """Refuse a contest with bots that are not there, or do not even start."""
    contest.pins()
    match = Match(contest.game, seats=contest.setup.seats, options=contest.setup.options, seed=0)
    for outside in contest.others.values():
        bot = ExternalBot(outside, 0)
        try:
            bot.start(match.game, match.sight(match.to_move))
        except BotError as why:
            raise BadSetup(f"{why}; nothing was played") from None
        finally:
            bot.close()


def results_as_dict(run: ContestRun, rated: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return everything as plain values, ready for JSON."""
    steps = [{"step": list(step), "answer": answer} for step, answer in run.ladder.answers().items()]
    return {
        **run.contest.as_dict(),
        "most_deals": run.deals,
        "is_settled": run.ladder.is_settled,
        "steps": steps,
        "ratings": {bot: asdict(rating) for bot, rating in rated.items()},
        "standings": run.standings().as_dict(),
        "forfeits": run.forfeits(),
    }
