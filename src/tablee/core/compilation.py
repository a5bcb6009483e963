"""Kernels: plain functions over a state, compiled by Numba unless it is switched off.

`@kernel` compiles for the CPU on the first call and keeps the machine code in a cache (`core/cache_files.py`), under a
digest of everything that it was made from (`core/fingerprints.py`). With `NUMBA_DISABLE_JIT=1` a kernel is the plain
function itself and Numba is never imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from tablee.core import cache_files

Kernel: TypeAlias = Callable[..., Any]
AnyKernel = TypeVar("AnyKernel", bound=Kernel)

_compiled: list[Any] = []
_listeners: list[Callable[[], None]] = []


def is_interpreted() -> bool:
    """Return whether kernels run as plain Python in this process."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def kernel(function: AnyKernel) -> AnyKernel:
    """Mark a function as a kernel: it gets a state first and makes no Python objects."""
    return _compiled_with(function)


def lean_kernel(function: AnyKernel) -> AnyKernel:
    """Mark a kernel that is compiled without reference counting: neither it nor what it calls may allocate arrays."""
    return _compiled_with(function, counts_references=False)


def inlined_kernel(function: AnyKernel) -> AnyKernel:
    """Mark a kernel that only kernels call: it is inlined into each of them, and not compiled on its own."""
    return _compiled_with(function, inline="always")


def _compiled_with(function: AnyKernel, *, counts_references: bool = True, **options: Any) -> AnyKernel:
    """Have a function compiled when it is first called, unless kernels are interpreted."""
    if is_interpreted():
        return function
    from tablee.core.numba_internals import WITHOUT_REFERENCE_COUNTS, compile_lazily

    if not counts_references:
        options |= WITHOUT_REFERENCE_COUNTS
    dispatcher: AnyKernel = compile_lazily(function, **options)
    _compiled.append(dispatcher)
    return dispatcher


def direct_call(function: Kernel, *arguments: Any) -> Kernel:
    """Return a kernel compiled for arguments of the types of these, to be called with no others.

    Numba looks at the types of all arguments whenever a kernel is called from Python, which takes some microseconds for
    structures. What this returns does not look at them.
    """
    if is_interpreted():
        return function
    from tablee.core.numba_internals import compile_for

    compiled: Kernel = compile_for(function, arguments)
    return compiled


def cache_counts() -> tuple[int, int]:
    """Return how many kernels this process loaded from the cache, and how many it had to compile."""
    hits = sum(sum(dispatcher.stats.cache_hits.values()) for dispatcher in _compiled)
    misses = sum(sum(dispatcher.stats.cache_misses.values()) for dispatcher in _compiled)
    return hits, misses


@cache
def cache_folder() -> Path:
    """Return the folder of the machine code that the present versions of Python, Numba and so on can use."""
    from tablee.core.numba_internals import compiler_digest

    return cache_files.open_folder(compiler_digest())


@contextmanager
def on_compilation(listener: Callable[[], None]) -> Iterator[None]:
    """Call `listener` whenever a kernel is about to be compiled because it is not in the cache."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce_compilation() -> None:
    """Call the listeners: a kernel is about to be compiled."""
    for listener in _listeners:
        listener()
