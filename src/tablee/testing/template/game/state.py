"""The record: hands, the stock, the cards played so far, points."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type

from . import GAME
from .moves import CARDS

MAX_SEATS = 4
MAX_HAND = 4

UNKNOWN = -1  # a card that the viewer cannot tell
NO_CARD = 0

# Places of the options
HAND = GAME.option_index("hand")
LOW_WINS = GAME.option_index("low_wins")

STATE = state_type(
    GAME,
    [
        ("points", "i4", (MAX_SEATS,)),  # tricks taken
        ("leader", "i4"),  # who began this trick
        ("played_count", "i4"),
        ("hands", "i1", (MAX_SEATS, MAX_HAND)),  # ascending, then NO_CARD
        ("new_game_stock", "i1", (CARDS,)),  # not dealt, then NO_CARD; no two games may have equal records
        ("played", "i1", (MAX_SEATS * MAX_HAND,)),  # in the order of play, then NO_CARD
    ],
)

PROBLEMS = (
    "a card is not somewhere exactly once",
    "a hand is not in order",
    "the seat on turn does not fit the end of the game",
)


@kernel
def hand_size(state, seat):
    """Count the cards in a hand."""
    size = 0
    while size < MAX_HAND and state.hands[seat, size] != NO_CARD:
        size += 1
    return size


@kernel
def cards_in_trick(state):
    """Count the cards of the trick being played."""
    return state.played_count % state.seats


@kernel
def problems(state):
    """Return a bit per broken invariant."""
    bits = 0
    counts = np.zeros(CARDS + 1, np.int64)
    for seat in range(MAX_SEATS):
        for index in range(MAX_HAND):
            counts[state.hands[seat, index]] += 1
            if 0 < index < hand_size(state, seat) and state.hands[seat, index - 1] >= state.hands[seat, index]:
                bits |= 2
    for index in range(CARDS):
        counts[state.new_game_stock[index]] += 1
    for index in range(MAX_SEATS * MAX_HAND):
        counts[state.played[index]] += 1
    for card in range(1, CARDS + 1):
        if counts[card] != 1:
            bits |= 1
    if (state.end_reason != 0) != (state.to_move == NOBODY):
        bits |= 4
    return bits
