"""The lock of a SQLite file: one server at a time uses it, as nobody would tell a second one about changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tablee.storage.database import PRIVATE, StoreError, database_url, sqlite_file

if sys.platform != "win32":
    import fcntl

WAIT_SECONDS = 60.0  # for the process that writes of a server that was killed: it finishes what it was given
_held: dict[Path, int] = {}  # by lock file, the descriptor


@contextmanager
def exclusive(database: str) -> Iterator[None]:
    """Hold the lock of a SQLite database in `<file>.lock`; raise StoreError if another server does.

    The system releases it however the process ends, and those that inherited it. PostgreSQL can be shared: nothing is
    locked.
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
        _held[path] = descriptor
        yield
    finally:
        _held.pop(path, None)
        os.close(descriptor)


def held_lock(file: Path) -> tuple[int, ...]:
    """Return the descriptor of the lock of a SQLite file if this process holds it, for a process that writes too."""
    path = lock_file(file)
    return (_held[path],) if path in _held else ()


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
    """Take the lock; wait for it if the server that holds it has ended, and only its process that writes is left."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not _try_lock(descriptor):
        process = holder(file) or "?"
        if not _has_ended(process) or time.monotonic() > deadline:
            raise StoreError(
                f"another server (process {process}) uses {file}; stop it, or name another file with --database"
            ) from None
        time.sleep(0.01)


def _try_lock(descriptor: int) -> bool:
    """Take the lock if it is free; return whether it is ours. A file system without locks has nothing to take."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _has_ended(process: str) -> bool:
    """Whether there is no process of an id; False if that is not known."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False
