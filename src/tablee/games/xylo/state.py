"""The state of a Xylo table: rows of cards, the trick, announcements, whose turn it is in which phase, the score sheet.

A *row* is a player's Xylo. Three to five players have one row each, numbered as the seats; two players have the rows 0
and 2, and the rows 1 and 3 between them belong to two automata, which are not seats (R41). Positions in a row are
counted from the left, where the High Note lies: position 0 holds the highest card (R6).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Index, Seat, State
from tablee.games.xylo import GAME
from tablee.games.xylo.moves import COLOUR_NAMES, COLOURS

Card: TypeAlias = int  # colour * 16 + value, UNKNOWN or NO_CARD
Row: TypeAlias = int  # 0 .. row_count(state) - 1
TrickCards: TypeAlias = npt.NDArray[np.int8]  # (MAX_ROWS,) the card that each row has played, or NO_CARD

MAX_SEATS = 5
MAX_ROWS = 5
DECK = 60
HIGHEST = 10

RED, YELLOW = COLOUR_NAMES.index("red"), COLOUR_NAMES.index("yellow")
UNKNOWN_VALUE = 15  # the value of a card of which only the back, and so the colour, is known
UNKNOWN = -1  # a card of which neither colour nor value is known
NO_CARD = -2
NOWHERE = -1  # instead of a position

# Phases: order the equal cards of a packet, play a card, announce or not, choose between the two cards looked at. Their
# names are keys in the words and facts of views.
PHASES = ("arrange", "play", "window", "bid")
ARRANGE, PLAY, WINDOW, BID = range(len(PHASES))

# Indices and codes of the options
REMOVED = GAME.option_index("removed")
LEAD_TIE = GAME.option_index("lead_tie")
TIES = GAME.option_index("ties")
LEADER_FIRST = GAME.option("lead_tie").code("leader_first")
AUTO_TIES = GAME.option("ties").code("auto")

STATE = state_type(
    GAME,
    [
        ("totals", "i4", (MAX_SEATS,)),  # points of the finished rounds
        ("round_scores", "i4", (MAX_SEATS,)),  # points of the last finished round
        ("rounds_played", "i4"),
        ("phase", "i4"),
        ("row_size", "i4"),  # cards dealt to a row
        ("trump", "i4"),  # colour
        ("first", "i4"),  # seat that leads the first trick of this round
        ("leader", "i4"),  # row that leads the trick
        ("last_leader", "i4"),  # row that led the last finished trick
        ("down", "i2", (MAX_ROWS,)),  # bit per position: the card still lies face down in the row
        ("cards", "i1", (DECK,)),  # row after row, row_size cards each; played cards stay
        ("arranging", "i1"),  # packet * 16 + position for which the seat on turn chooses a card; 0 in other phases
        ("peeks", "i1", (MAX_ROWS, 2)),  # positions that the owner looked at, or NOWHERE
        ("bid_at", "i1", (MAX_ROWS,)),  # position of the announcement card, or NOWHERE
        ("won", "i1", (MAX_ROWS,)),  # tricks of this round
        ("trick", "i1", (MAX_ROWS,)),  # the card that each row has played to the trick, or NO_CARD
        ("last_trick", "i1", (MAX_ROWS,)),  # the same of the last finished trick, which may be of the previous round
        ("last_bids", "i1", (MAX_ROWS,)),  # announcement cards of the last finished round, or NO_CARD
        ("last_won", "i1", (MAX_ROWS,)),  # tricks of the last finished round
        ("sizes", "i1", (COLOURS,)),  # number of cards of each colour: values 0 .. size - 1
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_DECK = "the cards in the rows are not the deck"
    UNSORTED_ROW = "a row is not sorted (R1)"
    WRONG_END = "`to_move` does not fit `end_reason`"
    WRONG_CARDS_LEFT = "the cards left in a row do not fit the tricks played (R19)"
    BID_FACE_DOWN = "an announcement card lies face down (R31)"
    WRONG_TURN = "the seat on turn is not the one whose turn it is (R12)"
    MISSING_BID = "a row has one card face down and no announcement (R30)"
    WRONG_TRICKS = "more tricks were won than can be played (R18)"


# Cards


@kernel
def colour_of(card: Card) -> int:
    """Return the colour of a card."""
    return card >> 4


@kernel
def value_of(card: Card) -> int:
    """Return the value of a card, UNKNOWN_VALUE if only its back is known."""
    return card & 15


@kernel
def card_at(state: State, row: Row, position: Index) -> Card:
    """Return the card at a position of a row, played or not."""
    return int(state.cards[row * state.row_size + position])


# Rows and seats (R41)


@kernel
def row_count(state: State) -> int:
    """Return how many rows are on the table."""
    return 4 if state.seats == 2 else state.seats


@kernel
def next_row(state: State, row: Row) -> Row:
    """Return the row to the left."""
    return row + 1 if row + 1 < row_count(state) else 0


@kernel
def row_of(state: State, seat: Seat) -> Row:
    """Return the row of a seat."""
    return 2 * seat if state.seats == 2 else seat


@kernel
def seat_of(state: State, row: Row) -> Seat:
    """Return the seat of a row, NOBODY for an automaton."""
    if state.seats == 2:
        return NOBODY if row % 2 else row // 2
    return row


@kernel
def packet_count(state: State) -> int:
    """Return how many packets each seat sorts (R4, R42)."""
    return 2 if state.seats == 2 else 1


@kernel
def packet_row(state: State, seat: Seat, packet: int) -> Row:
    """Return the row that a packet becomes: the left neighbour's (R4); of two players, the opponent's first (R42)."""
    row = row_of(state, seat)
    if state.seats == 2:
        return (row + 2) % 4 if packet == 0 else row + 1
    return next_row(state, row)


@kernel
def is_sorter(state: State, seat: Seat, row: Row) -> bool:
    """Whether a seat has sorted a row, and so knows its cards (R8, A14)."""
    if seat < 0:
        return False
    for packet in range(packet_count(state)):
        if packet_row(state, seat, packet) == row:
            return True
    return False


# Positions and tricks


@kernel
def is_down(state: State, row: Row, position: Index) -> bool:
    """Whether a card lies face down in its row."""
    return (state.down[row] >> position) & 1 == 1


@kernel
def has_bid(state: State, row: Row) -> bool:
    """Whether a row has its announcement."""
    return state.bid_at[row] != NOWHERE


@kernel
def is_trick_empty(state: State) -> bool:
    """Whether no card has been played to the trick."""
    return state.trick[state.leader] == NO_CARD


@kernel
def tricks_played(state: State) -> int:
    """Return how many tricks of the round are finished."""
    total = 0
    for row in range(row_count(state)):
        total += int(state.won[row])
    return total


@kernel
def next_tie(state: State, row: Row, position: Index) -> Index:
    """Return the first position from here on whose card equals the one to its right, else the last position."""
    while position < state.row_size - 1:
        if value_of(card_at(state, row, position)) == value_of(card_at(state, row, position + 1)):
            return position
        position += 1
    return state.row_size - 1


@kernel
def problems(state: State) -> Bits:
    """Return the broken invariants, as flags of `Problem`."""
    bits = 0
    if not holds_the_deck(state):
        bits |= Problem.WRONG_DECK
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= Problem.WRONG_END
    played = tricks_played(state)
    if played > state.row_size - 1:
        bits |= Problem.WRONG_TRICKS
    for row in range(row_count(state)):
        bits |= problems_of_row(state, row, played)
    if not is_over and not is_turn_right(state):
        bits |= Problem.WRONG_TURN
    return bits


@kernel
def holds_the_deck(state: State) -> bool:
    """Whether every card of the deck is in a row exactly once."""
    seen = np.zeros(COLOURS, np.int64)
    count = 0
    for row in range(row_count(state)):
        for position in range(state.row_size):
            card = card_at(state, row, position)
            if card < 0 or (seen[colour_of(card)] >> value_of(card)) & 1:
                return False
            seen[colour_of(card)] |= 1 << value_of(card)
            count += 1
    for colour in range(COLOURS):
        if seen[colour] != (1 << int(state.sizes[colour])) - 1:
            return False
    for index in range(count, DECK):
        if state.cards[index] != NO_CARD:
            return False
    return True


@kernel
def problems_of_row(state: State, row: Row, played: int) -> Bits:
    """Return the broken invariants of one row."""
    bits = 0
    left = 0
    for position in range(state.row_size):
        left += 1 if is_down(state, row, position) else 0
        if position > 0 and value_of(card_at(state, row, position - 1)) < value_of(card_at(state, row, position)):
            bits |= Problem.UNSORTED_ROW
    removed = played + (1 if state.trick[row] != NO_CARD else 0) + (1 if has_bid(state, row) else 0)
    if left + removed != state.row_size:
        bits |= Problem.WRONG_CARDS_LEFT
    if has_bid(state, row) and is_down(state, row, state.bid_at[row]):
        bits |= Problem.BID_FACE_DOWN
    if left == 1 and not has_bid(state, row):
        bits |= Problem.MISSING_BID
    return bits


@kernel
def is_turn_right(state: State) -> bool:
    """Whether the seat on turn and the phase fit the trick."""
    row = row_of(state, state.to_move)
    if state.phase == ARRANGE:
        return is_trick_empty(state) and tricks_played(state) == 0 and state.arranging >= 0
    if state.phase == PLAY:
        before = (row - 1) % row_count(state)
        is_next = row == state.leader if is_trick_empty(state) else state.trick[before] != NO_CARD
        return is_next and state.trick[row] == NO_CARD
    return not has_bid(state, row) and (is_trick_empty(state) or state.trick[row] != NO_CARD)
