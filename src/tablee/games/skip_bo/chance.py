"""What chance decides in Skip-Bo: each card when it is first turned up from a stock or drawn into a hand.

Nobody has seen the cards of the draw pile and those below the tops of the stocks (R5). To all seats together they are
in random order; from the first reshuffle on (R26) the draw pile and the stocks apart, because all know which cards are
in the pile (D18).

A slot is an index into the draw pile, or MAX_DECK + an index into the stocks.
"""

from __future__ import annotations

from tablee.core.compilation import lean_kernel
from tablee.core.randomness import below
from tablee.core.types import Index, Move, Moves, State
from tablee.games.skip_bo.moves import CARD_CODES, DISCARD_FIRST, HAND_FIRST, PASS, PILE_FIRST
from tablee.games.skip_bo.state import MAX_DECK, MAX_STOCKED, WILD, Card

SLOTS = MAX_DECK + MAX_STOCKED
NOWHERE = -1


def draw_text(value: int) -> str:
    """Write a card that `list_draws` lists."""
    return "wild" if value == WILD else str(value)


@lean_kernel
def list_draws(state: State, move: Move, after: State, index: Index, values: Moves, weights: Moves) -> int:
    """List the cards that can turn up: first on the stock, then in the hand that is completed."""
    slot = turned_up(state, move, index)
    if slot == NOWHERE or (slot < MAX_DECK and state.draw_count - slot > count_drawn(state, move, after)):
        return 0
    for card in range(CARD_CODES + 1):
        weights[card] = 0
    for other in range(first_slot(state, slot), end_slot(state, slot)):
        if is_unknown(state, other) and not was_turned_up(state, move, index, other):
            weights[card_in(state, other)] += 1
    listed = 0
    for card in range(1, CARD_CODES + 1):
        if weights[card] > 0:
            values[listed] = card
            weights[listed] = weights[card]
            listed += 1
    return listed


@lean_kernel
def arrange_draw(state: State, move: Move, index: Index, value: Card) -> None:
    """Exchange the card that turns up with an unknown one of the value."""
    slot = turned_up(state, move, index)
    if card_in(state, slot) == value:
        return
    for other in range(first_slot(state, slot), end_slot(state, slot)):
        if is_unknown(state, other) and card_in(state, other) == value and not was_turned_up(state, move, index, other):
            exchange(state, slot, other)
            return


@lean_kernel
def shuffle_unknown(state: State) -> None:
    """Put the unknown cards in random order."""
    first, count = 0, 0
    for slot in range(SLOTS):
        if slot == MAX_DECK and state.pile_number > 0:
            first, count = MAX_DECK, 0  # the draw pile is shuffled apart
        if is_unknown(state, slot):
            count += 1
            exchange(state, slot, nth_unknown(state, first, below(state.generator, count)))


@lean_kernel
def nth_unknown(state: State, slot: Index, number: int) -> Index:
    """Return the slot of an unknown card from a slot on, after so many others."""
    while number > 0 or not is_unknown(state, slot):
        number -= 1 if is_unknown(state, slot) else 0
        slot += 1
    return slot


@lean_kernel
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


@lean_kernel
def count_drawn(state: State, move: Move, after: State) -> int:
    """Return how many cards of the present draw pile a move draws, given the state after it; none of the next round."""
    if after.rounds_played != state.rounds_played:
        return 0
    drawn = 1 if HAND_FIRST <= move < PILE_FIRST or DISCARD_FIRST <= move < PASS else 0
    for seat in range(state.seats):
        drawn += int(after.hand_counts[seat]) - int(state.hand_counts[seat])
    return drawn


@lean_kernel
def was_turned_up(state: State, move: Move, index: Index, slot: Index) -> bool:
    """Whether a slot is one of the first `index` that a move turns up."""
    for earlier in range(index):
        if turned_up(state, move, earlier) == slot:
            return True
    return False


@lean_kernel
def is_unknown(state: State, slot: Index) -> bool:
    """Whether a slot holds a card that nobody has seen."""
    if slot < MAX_DECK:
        return slot < state.draw_count
    seat, height = (slot - MAX_DECK) // state.stock_size, (slot - MAX_DECK) % state.stock_size
    return seat < state.seats and height < state.stock_counts[seat] - 1


@lean_kernel
def first_slot(state: State, slot: Index) -> Index:
    """Return the first of the slots whose unknown cards could as well lie in this one."""
    return MAX_DECK if slot >= MAX_DECK and state.pile_number > 0 else 0


@lean_kernel
def end_slot(state: State, slot: Index) -> Index:
    """Return the end of the slots whose unknown cards could as well lie in this one."""
    return MAX_DECK if slot < MAX_DECK and state.pile_number > 0 else SLOTS


@lean_kernel
def card_in(state: State, slot: Index) -> Card:
    """Return the card of a slot."""
    return int(state.draw_pile[slot]) if slot < MAX_DECK else int(state.stocks[slot - MAX_DECK])


@lean_kernel
def put_in(state: State, slot: Index, card: Card) -> None:
    """Put a card into a slot."""
    if slot < MAX_DECK:
        state.draw_pile[slot] = card
    else:
        state.stocks[slot - MAX_DECK] = card


@lean_kernel
def exchange(state: State, slot: Index, other: Index) -> None:
    """Exchange the cards of two slots."""
    card = card_in(state, slot)
    put_in(state, slot, card_in(state, other))
    put_in(state, other, card)
