"""Moves: number <-> parts <-> text. `ring d4`, `choose red`, `red d4`, `accuse red`, `pass`; fields a1 to g7.

`red d4` puts the red pawn on d4: from the field it stands on, by any chain of jumps, or from beside the board (C11).
"""

from __future__ import annotations

from tablee.core.errors import BadMove, did_you_mean
from tablee.games.xe_queo.board import FIELD_NAMES, FIELDS

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
PAWNS = len(COLOURS)

RING_FIRST = 0  # ring on field 0 .. 48
CHOOSE_FIRST = RING_FIRST + FIELDS  # choose pawn 0 .. 6
PAWN_FIRST = CHOOSE_FIRST + PAWNS  # pawn 0 to field 0 .. 48, then pawn 1 ...
ACCUSE_FIRST = PAWN_FIRST + PAWNS * FIELDS  # accuse with pawn 0 .. 6
PASS = ACCUSE_FIRST + PAWNS

TEXTS = (
    *(f"ring {field}" for field in FIELD_NAMES),
    *(f"choose {colour}" for colour in COLOURS),
    *(f"{colour} {field}" for colour in COLOURS for field in FIELD_NAMES),
    *(f"accuse {colour}" for colour in COLOURS),
    "pass",
)
_numbers = {text: move for move, text in enumerate(TEXTS)}
_examples = ("ring d4", "choose red", *(f"{colour} d4" for colour in COLOURS), "accuse red", "pass")


def is_pawn_move(move: int) -> bool:
    """Whether a move puts a pawn on a field."""
    return PAWN_FIRST <= move < ACCUSE_FIRST


def pawn_of(move: int) -> int:
    """Return the pawn that a move chooses, moves or names in an accusation."""
    if is_pawn_move(move):
        return (move - PAWN_FIRST) // FIELDS
    return move - (CHOOSE_FIRST if move < PAWN_FIRST else ACCUSE_FIRST)


def field_of(move: int) -> int:
    """Return the field on which a move puts the ring or a pawn."""
    return (move - PAWN_FIRST) % FIELDS if is_pawn_move(move) else move - RING_FIRST


def move_kind(move: int) -> str:
    """Return the kind of a move."""
    return "pawn" if is_pawn_move(move) else TEXTS[move].split()[0]


def move_text(move: int) -> str:
    """Write a move."""
    return TEXTS[move]


def parse_move(text: str) -> int:
    """Read a move."""
    number = _numbers.get(" ".join(text.lower().split()))
    if number is None:
        raise BadMove(f"Xe Queo! has no move {text!r}; {did_you_mean(text, _examples)}")
    return number
