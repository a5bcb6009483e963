"""Perfect information as numbers: every field of a full state but its generator, for critics in training."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.observation import Layout
from tablee.core.types import Numbers

EXCLUDED_FIELDS = ("generator", "padding")
SET_BITS = 64


@cache
def full_state_layout(game: Game) -> Layout:
    """Return the layout of the numbers: the fields of the state, coded as in the game's `state.py`."""
    blocks = ((name, count * _width(base), _meaning(base)) for name, base, _, count in _fields(game))
    return Layout(*blocks, multiple_of=1)


def _width(base: np.dtype[Any]) -> int:
    """Return how many numbers an element of a field takes: a word of 64 bits is a set, with a number per bit."""
    return SET_BITS if 8 * base.itemsize == SET_BITS else 1


def _meaning(base: np.dtype[Any]) -> str:
    return "sets: 1 for each member, else 0" if _width(base) > 1 else f"{base.name}, unscaled, as in the state"


@cache
def full_state_table(game: Game) -> np.ndarray:
    """Return a row per number: offset and count of its bytes, whether it is signed, and its bit in a set."""
    rows = [
        (offset + base.itemsize * index, base.itemsize, base.kind == "i", bit)
        for _, base, offset, count in _fields(game)
        for index in range(count)
        for bit in range(_width(base))
    ]
    return np.array(rows, np.int64)


def _fields(game: Game) -> list[tuple[str, np.dtype[Any], int, int]]:
    """Return the name, element type, offset and number of elements of each field."""
    fields = game.kernels.state_type.fields
    assert fields is not None
    found = [
        (name, dtype.base, offset, int(np.prod(dtype.shape, dtype=np.int64)))
        for name, (dtype, offset, *_) in fields.items()
        if name not in EXCLUDED_FIELDS
    ]
    return sorted(found, key=lambda field: field[2])


@kernel
def decode_state(state: Any, table: Any, out: Numbers) -> None:
    """Write the numbers of one state, given as little-endian bytes."""
    for index in range(len(table)):
        offset, width, is_signed, bit = table[index, 0], table[index, 1], table[index, 2], table[index, 3]
        if 8 * width == SET_BITS:
            out[index] = (int(state[offset + bit // 8]) >> (bit % 8)) & 1
            continue
        number = 0
        for step in range(width):
            number |= int(state[offset + step]) << (8 * step)
        if is_signed and number >> (8 * width - 1):
            number -= 1 << (8 * width)
        out[index] = number


@kernel
def decode_states(states: Any, table: Any, out: Any) -> None:
    """Write the numbers of several states, one row each."""
    for row in range(len(out)):
        decode_state(states[row], table, out[row])
