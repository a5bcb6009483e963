"""Connections to SQLite and PostgreSQL, and what differs between the two."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import QueuePool

from tablee.core.errors import TableeError

CHANNEL = "tablee"  # of PostgreSQL's notifications
MAX_NOTICES = 100  # lines in one notification, which PostgreSQL limits to 8,000 bytes
_NOTIFY = text("SELECT pg_notify(:channel, :notices)")
_LOCK = text("SELECT pg_advisory_xact_lock(:key)")


class StoreError(TableeError):
    """The database did not answer, or refused; the request may or may not have taken effect."""


def database_url(url: str) -> str:
    """Return SQLAlchemy's URL of a database; a text without a scheme is a SQLite file."""
    if "://" not in url:
        return f"sqlite:///{url}"
    scheme, rest = url.split("://", 1)
    return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else url


def is_postgresql(url: str) -> bool:
    """Whether a URL of `database_url` is PostgreSQL's, which several processes can share."""
    return url.startswith("postgresql")


def connect(url: str) -> Engine:
    """Return an engine for a URL of `database_url`."""
    if is_postgresql(url):
        return create_engine(url, pool_size=6, max_overflow=4, pool_pre_ping=True)
    engine = create_engine(url, poolclass=QueuePool, pool_size=6, connect_args={"timeout": 30})
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, not sqlite3
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # a commit is on the disk when it returns
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_sqlite(connection: Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def writing(engine: Engine) -> Engine:
    """Return the engine for transactions that write.

    SQLite's take the write lock at once. A transaction that has read and then writes fails if another has written in
    between, however long it would wait.
    """
    return engine.execution_options(is_writing=True)


def insert_if_absent(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT that skips rows whose key exists."""
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def insert_or_update(dialect: str, table: Table, column: str) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT that sets a column of the rows whose key exists."""
    statement = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    return statement.on_conflict_do_update(
        index_elements=table.primary_key.columns, set_={column: statement.excluded[column]}
    )


def lock_key(table_id: str) -> int:
    """Return the key of a table among PostgreSQL's advisory locks; keys are even, key + 1 is the table's chat."""
    return int.from_bytes(table_id.encode()[-7:], "big") << 1


def lock_until_commit(connection: Connection, key: int) -> None:
    """Wait for an advisory lock of PostgreSQL and hold it until the transaction ends."""
    connection.execute(_LOCK, {"key": key})


def notify(connection: Connection, notices: list[str]) -> None:
    """Notify the other processes when this transaction commits; a notice is one line."""
    for first in range(0, len(notices), MAX_NOTICES):
        lines = "\n".join(notices[first : first + MAX_NOTICES])
        connection.execute(_NOTIFY, {"channel": CHANNEL, "notices": lines})


def reason(error: Exception) -> str:
    """Return the first line of a database's error, without the statement and its parameters, which may be secret."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return lines[0][:200] if lines else type(error).__name__
