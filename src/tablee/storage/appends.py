"""Appends to tables as SQL: events, the rows that follow from them, and notices for other processes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, insert, select, tuple_

from tablee.storage import schema
from tablee.storage.appearances import note_appearances
from tablee.storage.bulk import SKIP, insert_rows, update_all
from tablee.storage.daily_results import count_tries
from tablee.storage.database import StoreError, notify
from tablee.storage.results import result_of
from tablee.storage.rows import Append, PlainAddition
from tablee.storage.tallies import count_results

_UPDATE_TABLES = update_all("id", ("phase", "updated_at", "summary", "wakes_at"))  # of a table that exists


def write_appends(connection: Connection, appends: Sequence[Append]) -> list[bool]:
    """Write what fits, in a transaction that has written nothing yet; return which appends were accepted.

    Tables are written in the order of their ids, so that two processes cannot deadlock.
    """
    accepted = _without_rivals(sorted(appends, key=lambda append: append[0].row.id))
    while not _insert_events(connection, [addition for append in accepted for addition in append]):
        connection.rollback()
        refused, accepted = accepted, _without_taken(connection, accepted)
        if len(accepted) == len(refused):
            raise StoreError("a table has an event whose number is beyond its last one")
    _write_additions(connection, [addition for append in accepted for addition in append])
    fitting = set(map(id, accepted))
    return [id(append) in fitting for append in appends]


def _without_rivals(appends: list[Append]) -> list[Append]:
    """Return the appends without those to a table that follow another one with an event of the same number."""
    last: dict[str, int] = {}  # by table, the number of the last event
    accepted = []
    for append in appends:
        table_id, number = append[0].first
        if number > last.get(table_id, 0):
            last[table_id] = append[0].last
            accepted.append(append)
    return accepted


def _without_taken(connection: Connection, appends: list[Append]) -> list[Append]:
    """Return the appends without those to a table that already has an event of the first number."""
    key = tuple_(schema.events.c.table_id, schema.events.c.number)
    query = select(schema.events.c.table_id, schema.events.c.number)
    rows = connection.execute(query.where(key.in_([append[0].first for append in appends])))
    taken = {(table_id, number) for table_id, number in rows}
    return [append for append in appends if append[0].first not in taken]


def _insert_events(connection: Connection, additions: list[PlainAddition]) -> bool:
    """Insert all events; return False if a number was taken, and the transaction has to be rolled back."""
    rows = [
        (addition.row.id, number, body)
        for addition in additions
        for number, body in enumerate(addition.bodies, addition.expected + 1)
    ]
    return insert_rows(connection, schema.events, rows, SKIP) == len(rows)


def _write_additions(connection: Connection, additions: list[PlainAddition]) -> None:
    """Write the rows of tables, people and statistics after events that were inserted, and notify other processes."""
    rows = {addition.row.id: addition.row for addition in additions}  # the last one of each table
    insert_rows(connection, schema.tables, [msgspec.structs.astuple(row) for row in rows.values()], _UPDATE_TABLES)
    _write_people(connection, additions)
    _count_results(connection, additions)
    if connection.dialect.name == "postgresql" and additions:
        notify(connection, [f"{addition.row.id} {addition.last}" for addition in additions])


def _write_people(connection: Connection, additions: list[PlainAddition]) -> None:
    """Replace the list of people at the tables where a person sat down or left, or the game ended."""
    changed = {addition.row.id: addition for addition in additions if addition.people is not None}
    if not changed:
        return
    connection.execute(delete(schema.people).where(schema.people.c.table_id.in_(list(changed))))
    people = [
        {"person": person, "table_id": row.id, "ended_at": row.updated_at if row.phase == "over" else None}
        for row, sitting in ((addition.row, addition.people) for addition in changed.values())
        for person in sitting or ()
    ]
    if people:
        connection.execute(insert(schema.people), people)
    note_appearances(connection, [(person, each.row.id) for each in changed.values() for person in each.newcomers])


def _count_results(connection: Connection, additions: list[PlainAddition]) -> None:
    """Count the results of games that ended."""
    ended = [addition.row for addition in additions if addition.ends_game]
    counted = sorted(filter(None, map(result_of, ended)), key=lambda result: (result.at, result.table))
    if counted:
        count_results(connection, counted)
    count_tries(connection, ended)
