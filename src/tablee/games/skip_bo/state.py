"""The state of a Skip-Bo table: stocks, hands, discard piles, series, draw pile and score sheet."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Index, Seat, State
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import CARD_CODES, PILES, SERIES

MAX_SEATS = 6
MAX_HAND = 5
MAX_HELD = MAX_SEATS * MAX_HAND  # cards in all hands together
MAX_STOCKED = 120  # cards in all stocks together: 4 x 30 or 6 x 20
MAX_DECK = 162

Card: TypeAlias = int  # 1 to 12 as the number, WILD, NO_CARD or UNKNOWN
Cards: TypeAlias = npt.NDArray[np.int8]  # card codes
Counts: TypeAlias = npt.NDArray[np.int64]  # (CARD_CODES + 1,) how many of each card; index 0 is not used

NO_CARD = 0
WILD = CARD_CODES
UNKNOWN = -1  # a card that the viewer of a sight does not know

# The editions (D1, D2, D11): rulebook, pocket, classic
SERIES_LENGTHS = np.array([10, 11, 12])
COPIES = np.array([8, 7, 12])  # of each number
WILDS = np.array([16, 16, 18])
HAND_SIZES = np.array([3, 3, 5])
STOCK_SIZES = np.array([[15, 10, 7, 0, 0], [13, 10, 7, 0, 0], [30, 30, 30, 20, 20]])  # for 2, 3, ... seats

# Indices into `options`
EDITION = GAME.option_index("edition")
HAND_SIZE = GAME.option_index("hand_size")
NO_DOUBLE_WILD = GAME.option_index("no_double_wild")
SINGLE_ROUND = GAME.option_index("single_round")
HAND_OF_EDITION = GAME.option("hand_size").code("edition")
HAND_OF_THREE = GAME.option("hand_size").code("three")
HAND_OF_FIVE = GAME.option("hand_size").code("five")

STATE = state_type(
    GAME,
    [
        ("rounds_played", "i4"),
        ("dealer", "i4"),  # of this round
        ("turns", "i4"),  # turns finished in this round
        ("stalled", "i4"),  # consecutive turns without a stock card played (D7)
        ("passes", "i4"),  # consecutive passes (D7)
        ("plays", "i4"),  # cards played in this turn (D16)
        ("stock_size", "i4"),  # cards in each stock at the start of the round
        ("series_length", "i4"),  # cards of a complete series
        ("draw_count", "i4"),
        ("discard_count", "i4"),  # cards in all discard piles together
        ("last_end", "i4"),  # why the previous round ended: an EndReason, 0 in the first round
        ("last_winner", "i4"),  # winner of the previous round, or NOBODY
        ("last_points", "i4"),  # what that round scored
        ("totals", "i2", (MAX_SEATS,)),  # points of the finished rounds
        ("series_wilds", "i2", (SERIES,)),  # bit i: the card that stands for i + 1 is a wild
        ("series", "i1", (SERIES,)),  # height: the number on top, 0 for an empty series
        ("lots", "i1", (MAX_SEATS,)),  # the card drawn for the first deal; NO_CARD: none in the last draw (R2, D15)
        ("last_left", "i1", (MAX_SEATS,)),  # stock cards left at the end of the previous round
        ("stock_counts", "i1", (MAX_SEATS,)),
        ("hand_counts", "i1", (MAX_SEATS,)),
        ("pile_counts", "u1", (MAX_SEATS, PILES)),
        ("pile_tops", "i1", (MAX_SEATS, PILES)),  # top card of each discard pile, NO_CARD if it is empty
        ("hands", "i1", (MAX_SEATS, MAX_HAND)),  # sorted by draw pile, then ascending; then NO_CARD
        ("hand_piles", "i1", (MAX_SEATS, MAX_HAND)),  # number of the draw pile each card came from (D18)
        ("stocks", "i1", (MAX_STOCKED,)),  # seat by seat, stock_size elements each, top last
        ("draw_pile", "i1", (MAX_DECK,)),  # top last
        ("discards", "i1", (MAX_DECK,)),  # seat by seat, pile by pile, top last, without gaps
        ("completed", "i1", (CARD_CODES + 1,)),  # of each card: in completed series that were set aside
        ("deck", "i1", (CARD_CODES + 1,)),  # of each card: in the game
        ("pile_number", "i1"),  # 0: the first draw pile; later ones are numbered among those still held from (D18)
        # A reshuffled pile is made of cards that all have seen, so all know which are still unseen since (D18)
        ("unseen_in_pile", "i1", (CARD_CODES + 1,)),  # of each card: in the current pile or held from it
        ("unseen_held", "i1", (MAX_HELD,)),  # cards held from earlier ones, pile by pile, ascending
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_DECK = "the cards on the table are not the deck"
    SERIES_TOO_LONG = "a series is as long as a complete one, or longer (R14)"
    HAND_OUT_OF_ORDER = "a hand is not sorted, or larger than it may be"
    WRONG_TURN = "`to_move` does not fit `end_reason`"
    HAND_NOT_REFILLED = "the seat on turn has an empty hand, and cards could be drawn (D7)"
    WRONG_PILE_TOP = "the top of a discard pile is not its last card"
    EMPTY_STOCK = "a stock is empty, and the round goes on (D9)"
    UNKNOWN_PILE = "a card is held from a draw pile that does not exist yet"
    LEFTOVER_CARD = "an unused array element is not empty"
    WRONG_UNSEEN_CARDS = "the unseen cards of reshuffled piles do not fit the cards on the table (D18)"


@kernel
def stock_top(state: State, seat: Seat) -> Card:
    """Return the face-up card of a stock, NO_CARD if it is empty."""
    count = int(state.stock_counts[seat])
    return int(state.stocks[seat * state.stock_size + count - 1]) if count > 0 else NO_CARD


@kernel
def pile_end(state: State, seat: Seat, pile: int) -> Index:
    """Return the index after the top of a discard pile; a sum over all piles is faster than one that stops early."""
    counts = state.pile_counts
    last = seat * PILES + pile
    end = 0
    for other in range(MAX_SEATS):
        for index in range(PILES):
            end += int(counts[other, index]) if other * PILES + index <= last else 0
    return end


@kernel
def ends_in_wild(state: State, series: int) -> bool:
    """Whether the top card of a series is a wild."""
    return (int(state.series_wilds[series]) << 1 >> int(state.series[series])) & 1 == 1


@kernel
def can_draw(state: State) -> bool:
    """Whether the draw pile has a card, or can be renewed from completed series (R26)."""
    if state.draw_count > 0:
        return True
    completed = state.completed
    for card in range(1, CARD_CODES + 1):
        if completed[card] > 0:
            return True
    return False


@kernel
def refill_size(state: State) -> int:
    """Return how many cards a hand is completed to (R22, D1)."""
    choice = state.options[HAND_SIZE]
    if choice == HAND_OF_EDITION:
        return HAND_SIZES[state.options[EDITION]]
    return 3 if choice == HAND_OF_THREE else 5


@kernel
def first_size(state: State) -> int:
    """Return how many cards a seat draws on its first turn of a round (R17, D1)."""
    choice = state.options[HAND_SIZE]
    if choice == HAND_OF_EDITION:
        return HAND_SIZES[state.options[EDITION]]
    return 5 if choice == HAND_OF_FIVE else 3


@kernel
def list_held(state: State, out: Any) -> None:
    """Write the cards held from reshuffled piles before the current one, pile by pile, ascending (D18)."""
    hands, piles = state.hands, state.hand_piles
    size = 0
    for pile in range(1, int(state.pile_number)):
        first = size
        for seat in range(state.seats):
            for slot in range(state.hand_counts[seat]):
                if piles[seat, slot] == pile:
                    card = hands[seat, slot]
                    index = size
                    while index > first and out[index - 1] > card:
                        out[index] = out[index - 1]
                        index -= 1
                    out[index] = card
                    size += 1
    for index in range(size, MAX_HELD):
        out[index] = NO_CARD


# Invariants


@kernel
def problems(state: State) -> Bits:
    """Return the broken invariants, as flags of `Problem`."""
    bits = 0
    if not holds_the_deck(state):
        bits |= Problem.WRONG_DECK
    for series in range(SERIES):
        if state.series[series] < 0 or state.series[series] >= state.series_length:
            bits |= Problem.SERIES_TOO_LONG
    for seat in range(state.seats):
        if not hand_is_in_order(state, seat):
            bits |= Problem.HAND_OUT_OF_ORDER
        if not tops_are_last(state, seat):
            bits |= Problem.WRONG_PILE_TOP
        if not state.end_reason and state.stock_counts[seat] <= 0:
            bits |= Problem.EMPTY_STOCK
        for slot in range(state.hand_counts[seat]):
            if state.hand_piles[seat, slot] < 0 or state.hand_piles[seat, slot] > state.pile_number:
                bits |= Problem.UNKNOWN_PILE
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= Problem.WRONG_TURN
    if not is_over and state.hand_counts[state.to_move] == 0 and can_draw(state):
        bits |= Problem.HAND_NOT_REFILLED
    if not unused_is_empty(state):
        bits |= Problem.LEFTOVER_CARD
    if not knows_reshuffled(state):
        bits |= Problem.WRONG_UNSEEN_CARDS
    return bits


@kernel
def count_cards(state: State, counts: Counts) -> None:
    """Count the cards of the whole table; unknown cards of a sight do not count."""
    for card in range(1, CARD_CODES + 1):
        counts[card] = int(state.completed[card])
    for series in range(SERIES):
        wilds = int(state.series_wilds[series])
        for number in range(1, int(state.series[series]) + 1):
            counts[WILD if (wilds >> (number - 1)) & 1 else number] += 1
    count_known(state.draw_pile, state.draw_count, counts)
    count_known(state.discards, state.discard_count, counts)
    count_known(state.stocks, state.seats * state.stock_size, counts)
    for seat in range(state.seats):
        count_known(state.hands[seat], int(state.hand_counts[seat]), counts)


@kernel
def count_known(cards: Cards, count: int, counts: Counts) -> None:
    """Count the first `count` cards of an array; UNKNOWN and NO_CARD do not count."""
    for index in range(count):
        if cards[index] > NO_CARD:
            counts[cards[index]] += 1


@kernel
def holds_the_deck(state: State) -> bool:
    """Whether every card of the deck is somewhere exactly once."""
    counts = np.zeros(CARD_CODES + 1, np.int64)
    count_cards(state, counts)
    for card in range(1, CARD_CODES + 1):
        if counts[card] != state.deck[card]:
            return False
    return True


@kernel
def knows_reshuffled(state: State) -> bool:
    """Whether the unseen cards of reshuffled piles are those in the current pile or in hands."""
    counts = np.zeros(CARD_CODES + 1, np.int64)
    held = np.zeros(MAX_HELD, np.int64)
    list_held(state, held)
    if state.pile_number > 0:
        count_known(state.draw_pile, state.draw_count, counts)
        for seat in range(state.seats):
            for slot in range(state.hand_counts[seat]):
                if state.hand_piles[seat, slot] == state.pile_number:
                    counts[state.hands[seat, slot]] += 1
    for card in range(CARD_CODES + 1):
        if counts[card] != state.unseen_in_pile[card]:
            return False
    for index in range(MAX_HELD):
        if held[index] != state.unseen_held[index]:
            return False
    return True


@kernel
def hand_is_in_order(state: State, seat: Seat) -> bool:
    """Whether a hand is no larger than it may be, and sorted: by draw pile, then ascending."""
    count = int(state.hand_counts[seat])
    if count < 0 or count > max(refill_size(state), first_size(state)):
        return False
    hand, piles = state.hands[seat], state.hand_piles[seat]
    for slot in range(1, count):
        if piles[slot - 1] > piles[slot] or (piles[slot - 1] == piles[slot] and hand[slot - 1] > hand[slot]):
            return False
    return True


@kernel
def tops_are_last(state: State, seat: Seat) -> bool:
    """Whether `pile_tops` holds the last card of each discard pile of a seat."""
    for pile in range(PILES):
        top = NO_CARD
        if state.pile_counts[seat, pile] > 0:
            top = state.discards[pile_end(state, seat, pile) - 1]
        if state.pile_tops[seat, pile] != top:
            return False
    return True


@kernel
def unused_is_empty(state: State) -> bool:
    """Whether all array elements after the last card are NO_CARD, so that equal states are equal bytes."""
    if not is_empty(state.draw_pile, state.draw_count, MAX_DECK):
        return False
    if not is_empty(state.discards, state.discard_count, MAX_DECK):
        return False
    for seat in range(MAX_SEATS):
        held = int(state.hand_counts[seat])
        if not is_empty(state.hands[seat], held, MAX_HAND) or not is_empty(state.hand_piles[seat], held, MAX_HAND):
            return False
    for seat in range(state.seats):
        first = seat * state.stock_size
        if not is_empty(state.stocks, first + int(state.stock_counts[seat]), first + state.stock_size):
            return False
    return is_empty(state.stocks, state.seats * state.stock_size, MAX_STOCKED)


@kernel
def is_empty(cards: Cards, first: Index, end: Index) -> bool:
    """Whether the elements from `first` to before `end` are NO_CARD."""
    for index in range(first, end):
        if cards[index] != NO_CARD:
            return False
    return True
