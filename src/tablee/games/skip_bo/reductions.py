"""A small version of Skip-Bo for exact methods (docs/reductions.md): the end of a single round.

One series has begun, and there is nothing left to draw: the deck is made of the series, one or two cards in the stock
of each of two seats, and their hands. There are too few cards to complete a series, so nothing is reshuffled (R26). The
cards that are not seen by all are different, so that all deals are equally likely.
"""

from __future__ import annotations

import numpy as np

from tablee.core.arrangements import write_arrangement
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import Seat, State
from tablee.games.skip_bo.hands import add_to_hand
from tablee.games.skip_bo.state import EDITION, SERIES_LENGTHS, Card

STOCK_SIZE = 2
HEIGHT = 3  # of the series
TOPS = np.array([5, 5])  # of the stocks
CARDS = np.array([4, 5, 6, 8])  # that are not seen by all
IN_HANDS = np.array([2, 1])
BELOW_TOPS = np.array([1, 0])


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal two cards to seat 0 and one below the top of its stock, and one card to seat 1; seat 0 is on turn."""
    seats = state.seats
    owners = np.zeros(len(CARDS), np.int64)
    write_arrangement(number, np.concatenate((IN_HANDS, BELOW_TOPS)), owners)
    state.series_length = SERIES_LENGTHS[state.options[EDITION]]
    state.series[0] = HEIGHT
    for card in range(1, HEIGHT + 1):
        state.deck[card] = 1
    state.stock_size = STOCK_SIZE
    for index in range(len(CARDS)):
        state.deck[CARDS[index]] += 1
        if owners[index] < seats:
            add_to_hand(state, owners[index], CARDS[index])
        else:
            put_on_stock(state, owners[index] - seats, CARDS[index])
    for seat in range(seats):
        state.deck[TOPS[seat]] += 1
        put_on_stock(state, seat, TOPS[seat])
    state.dealer = seats - 1
    state.turns = seats
    state.last_winner = NOBODY
    state.to_move = 0


@kernel
def put_on_stock(state: State, seat: Seat, card: Card) -> None:
    """Put a card on top of a stock."""
    state.stocks[seat * STOCK_SIZE + int(state.stock_counts[seat])] = card
    state.stock_counts[seat] += 1
