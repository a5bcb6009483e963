"""Which cards may be played to a trick, and which card wins it (R10 to R20, R44)."""

from __future__ import annotations

from tablee.core.bits import highest_bit
from tablee.core.compilation import kernel
from tablee.core.types import Bits, Index, State
from tablee.games.xylo.state import Row, TrickCards, colour_of, is_trick_empty, value_of


@kernel
def playable(state: State, row: Row) -> Bits:
    """Return the positions that a row may play, a bit each."""
    down = int(state.down[row])
    if is_trick_empty(state):
        return leadable(down)
    follows = of_colour(state, row, colour_of(int(state.trick[state.leader])))
    return follows if follows else down


@kernel
def leadable(down: Bits) -> Bits:
    """Return all cards but the leftmost (R10, A5), unless it is the only one (R20)."""
    others = down & (down - 1)
    return others if others else down


@kernel
def of_colour(state: State, row: Row, colour: int) -> Bits:
    """Return the face-down cards of a colour in a row, a bit each (R14, A6)."""
    first = row * state.row_size
    cards = state.cards[first : first + state.row_size]
    bits = 0
    for position in range(len(cards)):
        bits |= int(colour_of(int(cards[position])) == colour) << position
    return bits & int(state.down[row])


@kernel
def winner_of(trick: TrickCards, leader: Row, rows: int, trump: int) -> Row:
    """Return the row of the highest trump, else of the highest card of the colour led (R16, R17)."""
    led = colour_of(int(trick[leader]))
    winner, best = leader, -1
    for row in range(rows):
        card = int(trick[row])
        strength = value_of(card)
        if colour_of(card) == trump:
            strength += 32
        elif colour_of(card) == led:
            strength += 16
        if strength > best:
            winner, best = row, strength
    return winner


@kernel
def automaton_position(state: State, row: Row) -> Index:
    """Return what an automaton plays: its lowest card of the colour led, else of trump (R44), else of all (A10).

    The lowest card is the rightmost.
    """
    if not is_trick_empty(state):
        follows = of_colour(state, row, colour_of(int(state.trick[state.leader])))
        if follows:
            return highest_bit(follows)
        trumps = of_colour(state, row, state.trump)
        if trumps:
            return highest_bit(trumps)
    return highest_bit(int(state.down[row]))
