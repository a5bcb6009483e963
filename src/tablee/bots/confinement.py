"""Confinement of external bots: they cannot read or change the server's database and secrets (Landlock, Linux 5.13).

A thread is restricted and then starts the program, which inherits the restriction with everything it starts; the other
threads of the server are not affected. Landlock only allows, so that everything beside the path to a protected file
is allowed: at each folder on the path, whatever is there except the next step. What is later made in one of these
folders is not allowed. Neither are the folders of processes in /proc: they would show the server's environment.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

DATABASE_VARIABLE, FILE_SUFFIX, PREFIX = "TABLEE_DATABASE", "_FILE", "TABLEE_"
PROCESSES = Path("/proc")

# System calls of all architectures, and constants of <linux/landlock.h> and <linux/prctl.h>
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION, PATH_BENEATH, NO_NEW_PRIVILEGES = 1, 1, 38
WRITE_FILE, READ_FILE, REMOVE_FILE, TRUNCATE = 1 << 1, 1 << 2, 1 << 5, 1 << 14
TRUNCATE_VERSION = 3  # of Landlock
FILE_RIGHTS = WRITE_FILE | READ_FILE | TRUNCATE

_protected: set[Path] = set()  # the database of a server in this process


def protect(file: Path) -> None:
    """Keep the bots that this process starts from a SQLite database, however the server was told of it."""
    _protected.add(file.resolve())


def protected_files() -> list[Path]:
    """Return the files that bots must not reach: SQLite databases, and those that settings name as `TABLEE_*_FILE`."""
    named = [value for name, value in os.environ.items() if name.startswith(PREFIX) and name.endswith(FILE_SUFFIX)]
    database = os.environ.get(DATABASE_VARIABLE, "").removeprefix("sqlite:///")
    if database and "://" not in database:
        named.append(database)
    return sorted({*_protected, *(Path(name).resolve() for name in named if name)})


@cache
def landlock_version() -> int:
    """Return the version of Landlock that the kernel has, 0 without it."""
    with suppress(OSError, AttributeError):
        return _call(CREATE_RULESET, None, 0, GET_VERSION)
    return 0


def confine_thread(files: Sequence[Path]) -> None:
    """Keep this thread, and the processes it starts, from these files; raises OSError."""
    rights = WRITE_FILE | READ_FILE | REMOVE_FILE | (TRUNCATE if landlock_version() >= TRUNCATE_VERSION else 0)
    ruleset = _call(CREATE_RULESET, struct.pack("=Q", rights), 8, 0)
    try:
        for path in _beside(files):
            _allow(ruleset, path, rights)
        if _library().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl failed")
        _call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _beside(files: Sequence[Path]) -> Iterator[Path]:
    """Yield everything but the files, those of SQLite beside them, the folders on their paths, and processes."""
    folders = {PROCESSES, *(folder for file in files for folder in file.parents)}
    for folder in folders:
        hidden = tuple(str(file) for file in files if file.parent == folder)
        with suppress(OSError):
            for path in folder.iterdir():
                is_process = folder == PROCESSES and path.name.isdigit()
                if path not in folders and not is_process and not (hidden and str(path).startswith(hidden)):
                    yield path


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """Allow everything below a path; what cannot be opened or is a link to elsewhere stays out."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISLNK(mode):
                return
            allowed = rights if stat.S_ISDIR(mode) else rights & FILE_RIGHTS
            _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
        finally:
            os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    """Make a system call; raises OSError."""
    result = int(_library().syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number} failed")
    return result


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
