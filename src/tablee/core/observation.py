"""The layout of an observation: named blocks of numbers, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

ROW_MULTIPLE = 8  # of the size of an observation: each row of a batch begins at a sector of GPU memory


class Block(NamedTuple):
    """A run of numbers with one meaning."""

    name: str
    size: int
    meaning: str
    start: int = 0


class Layout:
    """What the numbers written by `observe` mean: the source of offsets for kernels, and of docs/observations.md."""

    def __init__(self, *blocks: tuple[str, int, str], multiple_of: int = ROW_MULTIPLE) -> None:
        self.blocks: list[Block] = []
        self.size = 0
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
        """Return the index of the first number of a block."""
        return next(block.start for block in self.blocks if block.name == name)
