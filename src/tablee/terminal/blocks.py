"""Rectangles of styled text, put beside and below each other: what boards are built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size


class Run(NamedTuple):
    """A piece of a line in one style; `id` is what somebody touches there."""

    text: str
    role: str = ""
    id: str = ""

    @property
    def width(self) -> int:
        """How many columns it takes."""
        return cell_len(self.text)


Line = tuple[Run, ...]


class Rectangle(NamedTuple):
    """Where something lies."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre, in columns and lines."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Block:
    """Lines of equal width."""

    lines: tuple[Line, ...]
    width: int  # in columns

    @classmethod
    def of(cls, lines: Iterable[Sequence[Run]]) -> Block:
        """Make a block of lines, each filled up to the longest."""
        rows = [tuple(line) for line in lines]
        widths = [sum(run.width for run in line) for line in rows]
        width = max(widths, default=0)
        return cls(tuple(_filled(line, width - own) for line, own in zip(rows, widths, strict=True)), width)

    @classmethod
    def text(cls, text: str, role: str = "", identity: str = "") -> Block:
        """Make a block of one line."""
        return cls(((Run(text, role, identity),),), cell_len(text))

    @property
    def height(self) -> int:
        """How many lines it takes."""
        return len(self.lines)

    def regions(self) -> dict[str, Rectangle]:
        """Return where each id lies: the rectangle around all its runs."""
        found: dict[str, Rectangle] = {}
        for y, line in enumerate(self.lines):
            x = 0
            for run in line:
                if run.id:
                    found[run.id] = _around(found.get(run.id), Rectangle(x, y, run.width, 1))
                x += run.width
        return found

    def plain(self) -> str:
        """Return the text alone."""
        return "\n".join("".join(run.text for run in line).rstrip() for line in self.lines)


EMPTY = Block((), 0)


def _filled(line: Line, missing: int) -> Line:
    return (*line, Run(" " * missing)) if missing else line


def _around(known: Rectangle | None, more: Rectangle) -> Rectangle:
    if known is None:
        return more
    x, y = min(known.x, more.x), min(known.y, more.y)
    right = max(known.x + known.width, more.x + more.width)
    bottom = max(known.y + known.height, more.y + more.height)
    return Rectangle(x, y, right - x, bottom - y)


def shortened(text: str, width: int) -> str:
    """Return a text that fits, with dots where it was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)) + "…"


def below(blocks: Iterable[Block], gap: int = 0) -> Block:
    """Put blocks below each other."""
    parts = [block for block in blocks if block.height]
    width = max((block.width for block in parts), default=0)
    lines: list[Line] = []
    for block in parts:
        if lines:
            lines.extend((Run(" " * width),) for _ in range(gap))
        lines.extend(_filled(line, width - block.width) for line in block.lines)
    return Block(tuple(lines), width)


def beside(blocks: Sequence[Block], gap: int = 1) -> Block:
    """Put blocks beside each other, their tops in one line."""
    parts = [block for block in blocks if block.width]
    between: Line = (Run(" " * gap),) if gap else ()
    rows = []
    for y in range(max((block.height for block in parts), default=0)):
        row: Line = ()
        for index, block in enumerate(parts):
            line = block.lines[y] if y < block.height else (Run(" " * block.width),)
            row = (*row, *between, *line) if index else line
        rows.append(row)
    return Block(tuple(rows), sum(block.width for block in parts) + gap * max(len(parts) - 1, 0))


def flowing(blocks: Sequence[Block], width: int, gap: int = 1, row_gap: int = 0) -> Block:
    """Put blocks beside each other as long as they fit, then below."""
    return below((beside(row, gap) for row in _rows(blocks, width, gap)), row_gap)


def _rows(blocks: Sequence[Block], width: int, gap: int) -> Iterator[list[Block]]:
    row: list[Block] = []
    taken = 0
    for block in blocks:
        if row and taken + gap + block.width > width:
            yield row
            row, taken = [], 0
        taken += block.width + (gap if row else 0)
        row.append(block)
    if row:
        yield row


def indented(block: Block, columns: int) -> Block:
    """Move a block to the right."""
    if columns <= 0:
        return block
    return Block(tuple((Run(" " * columns), *line) for line in block.lines), block.width + columns)


def centred(block: Block, width: int) -> Block:
    """Put a block into the middle of a wider one."""
    return indented(block, (width - block.width) // 2)
