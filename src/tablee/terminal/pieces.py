"""A piece as a block of text in three sizes: colour and letter, or symbol, always together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from rich.cells import cell_len

from tablee.core.view import Piece
from tablee.core.words import Words
from tablee.terminal.blocks import Block, Line, Run
from tablee.terminal.selection import Picking

# One column wide in every font worth using. The names are those of `Piece.symbol`.
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
    """How large pieces are drawn; the value is the number of lines."""

    SMALL = 1
    MEDIUM = 3
    LARGE = 5


MIN_WIDTH = {Size.SMALL: 3, Size.MEDIUM: 5, Size.LARGE: 7}


@dataclass(frozen=True)
class Marks:
    """What stands out: what can be touched, what was, where the cursor is, and what the last move moved."""

    picking: Picking = field(default_factory=Picking)
    cursor: str = ""
    moved: frozenset[str] = frozenset()

    def sides(self, identity: str) -> tuple[str, str]:
        """Return what stands left and right of a face, so that no mark is colour alone."""
        is_picked = identity in self.picking.picked
        left, right = ("«", "»") if is_picked else ("‹", "›") if identity in self.picking.next else (" ", " ")
        if identity == self.cursor:
            return (left, "]") if is_picked else ("[", "]")
        return left, right

    def stands_out(self, identity: str) -> bool:
        """Whether something can be done with this."""
        return identity == self.cursor or identity in self.picking.picked or identity in self.picking.next

    def roles(self, identity: str) -> str:
        """Return the marks as roles of a style."""
        is_so = {
            "cursor": identity == self.cursor,
            "picked": identity in self.picking.picked,
            "next": identity in self.picking.next,
            "moved": identity in self.moved,
        }
        return "".join(f" {name}" for name in is_so if is_so[name])


@dataclass(frozen=True)
class Pen:
    """Draws pieces of a view."""

    words: Words
    unclear: frozenset[str] = frozenset()  # faces whose colour must be said (`text.unclear_faces`)
    marks: Marks = field(default_factory=Marks)

    def face(self, piece: Piece) -> str:
        """Return what is written on a piece."""
        if "empty" in piece.marks:
            return GAP
        letter = self._letter(piece)
        if piece.face is None:
            return f"{letter}{HIDDEN}" if letter else BACK * 2
        face = f"{letter}{piece.face}" if letter and piece.face else letter or piece.face or piece.label
        return f"{face}{RINGED}" if "ring" in piece.marks and piece.symbol != "ring" else face

    def _letter(self, piece: Piece) -> str:
        """Return the letter of a colour that has to be said."""
        must_be_said = piece.face is None or piece.face in self.unclear
        return self.words.say(f"letters.{piece.colour}") if piece.colour and must_be_said else ""

    def width(self, pieces: Sequence[Piece], size: Size) -> int:
        """Return how wide pieces are drawn, all the same."""
        return max(MIN_WIDTH[size], self.least_width(pieces))

    def least_width(self, pieces: Sequence[Piece]) -> int:
        """Return how wide pieces must be for what is written on them."""
        return max([MIN_WIDTH[Size.SMALL], *(cell_len(self.face(piece)) + 2 for piece in pieces)])

    def piece(self, piece: Piece, size: Size, width: int, touch_id: str = "") -> Block:
        """Draw a piece; `touch_id` is the zone that is touched with it, if not the piece alone."""
        role = _role(piece)
        return self.block(piece.id, self.face(piece), role, size, width, symbol=piece.symbol, touch_id=touch_id)

    def block(
        self,
        identity: str,
        face: str,
        role: str,
        size: Size,
        width: int,
        *,
        symbol: str | None = None,
        touch_id: str = "",
    ) -> Block:
        """Draw anything that is as large as a piece."""
        marked = touch_id if touch_id and not self.marks.stands_out(identity) else identity
        left, right = self.marks.sides(marked)
        role = f"{role}{self.marks.roles(marked)}"
        middle: Line = (Run(f"{left}{_centred(face, width - 2)}{right}", role, identity),)
        if size is Size.SMALL:
            return Block((middle,), width)
        edges = "  " if role.startswith("gap") else "▄▀"
        top, bottom = ((Run(edge * width, f"{role} edge", identity),) for edge in edges)
        if size is Size.MEDIUM:
            return Block((top, middle, bottom), width)
        picture = SYMBOLS.get(symbol or "", " ")
        inner = f" {picture}{' ' * (width - 2)}" if role.partition(" ")[0] != "back" else BACK * width
        around = role.replace(" cursor", "")  # so that the colour of the piece stays visible
        above: Line = (Run(inner, around, identity),)
        under: Line = (Run(inner[::-1], around, identity),)
        return Block((top, above, middle, under, bottom), width)


def _centred(text: str, width: int) -> str:
    missing = width - cell_len(text)
    return f"{' ' * (missing // 2)}{text}{' ' * (missing - missing // 2)}"


def _role(piece: Piece) -> str:
    if "empty" in piece.marks:
        return "gap"
    if piece.face is None and piece.colour is None:
        return "back"
    return f"piece-{piece.colour}" if piece.colour else "piece"
