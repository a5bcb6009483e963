"""The state: hands, the stock, the cards played so far, points."""

from __future__ import annotations

import numpy as np

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Seat, State

from . import GAME
from .moves import CARDS

MAX_SEATS = 4
MAX_HAND = 4

UNKNOWN = -1  # a card that the viewer does not know
NO_CARD = 0

# Indices of the options
HAND = GAME.option_index("hand")
LOW_WINS = GAME.option_index("low_wins")

STATE = state_type(
    GAME,
    [
        ("points", "i4", (MAX_SEATS,)),  # tricks taken
        ("leader", "i4"),  # seat that began this trick
        ("played_count", "i4"),
        ("hands", "i1", (MAX_SEATS, MAX_HAND)),  # ascending, then NO_CARD
        ("new_game_stock", "i1", (CARDS,)),  # cards not dealt, then NO_CARD; no two games may have equal fields
        ("played", "i1", (MAX_SEATS * MAX_HAND,)),  # in the order of play, then NO_CARD
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_CARDS = "a card is not in exactly one position"
    UNSORTED_HAND = "a hand is not in order"
    WRONG_TURN = "`to_move` does not fit `end_reason`"


@kernel
def hand_size(state: State, seat: Seat) -> int:
    """Count the cards in a hand."""
    size = 0
    while size < MAX_HAND and state.hands[seat, size] != NO_CARD:
        size += 1
    return size


@kernel
def cards_in_trick(state: State) -> int:
    """Count the cards of the trick being played."""
    return state.played_count % state.seats


@kernel
def problems(state: State) -> Bits:
    """Return the flags of `Problem` that are broken."""
    bits = 0
    counts = np.zeros(CARDS + 1, np.int64)
    for seat in range(MAX_SEATS):
        for index in range(MAX_HAND):
            counts[state.hands[seat, index]] += 1
            if 0 < index < hand_size(state, seat) and state.hands[seat, index - 1] >= state.hands[seat, index]:
                bits |= Problem.UNSORTED_HAND
    for index in range(CARDS):
        counts[state.new_game_stock[index]] += 1
    for index in range(MAX_SEATS * MAX_HAND):
        counts[state.played[index]] += 1
    for card in range(1, CARDS + 1):
        if counts[card] != 1:
            bits |= Problem.WRONG_CARDS
    if (state.end_reason != 0) != (state.to_move == NOBODY):
        bits |= Problem.WRONG_TURN
    return bits
