"""Stored daily tables: deals, tries, and how many tries had which result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, func, select

from tablee.storage import schema
from tablee.storage.database import insert_if_absent
from tablee.storage.store import Store

MAX_TRIES = 100  # listed per person, of the last days
MAX_DAYS = 1_000  # looked at for a streak


@dataclass(frozen=True)
class StoredDeal:
    """A row of the table `daily_deals`."""

    day: str
    game: str
    seed: str
    version: int
    bots: str


@dataclass(frozen=True)
class DailyTry:
    """A row of the table `daily_tries`."""

    person: str
    day: str
    game: str
    table_id: str
    ended_at: float | None = None
    rank: int | None = None
    points: int | None = None


@dataclass(frozen=True)
class ResultCount:
    """How many people had a result."""

    rank: int
    points: int
    players: int


class DailyStore:
    """Reads and writes daily tables; methods raise StoreError if the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # Deals

    async def deal(self, day: str, game: str) -> StoredDeal | None:
        """Return a deal that was played, None if it was not."""
        columns = schema.daily_deals.c
        rows = await self._store.read(select(schema.daily_deals).where(columns.day == day, columns.game == game))
        return StoredDeal(*rows[0]) if rows else None

    async def first_day(self) -> str | None:
        """Return the first day on which a deal was played."""
        day = (await self._store.read(select(func.min(schema.daily_deals.c.day))))[0][0]
        return None if day is None else str(day)

    async def save_deal(self, deal: StoredDeal) -> None:
        """Store a deal, unless it is stored."""
        await self._insert_if_absent(schema.daily_deals, vars(deal))

    # Tries

    async def begin(self, begun: DailyTry) -> DailyTry:
        """Store a try, unless the person has one of that day and game; return the one that is stored."""
        await self._insert_if_absent(schema.daily_tries, vars(begun))
        found = await self.find(begun.person, begun.day, begun.game)
        return begun if found is None else found

    async def find(self, person: str, day: str, game: str) -> DailyTry | None:
        """Return a person's try, None if they have not begun one."""
        return next((each for each in await self.tries_on(person, day) if each.game == game), None)

    async def tries_on(self, person: str, day: str) -> list[DailyTry]:
        """Return a person's tries of a day, one per game at most."""
        columns = schema.daily_tries.c
        rows = await self._store.read(select(schema.daily_tries).where(columns.person == person, columns.day == day))
        return [DailyTry(*row) for row in rows]

    async def tries_before(self, person: str, day: str) -> list[DailyTry]:
        """Return a person's last finished tries before a day, newest first."""
        columns = schema.daily_tries.c
        query = select(schema.daily_tries).where(columns.person == person, columns.day < day)
        query = query.where(columns.ended_at.is_not(None)).order_by(columns.day.desc(), columns.game)
        return [DailyTry(*row) for row in await self._store.read(query.limit(MAX_TRIES))]

    async def days_played(self, person: str) -> list[str]:
        """Return the last days on which a person finished a try in time, newest first."""
        columns = schema.daily_tries.c
        query = select(columns.day).where(columns.person == person, columns.rank.is_not(None)).distinct()
        return [day for (day,) in await self._store.read(query.order_by(columns.day.desc()).limit(MAX_DAYS))]

    # Results

    async def counts(self, day: str, game: str) -> list[ResultCount]:
        """Return how many people had which result; as many rows as there are different results."""
        columns = schema.daily_counts.c
        query = select(columns.rank, columns.points, columns.players)
        query = query.where(columns.day == day, columns.game == game, columns.players > 0)
        return [ResultCount(*row) for row in await self._store.read(query)]

    async def bots(self, day: str, game: str) -> dict[str, tuple[int, int]]:
        """Return rank and points of each bot that has played a deal."""
        columns = schema.daily_bots.c
        query = select(columns.bot, columns.rank, columns.points).where(columns.day == day, columns.game == game)
        return {bot: (rank, points) for bot, rank, points in await self._store.read(query)}

    async def save_bot(self, day: str, game: str, bot: str, rank: int, points: int) -> None:
        """Store what a bot made of a deal."""
        row = {"day": day, "game": game, "bot": bot, "rank": rank, "points": points}
        await self._insert_if_absent(schema.daily_bots, row)

    async def _insert_if_absent(self, table: Table, row: dict[str, Any]) -> None:
        def work(connection: Connection) -> None:
            connection.execute(insert_if_absent(connection.dialect.name, table), row)

        await self._store.write(work)
