"""What chance decides in Skip-Bo: each card when it is first turned up from a stock or drawn into a hand.

Nobody has seen the cards of the draw pile and those below the tops of the stocks (R5). To all seats together they are
in random order; from the first reshuffle on (R26) the draw pile and the stocks apart, because all know which cards are
in the pile (D18).

A slot is an index into the draw pile, or MAX_DECK + an index into the stocks.
"""

from __future__ import annotations

from tablee.core.compilation import lean_kernel
from tablee.core.randomness import below
from tablee.core.types import Index, Move, Moves, Seat, State
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
    if may_come_from_pile(state, slot):
        for other in range(pile_left(state, move, index)):
            weights[state.draw_pile[other]] += 1
    if may_come_from_stocks(state, slot):
        for seat in range(state.seats):
            first = seat * state.stock_size
            for other in range(first, first + stock_left(state, move, index, seat)):
                weights[state.stocks[other]] += 1
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
    if may_come_from_pile(state, slot):
        for other in range(pile_left(state, move, index)):
            if state.draw_pile[other] == value:
                exchange(state, slot, other)
                return
    for seat in range(state.seats):
        first = seat * state.stock_size
        for other in range(first, first + stock_left(state, move, index, seat)):
            if state.stocks[other] == value:
                exchange(state, slot, MAX_DECK + other)
                return


@lean_kernel
def may_come_from_pile(state: State, slot: Index) -> bool:
    """Whether the unknown card of a slot could as well be one of the draw pile."""
    return slot < MAX_DECK or state.pile_number == 0


@lean_kernel
def may_come_from_stocks(state: State, slot: Index) -> bool:
    """Whether the unknown card of a slot could as well be one of a stock."""
    return slot >= MAX_DECK or state.pile_number == 0


@lean_kernel
def pile_left(state: State, move: Move, index: Index) -> int:
    """Return how many cards of the draw pile are unknown after the first `index` that a move turns up."""
    return state.draw_count - (index - 1 if index > 0 and turns_up_stock(state, move) else index)


@lean_kernel
def stock_left(state: State, move: Move, index: Index, seat: Seat) -> int:
    """Return how many cards of a stock are unknown after the first `index` that a move turns up."""
    is_turned_up = index > 0 and seat == state.to_move and turns_up_stock(state, move)
    return int(state.stock_counts[seat]) - (2 if is_turned_up else 1)


@lean_kernel
def turns_up_stock(state: State, move: Move) -> bool:
    """Whether a move turns up the card below the top of a stock (R19)."""
    return move < HAND_FIRST and state.stock_counts[state.to_move] > 1


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
    if index == 0 and turns_up_stock(state, move):
        return MAX_DECK + state.to_move * state.stock_size + int(state.stock_counts[state.to_move]) - 2
    left = pile_left(state, move, index)
    return left - 1 if left > 0 else NOWHERE


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
def is_unknown(state: State, slot: Index) -> bool:
    """Whether a slot holds a card that nobody has seen."""
    if slot < MAX_DECK:
        return slot < state.draw_count
    seat, height = (slot - MAX_DECK) // state.stock_size, (slot - MAX_DECK) % state.stock_size
    return seat < state.seats and height < state.stock_counts[seat] - 1


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
