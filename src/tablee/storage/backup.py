"""Backups: a whole database as one SQLite file, and back into an empty database of either kind."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Table, func, insert, select

from tablee.core.errors import TableeError
from tablee.storage import schema
from tablee.storage.database import StoreError, database_url, sqlite_file, usable
from tablee.storage.migration import migrate
from tablee.storage.store import Store

BATCH_ROWS = 1_000


def back_up(database: str, file: Path) -> int:
    """Write a backup of a database, which may be in use; return how many tables it holds."""
    if file.exists():
        raise TableeError(f"{file} already exists; name another file")
    check_exists(database)
    try:
        return _copy_all(Store(database), Store(str(file)))
    except TableeError:
        file.unlink(missing_ok=True)  # nobody should mistake the beginning of a backup for one
        raise


def check_exists(database: str) -> None:
    """Raise StoreError if the file of a SQLite database is missing, so that nobody reads from a new, empty one."""
    file = sqlite_file(database_url(database))
    if file is not None and not file.is_file():
        raise StoreError(f"there is no database {file}; name another with --database or TABLEE_DATABASE")


def restore(file: Path, database: str) -> int:
    """Fill an empty database from a backup; return how many tables it holds."""
    if not file.is_file():
        raise TableeError(f"there is no backup {file}")
    target = Store(database)
    if _has_events(target):
        raise TableeError("the database is not empty; restore the backup into an empty one")
    return _copy_all(Store(str(file)), target)


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
