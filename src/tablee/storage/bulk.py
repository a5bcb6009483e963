"""Many rows written by one statement.

A driver that executes a statement once per row gives up the GIL each time, and waits until the event loop returns it.
PostgreSQL gets the rows as one JSON array: the statement's text is always the same, so that it is prepared once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import msgspec
from sqlalchemy import Connection, Table

MAX_ROWS = 1000  # in one statement: SQLite allows 32,766 parameters
SKIP = "ON CONFLICT DO NOTHING"
POSTGRESQL_TYPES = {str: "text", int: "bigint", float: "double precision", bool: "boolean"}


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
    """Insert rows of values in the order of the columns; return how many were inserted, or updated by `on_conflict`."""
    if connection.dialect.name == "postgresql":
        listed = msgspec.json.encode(rows).decode()
        return connection.exec_driver_sql(_insert_listed(table, on_conflict), (listed,)).rowcount
    written, names = 0, tuple(table.columns.keys())
    for first in range(0, len(rows), MAX_ROWS):
        part = rows[first : first + MAX_ROWS]
        statement = _insert(table.name, names, len(part), on_conflict)
        written += connection.exec_driver_sql(statement, tuple(chain.from_iterable(part))).rowcount
    return written


def update_all(key: str, columns: Sequence[str]) -> str:
    """Return the clause by which rows whose key exists get new values in some columns."""
    return f"ON CONFLICT ({key}) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in columns)


@lru_cache(maxsize=1024)
def _insert(table: str, names: tuple[str, ...], rows: int, on_conflict: str) -> str:
    row = f"({', '.join('?' * len(names))})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * rows)} {on_conflict}"


@cache
def _insert_listed(table: Table, on_conflict: str) -> str:
    """Return PostgreSQL's statement whose parameter is a JSON array of rows; they are inserted in their order."""
    types = [POSTGRESQL_TYPES[column.type.python_type] for column in table.columns]
    values = [f"(row_values->>{index})::{kind}" for index, kind in enumerate(types)]
    return (
        f"INSERT INTO {table.name} ({', '.join(table.columns.keys())}) SELECT {', '.join(values)} "
        f"FROM json_array_elements(%s::json) AS listed(row_values) {on_conflict}"
    )
