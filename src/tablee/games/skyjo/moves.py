"""Moves: number <-> parts <-> text. `draw`, `take`, `discard`, `flip b3`, `swap b3`; columns a to d, rows 1 to 3."""

from __future__ import annotations

from tablee.core.errors import BadMove, did_you_mean

CELLS = 12
DRAW, TAKE, DISCARD = 0, 1, 2
FLIP_FIRST = 3  # flip cell 0 .. 11
SWAP_FIRST = FLIP_FIRST + CELLS  # swap cell 0 .. 11

CELL_NAMES = tuple(f"{column}{row}" for row in "123" for column in "abcd")
TEXTS = (
    "draw",
    "take",
    "discard",
    *(f"flip {name}" for name in CELL_NAMES),
    *(f"swap {name}" for name in CELL_NAMES),
)
_numbers = {text: move for move, text in enumerate(TEXTS)}


def cell_of(move: int) -> int | None:
    """Return the cell that a move names, None for `draw`, `take` and `discard`."""
    return (move - FLIP_FIRST) % CELLS if move >= FLIP_FIRST else None


def move_kind(move: int) -> str:
    """Return the kind of a move."""
    return TEXTS[move].split()[0]


def move_text(move: int) -> str:
    """Write a move."""
    return TEXTS[move]


def parse_move(text: str) -> int:
    """Read a move."""
    number = _numbers.get(" ".join(text.lower().split()))
    if number is None:
        raise BadMove(f"Skyjo has no move {text!r}; {did_you_mean(text, TEXTS)}")
    return number
