"""Sorting packets of cards, and the order of equal cards in them (R1, R2, R4, A13, A19)."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.types import Bits, Index, State
from tablee.games.xylo.state import Row, card_at, colour_of, next_tie, packet_row, value_of


@kernel
def sort_row(state: State, row: Row) -> None:
    """Sort a row from the highest card on the left; equal cards stay in the order of the deal (R1, A19)."""
    first = row * state.row_size
    cards = state.cards[first : first + state.row_size]
    for last in range(1, state.row_size):
        card = int(cards[last])
        index = last
        while index > 0 and value_of(int(cards[index - 1])) < value_of(card):
            cards[index] = cards[index - 1]
            index -= 1
        cards[index] = card


@kernel
def arranged_row(state: State) -> Row:
    """Return the row whose equal cards the seat on turn orders."""
    return packet_row(state, state.to_move, state.arranging >> 4)


@kernel
def arranged_position(state: State) -> Index:
    """Return the position for which the seat on turn chooses a card."""
    return state.arranging & 15


@kernel
def open_packet(state: State, packet: int) -> None:
    """Let the seat on turn order the equal cards of a packet."""
    row = packet_row(state, state.to_move, packet)
    state.arranging = packet * 16 + next_tie(state, row, 0)


@kernel
def equal_colours(state: State) -> Bits:
    """Return the colours of the equal cards one of which comes next, a bit each; none without equal cards."""
    row, position = arranged_row(state), arranged_position(state)
    if position == state.row_size - 1:
        return 0
    value = value_of(card_at(state, row, position))
    colours = 0
    while position < state.row_size and value_of(card_at(state, row, position)) == value:
        colours |= 1 << colour_of(card_at(state, row, position))
        position += 1
    return colours


@kernel
def put_next(state: State, colour: int) -> bool:
    """Put an equal card next, before the others; return whether no equal cards are left to order."""
    row, position = arranged_row(state), arranged_position(state)
    first = row * state.row_size + position
    index = first
    while colour_of(int(state.cards[index])) != colour:
        index += 1
    card = state.cards[index]
    while index > first:
        state.cards[index] = state.cards[index - 1]
        index -= 1
    state.cards[first] = card
    tie = next_tie(state, row, position + 1)
    if tie == state.row_size - 1:
        return True
    state.arranging += tie - position
    return False
