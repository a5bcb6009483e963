"""Files that are replaced atomically, and reading with a limit."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Write a file durably; after a failure or a crash it has either the old content or the new one."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def read(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file, at most its first `max_bytes` bytes."""
    with path.open("rb") as file:
        return file.read(max_bytes)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where the system allows it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
