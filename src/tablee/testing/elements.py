"""Names for parts of states and observations in messages: `hands[1, 3]` instead of byte 280."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tablee.core.observation import Layout

MAX_NAMED = 8  # elements listed in one message


def element_name(dtype: np.dtype[Any], byte: int) -> str:
    """Return the field and index that a byte of a state belongs to.

    >>> element_name(np.dtype([("turn", "i4"), ("hands", "i2", (2, 3))]), 4 + 2 * 5)
    'hands[1, 2]'
    """
    for name in dtype.names or ():
        assert dtype.fields is not None
        field, offset = dtype.fields[name][:2]
        if offset <= byte < offset + field.itemsize:
            index, within = divmod(byte - offset, field.base.itemsize)
            where = ", ".join(str(number) for number in np.unravel_index(index, field.shape)) if field.shape else ""
            inner = f".{element_name(field.base, within)}" if field.base.names else ""
            return name + (f"[{where}]" if where else "") + inner
    return f"byte {byte}"


def offset_of(dtype: np.dtype[Any], name: str) -> int:
    """Return the first byte of a field."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1])


def element_names(dtype: np.dtype[Any], bytes_: Iterable[int]) -> str:
    """Return the names of several elements, each once, the first ones if they are many."""
    names = list(dict.fromkeys(element_name(dtype, int(byte)) for byte in bytes_))
    rest = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + rest


def number_name(layout: Layout, index: int) -> str:
    """Return the block and index that a number of an observation belongs to: `hand[7]`."""
    for block in layout:
        if block.start <= index < block.start + block.size:
            return f"{block.name}[{index - block.start}]"
    return f"number {index}"
