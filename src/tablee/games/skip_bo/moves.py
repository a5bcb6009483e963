"""Moves: number <-> parts <-> text.

`play stock 2`: the top of the stock onto series 2. `play 7 2`: a 7 from the hand; `play w 2`: a wild (Skip-Bo) from the
hand. `play c 2`: the top of the mover's discard pile c. `discard 7 c`: ends the turn. `pass`: only with an empty hand
(D7).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from tablee.core.errors import BadMove, did_you_mean
from tablee.core.types import Move

MoveKind: TypeAlias = Literal["stock", "hand", "pile", "discard", "pass"]

SERIES = 4
PILES = 4
CARD_CODES = 13  # 1 to 12, and the wild

STOCK_FIRST = 0  # onto series 0 .. 3
HAND_FIRST = STOCK_FIRST + SERIES  # card 1 onto series 0 .. 3, card 2, ..., wild
PILE_FIRST = HAND_FIRST + CARD_CODES * SERIES  # pile 0 onto series 0 .. 3, pile 1, ...
DISCARD_FIRST = PILE_FIRST + PILES * SERIES  # card 1 onto pile 0 .. 3, card 2, ..., wild
PASS = DISCARD_FIRST + CARD_CODES * PILES

CARD_NAMES = ("", *(str(number) for number in range(1, CARD_CODES)), "w")
SERIES_NAMES = ("1", "2", "3", "4")
PILE_NAMES = ("a", "b", "c", "d")
TEXTS = (
    *(f"play stock {series}" for series in SERIES_NAMES),
    *(f"play {card} {series}" for card in CARD_NAMES[1:] for series in SERIES_NAMES),
    *(f"play {pile} {series}" for pile in PILE_NAMES for series in SERIES_NAMES),
    *(f"discard {card} {pile}" for card in CARD_NAMES[1:] for pile in PILE_NAMES),
    "pass",
)
EXAMPLES = ("play stock 1", "play 7 1", "play w 1", "play a 1", "discard 7 a", "pass")
FILLERS = ("from", "hand", "on", "pile", "series", "to")
_wilds = {"wild": "w", "skipbo": "w", "skip-bo": "w"}
_numbers = {text: move for move, text in enumerate(TEXTS)}


class MoveParts(NamedTuple):
    """The parts of a move: its kind, the card it takes from the hand (0: none), the discard pile and the series."""

    kind: MoveKind
    card: int = 0
    pile: int = 0  # the discard pile that the card comes from or goes to
    series: int = 0  # that the card goes to


def parts_of(move: Move) -> MoveParts:
    """Return the parts of a move number."""
    if move == PASS:
        return MoveParts("pass")
    if move >= DISCARD_FIRST:
        card, pile = divmod(move - DISCARD_FIRST, PILES)
        return MoveParts("discard", card=card + 1, pile=pile)
    if move >= PILE_FIRST:
        pile, series = divmod(move - PILE_FIRST, SERIES)
        return MoveParts("pile", pile=pile, series=series)
    if move >= HAND_FIRST:
        card, series = divmod(move - HAND_FIRST, SERIES)
        return MoveParts("hand", card=card + 1, series=series)
    return MoveParts("stock", series=move)


def move_kind(move: Move) -> str:
    """Return the kind of a move."""
    return parts_of(move).kind


def move_text(move: Move) -> str:
    """Return the text of a move."""
    return TEXTS[move]


def parse_move(text: str) -> Move:
    """Return the number of a move given as text; `play hand 7 on series 2` and `play skip-bo 2` are accepted too."""
    words = [_wilds.get(word, word) for word in text.lower().split() if word not in FILLERS]
    number = _numbers.get(" ".join(words))
    if number is None:
        raise BadMove(f"Skip-Bo has no move {text!r}; {did_you_mean(text, EXAMPLES)}")
    return number
