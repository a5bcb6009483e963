"""The files that hold machine code: one per compiled function and signature, named by what it was made from.

`TABLEE_CACHE` names the root, else it is the user's cache folder. A folder per combination of versions holds a folder
per module. Files that have not been used for long are removed, and of each function only the last few versions remain.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

MAX_FOLDERS = 4  # one per combination of versions
MAX_VERSIONS = 8  # of one function and signature: going back to earlier sources finds their machine code again
MAX_UNUSED_SECONDS = 30 * 24 * 3600
SUFFIX = ".machine_code"
DIGEST_BYTES = 12


def digest_of(texts: Iterable[str | bytes]) -> str:
    """Return hexadecimal digits that change with any of the texts, and with their order."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for text in texts:
        encoded = text.encode() if isinstance(text, str) else text
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def read(path: Path) -> bytes | None:
    """Return the content of a file, which counts as a use of it; None without such a file."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)
    return content


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole, so that no process ever reads a part of it, and remove old versions.

    What comes before the last hyphen of a file's name is the same for all its versions.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
    remove_unused(path.parents[1])
    versions = path.parent.glob(f"{path.stem.rpartition('-')[0]}-*{SUFFIX}")
    for old in _by_use(versions)[:-MAX_VERSIONS]:
        old.unlink(missing_ok=True)


@cache
def open_folder(versions: str) -> Path:
    """Return the folder of a combination of versions; if it is new, remove that of the one not used for longest."""
    root = _writable_root()
    folder = root / versions
    if not folder.exists():
        folder.mkdir(exist_ok=True)
        for old in _by_use(path for path in root.iterdir() if path.is_dir() and path != folder)[: 1 - MAX_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    folder.touch()
    return folder


@cache
def remove_unused(folder: Path) -> None:
    """Remove files that have not been used for long; once per process is enough."""
    expiry = time.time() - MAX_UNUSED_SECONDS
    for path in folder.rglob("*"):
        with suppress(OSError):  # another process may remove it at the same time
            if path.is_file() and path.stat().st_mtime < expiry:
                path.unlink()


def _by_use(paths: Iterable[Path]) -> list[Path]:
    """Sort paths by when they were last used, the latest last."""
    times: dict[Path, float] = {}
    for path in paths:
        with suppress(OSError):  # another process may remove it at the same time
            times[path] = path.stat().st_mtime
    return sorted(times, key=times.__getitem__)


def _writable_root() -> Path:
    """Return the root of the caches: `TABLEE_CACHE`, the user's cache folder, or a temporary one as a last resort."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    root = Path(os.environ.get("TABLEE_CACHE") or Path(home) / "tablee") / "kernels"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError:
        return _temporary_root()


def _temporary_root() -> Path:
    """Return a temporary folder that belongs to the user: machine code left there by another user would be run."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    root = Path(tempfile.gettempdir()) / f"tablee-kernels-{user}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.is_symlink() or root.stat().st_uid != user:
        return Path(tempfile.mkdtemp(prefix="tablee-kernels-"))
    return root
