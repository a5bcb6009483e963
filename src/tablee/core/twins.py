"""Interpreted twins of compiled kernels: they run while the machine code of a game is not there yet.

A twin is made from the same function, with globals in which every kernel is its twin, so that nothing below it is
compiled either. A process that waits (`wait_for_machine_code`) calls twins where it would have to compile. What a
thread loads meanwhile (`loading`) is used from the next call on: a game goes over to machine code while it is played.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from tablee.core import stubs

_substitutes: dict[str, dict[str, Any]] = {}  # by module: values that interpreted code uses instead
_given: dict[Any, Callable[..., Any]] = {}  # twins that are other functions
_globals: dict[str, dict[str, Any]] = {}  # by module: the globals of its twins
_is_loading: ContextVar[bool] = ContextVar("_is_loading", default=False)
_waits = threading.Event()


def wait_for_machine_code(waits: bool) -> None:
    """Let this process interpret kernels that are not loaded, or (False) compile them when they are called."""
    if waits:
        _waits.set()
    else:
        _waits.clear()


@contextmanager
def loading() -> Iterator[None]:
    """Load or compile what is called, in this thread only."""
    token = _is_loading.set(True)
    try:
        yield
    finally:
        _is_loading.reset(token)


def is_interpreting() -> bool:
    """Whether a kernel that is not loaded is to be interpreted."""
    return _waits.is_set() and not _is_loading.get()


def substitute(module: str, **values: Any) -> None:
    """Say what interpreted code uses instead of some globals of a module."""
    _substitutes[module] = values


def set_twin(compiled: Any, twin: Callable[..., Any]) -> None:
    """Have another function called instead of a kernel that would take long interpreted, or of an intrinsic.

    Plain functions stay.
    """
    if not isinstance(compiled, FunctionType):
        _given[getattr(compiled, "py_func", compiled)] = twin


@cache
def twin_of(function: FunctionType) -> Callable[..., Any]:
    """Return the interpreted twin of a kernel's Python function."""
    if function in _given:
        return _given[function]
    cells = tuple(CellType(_twin_value(cell.cell_contents)) for cell in function.__closure__ or ())
    twin = FunctionType(
        function.__code__, _twin_globals(function), function.__name__, function.__defaults__, cells or None
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def _twin_globals(function: FunctionType) -> dict[str, Any]:
    module = function.__module__
    if module not in _globals:
        known = _globals[module] = dict(function.__globals__)  # twins of this module refer to it while it is filled
        for name, value in function.__globals__.items():
            known[name] = _twin_value(value)
        known |= _substitutes.get(module, {})
    return _globals[module]


def _twin_value(value: Any) -> Any:
    if isinstance(getattr(value, "py_func", None), FunctionType):
        return twin_of(value.py_func)
    if callable(value) and value in _given:
        return _given[value]
    if hasattr(value, "__stub__"):
        return _forward(value.__stub__)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(_twin_value, value))
    if isinstance(value, ModuleType) and any(hasattr(member, "py_func") for member in vars(value).values()):
        return SimpleNamespace(**{name: _twin_value(member) for name, member in vars(value).items()})
    return value


@cache
def _forward(name: str) -> Any:
    """Return the function that stands for a stub: it finds the game's kernel by the dtype of the state."""

    def call(state: Any, *others: Any) -> Any:
        return twin_of(getattr(stubs.kernels_of(state.dtype), name).py_func)(state, *others)

    return call
