"""Small versions of Xylo for exact methods (docs/reductions.md): the last two tricks of the last round.

The deck is red 0 to 10 and orange 0 to 8, five cards in each of four rows (two players, R41). Two tricks have been
played and the automata have announced (R43); each seat has three cards face down and no announcement: it plays two of
them, and the last one is its announcement (R30).
"""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import State
from tablee.games.xylo.moves import COLOUR_NAMES
from tablee.games.xylo.rules import MAX_ROUNDS
from tablee.games.xylo.state import DECK, MAX_ROWS, NO_CARD, NOWHERE, PLAY, RED, Card, Row, row_count, seat_of

ORANGE = COLOUR_NAMES.index("orange")
RED_CARD, ORANGE_CARD = 16 * RED, 16 * ORANGE  # plus the value
SIZES = (11, 9)  # cards of red and orange
ROW_SIZE = 5
MIDDLE = ROW_SIZE // 2  # position of an automaton's announcement (R43)

# The cards that all have seen; NO_CARD where a card lies face down
ROWS = np.array(
    [
        [NO_CARD, RED_CARD + 8, ORANGE_CARD + 4, NO_CARD, NO_CARD],
        [NO_CARD, ORANGE_CARD + 6, RED_CARD + 5, ORANGE_CARD + 3, NO_CARD],
        [NO_CARD, RED_CARD + 6, RED_CARD + 4, NO_CARD, NO_CARD],
        [NO_CARD, RED_CARD + 7, ORANGE_CARD + 5, RED_CARD + 3, NO_CARD],
    ]
)
WON = np.array([1, 0, 1, 0])  # tricks of each row


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal red 9, 10 and 0, 1, 2 to rows 0 and 3, and orange 7, 8 and 0, 1, 2 to rows 2 and 1.

    Seat 1 has sorted rows 0 and 3, so only seat 0 does not know these; with rows 1 and 2 it is the other way round.
    """
    lay_out_rows(state)
    deal_pair(state, 0, 3, number // 6, RED_CARD + 9, RED_CARD)
    deal_pair(state, 2, 1, number % 6, ORANGE_CARD + 7, ORANGE_CARD)


@kernel
def deal_pair(state: State, row: Row, automaton: Row, number: int, high: Card, low: Card) -> None:
    """Deal two high cards and three low ones, one of each to the automaton, in the `number`-th of six ways."""
    state.cards[row * ROW_SIZE] = high + number % 2
    state.cards[automaton * ROW_SIZE] = high + 1 - number % 2
    given = number // 2
    state.cards[automaton * ROW_SIZE + 4] = low + given
    state.cards[row * ROW_SIZE + 3] = low + (1 if given == 2 else 2)
    state.cards[row * ROW_SIZE + 4] = low + (1 if given == 0 else 0)


@kernel
def lay_out_rows(state: State) -> None:
    """Lay out what all know; seat 0 leads the next trick."""
    state.row_size = ROW_SIZE
    state.sizes[RED], state.sizes[ORANGE] = SIZES
    state.trump = RED
    state.rounds_played = MAX_ROUNDS - 1
    state.phase = PLAY
    for index in range(DECK):
        state.cards[index] = NO_CARD
    for row in range(MAX_ROWS):
        state.peeks[row, 0] = NOWHERE
        state.peeks[row, 1] = NOWHERE
        state.bid_at[row] = NOWHERE
        state.trick[row] = NO_CARD
        state.last_trick[row] = NO_CARD
        state.last_bids[row] = NO_CARD
    for row in range(row_count(state)):
        state.won[row] = WON[row]
        if seat_of(state, row) == NOBODY:
            state.bid_at[row] = MIDDLE
        for position in range(ROW_SIZE):
            state.cards[row * ROW_SIZE + position] = ROWS[row, position]
            if ROWS[row, position] == NO_CARD:
                state.down[row] |= 1 << position
