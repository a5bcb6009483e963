"""Where people have appeared: the tables at which they sat or chatted, also after they left."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from tablee.storage import schema
from tablee.storage.database import insert_if_absent


def note_appearances(connection: Connection, appearances: Iterable[tuple[str, str]]) -> None:
    """Note that people, by their ids, have appeared at tables."""
    rows = [{"person": person, "table_id": table_id} for person, table_id in sorted(set(appearances))]
    if rows:
        connection.execute(insert_if_absent(connection.dialect.name, schema.appearances), rows)


def tables_of_person(connection: Connection, person: str) -> list[str]:
    """Return the ids of all tables at which a person has appeared."""
    query = select(schema.appearances.c.table_id).where(schema.appearances.c.person == person)
    return list(connection.execute(query).scalars())
