"""How finished games ended, and how good everybody seems to be by them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
from openskill.models import PlackettLuce

from tablee.server.live_table import TurnSummary
from tablee.storage import Store, TableRow
from tablee.tables.table import BOT

MEAN, SCALE = 1000.0, 40.0  # of the ratings that people see: openskill's 25 is 1000, and its 1 is 40
OVERLAP = 60.0  # seconds; another process may store what it stamped before


@dataclass(frozen=True)
class Player:
    """Somebody who played; the key tells people apart who have one name, and is never shown."""

    key: str
    name: str
    is_bot: bool


@dataclass(frozen=True)
class Result:
    """How a game ended; where nobody sat to the end, there is no player."""

    table: str
    game: str
    at: float
    players: tuple[Player | None, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # none if no rule ended it

    def seat_of(self, key: str) -> int:
        """Return where a player sat."""
        return next(seat for seat, player in enumerate(self.players) if player is not None and player.key == key)


def result_of(row: TableRow) -> Result | None:
    """Return how a table of the lobby ended, None if it does not count."""
    kept = msgspec.json.decode(row.summary, type=TurnSummary)
    if kept.result is None:
        return None
    players = tuple(_player(kept, seat) for seat in range(len(kept.seats)))
    return Result(row.id, row.game, kept.result.at, players, kept.result.scores, kept.result.ranks)


def _player(kept: TurnSummary, seat: int) -> Player | None:
    shown = kept.seats[seat]
    if kept.people[seat]:
        return Player(kept.people[seat], shown.name, is_bot=False)
    if shown.kind == BOT and shown.bot is not None:
        return Player(f"bot {shown.bot}", shown.bot, is_bot=True)
    return None


@dataclass
class Rating:
    """How good somebody seems to be in a game, and how that came about."""

    player: Player
    mean: float
    spread: float
    history: list[tuple[float, float]] = field(default_factory=list)  # time and rating, after each game

    @property
    def shown(self) -> float:
        """The mean as people see it."""
        return MEAN + SCALE * (self.mean - 25.0)

    @property
    def margin(self) -> float:
        """Half the interval in which the truth lies with 95 %, as people see it."""
        return SCALE * 1.96 * self.spread


class Ratings:
    """Plackett-Luce ratings of people and bots alike, per game, from all finished games in the order of their ends."""

    def __init__(self) -> None:
        self._model = PlackettLuce()
        self._rated: dict[str, dict[str, Rating]] = {}  # game -> key of a player -> rating
        self._counted: set[str] = set()  # tables
        self._until = 0.0
        self._updating = asyncio.Lock()

    async def update(self, store: Store) -> None:
        """Count what has ended since the last time."""
        async with self._updating:
            rows = await store.finished_since(self._until - OVERLAP)
            found = [result_of(row) for row in rows if row.id not in self._counted]
            for result in sorted(filter(None, found), key=lambda result: (result.at, result.table)):
                self._count(result)
            if rows:
                self._until = rows[-1].updated_at

    def of(self, game: str) -> dict[str, Rating]:
        """Return the ratings in a game, by the players' keys."""
        return self._rated.get(game, {})

    def _count(self, result: Result) -> None:
        self._counted.add(result.table)
        placed = list(_placed(result))
        if len({player.key for player, _ in placed}) < 2:
            return
        rated = self._rated.setdefault(result.game, {})
        before = [self._rating(rated, player) for player, _ in placed]
        teams = [[self._model.rating(mu=rating.mean, sigma=rating.spread)] for rating in before]
        after = self._model.rate(teams, ranks=[rank for _, rank in placed])
        for rating in {id(rating): rating for rating in before}.values():
            # A bot in several seats of a table is one player: it moves by the average.
            own = [team[0] for team, each in zip(after, before, strict=True) if each is rating]
            rating.mean = sum(each.mu for each in own) / len(own)
            rating.spread = sum(each.sigma for each in own) / len(own)
            rating.history.append((result.at, rating.shown))

    def _rating(self, rated: dict[str, Rating], player: Player) -> Rating:
        default = self._model.rating()
        rating = rated.setdefault(player.key, Rating(player, default.mu, default.sigma))
        rating.player = player  # under the name used last
        return rating


def _placed(result: Result) -> Iterator[tuple[Player, int]]:
    for player, rank in zip(result.players, result.ranks, strict=False):
        if player is not None:
            yield player, rank
