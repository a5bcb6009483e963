"""Small versions of Skyjo for exact methods (docs/reductions.md): the last turns of the last round.

Each of two seats has column a left, two of its cards open and one hidden; the deck is made of these cards, a draw pile
of three and a discard. With `stall_turns=1` a round takes at most three turns: one without a newly opened card, one
that opens the last hidden card of a seat, and the last turn of the other. The draw pile lasts as long, so nothing is
reshuffled (B11).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.arrangements import write_arrangement
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import State
from tablee.games.skyjo.rules import MAX_ROUNDS, put_on_discard
from tablee.games.skyjo.state import (
    ALL_CELLS,
    CELLS,
    CHOOSE,
    COLUMN_BITS,
    COLUMNS,
    DECK,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
)

OPEN_CARDS = np.array([[7, 2], [5, 4]])  # a1 and a2 of each seat
DRAW_PILE = 3

TINY_DISCARD = 4
TINY_VALUES = np.array([0, 5, 9])
TINY_COUNTS = np.array([2, 2, 1])

SMALL_VALUES = np.array([-2, 1, 2, 5, 7, 12])
SMALL_COUNTS = np.array([1, 1, 1, 1, 1, 1])


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal the hidden cards and the draw pile; the discard is always the same."""
    cards = np.zeros(DECK, np.int64)
    write_arrangement(number, TINY_COUNTS.copy(), cards)
    for index in range(TINY_COUNTS.sum()):
        cards[index] = TINY_VALUES[cards[index]]
    lay_out(state, cards, TINY_DISCARD)


@kernel
def deal_small(state: State, number: int) -> None:
    """Deal the hidden cards, the draw pile and the discard from six different values."""
    cards = np.zeros(DECK, np.int64)
    write_arrangement(number, SMALL_COUNTS.copy(), cards)
    for index in range(SMALL_COUNTS.sum()):
        cards[index] = SMALL_VALUES[cards[index]]
    lay_out(state, cards, cards[state.seats + DRAW_PILE])


@kernel
def lay_out(state: State, cards: Any, discard: int) -> None:
    """Lay out a hidden card per seat, then the draw pile, then the discard; seat 0 begins the last round."""
    for seat in range(MAX_SEATS):
        state.gone[seat] = ALL_CELLS
        for cell in range(CELLS):
            state.grid[seat, cell] = NO_CARD
            state.final_grid[seat, cell] = NO_CARD
    for seat in range(state.seats):
        state.gone[seat] = ALL_CELLS ^ COLUMN_BITS
        state.opened[seat] = 1 | 1 << COLUMNS
        for row in range(2):
            state.grid[seat, row * COLUMNS] = OPEN_CARDS[seat, row]
            state.deck[OPEN_CARDS[seat, row] - LOWEST] += 1
        state.grid[seat, 2 * COLUMNS] = cards[seat]
        state.deck[cards[seat] - LOWEST] += 1
    for index in range(DECK):
        state.piles[index] = NO_CARD
    for index in range(DRAW_PILE):
        state.piles[index] = cards[state.seats + index]
        state.deck[cards[state.seats + index] - LOWEST] += 1
    state.draw_count = DRAW_PILE
    put_on_discard(state, discard)
    state.deck[discard - LOWEST] += 1
    state.held = NO_CARD
    state.ender = NOBODY
    state.last_ender = NOBODY
    state.doubled = NOBODY
    state.rounds_played = MAX_ROUNDS - 1
    state.phase = CHOOSE
    state.to_move = 0
