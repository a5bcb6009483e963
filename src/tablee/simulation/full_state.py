"""Perfect information as numbers: every field of the true record but its generator, for critics in training."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.observation import Layout

LEFT_OUT = ("generator", "padding")
SET_BITS = 64


@cache
def full_state_layout(game: Game) -> Layout:
    """Return what the numbers mean: the fields of the record, as they are coded in its `state.py`."""
    blocks = ((name, count * _width(base), _meaning(base)) for name, base, _, count in _fields(game))
    return Layout(*blocks, multiple_of=1)


def _width(base: np.dtype[Any]) -> int:
    """Return how many numbers stand for one of the record: a word of 64 bits is a set, and gives a number per bit."""
    return SET_BITS if 8 * base.itemsize == SET_BITS else 1


def _meaning(base: np.dtype[Any]) -> str:
    return "sets: 1 for each member, else 0" if _width(base) > 1 else f"{base.name}, unscaled, as in the record"


@cache
def full_state_table(game: Game) -> np.ndarray:
    """Return a row per number: the first of its bytes, their count, whether it has a sign, and its bit in a set."""
    rows = [
        (offset + base.itemsize * index, base.itemsize, base.kind == "i", bit)
        for _, base, offset, count in _fields(game)
        for index in range(count)
        for bit in range(_width(base))
    ]
    return np.array(rows, np.int64)


def _fields(game: Game) -> list[tuple[str, np.dtype[Any], int, int]]:
    """Return name, type of a number, offset and count of each field."""
    fields = game.kernels.state_type.fields
    assert fields is not None
    found = [
        (name, dtype.base, offset, int(np.prod(dtype.shape, dtype=np.int64)))
        for name, (dtype, offset, *_) in fields.items()
        if name not in LEFT_OUT
    ]
    return sorted(found, key=lambda field: field[2])


@kernel
def decode_row(state, table, out):
    """Read the numbers of one record, given as bytes, lowest first."""
    for index in range(len(table)):
        offset, width, has_sign, bit = table[index, 0], table[index, 1], table[index, 2], table[index, 3]
        if 8 * width == SET_BITS:
            out[index] = (int(state[offset + bit // 8]) >> (bit % 8)) & 1
            continue
        number = 0
        for step in range(width):
            number |= int(state[offset + step]) << (8 * step)
        if has_sign and number >> (8 * width - 1):
            number -= 1 << (8 * width)
        out[index] = number


@kernel
def decode_rows(states, table, out):
    """Read the numbers of several records."""
    for row in range(len(out)):
        decode_row(states[row], table, out[row])
