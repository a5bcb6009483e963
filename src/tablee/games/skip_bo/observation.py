"""Observations of a Skip-Bo table for learning, made from a sight.

Seats are relative: 0 is the viewer, 1 the next on the left (a spectator observes from seat 0). Cards are one-hot: 1 to
12, then the wild. Lists of cards that rarely matter are written six cards to a number, as digits in base 16, the first
one highest, 0 for none: float32 holds every integer up to 16**6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import lean_kernel
from tablee.core.observation import Layout
from tablee.core.state import next_seat
from tablee.core.types import Index, Numbers, Seat, SightState
from tablee.games.skip_bo.moves import CARD_CODES, PILES, SERIES
from tablee.games.skip_bo.rules import MAX_PLAYS, MAX_ROUNDS, STALL_TURNS, TARGET
from tablee.games.skip_bo.state import (
    EDITION,
    MAX_DECK,
    MAX_HAND,
    MAX_HELD,
    MAX_SEATS,
    NO_CARD,
    NO_DOUBLE_WILD,
    SINGLE_ROUND,
    WILD,
    Card,
    Cards,
    ends_in_wild,
    first_size,
    pile_end,
    refill_size,
    stock_top,
)

NUMBERS = CARD_CODES - 1
DIGITS = 6  # of four bits
WORDS = 16**DIGITS
MAX_DISCARDS = MAX_DECK - 2  # each stock holds a card until the round ends
MAX_PILE_NUMBER = MAX_HELD + 1  # a pile for each card held, and the current one

OBSERVATION = Layout(
    ("hand", CARD_CODES, "the viewer's cards: how many of each / 5"),
    ("stock_tops", MAX_SEATS * CARD_CODES, "per relative seat, one-hot: face-up card of the stock"),
    ("stock_counts", MAX_SEATS, "per relative seat: cards in the stock / 30"),
    ("hand_counts", MAX_SEATS, "per relative seat: cards in the hand / 5"),
    ("pile_tops", MAX_SEATS * PILES * CARD_CODES, "per relative seat and discard pile, one-hot: top card"),
    ("pile_counts", MAX_SEATS * PILES, "per relative seat and discard pile: cards in it / 20"),
    ("below_tops", PILES * CARD_CODES, "per own discard pile, one-hot: the card below the top"),
    (
        "discards",
        -(-MAX_DISCARDS // DIGITS),
        "all discard piles one after another, the viewer's first, each from its bottom: six cards in base 16 / 16**6",
    ),
    ("next", SERIES * NUMBERS, "per series, one-hot: the number it needs next"),
    ("ends_in_wild", SERIES, "per series: 1 if its top card is a wild"),
    ("wilds", SERIES, "per series: its wilds, 2**n for one that stands for n + 1 / 2048"),
    ("unseen", CARD_CODES, "of each card: how many the viewer has not seen / 18"),
    ("unseen_in_pile", CARD_CODES, "of each card: how many of the current reshuffled draw pile are still unseen / 18"),
    ("from_pile", MAX_SEATS, "per relative seat: cards in the hand that are from that pile / 5"),
    (
        "pile_number",
        1,
        "number of that pile among those that cards are still held from (D18), 0 before a reshuffle / 31",
    ),
    (
        "hand_piles",
        MAX_SEATS * 2,
        "per relative seat with cards from earlier reshuffled piles: the numbers of the piles of its cards, 0 for "
        "the first draw pile, in base 32: three / 32**3, two / 32**2",
    ),
    ("hand_order", 1, "if the viewer's cards are from several piles: in the order of these, in base 16 / 16**5"),
    (
        "unseen_held",
        MAX_HELD // DIGITS,
        "unseen cards held from earlier reshuffled piles, pile by pile, ascending: six cards in base 16 / 16**6",
    ),
    ("totals", MAX_SEATS, "points per relative seat / 500"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("dealer", MAX_SEATS, "one-hot: relative seat that deals this round"),
    ("edition", 3, "one-hot: rulebook, pocket, classic"),
    ("hand_sizes", 2, "cards drawn on a first turn, and later: 0 for three, 1 for five"),
    ("no_double_wild", 1, "1 if a wild may not be laid on a wild"),
    ("single_round", 1, "1 if the game ends after this round"),
    ("draw_pile", 1, "cards in the draw pile / 162"),
    ("first_turn", 1, "1 in the first turn of each seat in a round"),
    ("stalled", 1, "turns since the last stock card was played / their limit"),
    ("passes", 1, "passes in a row / 6"),
    ("plays", 1, "cards played in this turn / 200"),
    ("rounds", 1, "finished rounds / 100"),
)
AT_HAND = OBSERVATION.start("hand")
AT_STOCK_TOPS = OBSERVATION.start("stock_tops")
AT_STOCK_COUNTS = OBSERVATION.start("stock_counts")
AT_HAND_COUNTS = OBSERVATION.start("hand_counts")
AT_PILE_TOPS = OBSERVATION.start("pile_tops")
AT_PILE_COUNTS = OBSERVATION.start("pile_counts")
AT_BELOW_TOPS = OBSERVATION.start("below_tops")
AT_DISCARDS = OBSERVATION.start("discards")
AT_NEXT = OBSERVATION.start("next")
AT_ENDS_IN_WILD = OBSERVATION.start("ends_in_wild")
AT_WILDS = OBSERVATION.start("wilds")
AT_UNSEEN = OBSERVATION.start("unseen")
AT_UNSEEN_IN_PILE = OBSERVATION.start("unseen_in_pile")
AT_FROM_PILE = OBSERVATION.start("from_pile")
AT_PILE_NUMBER = OBSERVATION.start("pile_number")
AT_HAND_PILES = OBSERVATION.start("hand_piles")
AT_HAND_ORDER = OBSERVATION.start("hand_order")
AT_UNSEEN_HELD = OBSERVATION.start("unseen_held")
AT_TOTALS = OBSERVATION.start("totals")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_DEALER = OBSERVATION.start("dealer")
AT_EDITION = OBSERVATION.start("edition")
AT_HAND_SIZES = OBSERVATION.start("hand_sizes")
AT_NO_DOUBLE_WILD = OBSERVATION.start("no_double_wild")
AT_SINGLE_ROUND = OBSERVATION.start("single_round")
AT_DRAW_PILE = OBSERVATION.start("draw_pile")
AT_FIRST_TURN = OBSERVATION.start("first_turn")
AT_STALLED = OBSERVATION.start("stalled")
AT_PASSES = OBSERVATION.start("passes")
AT_PLAYS = OBSERVATION.start("plays")
AT_ROUNDS = OBSERVATION.start("rounds")

FIFTHS = (np.arange(6) / 5).astype(np.float32)  # quicker than divisions
EIGHTEENTHS = (np.arange(19) / 18).astype(np.float32)

# Words of counts: four bits count each number, of which there are twelve cards at most; the bits above count the wilds.
ONES = np.array([0] + [1 << 4 * (card - 1) for card in range(1, CARD_CODES + 1)] + [0, 0])  # by card
SERIES_ONES = np.cumsum(ONES[:WILD])  # by height of a series without wilds


def wild_ones(first: Card) -> Any:
    """Return what wilds change in a series, by the bits of six cards: they count instead of `first` and the next."""
    return sum((np.arange(64) >> bit & 1) * (ONES[WILD] - ONES[first + bit]) for bit in range(6))


LOW_WILDS, HIGH_WILDS = wild_ones(1), wild_ones(7)


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    other = me
    for relative in range(sight.seats):
        observe_seat(sight, other, relative, out)
        other = next_seat(sight, other)
    if sight.to_move >= 0:
        out[AT_ON_TURN + (sight.to_move - me) % sight.seats] = 1.0
    out[AT_DEALER + (sight.dealer - me) % sight.seats] = 1.0
    first = pile_end(sight, me - 1, PILES - 1)
    if seat >= 0:
        observe_own_piles(sight, seat, first, out)
    observe_series(sight, out)
    observe_unseen(sight, seat, first, out)
    if sight.pile_number > 0:
        observe_reshuffled(sight, seat, out)
    out[AT_EDITION + sight.options[EDITION]] = 1.0
    out[AT_HAND_SIZES] = (first_size(sight) - 3) / 2
    out[AT_HAND_SIZES + 1] = (refill_size(sight) - 3) / 2
    out[AT_NO_DOUBLE_WILD] = sight.options[NO_DOUBLE_WILD]
    out[AT_SINGLE_ROUND] = sight.options[SINGLE_ROUND]
    out[AT_DRAW_PILE] = sight.draw_count / MAX_DECK
    if sight.turns < sight.seats:
        out[AT_FIRST_TURN] = 1.0
    out[AT_STALLED] = sight.stalled / (STALL_TURNS * sight.seats)
    out[AT_PASSES] = sight.passes / MAX_SEATS
    out[AT_PLAYS] = sight.plays / MAX_PLAYS
    out[AT_ROUNDS] = sight.rounds_played / MAX_ROUNDS


@lean_kernel
def observe_seat(sight: SightState, other: Seat, relative: int, out: Numbers) -> None:
    """Write the cards on the table of one seat, and its points."""
    top = stock_top(sight, other)
    if top != NO_CARD:
        out[AT_STOCK_TOPS + relative * CARD_CODES + top - 1] = 1.0
    out[AT_STOCK_COUNTS + relative] = sight.stock_counts[other] / 30
    out[AT_HAND_COUNTS + relative] = sight.hand_counts[other] / MAX_HAND
    for pile in range(PILES):
        index = relative * PILES + pile
        card = int(sight.pile_tops[other, pile])
        out[AT_PILE_TOPS + index * CARD_CODES + max(card, 1) - 1] = 1.0 if card != NO_CARD else 0.0
        out[AT_PILE_COUNTS + index] = sight.pile_counts[other, pile] / 20
    out[AT_TOTALS + relative] = sight.totals[other] / TARGET


@lean_kernel
def observe_own_piles(sight: SightState, seat: Seat, first: Index, out: Numbers) -> None:
    """Write the cards below the tops of the viewer's discard piles, the first of which begins at index `first`."""
    end = first
    for pile in range(PILES):
        count = int(sight.pile_counts[seat, pile])
        end += count
        if count > 1:
            out[AT_BELOW_TOPS + pile * CARD_CODES + int(sight.discards[end - 2]) - 1] = 1.0


@lean_kernel
def observe_series(sight: SightState, out: Numbers) -> None:
    """Write the next number of each series, and its wilds."""
    for series in range(SERIES):
        out[AT_NEXT + series * NUMBERS + int(sight.series[series])] = 1.0
        out[AT_WILDS + series] = sight.series_wilds[series] / 2048
        out[AT_ENDS_IN_WILD + series] = ends_in_wild(sight, series)


@lean_kernel
def observe_unseen(sight: SightState, seat: Seat, first: Index, out: Numbers) -> None:
    """Write the viewer's hand, all discard piles, and how many of each card the viewer has not seen."""
    counts = observe_discards(sight, first, out) + count_in_series(sight)
    for other in range(sight.seats):
        counts += ONES[stock_top(sight, other)]
    if seat >= 0:
        counts += observe_hand(sight.hands[seat], int(sight.hand_counts[seat]), out)
    for card in range(1, CARD_CODES + 1):
        seen = count_in(counts, card) + int(sight.completed[card])
        out[AT_UNSEEN + card - 1] = EIGHTEENTHS[int(sight.deck[card]) - seen]


@lean_kernel
def observe_hand(hand: Cards, count: int, out: Numbers) -> int:
    """Write how many of each card the viewer holds; return the hand as a word of counts."""
    counts = 0
    for slot in range(count):
        counts += ONES[int(hand[slot])]
    for card in range(1, CARD_CODES + 1):
        out[AT_HAND + card - 1] = FIFTHS[count_in(counts, card)]
    return counts


@lean_kernel
def observe_discards(sight: SightState, first: Index, out: Numbers) -> int:
    """Write the discards from index `first` on, then those before it; return them as a word of counts."""
    discards, count = sight.discards, sight.discard_count
    counts, position = 0, first if first < count else 0
    for index in range(-(-count // DIGITS)):
        word = 0
        for digit in range(min(DIGITS, count - index * DIGITS)):
            at = position + digit
            card = int(discards[at if at < count else at - count])
            word = word << 4 | card
            counts += 1 << 4 * (card - 1)  # on a GPU a table would take longer
        position += DIGITS
        if position >= count:
            position -= count
        out[AT_DISCARDS + index] = word / WORDS
    return counts


@lean_kernel
def count_in(counts: int, card: Card) -> int:
    """Return the count of a card in a word of counts."""
    return (counts >> (4 * (card - 1))) & (15 if card < WILD else 31)


@lean_kernel
def count_in_series(sight: SightState) -> int:
    """Count the cards in the series, as a word of counts."""
    counts = 0
    for series in range(SERIES):
        wilds = int(sight.series_wilds[series])
        counts += SERIES_ONES[int(sight.series[series])] + LOW_WILDS[wilds & 63] + HIGH_WILDS[wilds >> 6]
    return counts


@lean_kernel
def observe_reshuffled(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write which cards of reshuffled piles are still unseen, and who holds how many of which pile (D18)."""
    out[AT_PILE_NUMBER] = sight.pile_number / MAX_PILE_NUMBER
    for card in range(1, CARD_CODES + 1):
        out[AT_UNSEEN_IN_PILE + card - 1] = EIGHTEENTHS[int(sight.unseen_in_pile[card])]
    other = max(seat, 0)
    for relative in range(sight.seats):
        observe_hand_piles(sight, other, relative, out)
        other = next_seat(sight, other)
    if seat >= 0 and sight.hand_piles[seat, 0] != sight.hand_piles[seat, max(int(sight.hand_counts[seat]) - 1, 0)]:
        word = 0
        for slot in range(MAX_HAND):
            word = word << 4 | int(sight.hands[seat, slot])
        out[AT_HAND_ORDER] = word / 16**MAX_HAND
    if sight.pile_number > 1:
        observe_held(sight, out)


@lean_kernel
def observe_hand_piles(sight: SightState, other: Seat, relative: int, out: Numbers) -> None:
    """Write from which piles the cards of a hand are; only a count unless some are from earlier reshuffled piles."""
    piles = sight.hand_piles[other]
    from_pile, from_reshuffled = 0, 0
    for slot in range(MAX_HAND):
        from_pile += int(piles[slot] == sight.pile_number)
        from_reshuffled += int(piles[slot] > 0)
    out[AT_FROM_PILE + relative] = FIFTHS[from_pile]
    if from_reshuffled > from_pile:
        out[AT_HAND_PILES + 2 * relative] = (int(piles[0]) << 10 | int(piles[1]) << 5 | int(piles[2])) / 32**3
        out[AT_HAND_PILES + 2 * relative + 1] = (int(piles[3]) << 5 | int(piles[4])) / 32**2


@lean_kernel
def observe_held(sight: SightState, out: Numbers) -> None:
    """Write the unseen cards that are held from earlier reshuffled piles."""
    held = sight.unseen_held
    for index in range(MAX_HELD // DIGITS):
        word = 0
        for digit in range(DIGITS):
            word = word << 4 | int(held[index * DIGITS + digit])
        out[AT_UNSEEN_HELD + index] = word / WORDS
