"""Checks of the features of moves, for games that declare them."""

from __future__ import annotations

import numpy as np

from tablee.core.game import Game
from tablee.core.observation import Layout
from tablee.testing.budget import Budget
from tablee.testing.buffers import GUARD, SENTINEL
from tablee.testing.nonconformity import Nonconformity


def move_features_are_distinct(game: Game, budget: Budget) -> None:
    """Check that `move_features` writes finite numbers within its layout, the same each time, and others per move."""
    kernels = game.kernels
    if kernels.move_features is None or kernels.move_feature_layout is None:
        return
    check_blocks(game, "MOVE_FEATURES", kernels.move_feature_layout)
    size = kernels.move_feature_layout.size
    seen: dict[bytes, int] = {}
    for move in range(game.moves):
        first, second = (np.full(size + GUARD, SENTINEL, np.float32) for _ in range(2))
        for numbers in (first, second):
            numbers[:size] = 0.0
            kernels.move_features(move, numbers)
        if not np.isfinite(first).all():
            raise Nonconformity(game, f"`move_features` of move {move} are not finite")
        if (first[size:] != SENTINEL).any():
            raise Nonconformity(game, f"`move_features` of move {move} writes beyond its layout")
        if first.tobytes() != second.tobytes():
            raise Nonconformity(game, f"`move_features` of move {move} are different the second time")
        other = seen.setdefault(first.tobytes(), move)
        if other != move:
            raise Nonconformity(game, f"moves {other} and {move} have the same features")


def check_blocks(game: Game, name: str, layout: Layout) -> None:
    """Raise Nonconformity unless the blocks of a layout have unique names, sizes and meanings."""
    names = [block.name for block in layout]
    if len(set(names)) != len(names) or any(block.size < 1 or not block.meaning for block in layout):
        raise Nonconformity(game, f"the blocks of {name} need unique names, sizes above 0 and meanings: {names}")
