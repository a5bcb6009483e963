"""Moves: number <-> card <-> text. `play 7`; card 1 is move 0."""

from __future__ import annotations

from tablee.core.errors import BadMove

CARDS = 20


def card_of(move: int) -> int:
    """Return the card that a move plays."""
    return move + 1


def move_of(card: int) -> int:
    """Return the move that plays a card."""
    return card - 1


def move_text(move: int) -> str:
    """Write a move."""
    return f"play {card_of(move)}"


_numbers = {move_text(move): move for move in range(CARDS)}


def parse_move(text: str) -> int:
    """Read a move."""
    number = _numbers.get(" ".join(text.lower().split()))
    if number is None:
        raise BadMove(f"there is no move {text!r}; say 'play' and a card from 1 to {CARDS}, like 'play 7'")
    return number
