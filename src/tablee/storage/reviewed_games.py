"""What reviews say about people: one row per person and reviewed game, so that reviews need not be read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from tablee.storage import schema
from tablee.storage.database import insert_if_absent
from tablee.storage.results import Participant
from tablee.storage.store import Store
from tablee.storage.tallies import Encounter

MAX_REVIEWED = 100  # last games that are looked at
MAX_UNREVIEWED = 10  # last games that are offered for a review


@dataclass(frozen=True)
class ReviewedGame:
    """A row of the table `reviewed_games`; shares are in millionths."""

    person: str
    game: str
    ended_at: float
    table_id: str
    accuracy: float | None
    result: int
    decisions: int
    others: int
    luck: int
    mistakes: str  # MistakeCount[] as JSON


class ReviewedGameStore:
    """Reads and writes reviewed games; methods raise StoreError if the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def save(self, table_id: str, games: Sequence[ReviewedGame]) -> None:
        """Store what a review says about the people of a table, each once, unless they have been deleted meanwhile."""
        people = select(schema.people.c.person).where(schema.people.c.table_id == table_id)

        def write(connection: Connection) -> None:
            known = set(connection.execute(people).scalars())
            rows = [vars(each) for each in games if each.person in known]
            if rows:
                connection.execute(insert_if_absent(connection.dialect.name, schema.reviewed_games), rows)

        await self._store.write(write)

    async def last(self, person: str, game: str) -> list[ReviewedGame]:
        """Return a person's last reviewed games, oldest first."""
        columns = schema.reviewed_games.c
        query = select(schema.reviewed_games).where(columns.person == person, columns.game == game)
        query = query.order_by(columns.ended_at.desc(), columns.table_id.desc()).limit(MAX_REVIEWED)
        return [ReviewedGame(*row) for row in reversed(await self._store.read(query))]

    async def unreviewed(self, person: str, game: str) -> list[tuple[str, float]]:
        """Return table and time of a person's last games that ended by the rules and are not reviewed, newest first."""
        played = schema.results.c
        last = select(schema.results).where(played.person == person, played.game == game)
        last = last.order_by(played.ended_at.desc(), played.table_id.desc()).limit(MAX_REVIEWED)
        rows = await self._store.read(last)
        known = {(each.table_id, each.ended_at) for each in await self.last(person, game)}
        found = [(row.table_id, row.ended_at) for row in rows if row.rating is not None]
        return [each for each in found if each not in known][:MAX_UNREVIEWED]

    async def against_bots(self, person: str, game: str, bots: Sequence[str]) -> list[Encounter]:
        """Return how a person has fared against these bots, of those that they have met."""
        columns = schema.encounters.c
        query = select(schema.encounters).where(columns.person == person, columns.game == game)
        rows = await self._store.read(query.where(columns.other.in_([f"bot {bot}" for bot in bots])))
        return [Encounter(Participant(row.other, row.name, True), row.ahead, row.level, row.behind) for row in rows]
