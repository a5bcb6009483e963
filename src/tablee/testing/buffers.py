"""The arrays of a walk through random games (walk.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import is_interpreted
from tablee.core.fields import with_attributes
from tablee.core.game import Game
from tablee.core.randomness import GENERATOR

GUARD = 8  # numbers behind an observation that must not be written
SENTINEL = 77.5
MAX_CODES = 256
ALL_REFUSED = 50 if is_interpreted() else 500  # with more moves, not every position tries the refusal of every move


class WalkBuffers(NamedTuple):
    """The arrays of a walk, made once per game."""

    states: Any  # (4,) states; walk.py names the indices of this and other arrays
    raw: Any  # (4, bytes) uint8: the same memory
    words: Any  # (4, bytes / 8) uint64: the same memory, for fast comparison
    listed: Any  # (2, max_legal_moves or more) int32: legal moves of the state and of a world
    numbers: Any  # (layout.size + GUARD,) float32: an observation
    points: Any  # (3, seats) int64: scores, ranks, scores at the previous checked position
    rounds: Any  # (1,) int64: `finished_rounds` at the previous checked position, -1 before the first
    is_code: Any  # (MAX_CODES,) bool: the codes of `Refusal`
    is_generator: Any  # (bytes,) bool: the bytes of `generator`
    is_viewer: Any  # (bytes,) bool: the bytes of `viewer`, which are not secret
    garbage: Any  # (bytes,) uint8: what `see` must overwrite; 0 in the padding
    hidden: Any  # (bytes,) bool: has differed between a state and a sight of it
    reached: Any  # (bytes,) bool: has been changed by `disguise` while hidden
    chance: Any  # (2,) generators: one chooses the moves, one is for `imagine` and `disguise`
    limits: Any  # (8,) int64: moves, max_legal_moves, max_game_length, both score bounds, in one of how many
    # positions the refusal of every move is checked, not only of the listed ones, fewest_points_win, and how many of
    # the first positions of a game are all checked
    found: Any  # (3,) int64: viewer and detail of the fault, and the number of moves played


def new_buffers(game: Game) -> WalkBuffers:
    """Make the arrays for walks through a game."""
    dtype = game.kernels.state_type
    raw = np.zeros((4, dtype.itemsize), np.uint8)
    is_code = np.zeros(MAX_CODES, np.bool_)
    is_code[list(game.kernels.refusal_codes)] = True
    refusal_stride = 1 + game.moves // ALL_REFUSED
    limits = [game.moves, game.max_legal_moves, game.max_game_length, *game.score_bounds, refusal_stride]
    limits += [int(game.fewest_points_win), 0]
    return WalkBuffers(
        states=raw.reshape(-1).view(with_attributes(dtype)),
        raw=raw,
        words=raw.view(np.uint64),
        listed=np.zeros((2, max(game.moves, game.max_legal_moves) + 1), np.int32),
        numbers=np.zeros(game.kernels.observation.size + GUARD, np.float32),
        points=np.zeros((3, game.seats.stop - 1), np.int64),
        rounds=np.zeros(1, np.int64),
        is_code=is_code,
        is_generator=bytes_of_field(dtype, "generator"),
        is_viewer=bytes_of_field(dtype, "viewer"),
        garbage=np.where(bytes_of_field(dtype, "padding"), 0, 255).astype(np.uint8),
        hidden=np.zeros(dtype.itemsize, np.bool_),
        reached=np.zeros(dtype.itemsize, np.bool_),
        chance=np.zeros(2, with_attributes(GENERATOR)),
        limits=np.array(limits, np.int64),
        found=np.zeros(3, np.int64),
    )


def bytes_of_field(dtype: np.dtype[Any], name: str) -> npt.NDArray[np.bool_]:
    """Return which bytes of a state hold a field."""
    marked = np.zeros(dtype.itemsize, np.bool_)
    if dtype.fields is not None and name in dtype.fields:
        field, offset = dtype.fields[name][:2]
        marked[offset : offset + field.itemsize] = True
    return marked
