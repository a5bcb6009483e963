"""What chance decides in Skyjo: the value of each card when it is first turned up.

Nobody has seen the cards of the draw pile and the hidden cards of the tableaux (R11). To all seats together they are in
random order; after a reshuffle (B11) the draw pile and the tableaux apart, because all know which are in the pile.

A slot is an index into the draw pile, or DECK + seat * CELLS + cell.
"""

from __future__ import annotations

from tablee.core.compilation import lean_kernel
from tablee.core.kernels import MANY
from tablee.core.randomness import below
from tablee.core.types import Index, Move, Moves, State
from tablee.games.skyjo.moves import DRAW, FLIP_FIRST
from tablee.games.skyjo.state import CELLS, DECK, LOWEST, MAX_SEATS, OPEN_SECOND, VALUES, is_hidden

SLOTS = DECK + MAX_SEATS * CELLS
NOWHERE = -1


def draw_text(value: int) -> str:
    """Write a value that `list_draws` lists."""
    return str(value + LOWEST)


@lean_kernel
def list_draws(state: State, move: Move, after: State, index: Index, values: Moves, weights: Moves) -> int:
    """List the values that the card can have, -2 as 0; at the end of a round many cards are turned up (R17)."""
    if after.rounds_played != state.rounds_played:
        return MANY
    slot = turned_up(state, move, index)
    if slot == NOWHERE:
        return 0
    known = turned_up(state, move, 0) if index > 0 else NOWHERE
    for value in range(VALUES):
        weights[value] = 0
    for other in range(first_slot(state, slot), end_slot(state, slot)):
        if other != known and is_unknown(state, other):
            weights[card_in(state, other) - LOWEST] += 1
    listed = 0
    for value in range(VALUES):
        if weights[value] > 0:
            values[listed] = value
            weights[listed] = weights[value]
            listed += 1
    return listed


@lean_kernel
def arrange_draw(state: State, move: Move, index: Index, value: int) -> None:
    """Exchange the card that is turned up with an unknown one of the value."""
    slot = turned_up(state, move, index)
    known = turned_up(state, move, 0) if index > 0 else NOWHERE
    if card_in(state, slot) == value + LOWEST:
        return
    for other in range(first_slot(state, slot), end_slot(state, slot)):
        if other != known and is_unknown(state, other) and card_in(state, other) == value + LOWEST:
            exchange(state, slot, other)
            return


@lean_kernel
def shuffle_unknown(state: State) -> None:
    """Put the unknown cards in random order."""
    first, count = 0, 0
    for slot in range(SLOTS):
        if slot == DECK and was_reshuffled(state):
            first, count = DECK, 0  # the draw pile is shuffled apart
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
    """Return the slot of the `index`-th card that a move turns up, NOWHERE if there is none.

    It is a card that is drawn (R8), opened (R3, R13) or exchanged while hidden (R9); the last of the cards that are
    opened first is followed by the first discard (R5).
    """
    if index == 0 and move >= FLIP_FIRST:
        cell = (move - FLIP_FIRST) % CELLS
        return DECK + state.to_move * CELLS + cell if is_hidden(state, state.to_move, cell) else NOWHERE
    is_last_opening = state.phase == OPEN_SECOND and state.to_move + 1 == state.seats
    if (index == 0 and move == DRAW) or (index == 1 and is_last_opening):
        return state.draw_count - 1  # NOWHERE if the draw pile is empty: it is reshuffled first
    return NOWHERE


@lean_kernel
def is_unknown(state: State, slot: Index) -> bool:
    """Whether a slot holds a card that nobody has seen."""
    if slot < DECK:
        return slot < state.draw_count
    seat = (slot - DECK) // CELLS
    return seat < state.seats and is_hidden(state, seat, (slot - DECK) % CELLS)


@lean_kernel
def first_slot(state: State, slot: Index) -> Index:
    """Return the first of the slots whose unknown cards could as well lie in this one."""
    return DECK if slot >= DECK and was_reshuffled(state) else 0


@lean_kernel
def end_slot(state: State, slot: Index) -> Index:
    """Return the end of the slots whose unknown cards could as well lie in this one."""
    return DECK if slot < DECK and was_reshuffled(state) else SLOTS


@lean_kernel
def was_reshuffled(state: State) -> bool:
    """Whether all know which cards are in the draw pile (B11)."""
    for value in range(VALUES):
        if state.recycled[value] > 0:
            return True
    return False


@lean_kernel
def card_in(state: State, slot: Index) -> int:
    """Return the card of a slot."""
    if slot < DECK:
        return int(state.piles[slot])
    return int(state.grid[(slot - DECK) // CELLS, (slot - DECK) % CELLS])


@lean_kernel
def put_in(state: State, slot: Index, card: int) -> None:
    """Put a card into a slot."""
    if slot < DECK:
        state.piles[slot] = card
    else:
        state.grid[(slot - DECK) // CELLS, (slot - DECK) % CELLS] = card


@lean_kernel
def exchange(state: State, slot: Index, other: Index) -> None:
    """Exchange the cards of two slots."""
    card = card_in(state, slot)
    put_in(state, slot, card_in(state, other))
    put_in(state, other, card)
