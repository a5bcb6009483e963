"""Backups: a whole database as one SQLite file, and back into an empty database of either kind."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

from sqlalchemy import Connection, Table, func, insert, select

from tablee.core.errors import TableeError
from tablee.storage import schema
from tablee.storage.database import StoreError, connect, database_url, make_private, sqlite_file, usable
from tablee.storage.lock import exclusive
from tablee.storage.migration import check_known, migrate, newest_revision, revision
from tablee.storage.store import Store

BATCH_ROWS = 1_000


def back_up(database: str, file: Path) -> int:
    """Write a backup of a database, which may be in use and is not changed; return how many tables it holds."""
    if file.exists():
        raise TableeError(f"{file} already exists; name another file")
    check_exists(database)
    try:
        with _in_newest_schema(Store(database), file) as source:
            return _copy_all(source, Store(str(file)))
    except TableeError:
        file.unlink(missing_ok=True)  # nobody should mistake the beginning of a backup for one
        raise


def check_exists(database: str) -> None:
    """Raise StoreError if there is no database with a schema of ours, so that nobody reads from a new, empty one."""
    url = database_url(database)
    file = sqlite_file(url)
    advice = "name another with --database or TABLEE_DATABASE"
    if file is not None and not file.is_file():
        raise StoreError(f"there is no database {file}; {advice}")
    engine = connect(url, makes_private=False)
    try:
        with usable(engine):
            current = revision(engine)
    finally:
        engine.dispose()
    if current is None:
        raise StoreError(f"the database{f' {file}' if file else ''} has no tables of Tablée; {advice}")


def restore(file: Path, database: str) -> int:
    """Fill an empty database from a backup; return how many tables it holds."""
    if not file.is_file():
        raise TableeError(f"there is no backup {file}")
    with exclusive(database), _in_newest_schema(Store(str(file)), file) as source:
        target = Store(database)
        if _has_events(target):
            raise TableeError("the database is not empty; restore the backup into an empty one")
        return _copy_all(source, target)


@contextmanager
def _in_newest_schema(source: Store, beside: Path) -> Iterator[Store]:
    """Yield the store, or if an earlier version wrote it, which may go on using it, a migrated copy of its file."""
    try:
        with usable(source.engine):
            current, newest = revision(source.engine), newest_revision()
        check_known(current)
        if current is None:
            raise StoreError(f"{beside} is no backup: it has no tables of Tablée")
        if current == newest:
            yield source
        elif source.is_shared:
            raise StoreError(
                f"the database has schema {current}, this version of Tablée has {newest}; "
                "back it up with the version that wrote it, or with pg_dump"
            )
        else:
            with _copied(source, beside.with_name(f"{beside.name}.copy")) as copy:
                yield copy
    finally:
        source.engine.dispose()


@contextmanager
def _copied(source: Store, file: Path) -> Iterator[Store]:
    """Yield a copy of a SQLite database, page by page, which is removed afterwards."""
    try:
        make_private(file)
        with (
            usable(source.engine),
            closing(source.engine.raw_connection()) as old,
            closing(sqlite3.connect(file)) as new,
        ):
            cast(sqlite3.Connection, old.driver_connection).backup(new)
        yield Store(str(file))
    finally:
        for suffix in ("", "-wal", "-shm"):
            file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)


def _has_events(store: Store) -> bool:
    migrate(store.engine)
    with store.engine.connect() as connection:
        count = connection.execute(select(func.count()).select_from(schema.events)).scalar_one()
    store.engine.dispose()
    return bool(count)


def _copy_all(source: Store, target: Store) -> int:
    migrate(source.engine)
    migrate(target.engine)
    try:
        with (
            usable(source.engine),
            source.engine.connect() as reading,
            usable(target.engine),
            target.engine.begin() as writing,
        ):
            if source.is_shared:  # one snapshot for all tables; SQLite reads in one anyway
                reading = reading.execution_options(isolation_level="REPEATABLE READ")
            for table in schema.metadata.sorted_tables:
                _copy_table(reading, writing, table)
            return int(writing.execute(select(func.count()).select_from(schema.tables)).scalar_one())
    finally:
        source.engine.dispose()
        target.engine.dispose()


def _copy_table(reading: Connection, writing: Connection, table: Table) -> None:
    writing.execute(table.delete())  # a server that was started on it may have drawn a secret already
    rows = reading.execution_options(yield_per=BATCH_ROWS).execute(select(table))
    for batch in rows.mappings().partitions(BATCH_ROWS):
        writing.execute(insert(table), [dict(row) for row in batch])
