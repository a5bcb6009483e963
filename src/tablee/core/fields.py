"""Structured scalars whose fields are attributes, for code that is not compiled.

`np.record` has such attributes too, but looks for a method of that name first, in Python. And whenever a kernel is
called, Numba reads the attribute `data`, for which NumPy describes the whole type: that takes ten times as long as the
rest of the call.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np


def new_state(dtype: np.dtype[Any]) -> Any:
    """Make one zeroed scalar, such as a state."""
    dtype = with_attributes(dtype)
    return state_over(bytearray(dtype.itemsize), dtype)


def state_over(memory: bytearray | bytes, dtype: np.dtype[Any]) -> Any:
    """Return a scalar of a dtype with attributes over some memory: a third of the time of an array's only entry."""
    states = np.frombuffer(memory, dtype)
    state = states[0]
    state._memory = states.base  # NumPy's own memoryview: another would be two more objects for the garbage collector
    return state


def plain_values(state: StateScalar) -> Any:
    """Return a named tuple of all fields: numbers are Python's, arrays stay arrays. To read one takes a tenth."""
    return type(state)._values(state.item())


def single_state(states: np.ndarray) -> Any:
    """Return the only entry of an array as a scalar that kernels accept quickly."""
    state = states[0]
    state._memory = states.view(np.uint8).data
    return state


class StateScalar(np.void):  # type: ignore[misc]  # NumPy allows it, its annotations do not
    """Base class of structured scalars that keep a reference to their memory."""

    __slots__ = ("_memory",)
    _memory: memoryview
    _plain: np.dtype[Any]
    _values: Callable[[Iterable[Any]], Any]  # makes a named tuple

    @property
    def data(self) -> Any:
        """The memory of the scalar, which Numba reads at each call."""
        try:
            return self._memory
        except AttributeError:  # an entry of a longer array, or a field of another scalar
            return np.void.data.__get__(self)

    def __reduce__(self) -> Any:
        return _restored, (self._plain, self.tobytes())


@cache
def with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return an equal dtype whose scalars have an attribute per field; so have fields that are structures."""
    assert dtype.names is not None
    assert dtype.fields is not None
    kinds = {name: dtype.fields[name][0] for name in dtype.names}
    layout: Any = {
        "names": list(kinds),
        "formats": [kind if kind.names is None else with_attributes(kind) for kind in kinds.values()],
        "offsets": [dtype.fields[name][1] for name in kinds],
        "itemsize": dtype.itemsize,
    }
    members = {name: property(itemgetter(name), _setter(name)) for name in kinds}
    values = namedtuple("Values", list(kinds), rename=True)._make  # type: ignore[attr-defined]
    state = type("State", (StateScalar,), {"__slots__": (), "_plain": dtype, "_values": values, **members})
    return np.dtype((state, np.dtype(layout, align=dtype.isalignedstruct)))


def _restored(dtype: np.dtype[Any], content: bytes) -> Any:
    return state_over(bytearray(content), with_attributes(dtype))


def _setter(name: str) -> Callable[[Any, Any], None]:
    def put(state: Any, value: Any) -> None:
        state[name] = value

    return put
