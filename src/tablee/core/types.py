"""Names for what kernels take and return, so that a signature says what its numbers mean.

Numba infers the types of kernels and ignores annotations; these aliases are for readers and type checkers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

State: TypeAlias = Any  # one structured scalar of a game's STATE dtype; fields are attributes
SightState: TypeAlias = Any  # the same dtype, with everything the viewer does not know masked
States: TypeAlias = Any  # an array of states
Generator: TypeAlias = Any  # one structured scalar of dtype GENERATOR
Seat: TypeAlias = int  # 0 .. seats - 1; SPECTATOR where a viewer is meant
Move: TypeAlias = int  # 0 .. moves - 1
Index: TypeAlias = int
Bits: TypeAlias = int  # a set of small integers, one bit each
Moves: TypeAlias = npt.NDArray[np.int32]  # (max_legal_moves,) move numbers
Points: TypeAlias = npt.NDArray[np.int64]  # (seats,) points or ranks
Numbers: TypeAlias = npt.NDArray[np.float32]  # (layout.size,) an observation
Ratings: TypeAlias = npt.NDArray[np.float64]  # (count,) one number per listed move, or (seats,) one per seat
