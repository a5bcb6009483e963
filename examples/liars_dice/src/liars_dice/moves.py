"""Moves: number <-> bid <-> text.

`bid 3x5` is three fives; a higher bid has a higher number. The last move is `doubt`.
"""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.errors import BadMove
from tablee.core.types import Move

FACES = 6
MAX_TOTAL_DICE = 20
DOUBT = MAX_TOTAL_DICE * FACES


@kernel
def bid_count(bid: Move) -> int:
    """Return how many dice a bid names."""
    return bid // FACES + 1


@kernel
def bid_face(bid: Move) -> int:
    """Return the face that a bid names."""
    return bid % FACES + 1


def bid_of(count: int, face: int) -> Move:
    """Return the bid on a number of dice with a face."""
    return (count - 1) * FACES + face - 1


def move_text(move: int) -> str:
    """Write a move."""
    return "doubt" if move == DOUBT else f"bid {bid_count(move)}x{bid_face(move)}"


_numbers = {move_text(move): move for move in range(DOUBT + 1)}


def parse_move(text: str) -> int:
    """Read a move."""
    number = _numbers.get(" ".join(text.lower().split()))
    if number is None:
        raise BadMove(f"there is no move {text!r}; say 'bid 3x5' for three fives, or 'doubt'")
    return number
