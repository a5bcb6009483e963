"""Connections to SQLite and PostgreSQL, and what differs between the two."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, Table, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from tablee.core.errors import TableeError

PRIVATE = 0o600  # the mode of files that only their owner may read
SQLITE_ADVICE = {  # part of SQLite's message -> what to do
    "unable to open": "check that its folder exists and can be written",
    "readonly": "check who owns the file and its folder",
    "not a database": "it is something else, or damaged: restore a backup into a new file",
    "malformed": "it is damaged: restore a backup into a new file",
    "is full": "make room on the disk",
    "is locked": "another program writes to it",
}
CHANNEL = "tablee"  # of PostgreSQL's notifications
SENDER = "from "  # before the sender of a notification in its first line; to earlier versions, an unknown table
MAX_NOTICES = 100  # lines in one notification, which PostgreSQL limits to 8,000 bytes
IDLE_SECONDS = 1.0  # after which a connection of PostgreSQL is tried before it is used
_LOCK = text("SELECT pg_advisory_xact_lock(:key)")


class StoreError(TableeError):
    """The database did not answer, or refused; the request may or may not have taken effect."""


def database_url(url: str) -> str:
    """Return SQLAlchemy's URL of a database; a text without a scheme is a SQLite file. Raises StoreError."""
    if not url:
        raise StoreError("no database is named; name a file or a postgresql:// URL")
    if "://" not in url:
        return f"sqlite:///{url}"
    scheme, rest = url.split("://", 1)
    if scheme not in ("postgres", "postgresql", "postgresql+psycopg", "sqlite"):
        raise StoreError(f"{scheme}:// is not a database that Tablée can use; name a file or a postgresql:// URL")
    found = f"sqlite://{rest}" if scheme == "sqlite" else f"postgresql+psycopg://{rest}"
    try:
        make_url(found)
    except (ArgumentError, ValueError):
        raise StoreError(f"the URL of the database cannot be read: {scheme}://…") from None
    return found


def sqlite_file(url: str) -> Path | None:
    """Return the file of a URL of `database_url`; None for PostgreSQL, and for a database in memory."""
    name = make_url(url).database
    return None if is_postgresql(url) or not name or name == ":memory:" else Path(name)


def is_postgresql(url: str) -> bool:
    """Whether a URL of `database_url` is PostgreSQL's, which several processes can share."""
    return url.startswith("postgresql")


def connect(url: str, *, makes_private: bool = True, sender: str = "") -> Engine:
    """Return an engine for a URL of `database_url`; it makes a SQLite file private when it opens it.

    `sender` is who sends its notices, by default a new one.
    """
    if is_postgresql(url):
        options = {"sender": sender or secrets.token_hex(8)}
        engine = create_engine(url, pool_size=6, max_overflow=4, hide_parameters=True, execution_options=options)
        event.listen(engine, "checkout", partial(_try_if_idle, engine))
        return engine
    engine = create_engine(url, poolclass=QueuePool, pool_size=6, connect_args={"timeout": 30}, hide_parameters=True)
    file = sqlite_file(url)
    if file is not None and makes_private:
        event.listen(engine, "do_connect", lambda *_: make_private(file))
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _try_if_idle(engine: Engine, connection: DBAPIConnection, entry: ConnectionPoolEntry, _: object) -> None:
    """Replace all connections if one that has not been used for a while is broken, as after a restart."""
    now = time.monotonic()
    if now - entry.info.get("used_at", now) > IDLE_SECONDS:
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error
    entry.info["used_at"] = now


def make_private(file: Path) -> None:
    """Create a SQLite file that only its owner can read, or make it so: it holds seeds, invites and a secret.

    SQLite gives the files beside it the same mode. If that is not possible, SQLite says why when it opens the file.
    One that exists is not opened: closing it would end the locks that this process has on it, as POSIX has it, and
    the next process to close the database would delete the log to which this one goes on writing.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    for path in (file, *(file.with_name(f"{file.name}-{suffix}") for suffix in ("wal", "shm"))):
        with suppress(OSError):
            if path.stat().st_mode & 0o077:
                path.chmod(PRIVATE)


def _configure_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, not sqlite3
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # a commit is on the disk when it returns
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what a person deletes is gone from the file


def _begin_sqlite(connection: Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def truncate_log(engine: Engine) -> None:
    """Empty SQLite's write-ahead log, which holds pages as they were; PostgreSQL takes care of its own."""
    if engine.dialect.name == "sqlite":
        connection = engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()


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


def sender_of(engine: Engine | Connection) -> str:
    """Return what tells apart the notices that an engine of PostgreSQL sends; empty for SQLite, which sends none."""
    return str(engine.get_execution_options().get("sender", ""))


def notify(connection: Connection, notices: list[str]) -> None:
    """Notify the other processes when this transaction commits; a notice is one line."""
    for first in range(0, len(notices), MAX_NOTICES):
        lines = "\n".join([f"{SENDER}{sender_of(connection)}", *notices[first : first + MAX_NOTICES]])
        connection.exec_driver_sql("SELECT pg_notify(%s, %s)", (CHANNEL, lines))


def parse_notices(payload: str) -> tuple[str, list[str]]:
    """Return the sender of a notification, and its notices; earlier versions do not say who sent it."""
    first, *notices = payload.splitlines() or [""]
    if not first.startswith(SENDER):
        return "", [first, *notices]
    return first.removeprefix(SENDER), notices


@contextmanager
def usable(engine: Engine) -> Iterator[None]:
    """Raise StoreError, with what to do, if the database fails meanwhile."""
    try:
        yield
    except SQLAlchemyError as error:
        why = reason(error)
        file = sqlite_file(engine.url.render_as_string(hide_password=False))
        advice = next((f"; {advice}" for text, advice in SQLITE_ADVICE.items() if file and text in why), "")
        name = f"the database {file}" if file else "the database"
        raise StoreError(f"{name} cannot be used: {why}{advice}") from None


def reason(error: Exception) -> str:
    """Return the first line of a database's error, without the statement and its parameters, which may be secret."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return lines[0][:200] if lines else type(error).__name__
