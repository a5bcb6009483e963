"""The record of a Skip-Bo table: stocks, hands, discard piles, series, the draw pile, the score sheet."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import CODES, PILES, SERIES

MAX_SEATS = 6
MAX_HAND = 5
HELD = MAX_SEATS * MAX_HAND  # never more cards in all hands together
STOCKED = 120  # never more cards in all stocks together: 4 x 30 or 6 x 20
DECK = 162

# Cards are coded 1 to 12 as their number
NO_CARD = 0
WILD = CODES
UNKNOWN = -1  # a card that lies somewhere, but the viewer cannot tell which

# The editions (D1, D2, D11): rulebook, pocket, classic
SERIES_LENGTHS = np.array([10, 11, 12])
COPIES = np.array([8, 7, 12])  # of each number
WILDS = np.array([16, 16, 18])
HAND_SIZES = np.array([3, 3, 5])
STOCK_SIZES = np.array([[15, 10, 7, 0, 0], [13, 10, 7, 0, 0], [30, 30, 30, 20, 20]])  # for 2, 3, ... seats

# Places of the options
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
        ("dealer", "i4"),  # who dealt this round
        ("turns", "i4"),  # turns finished in this round
        ("stalled", "i4"),  # turns in a row in which no stock card was played (D7)
        ("passes", "i4"),  # passes in a row (D7)
        ("plays", "i4"),  # cards played in this turn (D16)
        ("stock_size", "i4"),  # cards in each stock at the start of the round
        ("series_length", "i4"),  # cards of a complete series
        ("draw_count", "i4"),
        ("discard_count", "i4"),  # cards in all discard piles together
        ("last_end", "i4"),  # how the previous round ended: a code of REASONS, 0 in the first
        ("last_winner", "i4"),  # who won it, or NOBODY
        ("last_points", "i4"),  # what that brought
        ("totals", "i2", (MAX_SEATS,)),  # points of the finished rounds
        ("series_wilds", "i2", (SERIES,)),  # bit i: the card that stands for i + 1 is a wild
        ("series", "i1", (SERIES,)),  # height: the number on top, 0 where none has begun
        ("lots", "i1", (MAX_SEATS,)),  # the draw that named the first dealer; NO_CARD: not in it (R2, D15)
        ("last_left", "i1", (MAX_SEATS,)),  # stock cards left at the end of the previous round
        ("stock_counts", "i1", (MAX_SEATS,)),
        ("hand_counts", "i1", (MAX_SEATS,)),
        ("pile_counts", "u1", (MAX_SEATS, PILES)),
        ("pile_tops", "i1", (MAX_SEATS, PILES)),  # top card of each discard pile, NO_CARD where it is empty
        ("hands", "i1", (MAX_SEATS, MAX_HAND)),  # by the pile they came from, then ascending; then NO_CARD
        ("hand_piles", "i1", (MAX_SEATS, MAX_HAND)),  # number of the draw pile each came from (D18)
        ("stocks", "i1", (STOCKED,)),  # seat by seat, stock_size places each, top last
        ("draw_pile", "i1", (DECK,)),  # top last
        ("discards", "i1", (DECK,)),  # seat by seat, pile by pile, top last, without holes
        ("completed", "i1", (CODES + 1,)),  # of each card: in completed series that were set aside
        ("deck", "i1", (CODES + 1,)),  # of each card: in the game
        ("pile_number", "i1"),  # 0: the first draw pile; later ones are numbered among those still held from (D18)
        # Reshuffled piles were made of open cards, so all know which of them have not been seen since (D18)
        ("unseen_in_pile", "i1", (CODES + 1,)),  # of each card: in the present one or held from it
        ("unseen_held", "i1", (HELD,)),  # cards held from earlier ones, pile by pile, ascending
    ],
)

PROBLEMS = (
    "the cards on the table are not the deck",
    "a series is as long as a complete one, or longer (R14)",
    "a hand is not in order, or larger than it may be",
    "the seat on turn does not fit the end of the game",
    "the seat on turn has an empty hand, and cards could be drawn (D7)",
    "the top of a discard pile is not its last card",
    "a stock is empty, and the round goes on (D9)",
    "a card is held from a pile that has not been yet",
    "a place where nothing lies is not empty",
    "what is known of reshuffled piles does not fit the cards (D18)",
)


@kernel
def stock_top(state, seat):
    """Return the open card of a stock, NO_CARD if it is empty."""
    count = int(state.stock_counts[seat])
    return int(state.stocks[seat * state.stock_size + count - 1]) if count > 0 else NO_CARD


@kernel
def pile_end(state, seat, pile):
    """Return the place after the top of a discard pile; all piles are looked at, which is faster than only some."""
    counts = state.pile_counts
    last = seat * PILES + pile
    end = 0
    for other in range(MAX_SEATS):
        for index in range(PILES):
            end += int(counts[other, index]) if other * PILES + index <= last else 0
    return end


@kernel
def ends_in_wild(state, series):
    """Say whether the top card of a series is a wild."""
    height = int(state.series[series])
    return height > 0 and (int(state.series_wilds[series]) >> (height - 1)) & 1 == 1


@kernel
def can_draw(state):
    """Say whether the draw pile has a card, or can be made anew from completed series (R26)."""
    if state.draw_count > 0:
        return True
    completed = state.completed
    for card in range(1, CODES + 1):
        if completed[card] > 0:
            return True
    return False


@kernel
def refill_size(state):
    """Return how many cards a hand is completed to (R22, D1)."""
    choice = state.options[HAND_SIZE]
    if choice == HAND_OF_EDITION:
        return HAND_SIZES[state.options[EDITION]]
    return 3 if choice == HAND_OF_THREE else 5


@kernel
def first_size(state):
    """Return how many cards a seat draws on its first turn of a round (R17, D1)."""
    choice = state.options[HAND_SIZE]
    if choice == HAND_OF_EDITION:
        return HAND_SIZES[state.options[EDITION]]
    return 5 if choice == HAND_OF_FIVE else 3


@kernel
def list_held(state, out):
    """Write the cards held from reshuffled piles before the present one, pile by pile, ascending (D18)."""
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
    for index in range(size, HELD):
        out[index] = NO_CARD


# Invariants


@kernel
def problems(state):
    """Return a bit per broken invariant."""
    bits = 0
    if not holds_the_deck(state):
        bits |= 1
    for series in range(SERIES):
        if state.series[series] < 0 or state.series[series] >= state.series_length:
            bits |= 2
    for seat in range(state.seats):
        if not hand_is_in_order(state, seat):
            bits |= 4
        if not tops_are_last(state, seat):
            bits |= 32
        if not state.end_reason and state.stock_counts[seat] <= 0:
            bits |= 64
        for slot in range(state.hand_counts[seat]):
            if state.hand_piles[seat, slot] < 0 or state.hand_piles[seat, slot] > state.pile_number:
                bits |= 128
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= 8
    if not is_over and state.hand_counts[state.to_move] == 0 and can_draw(state):
        bits |= 16
    if not rest_is_empty(state):
        bits |= 256
    if not knows_reshuffled(state):
        bits |= 512
    return bits


@kernel
def count_cards(state, counts):
    """Count the cards of the whole table (unknown ones of a sight excepted)."""
    for card in range(1, CODES + 1):
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
def count_known(cards, count, counts):
    """Count the cards of a run; what is unknown or no card does not count."""
    for index in range(count):
        if cards[index] > NO_CARD:
            counts[cards[index]] += 1


@kernel
def holds_the_deck(state):
    """Say whether every card of the deck is somewhere exactly once."""
    counts = np.zeros(CODES + 1, np.int64)
    count_cards(state, counts)
    for card in range(1, CODES + 1):
        if counts[card] != state.deck[card]:
            return False
    return True


@kernel
def knows_reshuffled(state):
    """Say whether the unseen cards of reshuffled piles are those that lie in the present one or in hands."""
    counts = np.zeros(CODES + 1, np.int64)
    held = np.zeros(HELD, np.int64)
    list_held(state, held)
    if state.pile_number > 0:
        count_known(state.draw_pile, state.draw_count, counts)
        for seat in range(state.seats):
            for slot in range(state.hand_counts[seat]):
                if state.hand_piles[seat, slot] == state.pile_number:
                    counts[state.hands[seat, slot]] += 1
    for card in range(CODES + 1):
        if counts[card] != state.unseen_in_pile[card]:
            return False
    for index in range(HELD):
        if held[index] != state.unseen_held[index]:
            return False
    return True


@kernel
def hand_is_in_order(state, seat):
    """Say whether a hand is no larger than it may be, and in order: by pile, then ascending."""
    count = int(state.hand_counts[seat])
    if count < 0 or count > max(refill_size(state), first_size(state)):
        return False
    hand, piles = state.hands[seat], state.hand_piles[seat]
    for slot in range(1, count):
        if piles[slot - 1] > piles[slot] or (piles[slot - 1] == piles[slot] and hand[slot - 1] > hand[slot]):
            return False
    return True


@kernel
def tops_are_last(state, seat):
    """Say whether the tops of a seat's discard piles are what lies on top."""
    for pile in range(PILES):
        top = NO_CARD
        if state.pile_counts[seat, pile] > 0:
            top = state.discards[pile_end(state, seat, pile) - 1]
        if state.pile_tops[seat, pile] != top:
            return False
    return True


@kernel
def rest_is_empty(state):
    """Say whether the places behind the last card of each array hold nothing, so that equal states are equal bytes."""
    if not is_empty(state.draw_pile, state.draw_count, DECK) or not is_empty(state.discards, state.discard_count, DECK):
        return False
    for seat in range(MAX_SEATS):
        held = int(state.hand_counts[seat])
        if not is_empty(state.hands[seat], held, MAX_HAND) or not is_empty(state.hand_piles[seat], held, MAX_HAND):
            return False
    for seat in range(state.seats):
        first = seat * state.stock_size
        if not is_empty(state.stocks, first + int(state.stock_counts[seat]), first + state.stock_size):
            return False
    return is_empty(state.stocks, state.seats * state.stock_size, STOCKED)


@kernel
def is_empty(cards, first, end):
    """Say whether a run of places holds nothing."""
    for index in range(first, end):
        if cards[index] != NO_CARD:
            return False
    return True
