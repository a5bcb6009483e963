"""Many rows written by one statement.

A driver that executes a statement once per row gives up the GIL each time, and waits until the event loop returns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Table

MAX_ROWS = 1000  # in one statement: SQLite allows 32,766 parameters, PostgreSQL 65,535
SKIP = "ON CONFLICT DO NOTHING"


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], on_conflict: str = "") -> int:
    """Insert rows with a value for every column; return how many were inserted, or updated by `on_conflict`."""
    written = 0
    for first in range(0, len(rows), MAX_ROWS):
        part = rows[first : first + MAX_ROWS]
        names = tuple(table.columns.keys())
        statement = _insert(table.name, names, len(part), connection.dialect.paramstyle, on_conflict)
        values = tuple(row[name] for row in part for name in names)
        written += connection.exec_driver_sql(statement, values).rowcount
    return written


def update_all(key: str, columns: Sequence[str]) -> str:
    """Return the clause by which rows whose key exists get new values in some columns."""
    return f"ON CONFLICT ({key}) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in columns)


@lru_cache(maxsize=1024)
def _insert(table: str, names: tuple[str, ...], rows: int, paramstyle: str, on_conflict: str) -> str:
    place = "?" if paramstyle == "qmark" else "%s"
    row = f"({', '.join([place] * len(names))})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * rows)} {on_conflict}"
