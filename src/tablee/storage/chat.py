"""Chat of tables: numbered lines that are not events, each stored once, and limited in number."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from tablee.storage import schema
from tablee.storage.appearances import note_appearances
from tablee.storage.database import lock_key, lock_until_commit, notify
from tablee.storage.rows import ChatLine, NewChatLine

MAX_CHAT_LINES = 200  # kept per table

_INSERT = insert(schema.chat)
_DELETE_OLD = delete(schema.chat).where(
    schema.chat.c.table_id == bindparam("of_table"), schema.chat.c.number <= bindparam("until")
)


def add_chat_lines(connection: Connection, lines: Sequence[NewChatLine]) -> list[ChatLine]:
    """Insert lines with their numbers, and delete the oldest of each table beyond MAX_CHAT_LINES.

    A line whose key is among the kept lines of its table is not stored again: the stored one is returned.
    """
    tables = {line.table_id for line in lines}
    if connection.dialect.name == "postgresql":  # another process may number lines at the same time
        for key in sorted({lock_key(table_id) + 1 for table_id in tables}):
            lock_until_commit(connection, key)
    last = _last_numbers(connection, tables)
    stored = _stored_lines(connection, lines)
    answers, new = [], []
    for line in lines:
        known = stored.get((line.table_id, line.key)) if line.key else None
        if known is None:
            last[line.table_id] = number = last.get(line.table_id, 0) + 1
            known = stored[line.table_id, line.key] = ChatLine(line.table_id, number, line.body)
            new.append({"table_id": line.table_id, "number": number, "body": line.body, "key": line.key})
        answers.append(known)
    if new:
        connection.execute(_INSERT, new)
        people = [(line.key.partition("/")[0], line.table_id) for line in lines if "/" in line.key]
        note_appearances(connection, people)
        changed = sorted({str(row["table_id"]) for row in new})
        connection.execute(
            _DELETE_OLD, [{"of_table": table, "until": last[table] - MAX_CHAT_LINES} for table in changed]
        )
        if connection.dialect.name == "postgresql":
            notify(connection, [f"{table_id} chat" for table_id in changed])
    return answers


def _last_numbers(connection: Connection, tables: set[str]) -> dict[str, int]:
    columns = schema.chat.c
    query = select(columns.table_id, func.max(columns.number)).where(columns.table_id.in_(tables))
    rows = connection.execute(query.group_by(columns.table_id)).all()
    return {table_id: int(number) for table_id, number in rows}


def _stored_lines(connection: Connection, lines: Sequence[NewChatLine]) -> dict[tuple[str, str], ChatLine]:
    """Return the lines that were stored before under one of the keys, by table and key."""
    columns = schema.chat.c
    query = select(columns.table_id, columns.number, columns.body, columns.key).where(
        columns.table_id.in_({line.table_id for line in lines}), columns.key.in_({line.key for line in lines} - {""})
    )
    return {(row.table_id, row.key): ChatLine(row.table_id, row.number, row.body) for row in connection.execute(query)}
