"""The record of a Skyjo table: cards, piles, whose turn in which phase, the score sheet."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.games.skyjo import GAME

MAX_SEATS = 8
ROWS, COLUMNS = 3, 4
CELLS = ROWS * COLUMNS  # numbered row by row: a1 b1 c1 d1 a2 ...
ALL_CELLS = (1 << CELLS) - 1
COLUMN_BITS = 0b0001_0001_0001  # the cells of column a
ROW_BITS = 0b1111  # the cells of row 1
LOWEST, HIGHEST = -2, 12
VALUES = HIGHEST - LOWEST + 1
COPIES = np.array([5, 10, 15, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10])  # of -2, -1, 0, 1 .. 12
DECK = 150

UNKNOWN = -9  # a card that lies somewhere, but the viewer cannot tell which
NO_CARD = -10

# Phases
OPEN_FIRST, OPEN_SECOND, CHOOSE, TAKEN, DRAWN, FLIP = range(6)

# Places of the options
START = GAME.option_index("start")
DOUBLE_NEGATIVE = GAME.option_index("double_negative")
CLEAR_ROWS = GAME.option_index("rows")
OPENING = GAME.option_index("opening")
STALL_TURNS = GAME.option_index("stall_turns")
HIGHEST_SUM_STARTS = GAME.option("start").code("highest_sum")
AUTO_OPENING = GAME.option("opening").code("auto")

STATE = state_type(
    GAME,
    [
        ("totals", "i4", (MAX_SEATS,)),  # points of the finished rounds
        ("round_scores", "i4", (MAX_SEATS,)),  # points of the last finished round, doubled if so
        ("rounds_played", "i4"),
        ("phase", "i4"),
        ("held", "i4"),  # card in hand of the seat on turn, or NO_CARD
        ("ender", "i4"),  # who ended this round, NOBODY so far
        ("last_ender", "i4"),  # who ended the previous round, NOBODY in the first and after a stalled one
        ("doubled", "i4"),  # whose points of the last finished round were doubled, or NOBODY
        ("stalled", "i4"),  # turns in a row without a newly opened card
        ("draw_count", "i4"),
        ("discard_count", "i4"),
        ("opened", "i2", (MAX_SEATS,)),  # bit per cell: lies face up
        ("gone", "i2", (MAX_SEATS,)),  # bit per cell: cleared away
        ("grid", "i1", (MAX_SEATS, CELLS)),  # card values, NO_CARD where cleared
        ("final_grid", "i1", (MAX_SEATS, CELLS)),  # the previous round's tableaux as they were turned up
        ("piles", "i1", (DECK,)),  # draw pile from the left (top last), discard from the right (top first)
        ("deck", "i1", (VALUES,)),  # how many of each value are in the game
        ("recycled", "i1", (VALUES,)),  # of each value in the draw pile or drawn from it, if it was reshuffled
    ],
)

PROBLEMS = (
    "the cards on the table are not the deck",
    "a card is both open and gone",
    "the piles overlap",
    "the seat on turn does not fit the end of the game",
    "the card in hand does not fit the phase",
    "equal open cards still lie in a line that should have left (R14, B8)",
    "the seat on turn has no hidden card (B10)",
    "a place without a card is not marked as such",
)


@kernel
def is_open(state, seat, cell):
    """Say whether a card lies face up."""
    return (state.opened[seat] >> cell) & 1 == 1


@kernel
def is_gone(state, seat, cell):
    """Say whether a cell was cleared."""
    return (state.gone[seat] >> cell) & 1 == 1


@kernel
def is_hidden(state, seat, cell):
    """Say whether a card lies face down."""
    return ((state.opened[seat] | state.gone[seat]) >> cell) & 1 == 0


@kernel
def has_finished(state, seat):
    """Say whether no card of a seat is hidden any more."""
    return (state.opened[seat] | state.gone[seat]) == ALL_CELLS


@kernel
def top_discard(state):
    """Return the value on top of the discard."""
    return state.piles[DECK - state.discard_count]


@kernel
def column_is_equal(state, seat, column):
    """Say whether three open cards of one value lie in a column."""
    if (state.opened[seat] >> column) & COLUMN_BITS != COLUMN_BITS:
        return False
    cards = state.grid[seat]
    return cards[column] == cards[column + 4] and cards[column] == cards[column + 8]


@kernel
def row_is_equal(state, seat, row):
    """Say whether four open cards of one value lie in a row."""
    first = row * COLUMNS
    if (state.opened[seat] >> first) & ROW_BITS != ROW_BITS:
        return False
    cards = state.grid[seat]
    return cards[first] == cards[first + 1] and cards[first] == cards[first + 2] and cards[first] == cards[first + 3]


@kernel
def has_equal_line(state, seat):
    """Say whether a column of a seat, or with the option a row, is open and equal."""
    for column in range(COLUMNS):
        if column_is_equal(state, seat, column):
            return True
    for row in range(ROWS):
        if state.options[CLEAR_ROWS] == 1 and row_is_equal(state, seat, row):
            return True
    return False


@kernel
def problems(state):
    """Return a bit per broken invariant."""
    bits = 0
    if not holds_the_deck(state):
        bits |= 1
    for seat in range(state.seats):
        if state.opened[seat] & state.gone[seat]:
            bits |= 2
        if has_equal_line(state, seat):
            bits |= 32
    if state.draw_count < 0 or state.discard_count < 0 or state.draw_count + state.discard_count > DECK:
        bits |= 4
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= 8
    if (state.held != NO_CARD) != (state.phase == TAKEN or state.phase == DRAWN):
        bits |= 16
    if not is_over and has_finished(state, state.to_move):
        bits |= 64
    if not marks_empty_cells(state):
        bits |= 128
    return bits


@kernel
def marks_empty_cells(state):
    """Say whether NO_CARD stands in every cleared cell and between the piles."""
    for seat in range(MAX_SEATS):
        for cell in range(CELLS):
            if is_gone(state, seat, cell) and state.grid[seat, cell] != NO_CARD:
                return False
    for index in range(state.draw_count, DECK - state.discard_count):
        if state.piles[index] != NO_CARD:
            return False
    return True


@kernel
def holds_the_deck(state):
    """Say whether every card of the deck is somewhere exactly once."""
    counts = np.zeros(VALUES, np.int64)
    for seat in range(state.seats):
        for cell in range(CELLS):
            if not is_gone(state, seat, cell):
                counts[state.grid[seat, cell] - LOWEST] += 1
    for index in range(state.draw_count):
        counts[state.piles[index] - LOWEST] += 1
    for index in range(DECK - state.discard_count, DECK):
        counts[state.piles[index] - LOWEST] += 1
    if state.held != NO_CARD:
        counts[state.held - LOWEST] += 1
    for value in range(VALUES):
        if counts[value] != state.deck[value]:
            return False
    return True
