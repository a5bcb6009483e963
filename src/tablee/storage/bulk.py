"""Many rows written by one statement.

A driver that executes a statement once per row gives up the GIL each time, and waits until the event loop returns it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table

MAX_ROWS = 1000  # in one statement: SQLite allows 32,766 parameters, PostgreSQL 65,535
SKIP = "ON CONFLICT DO NOTHING"


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
    """Insert rows of values in the order of the columns; return how many were inserted, or updated by `on_conflict`."""
    written, names = 0, tuple(table.columns.keys())
    for first in range(0, len(rows), MAX_ROWS):
        part = rows[first : first + MAX_ROWS]
        statement = _insert(table.name, names, len(part), connection.dialect.paramstyle, on_conflict)
        written += connection.exec_driver_sql(statement, tuple(chain.from_iterable(part))).rowcount
    return written


def update_all(key: str, columns: Sequence[str]) -> str:
    """Return the clause by which rows whose key exists get new values in some columns."""
    return f"ON CONFLICT ({key}) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in columns)


@lru_cache(maxsize=1024)
def _insert(table: str, names: tuple[str, ...], rows: int, paramstyle: str, on_conflict: str) -> str:
    place = "?" if paramstyle == "qmark" else "%s"
    row = f"({', '.join([place] * len(names))})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * rows)} {on_conflict}"
