"""Results of daily tables, counted in the transaction in which a game ends: reading them never gets slower."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from tablee.protocol.stored import decode_summary
from tablee.storage import schema
from tablee.storage.rows import TableRow
from tablee.tables.days import opening_time


def count_tries(connection: Connection, ended: Iterable[TableRow]) -> None:
    """Store and count the results of daily tables that have ended; those that ended too late are only marked."""
    for row in ended:
        summary = decode_summary(row.summary)
        if not summary.day or summary.result is None:
            continue
        seat = next((seat for seat, person in enumerate(summary.people) if person), None)
        if seat is None:
            continue  # the person has deleted everything about them
        result = {"ended_at": summary.result.at, "rank": None, "points": None}
        if summary.result.at < opening_time(summary.day):
            result["rank"] = summary.result.ranks[seat] if summary.result.ranks else len(summary.people) + 1
            result["points"] = summary.result.scores[seat]
        _finish(connection, (summary.people[seat], summary.day, row.game), result)


def _finish(connection: Connection, key: tuple[str, str, str], result: dict[str, Any]) -> None:
    columns = schema.daily_tries.c
    is_own = (columns.person == key[0]) & (columns.day == key[1]) & (columns.game == key[2])
    changed = connection.execute(
        update(schema.daily_tries).where(is_own, columns.ended_at.is_(None)).values(result)
    ).rowcount
    if changed and result["rank"] is not None:
        _count(connection, key[1], key[2], result["rank"], result["points"])


def _count(connection: Connection, day: str, game: str, rank: int, points: int) -> None:
    """Add a result to those of all people."""
    dialect = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement, columns = dialect(schema.daily_counts), schema.daily_counts.c
    statement = statement.on_conflict_do_update(
        index_elements=schema.daily_counts.primary_key.columns, set_={"players": columns.players + 1}
    )
    connection.execute(statement, {"day": day, "game": game, "rank": rank, "points": points, "players": 1})


def erase_tries(connection: Connection, person: str) -> None:
    """Delete a person's tries, and take their results out of what is counted."""
    tries, counts = schema.daily_tries.c, schema.daily_counts.c
    for row in connection.execute(select(schema.daily_tries).where(tries.person == person)).all():
        if row.rank is not None:
            is_counted = (counts.day == row.day) & (counts.game == row.game)
            is_counted &= (counts.rank == row.rank) & (counts.points == row.points)
            lower = update(schema.daily_counts).where(is_counted).values(players=counts.players - 1)
            connection.execute(lower)
    connection.execute(delete(schema.daily_tries).where(tries.person == person))
