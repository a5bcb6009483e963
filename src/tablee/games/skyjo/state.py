"""The state of a Skyjo table: cards, piles, whose turn it is in which phase, the score sheet."""

from __future__ import annotations

import numpy as np

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Index, Seat, State
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

UNKNOWN = -9  # a card whose value the viewer does not know
NO_CARD = -10

# Phases of a turn, by number; their names are keys in the words and facts of views
PHASES = ("open_first", "open_second", "choose", "taken", "drawn", "flip")
OPEN_FIRST, OPEN_SECOND, CHOOSE, TAKEN, DRAWN, FLIP = range(len(PHASES))

# Indices and codes of the options
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
        ("round_scores", "i4", (MAX_SEATS,)),  # points of the last finished round, doubling included
        ("rounds_played", "i4"),
        ("phase", "i4"),
        ("held", "i4"),  # card in hand of the seat on turn, or NO_CARD
        ("ender", "i4"),  # seat that ended this round, or NOBODY
        ("last_ender", "i4"),  # seat that ended the previous round; NOBODY in the first and after a stalled one
        ("doubled", "i4"),  # seat whose points of the last finished round were doubled, or NOBODY
        ("stalled", "i4"),  # turns in a row without a newly opened card
        ("draw_count", "i4"),
        ("discard_count", "i4"),
        ("opened", "i2", (MAX_SEATS,)),  # bit per cell: the card lies face up
        ("gone", "i2", (MAX_SEATS,)),  # bit per cell: the card was cleared
        ("grid", "i1", (MAX_SEATS, CELLS)),  # card values, NO_CARD where cleared
        ("final_grid", "i1", (MAX_SEATS, CELLS)),  # the previous round's tableaux, turned up (R17), before R18
        ("piles", "i1", (DECK,)),  # draw pile from the left (top last), discard from the right (top first)
        ("deck", "i1", (VALUES,)),  # how many of each value are in the game
        ("recycled", "i1", (VALUES,)),  # of each value in the draw pile or drawn from it, if it was reshuffled
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_DECK = "the cards on the table are not the deck"
    OPEN_AND_GONE = "a card is both open and gone"
    PILES_OVERLAP = "the piles overlap"
    WRONG_TURN = "`to_move` does not fit `end_reason`"
    WRONG_HAND = "the card in hand does not fit the phase"
    EQUAL_LINE = "a line of equal open cards was not cleared (R14, B8)"
    NO_HIDDEN_CARD = "the seat on turn has no hidden card (B10)"
    UNMARKED_GAP = "a position without a card does not hold NO_CARD"


@kernel
def is_open(state: State, seat: Seat, cell: Index) -> bool:
    """Whether a card lies face up."""
    return (state.opened[seat] >> cell) & 1 == 1


@kernel
def is_gone(state: State, seat: Seat, cell: Index) -> bool:
    """Whether a cell was cleared."""
    return (state.gone[seat] >> cell) & 1 == 1


@kernel
def is_hidden(state: State, seat: Seat, cell: Index) -> bool:
    """Whether a card lies face down."""
    return ((state.opened[seat] | state.gone[seat]) >> cell) & 1 == 0


@kernel
def has_finished(state: State, seat: Seat) -> bool:
    """Whether a seat has no hidden card left."""
    return (state.opened[seat] | state.gone[seat]) == ALL_CELLS


@kernel
def top_discard(state: State) -> int:
    """Return the value on top of the discard pile."""
    return state.piles[DECK - state.discard_count]


@kernel
def column_is_equal(state: State, seat: Seat, column: Index) -> bool:
    """Whether the three cards of a column are open and of one value."""
    if (state.opened[seat] >> column) & COLUMN_BITS != COLUMN_BITS:
        return False
    cards = state.grid[seat]
    return cards[column] == cards[column + 4] and cards[column] == cards[column + 8]


@kernel
def row_is_equal(state: State, seat: Seat, row: Index) -> bool:
    """Whether the four cards of a row are open and of one value."""
    first = row * COLUMNS
    if (state.opened[seat] >> first) & ROW_BITS != ROW_BITS:
        return False
    cards = state.grid[seat]
    return cards[first] == cards[first + 1] and cards[first] == cards[first + 2] and cards[first] == cards[first + 3]


@kernel
def has_equal_line(state: State, seat: Seat) -> bool:
    """Whether a column of a seat, or with the option `rows` a row, is open and equal."""
    for column in range(COLUMNS):
        if column_is_equal(state, seat, column):
            return True
    for row in range(ROWS):
        if state.options[CLEAR_ROWS] == 1 and row_is_equal(state, seat, row):
            return True
    return False


@kernel
def problems(state: State) -> Bits:
    """Return the flags of `Problem` that are broken."""
    bits = 0
    if not holds_the_deck(state):
        bits |= Problem.WRONG_DECK
    for seat in range(state.seats):
        if state.opened[seat] & state.gone[seat]:
            bits |= Problem.OPEN_AND_GONE
        if has_equal_line(state, seat):
            bits |= Problem.EQUAL_LINE
    if state.draw_count < 0 or state.discard_count < 0 or state.draw_count + state.discard_count > DECK:
        bits |= Problem.PILES_OVERLAP
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= Problem.WRONG_TURN
    if (state.held != NO_CARD) != (state.phase == TAKEN or state.phase == DRAWN):
        bits |= Problem.WRONG_HAND
    if not is_over and has_finished(state, state.to_move):
        bits |= Problem.NO_HIDDEN_CARD
    if not marks_gaps(state):
        bits |= Problem.UNMARKED_GAP
    return bits


@kernel
def marks_gaps(state: State) -> bool:
    """Whether every cleared cell and the gap between the piles hold NO_CARD."""
    for seat in range(MAX_SEATS):
        for cell in range(CELLS):
            if is_gone(state, seat, cell) and state.grid[seat, cell] != NO_CARD:
                return False
    for index in range(state.draw_count, DECK - state.discard_count):
        if state.piles[index] != NO_CARD:
            return False
    return True


@kernel
def holds_the_deck(state: State) -> bool:
    """Whether every card of the deck is in exactly one position."""
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
