"""Pieces as blocks of text in four sizes; a colour is always accompanied by a letter or a symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tablee.core.words import Words
from tablee.terminal.blocks import Run, TextBlock
from tablee.terminal.numerals import PrintedFace, large_numeral, printed_face
from tablee.terminal.selection import Selection

if TYPE_CHECKING:
    from tablee.core.view import Piece

# By `Piece.symbol`; all are one column wide in common fonts.
SYMBOLS = {
    "triangle": "▲",
    "diamond": "◆",
    "star": "★",
    "square": "■",
    "drop": "≈",
    "circle": "●",
    "cross": "✚",
    "heart": "♥",
    "sun": "☼",
    "moon": "☾",
    "cloud": "☁",
    "wild": "✱",
    "ring": "○",
}
HIDDEN, GAP, RINGED = "?", "·", "°"
BACK = "▒"


class Size(IntEnum):
    """The size of a drawn piece; the value is its height in lines."""

    SMALL = 1
    MEDIUM = 3
    LARGE = 5
    HUGE = 7


MIN_WIDTH = {Size.SMALL: 3, Size.MEDIUM: 5, Size.LARGE: 7, Size.HUGE: 11}


@dataclass(frozen=True)
class Highlights:
    """What is highlighted: the selection, what can be selected, the cursor, what has moved, what a coach points at."""

    selection: Selection = field(default_factory=Selection)
    cursor: str = ""  # an id
    moved: frozenset[str] = frozenset()  # ids
    pointed: frozenset[str] = frozenset()  # ids

    def sides(self, identity: str) -> tuple[str, str]:
        """Return the characters left and right of a face, so that no highlight depends on colour alone."""
        is_selected = identity in self.selection.selected
        left, right = ("«", "»") if is_selected else ("‹", "›") if identity in self.selection.next else (" ", " ")
        if identity == self.cursor:
            return (left, "]") if is_selected else ("[", "]")
        return ("▸", "◂") if identity in self.pointed and not is_selected else (left, right)

    def is_highlighted(self, identity: str) -> bool:
        """Whether an id is selected, can be selected, is under the cursor, or pointed at."""
        return identity == self.cursor or identity in {*self.selection.selected, *self.selection.next, *self.pointed}

    def roles(self, identity: str) -> str:
        """Return the highlights of an id as style roles, each after a space."""
        is_active = {
            "cursor": identity == self.cursor,
            "selected": identity in self.selection.selected,
            "next": identity in self.selection.next,
            "moved": identity in self.moved,
            "pointed": identity in self.pointed,
        }
        return "".join(f" {name}" for name in is_active if is_active[name])


@dataclass(frozen=True)
class PieceRenderer:
    """Draws the pieces of a view."""

    words: Words
    ambiguous: frozenset[str] = frozenset()  # faces that need their colour's letter (`text.ambiguous_faces`)
    highlights: Highlights = field(default_factory=Highlights)

    def face(self, piece: Piece) -> str:
        """Return the text on a piece."""
        if "empty" in piece.marks:
            return GAP
        letter = self._letter(piece)
        if piece.face is None:
            return f"{letter}{HIDDEN}" if letter else BACK * 2
        face = f"{letter}{piece.face}" if letter and piece.face else letter or piece.face or piece.label
        return f"{face}{RINGED}" if "ring" in piece.marks and piece.symbol != "ring" else face

    def _letter(self, piece: Piece) -> str:
        """Return the letter of the piece's colour if the face does not imply the colour."""
        is_needed = piece.face is None or piece.face in self.ambiguous
        return self.words.say(f"letters.{piece.colour}") if piece.colour and is_needed else ""

    def width(self, pieces: Sequence[Piece], size: Size) -> int:
        """Return the width in columns at which all these pieces are drawn."""
        return max(MIN_WIDTH[size], self.min_width(pieces))

    def min_width(self, pieces: Sequence[Piece]) -> int:
        """Return the smallest width in columns in which the text of every piece fits."""
        return max([MIN_WIDTH[Size.SMALL], *(cell_len(self.face(piece)) + 2 for piece in pieces)])

    def piece(self, piece: Piece, size: Size, width: int, zone_id: str = "") -> TextBlock:
        """Draw a piece; with `zone_id`, it also shows the highlights of its zone."""
        role = _role(piece)
        return self.block(piece.id, self.face(piece), role, size, width, symbol=piece.symbol, zone_id=zone_id)

    def block(
        self,
        identity: str,
        face: str,
        role: str,
        size: Size,
        width: int,
        *,
        symbol: str | None = None,
        zone_id: str = "",
    ) -> TextBlock:
        """Draw a block of the size of a piece."""
        highlighted = zone_id if zone_id and not self.highlights.is_highlighted(identity) else identity
        left, right = self.highlights.sides(highlighted)
        role = f"{role}{self.highlights.roles(highlighted)}"
        printed = printed_face(face) if size is Size.HUGE else None
        is_back = role.partition(" ")[0] == "back"
        rows = _face_rows(face, printed, size, width - 2)
        middle = len(rows) // 2
        drawn = [
            f"{left}{row}{right}" if index == middle else BACK * width if is_back else f" {row} "
            for index, row in enumerate(rows)
        ]
        # The underline of what has moved is drawn below the middle line alone.
        lines = tuple(
            (Run(row, role if index == middle else role.replace(" moved", ""), identity),)
            for index, row in enumerate(drawn)
        )
        if size is Size.SMALL:
            return TextBlock(lines, width)
        edges = "  " if role.startswith("gap") else "▄▀"
        top, bottom = ((Run(edge * width, f"{role} edge", identity),) for edge in edges)
        if size is Size.MEDIUM:
            return TextBlock((top, *lines, bottom), width)
        corner = f" {SYMBOLS.get(symbol or '', ' ')}{printed.letters if printed else ''}"
        inner = (BACK * width, BACK * width) if is_back else (corner.ljust(width), corner[::-1].rjust(width))
        # Without these, the colour of the piece stays visible under the cursor.
        border_role = role.replace(" cursor", "").replace(" moved", "")
        above, below = ((Run(text, border_role, identity),) for text in inner)
        return TextBlock((top, above, *lines, below, bottom), width)


def _face_rows(face: str, printed: PrintedFace | None, size: Size, width: int) -> list[str]:
    """Return the lines of a face: one, or three in the largest size, where a number is printed large."""
    if size is not Size.HUGE:
        return [_centred(face, width)]
    rows = large_numeral(printed.number) if printed else ["", face, ""]
    return [_centred(row, width) for row in (rows if len(rows[0]) <= width else ["", face, ""])]


def _centred(text: str, width: int) -> str:
    missing = width - cell_len(text)
    return f"{' ' * (missing // 2)}{text}{' ' * (missing - missing // 2)}"


def _role(piece: Piece) -> str:
    if "empty" in piece.marks:
        return "gap"
    if piece.face is None and piece.colour is None:
        return "back"
    return f"piece-{piece.colour}" if piece.colour else "piece"
