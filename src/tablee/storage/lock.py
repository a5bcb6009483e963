"""The lock of a SQLite file: one server at a time uses it, as nobody would tell a second one about changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tablee.storage.database import PRIVATE, StoreError, database_url, sqlite_file

if sys.platform != "win32":
    import fcntl


@contextmanager
def exclusive(database: str) -> Iterator[None]:
    """Hold the lock of a SQLite database in `<file>.lock`; raise StoreError if another server does.

    The system releases it however the process ends. PostgreSQL can be shared: nothing is locked.
    """
    file = sqlite_file(database_url(database))
    if file is None or sys.platform == "win32":
        yield
        return
    path = lock_file(file)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, PRIVATE)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; check that the database's folder exists and can be written"
        ) from None
    try:
        _lock(descriptor, file)
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def lock_file(file: Path) -> Path:
    """Return the file whose lock a server holds: beside the database itself, whatever link it was named by."""
    own = file.resolve()
    return own.with_name(f"{own.name}.lock")


def holder(file: Path) -> str | None:
    """Return the id of the process that holds the lock of a SQLite file, "?" if it does not say, None if none does."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(lock_file(file), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(OSError, UnicodeDecodeError):
            return os.read(descriptor, 20).decode().strip() or "?"
        return "?"
    except OSError:
        return None  # a file system without locks
    finally:
        os.close(descriptor)
    return None


def _lock(descriptor: int, file: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process = holder(file) or "?"
        raise StoreError(
            f"another server (process {process}) uses {file}; stop it, or name another file with --database"
        ) from None
    except OSError:
        return  # a file system without locks
