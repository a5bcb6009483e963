"""Stubs: functions that stand for the kernel of the same name of whatever game a state belongs to.

A compiled function that calls stubs serves every game. It is compiled once per game, for the type of its states.
Interpreted, a stub looks the game up by the dtype of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from tablee.core.compilation import AnyKernel, Kernel, is_interpreted

stubs: dict[str, Kernel] = {}  # by name, in the order of definition

_by_dtype: dict[np.dtype[Any], Any] = {}  # the Kernels of each loaded game, by its state type
_by_type: dict[Any, Any] = {}  # the same, by Numba's type of a state


def stub(function: AnyKernel) -> AnyKernel:
    """Make a stub of a function, of which only the name and the signature matter."""
    name = function.__name__
    forward: Any = _forward_interpreted(name) if is_interpreted() else _forward_compiled(name, function)
    stubs[name] = forward
    return cast(AnyKernel, forward)


def _forward_interpreted(name: str) -> Kernel:
    def look_up(state: Any, *others: Any) -> Any:
        return getattr(_by_dtype[state.dtype], name)(state, *others)

    return look_up


def _forward_compiled(name: str, function: Any) -> Kernel:
    from tablee.core.numba_internals import forward_calls

    def kernel_for(state_type: Any) -> Any:
        return getattr(_by_type[state_type], name) if state_type in _by_type else None

    forward_calls(function, kernel_for)
    function.__stub__ = name
    return cast(Kernel, function)


def bind_stubs(kernels: Any) -> None:
    """Let the stubs find the kernels of a game."""
    _by_dtype[kernels.state_type] = kernels
    if not is_interpreted():
        from tablee.core.numba_internals import type_of_states

        _by_type[type_of_states(kernels.state_type)] = kernels


def kernels_of(dtype: np.dtype[Any]) -> Any:
    """Return the Kernels of the game whose states have this dtype."""
    return _by_dtype[dtype]


def bound_kernels(state_types: set[Any]) -> Iterator[Any]:
    """Yield the Kernels of the games whose states have one of these Numba types."""
    yield from (kernels for state_type, kernels in _by_type.items() if state_type in state_types)
