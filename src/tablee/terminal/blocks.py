"""Rectangles of styled text that are stacked into boards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size


class Run(NamedTuple):
    """A part of a line in one style; `id` names the piece or zone drawn there."""

    text: str
    role: str = ""
    id: str = ""

    @property
    def width(self) -> int:
        """Width in columns."""
        return cell_len(self.text)


Line = tuple[Run, ...]


class Rectangle(NamedTuple):
    """An area in columns and lines."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[float, float]:
        """The centre, in columns and lines."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class TextBlock:
    """Lines of equal width."""

    lines: tuple[Line, ...]
    width: int  # in columns

    @classmethod
    def of(cls, lines: Iterable[Sequence[Run]]) -> TextBlock:
        """Make a block of lines, each padded to the width of the longest."""
        rows = [tuple(line) for line in lines]
        widths = [sum(run.width for run in line) for line in rows]
        width = max(widths, default=0)
        return cls(tuple(_padded(line, width - own) for line, own in zip(rows, widths, strict=True)), width)

    @classmethod
    def text(cls, text: str, role: str = "", identity: str = "") -> TextBlock:
        """Make a block of one line."""
        return cls(((Run(text, role, identity),),), cell_len(text))

    @property
    def height(self) -> int:
        """Height in lines."""
        return len(self.lines)

    def regions(self) -> dict[str, Rectangle]:
        """Return the bounding rectangle of the runs of each id."""
        found: dict[str, Rectangle] = {}
        for y, line in enumerate(self.lines):
            x = 0
            for run in line:
                if run.id:
                    found[run.id] = _bounding(found.get(run.id), Rectangle(x, y, run.width, 1))
                x += run.width
        return found

    def plain(self) -> str:
        """Return the text without styles."""
        return "\n".join("".join(run.text for run in line).rstrip() for line in self.lines)


EMPTY = TextBlock((), 0)


def _padded(line: Line, missing: int) -> Line:
    return (*line, Run(" " * missing)) if missing else line


def _bounding(first: Rectangle | None, second: Rectangle) -> Rectangle:
    """Return the smallest rectangle that contains both."""
    if first is None:
        return second
    x, y = min(first.x, second.x), min(first.y, second.y)
    right = max(first.x + first.width, second.x + second.width)
    bottom = max(first.y + first.height, second.y + second.height)
    return Rectangle(x, y, right - x, bottom - y)


def truncate(text: str, width: int) -> str:
    """Shorten a text to a width in columns; an ellipsis marks the cut."""
    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)) + "…"


def vstack(blocks: Iterable[TextBlock], gap: int = 0) -> TextBlock:
    """Stack blocks vertically, with `gap` empty lines between them; empty blocks are left out."""
    parts = [block for block in blocks if block.height]
    width = max((block.width for block in parts), default=0)
    lines: list[Line] = []
    for block in parts:
        if lines:
            lines.extend((Run(" " * width),) for _ in range(gap))
        lines.extend(_padded(line, width - block.width) for line in block.lines)
    return TextBlock(tuple(lines), width)


def hstack(blocks: Sequence[TextBlock], gap: int = 1) -> TextBlock:
    """Stack blocks horizontally, aligned at the top, with `gap` columns between them; empty blocks are left out."""
    parts = [block for block in blocks if block.width]
    between: Line = (Run(" " * gap),) if gap else ()
    rows = []
    for y in range(max((block.height for block in parts), default=0)):
        row: Line = ()
        for index, block in enumerate(parts):
            line = block.lines[y] if y < block.height else (Run(" " * block.width),)
            row = (*row, *between, *line) if index else line
        rows.append(row)
    return TextBlock(tuple(rows), sum(block.width for block in parts) + gap * max(len(parts) - 1, 0))


def flow(blocks: Sequence[TextBlock], width: int, gap: int = 1, row_gap: int = 0) -> TextBlock:
    """Stack blocks horizontally and wrap to a new row where the width is used up."""
    return vstack((hstack(row, gap) for row in _rows(blocks, width, gap)), row_gap)


def _rows(blocks: Sequence[TextBlock], width: int, gap: int) -> Iterator[list[TextBlock]]:
    row: list[TextBlock] = []
    used = 0
    for block in blocks:
        if row and used + gap + block.width > width:
            yield row
            row, used = [], 0
        used += block.width + (gap if row else 0)
        row.append(block)
    if row:
        yield row


def indent(block: TextBlock, columns: int) -> TextBlock:
    """Shift a block to the right."""
    if columns <= 0:
        return block
    return TextBlock(tuple((Run(" " * columns), *line) for line in block.lines), block.width + columns)


def centre(block: TextBlock, width: int) -> TextBlock:
    """Centre a block in a width in columns."""
    return indent(block, (width - block.width) // 2)
