"""What chance decides in Skip-Bo: each card when it is first turned up from a stock or drawn into a hand.

Nobody has seen the cards of the draw pile and those below the tops of the stocks (R5). To all seats together they are
in random order; from the first reshuffle on (R26) the draw pile and the stocks apart, because all know which cards are
in the pile (D18).

A slot is an index into the draw pile, or MAX_DECK + an index into the stocks.
"""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.randomness import below
from tablee.core.types import Index, Move, Moves, State
from tablee.games.skip_bo.moves import CARD_CODES, DISCARD_FIRST, HAND_FIRST, PASS, PILE_FIRST
from tablee.games.skip_bo.state import MAX_DECK, MAX_STOCKED, WILD, Card

SLOTS = MAX_DECK + MAX_STOCKED
NOWHERE = -1


def draw_text(value: int) -> str:
    """Write a card that `list_draws` lists."""
    return "wild" if value == WILD else str(value)


@kernel
def list_draws(state: State, move: Move, after: State, index: Index, values: Moves, weights: Moves) -> int:
    """List the cards that can turn up: first on the stock, then in the hand that is completed."""
    slot = turned_up(state, move, index)
    if slot == NOWHERE or (slot < MAX_DECK and state.draw_count - slot > count_drawn(state, move, after)):
        return 0
    counts = np.zeros(CARD_CODES + 1, np.int64)
    for other in range(SLOTS):
        if is_exchangeable(state, slot, other) and not was_turned_up(state, move, index, other):
            counts[card_in(state, other)] += 1
    listed = 0
    for card in range(1, CARD_CODES + 1):
        if counts[card] > 0:
            values[listed] = card
            weights[listed] = counts[card]
            listed += 1
    return listed


@kernel
def arrange_draw(state: State, move: Move, index: Index, value: Card) -> None:
    """Exchange the card that turns up with an unknown one of the value."""
    slot = turned_up(state, move, index)
    if card_in(state, slot) == value:
        return
    for other in range(SLOTS):
        if (
            is_exchangeable(state, slot, other)
            and card_in(state, other) == value
            and not was_turned_up(state, move, index, other)
        ):
            exchange(state, slot, other)
            return


@kernel
def shuffle_unknown(state: State) -> None:
    """Put the unknown cards in random order."""
    slots = np.empty(SLOTS, np.int64)
    first, count = 0, 0
    for slot in range(SLOTS):
        if slot == MAX_DECK and state.pile_number > 0:
            first = count  # the draw pile is shuffled apart
        if is_unknown(state, slot):
            slots[count] = slot
            count += 1
            exchange(state, slot, slots[first + below(state.generator, count - first)])


@kernel
def turned_up(state: State, move: Move, index: Index) -> Index:
    """Return the slot of the `index`-th card that a move turns up, if it turns up so many, NOWHERE if there is none.

    The card below the top of the stock that is played from (R19) comes before those that are drawn (R20, R22).
    """
    seat = state.to_move
    left = int(state.stock_counts[seat])
    if move < HAND_FIRST and left > 1:
        if index == 0:
            return MAX_DECK + seat * state.stock_size + left - 2
        index -= 1
    return state.draw_count - 1 - index if index < state.draw_count else NOWHERE


@kernel
def count_drawn(state: State, move: Move, after: State) -> int:
    """Return how many cards of the present draw pile a move draws, given the state after it; none of the next round."""
    if after.rounds_played != state.rounds_played:
        return 0
    drawn = 1 if HAND_FIRST <= move < PILE_FIRST or DISCARD_FIRST <= move < PASS else 0
    for seat in range(state.seats):
        drawn += int(after.hand_counts[seat]) - int(state.hand_counts[seat])
    return drawn


@kernel
def was_turned_up(state: State, move: Move, index: Index, slot: Index) -> bool:
    """Whether a slot is one of the first `index` that a move turns up."""
    for earlier in range(index):
        if turned_up(state, move, earlier) == slot:
            return True
    return False


@kernel
def is_unknown(state: State, slot: Index) -> bool:
    """Whether a slot holds a card that nobody has seen."""
    if slot < MAX_DECK:
        return slot < state.draw_count
    seat, height = (slot - MAX_DECK) // state.stock_size, (slot - MAX_DECK) % state.stock_size
    return seat < state.seats and height < state.stock_counts[seat] - 1


@kernel
def is_exchangeable(state: State, slot: Index, other: Index) -> bool:
    """Whether the unknown card of a slot could as well be the one of another."""
    if not is_unknown(state, other):
        return False
    return (slot < MAX_DECK) == (other < MAX_DECK) or state.pile_number == 0


@kernel
def card_in(state: State, slot: Index) -> Card:
    """Return the card of a slot."""
    return int(state.draw_pile[slot]) if slot < MAX_DECK else int(state.stocks[slot - MAX_DECK])


@kernel
def put_in(state: State, slot: Index, card: Card) -> None:
    """Put a card into a slot."""
    if slot < MAX_DECK:
        state.draw_pile[slot] = card
    else:
        state.stocks[slot - MAX_DECK] = card


@kernel
def exchange(state: State, slot: Index, other: Index) -> None:
    """Exchange the cards of two slots."""
    card = card_in(state, slot)
    put_in(state, slot, card_in(state, other))
    put_in(state, other, card)
