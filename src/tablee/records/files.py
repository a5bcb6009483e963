"""Files that are either the old or the new, never half of both."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Write beside the file, wait until the disk has it, then take its place."""
    beside = path.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def read(path: Path, most: int) -> bytes:
    """Read a file, but never more than so many bytes."""
    with path.open("rb") as file:
        return file.read(most)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has the new name, where the system can say so."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
