"""The board: 49 round fields, connected like the squares of a chess king; a set of fields is one number, a bit each.

Fields are numbered row by row from a1 (0) to g7 (48). In a set each row has eight bits, and the eighth is never used:
a shift by one row, column or diagonal then cannot wrap around an edge.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIZE = 7
FIELDS = SIZE * SIZE
FIELD_NAMES = tuple(f"{column}{row}" for row in "1234567" for column in "abcdefg")


def _distances() -> npt.NDArray[np.int8]:
    """Return the distance between any two fields, per metric: Euclidean squared (R16, C4), Manhattan (the option)."""
    columns, rows = np.arange(FIELDS) % SIZE, np.arange(FIELDS) // SIZE
    across, along = np.abs(columns[:, None] - columns), np.abs(rows[:, None] - rows)
    return np.stack([across**2 + along**2, across + along]).astype(np.int8)  # int8: CUDA has 64 KiB for constants


def _as_set(fields: npt.NDArray[np.bool_]) -> int:
    """Return the set of the fields that are True."""
    return sum(int(BIT[field]) for field in np.flatnonzero(fields))


BIT = np.array([1 << (8 * (field // SIZE) + field % SIZE) for field in range(FIELDS)], np.int64)
ALL_FIELDS = int(BIT.sum())
DISTANCE = _distances()  # (metrics, fields, fields)
NEIGHBOURS = np.array([_as_set((DISTANCE[0, field] > 0) & (DISTANCE[0, field] <= 2)) for field in range(FIELDS)])
NEARER = np.array(  # (metrics, ring, field): the set of fields nearer to the ring than the field is (R15)
    [[[_as_set(to_ring < to_ring[field]) for field in range(FIELDS)] for to_ring in metric] for metric in DISTANCE],
    np.int64,
)
