"""Drawing and holding cards in Skip-Bo: the draw pile, its renewal from completed series, and the hands."""

from __future__ import annotations

from tablee.core.bits import count_of, highest_bit, lowest_bit
from tablee.core.compilation import kernel
from tablee.core.randomness import below, shuffle
from tablee.core.runs import close_gap
from tablee.core.types import Bits, Index, Seat, State
from tablee.games.skip_bo.moves import CARD_CODES
from tablee.games.skip_bo.state import (
    MAX_HAND,
    MAX_HELD,
    MAX_SEATS,
    NO_CARD,
    Card,
    can_draw,
    first_size,
    list_held,
    refill_size,
)

# The draw pile (R6, R26)


@kernel
def take_top(state: State) -> Card:
    """Take the top card of the draw pile."""
    state.draw_count -= 1
    card = state.draw_pile[state.draw_count]
    state.draw_pile[state.draw_count] = NO_CARD
    return card


@kernel
def reshuffle(state: State) -> None:
    """Shuffle the completed series into a new draw pile (R26, D6)."""
    number_piles(state)
    pile, completed, unseen = state.draw_pile, state.completed, state.unseen_in_pile
    size = 0
    for card in range(1, CARD_CODES + 1):
        for _ in range(completed[card]):
            pile[size] = card
            size += 1
        unseen[card] = completed[card]
        completed[card] = 0
    shuffle(state.generator, pile, size)
    state.draw_count = size
    list_held(state, state.unseen_held)


@kernel
def number_piles(state: State) -> None:
    """Renumber the reshuffled piles that cards are still held from: 1, 2, ..., the new one after them (D18)."""
    held_from = 0
    for seat in range(state.seats):
        for slot in range(state.hand_counts[seat]):
            held_from |= 1 << int(state.hand_piles[seat, slot])
    held_from >>= 1  # the first pile keeps number 0
    for seat in range(state.seats):
        for slot in range(state.hand_counts[seat]):
            number = int(state.hand_piles[seat, slot])
            if number > 0:
                state.hand_piles[seat, slot] = count_of(held_from & ((1 << number) - 1))
    state.pile_number = count_of(held_from) + 1


# Hands (R17, R20, R22)


@kernel
def complete_hand(state: State) -> None:
    """Draw for the seat on turn at the start of its turn (R17, R22, D12) and when its hand is empty (R20, D3, D7)."""
    is_start = state.plays == 0
    if is_start or state.hand_counts[state.to_move] == 0:
        is_first_turn = is_start and state.turns < state.seats
        fill_hand(state, first_size(state) if is_first_turn else refill_size(state))


@kernel
def fill_hand(state: State, size: int) -> None:
    """Draw for the seat on turn until it holds `size` cards, or no card is left to draw (R22, D7)."""
    seat = state.to_move
    while state.hand_counts[seat] < size and can_draw(state):
        if state.draw_count == 0:
            reshuffle(state)
        add_to_hand(state, seat, take_top(state))


@kernel
def add_to_hand(state: State, seat: Seat, card: Card) -> None:
    """Insert a drawn card: after all cards of earlier draw piles, ascending among those of the same pile."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    count = int(state.hand_counts[seat])
    before = 0
    for slot in range(MAX_HAND - 1):
        before += int(slot < count) & (int(piles[slot] != state.pile_number) | int(hand[slot] <= card))
    for index in range(MAX_HAND - 1, 0, -1):
        hand[index] = hand[index - int(index > before)]
    hand[before] = card
    piles[count] = state.pile_number
    state.hand_counts[seat] = count + 1


@kernel
def take_from_hand(state: State, seat: Seat, card: Card) -> None:
    """Remove a card from a hand; among equal cards of different draw piles, a random one (D18)."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    slot = choose_in_hand(state, seat, card)
    pile = int(piles[slot])
    count = int(state.hand_counts[seat])
    for index in range(MAX_HAND - 1):
        behind = index + int(index >= slot)
        hand[index] = hand[behind]
        piles[index] = piles[behind]
    hand[MAX_HAND - 1] = NO_CARD
    piles[MAX_HAND - 1] = 0
    state.hand_counts[seat] = count - 1
    if pile > 0:
        show_reshuffled(state, card, pile)


@kernel
def choose_in_hand(state: State, seat: Seat, card: Card) -> Index:
    """Return the slot of a card in a hand, a random one if equal cards came from different draw piles (D18)."""
    copies, piles = slots_of(state, seat, card), state.hand_piles[seat]
    first, last = lowest_bit(copies), highest_bit(copies)
    if piles[first] == piles[last]:
        return first
    for _ in range(below(state.generator, count_of(copies))):
        copies &= copies - 1
    return lowest_bit(copies)


@kernel
def show_reshuffled(state: State, card: Card, pile: int) -> None:
    """Remove a card from the unseen ones of reshuffled piles: everyone has now seen it again (D18)."""
    if pile == state.pile_number:
        state.unseen_in_pile[card] -= 1
    else:
        remove_held(state, card, pile)


@kernel
def remove_held(state: State, card: Card, pile: int) -> None:
    """Remove a card from `unseen_held`, in which those of its draw pile follow those of earlier ones, ascending."""
    held, piles = state.unseen_held, state.hand_piles
    index = 0
    for seat in range(MAX_SEATS):
        for slot in range(MAX_HAND):
            index += int(piles[seat, slot] > 0) & int(piles[seat, slot] < pile)
    while held[index] != card:
        index += 1
    close_gap(held, index, MAX_HELD)
    held[MAX_HELD - 1] = NO_CARD


@kernel
def slots_of(state: State, seat: Seat, card: Card) -> Bits:
    """Return the slots of a hand that hold a card, a bit each."""
    hand = state.hands[seat]
    slots = 0
    for slot in range(MAX_HAND):
        slots |= int(hand[slot] == card) << slot
    return slots
