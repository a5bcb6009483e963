"""Moves: number <-> parts <-> text. `keep`, `next red`, `play 3`, `peek 3`, `bid left`, `bid right`, `pass`.

Cards of a row are numbered from 1, the leftmost and highest, and keep their numbers when others are gone. `peek 3`
looks at card 3 and at the next one to its right.
"""

from __future__ import annotations

from tablee.core.errors import BadMove, did_you_mean
from tablee.core.types import Index, Move

MAX_ROW = 15
COLOUR_NAMES = ("red", "orange", "yellow", "green", "sky", "blue", "purple", "pink")
COLOURS = len(COLOUR_NAMES)

KEEP = 0
NEXT_FIRST = 1  # next of colour 0 .. 7
PLAY_FIRST = NEXT_FIRST + COLOURS  # play position 0 .. 14
PEEK_FIRST = PLAY_FIRST + MAX_ROW  # peek at position 0 .. 13 and its right neighbour
BID_LEFT = PEEK_FIRST + MAX_ROW - 1
BID_RIGHT = BID_LEFT + 1
PASS = BID_RIGHT + 1

TEXTS = (
    "keep",
    *(f"next {colour}" for colour in COLOUR_NAMES),
    *(f"play {position + 1}" for position in range(MAX_ROW)),
    *(f"peek {position + 1}" for position in range(MAX_ROW - 1)),
    "bid left",
    "bid right",
    "pass",
)
_numbers = {text: move for move, text in enumerate(TEXTS)}
_examples = ("keep", "next red", "play 1", "peek 1", "bid left", "bid right", "pass")


def colour_of_move(move: Move) -> int | None:
    """Return the colour of a `next` move, None for other moves."""
    return move - NEXT_FIRST if NEXT_FIRST <= move < PLAY_FIRST else None


def position_of_move(move: Move) -> Index | None:
    """Return the position, from 0, of a `play` or `peek` move, None for other moves."""
    if PLAY_FIRST <= move < PEEK_FIRST:
        return move - PLAY_FIRST
    return move - PEEK_FIRST if PEEK_FIRST <= move < BID_LEFT else None


def move_kind(move: Move) -> str:
    """Return the kind of a move; bids to the left and to the right are of one kind."""
    return TEXTS[move].split()[0]


def move_text(move: Move) -> str:
    """Return the text of a move."""
    return TEXTS[move]


def parse_move(text: str) -> Move:
    """Return the number of a move given as text."""
    number = _numbers.get(" ".join(text.lower().split()))
    if number is None:
        raise BadMove(f"Xylo has no move {text!r}; {did_you_mean(text, _examples)}")
    return number
