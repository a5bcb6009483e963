"""Kernels: plain functions over a record, compiled by Numba unless it is switched off.

`@kernel` compiles for the CPU on the first call and keeps the machine code in a cache folder. The folder is named by a
digest of every source that can hold a kernel, because Numba's own cache does not notice an edit in an imported module.
With `NUMBA_DISABLE_JIT=1` a kernel is the plain function itself and Numba is never imported.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

Kernel: TypeAlias = Callable[..., Any]

PACKAGE = Path(__file__).resolve().parents[1]
KERNEL_FOLDERS = ("core", "games", "bots", "simulation", "tables", "testing")
KEPT_CACHES = 4

_compiled: list[Any] = []


def is_interpreted() -> bool:
    """Say whether kernels run as plain Python in this process."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def kernel(function: Kernel) -> Kernel:
    """Mark a function as a kernel: it gets the record first and makes no Python objects."""
    return _compiled_with(function)


def lean_kernel(function: Kernel) -> Kernel:
    """Mark a kernel that makes no arrays, nor lets those it calls: it counts no references to those it is given.

    That counting takes longer than a step of a game, where arrays are handed on in each.
    """
    return _compiled_with(function, _nrt=False)


def inlined_kernel(function: Kernel) -> Kernel:
    """Mark a kernel that only kernels call: it is written into each of them, and not compiled on its own as well."""
    return _compiled_with(function, inline="always")


def _compiled_with(function: Kernel, **options: Any) -> Kernel:
    """Compile a function when it is first called, unless kernels are interpreted."""
    if is_interpreted():
        return function
    import numba

    cache_folder()
    # No wrapper for C: nothing takes a kernel's address.
    options = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    dispatcher: Kernel = numba.njit(**options)(function)
    _widen_calls(dispatcher)
    _compiled.append(dispatcher)
    return dispatcher


def _widen_calls(dispatcher: Any) -> None:
    """Let kernels call this one with int64 for every signed number: else it is compiled for each width and constant."""
    import numba

    types: Any = numba.types
    exact_template = dispatcher.get_call_template

    def widened(argument: Any) -> Any:
        plain = types.unliteral(argument)
        return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain

    def wide_template(arguments: Any, keywords: Any) -> Any:
        return exact_template([widened(argument) for argument in arguments], keywords)

    dispatcher.get_call_template = wide_template


def cache_counts() -> tuple[int, int]:
    """Return how many kernels this process loaded from the cache, and how many it had to compile."""
    hits = sum(sum(d.stats.cache_hits.values()) for d in _compiled)
    misses = sum(sum(d.stats.cache_misses.values()) for d in _compiled)
    return hits, misses


def source_digest() -> str:
    """Digest every source file that can hold a kernel, with the interpreter and Numba versions."""
    import numba

    digest = hashlib.blake2b(f"{sys.version_info[:3]} {numba.__version__}".encode(), digest_size=12)
    for path in kernel_sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def kernel_sources() -> Iterator[Path]:
    """Yield the files in question: ours, and the folders of games that live elsewhere."""
    from tablee.core.registry import game_folders

    folders = {PACKAGE / name for name in KERNEL_FOLDERS} | set(game_folders())
    files = {file for folder in folders for file in folder.rglob("*.py") if "tests" not in _parts(file, folder)}
    yield from sorted(files)


def _parts(file: Path, folder: Path) -> tuple[str, ...]:
    """Return the steps from a folder to a file in it: what the folder itself lies in says nothing about the file."""
    return file.relative_to(folder).parts


@cache
def cache_folder() -> Path:
    """Return the folder of this build's machine code, and point Numba at it."""
    import numba

    root = _writable_root()
    folder = root / source_digest()
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old(root, keep=folder)
    folder.touch()
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return folder


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
    """Return a temporary folder of the user's own: machine code that somebody else put there would be run."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    root = Path(tempfile.gettempdir()) / f"tablee-kernels-{user}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.is_symlink() or root.stat().st_uid != user:
        return Path(tempfile.mkdtemp(prefix="tablee-kernels-"))
    return root


def _forget_old(root: Path, keep: Path) -> None:
    """Remove all but the caches used last; each edit of a kernel makes a new one."""
    caches = sorted((p for p in root.iterdir() if p.is_dir() and p != keep), key=lambda p: p.stat().st_mtime)
    for old in caches[: -(KEPT_CACHES - 1)]:
        shutil.rmtree(old, ignore_errors=True)
