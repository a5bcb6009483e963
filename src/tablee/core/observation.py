"""The layout of an observation, or of the features of a move: named blocks of numbers, one after another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tablee.core.errors import BadGame, did_you_mean

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.types import Numbers

ROW_MULTIPLE = 8  # of the size of a layout: each row of a batch begins at a sector of GPU memory


class Block(NamedTuple):
    """A run of numbers with one meaning."""

    name: str
    size: int
    meaning: str
    start: int = 0


class Layout:
    """What the numbers mean that `observe` or `move_features` writes.

    The source of offsets for kernels, and of docs/observations.md. `version` is raised when the meaning of a number
    changes while names and sizes stay the same.
    """

    def __init__(self, *blocks: tuple[str, int, str], multiple_of: int = ROW_MULTIPLE, version: int = 1) -> None:
        self.blocks: list[Block] = []
        self.size = 0
        self.version = version
        for name, size, meaning in blocks:
            self.blocks.append(Block(name, size, meaning, self.size))
            self.size += size
        rest = -self.size % multiple_of
        if rest:
            self.blocks.append(Block("rest", rest, "always zero", self.size))
            self.size += rest

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def start(self, name: str) -> int:
        """Return the index of the first number of a block; raise BadGame if there is none of that name."""
        starts = {block.name: block.start for block in self.blocks}
        if name not in starts:
            raise BadGame(f"the layout has no block {name!r}; {did_you_mean(name, starts)}")
        return starts[name]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with the version and with any name or size of a block."""
        parts = [f"version {self.version}", *(f"{block.name} {block.size}" for block in self.blocks)]
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


@cache
def move_feature_table(game: Game) -> Numbers | None:
    """Return the features of all moves, a read-only (moves, layout.size) float32 array; None if a game has none.

    Features depend on the move alone, so this table replaces the kernel wherever several games are served at once.
    """
    import numpy as np

    kernels = game.kernels
    if kernels.move_features is None or kernels.move_feature_layout is None:
        return None
    table = np.zeros((game.moves, kernels.move_feature_layout.size), np.float32)
    for move in range(game.moves):
        kernels.move_features(move, table[move])
    table.flags.writeable = False
    return table
