"""The layout of an observation: named blocks of numbers, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

WHOLE = 8  # an observation is a multiple of it long, so that the rows of a batch begin where writing is cheap


class Block(NamedTuple):
    """A run of numbers with one meaning."""

    name: str
    size: int
    meaning: str
    start: int = 0


class Layout:
    """What the numbers written by `observe` mean; the documentation and the kernel read the same table."""

    def __init__(self, *blocks: tuple[str, int, str], multiple_of: int = WHOLE) -> None:
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
        """Return where a block begins."""
        return next(block.start for block in self.blocks if block.name == name)
