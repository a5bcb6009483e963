"""Records whose fields are attributes, for all that is not compiled.

`np.record` looks for a method of that name first, in Python. And whenever Numba is handed a record, it asks for `data`,
for which NumPy would describe the whole type anew: that takes ten times as long as the rest of the call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np


def new_state(dtype: np.dtype[Any]) -> Any:
    """Make one zeroed record."""
    return single_state(np.zeros(1, with_attributes(dtype)))


def single_state(states: np.ndarray) -> Any:
    """Return the record of an array that holds one, ready to be handed to kernels quickly."""
    state = states[0]
    state._memory = states.view(np.uint8).data
    return state


class StateScalar(np.void):  # type: ignore[misc]  # NumPy allows it, its annotations do not
    """The ancestor of records that know where they lie."""

    __slots__ = ("_memory",)
    _memory: memoryview
    _plain: np.dtype[Any]

    @property
    def data(self) -> Any:
        """The memory of the record."""
        try:
            return self._memory
        except AttributeError:  # one of many in an array, or a part of another
            return np.void.data.__get__(self)

    def __reduce__(self) -> Any:
        return _restored, (self._plain, self.tobytes())


@cache
def with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same type of record, equal to it, for records that have an attribute per field, also in fields."""
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
    state = type("Record", (StateScalar,), {"__slots__": (), "_plain": dtype, **members})
    return np.dtype((state, np.dtype(layout, align=dtype.isalignedstruct)))


def _restored(dtype: np.dtype[Any], content: bytes) -> Any:
    states = np.frombuffer(bytearray(content), with_attributes(dtype))
    return single_state(states)


def _setter(name: str) -> Callable[[Any, Any], None]:
    def put(state: Any, value: Any) -> None:
        state[name] = value

    return put
