"""Records whose fields are attributes, for interpreted code: `np.record` looks for a method of that name first."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np


def new_record(dtype: np.dtype[Any]) -> Any:
    """Make one zeroed record."""
    return np.zeros(1, with_attributes(dtype))[0]


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
    record = type("Record", (np.void,), {"__slots__": (), **members})
    return np.dtype((record, np.dtype(layout, align=dtype.isalignedstruct)))


def _setter(name: str) -> Callable[[Any, Any], None]:
    def put(record: Any, value: Any) -> None:
        record[name] = value

    return put
