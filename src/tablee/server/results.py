"""Results of finished games, and the ratings that follow from them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from openskill.models import PlackettLuce

from tablee.protocol.stored import StoredSummary, decode_summary
from tablee.storage import Store, TableRow
from tablee.tables.table import BOT

# Ratings are shown on a scale of their own: openskill's initial mean of 25 as 1000, one unit as 40 points.
INITIAL_MEAN, SHOWN_MEAN, SCALE = 25.0, 1000.0, 40.0
OVERLAP = 60.0  # seconds read again, as another process may commit a row later than its time says


@dataclass(frozen=True)
class Participant:
    """A person or bot in a finished game; the key tells apart people of the same name, and is never shown."""

    key: str
    name: str
    is_bot: bool


@dataclass(frozen=True)
class Result:
    """How a game ended; seats that were empty at the end have no participant."""

    table: str
    game: str
    at: float
    participants: tuple[Participant | None, ...]  # by seat
    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # empty if the players ended the game by agreement

    def seat_of(self, key: str) -> int:
        """Return the first seat of a participant."""
        return next(seat for seat, one in enumerate(self.participants) if one is not None and one.key == key)


def result_of(row: TableRow) -> Result | None:
    """Return the result of a table in the lobby, None if it has none."""
    summary = decode_summary(row.summary)
    if summary.result is None:
        return None
    participants = tuple(_participant(summary, seat) for seat in range(len(summary.seats)))
    return Result(row.id, row.game, summary.result.at, participants, summary.result.scores, summary.result.ranks)


def _participant(summary: StoredSummary, seat: int) -> Participant | None:
    shown = summary.seats[seat]
    if summary.people[seat]:
        return Participant(summary.people[seat], shown.name, is_bot=False)
    if shown.kind == BOT and shown.bot is not None:
        return Participant(f"bot {shown.bot}", shown.bot, is_bot=True)
    return None


@dataclass
class Rating:
    """A participant's rating in one game, in openskill's units, and its history as shown."""

    participant: Participant
    mean: float
    deviation: float
    history: list[tuple[float, float]] = field(default_factory=list)  # time and shown rating, after each game

    @property
    def shown(self) -> float:
        """The mean as people see it."""
        return SHOWN_MEAN + SCALE * (self.mean - INITIAL_MEAN)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval, as people see it."""
        return SCALE * 1.96 * self.deviation


class RatingModel:
    """Plackett-Luce ratings of people and bots per game, from all finished games in the order of their ends."""

    def __init__(self) -> None:
        self._model = PlackettLuce()
        self._ratings: dict[str, dict[str, Rating]] = {}  # by game and key of the participant
        self._counted_tables: set[str] = set()
        self._updated_until = 0.0
        self._is_updating = asyncio.Lock()

    async def update(self, store: Store) -> None:
        """Count the games that have ended since the last update."""
        async with self._is_updating:
            rows = await store.finished_since(self._updated_until - OVERLAP)
            results = [result_of(row) for row in rows if row.id not in self._counted_tables]
            for result in sorted(filter(None, results), key=lambda result: (result.at, result.table)):
                self._count(result)
            if rows:
                self._updated_until = rows[-1].updated_at

    def ratings(self, game: str) -> dict[str, Rating]:
        """Return the ratings in a game, by the participants' keys."""
        return self._ratings.get(game, {})

    def _count(self, result: Result) -> None:
        self._counted_tables.add(result.table)
        ranked = list(_ranked(result))
        if len({participant.key for participant, _ in ranked}) < 2:
            return
        ratings = self._ratings.setdefault(result.game, {})
        before = [self._rating(ratings, participant) for participant, _ in ranked]
        teams = [[self._model.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
        after = self._model.rate(teams, ranks=[rank for _, rank in ranked])
        for rating in {id(rating): rating for rating in before}.values():
            # A bot in several seats of a table is one participant: it gets the average of their ratings.
            own = [team[0] for team, each in zip(after, before, strict=True) if each is rating]
            rating.mean = sum(each.mu for each in own) / len(own)
            rating.deviation = sum(each.sigma for each in own) / len(own)
            rating.history.append((result.at, rating.shown))

    def _rating(self, ratings: dict[str, Rating], participant: Participant) -> Rating:
        default = self._model.rating()
        rating = ratings.setdefault(participant.key, Rating(participant, default.mu, default.sigma))
        rating.participant = participant  # with the name used last
        return rating


def _ranked(result: Result) -> Iterator[tuple[Participant, int]]:
    for participant, rank in zip(result.participants, result.ranks, strict=False):
        if participant is not None:
            yield participant, rank
