"""The strength of combinations (R32 to R40), and the strongest one of a size in a hand.

Only strengths of combinations of the same size can be compared; 0 stands for no combination.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from tablee.core.bits import count_of, highest_bit
from tablee.core.compilation import kernel
from tablee.core.types import Bits, Index, Move, State
from tablee.games.lexio.catalogue import (
    FIFTH_TILES,
    FIRST_ENDING_WITH_ONE,
    FLUSH_FIRST,
    FLUSHES,
    FOUR_FIRST,
    FULL_FIRST,
    LAST_ENDING_WITH_ONE,
    MIXED_SUITS,
    PAIR_FIRST,
    PAIRS,
    PAIRS_BESIDE,
    PASS,
    RANKS,
    SEQUENCE,
    SEQUENCE_RANKS,
    SEQUENCES,
    SINGLE_FIRST,
    STRAIGHT_FIRST,
    SUIT_COUNT,
    SUIT_FLUSHES,
    SUITS,
    TRIPLE_FIRST,
    Tiles,
    count_in_suit,
    flush_number,
    flush_ranks,
    four_ranks,
    pair_ranks,
    ranks_in,
    ranks_in_suit,
    suits_at,
    suits_of_straight,
    triple_ranks,
)
from tablee.games.lexio.state import FLUSH, HIGHEST_DECIDES, KICKERS_DECIDE, STRAIGHT_TIEBREAK


class CombinationKind(IntEnum):
    """The kind of a combination; those of five tiles weak to strong (R32)."""

    NONE = 0
    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL = 6
    FOUR = 7
    STRAIGHT_FLUSH = 8

    @property
    def key(self) -> str:
        """The name of the kind in catalogues and views."""
        return self.name.lower()


# Strengths of five tiles start above these values; flushes compared by all their numbers have the widest range.
FLUSH_FLOOR, FULL_FLOOR, FOUR_FLOOR, STRAIGHT_FLUSH_FLOOR = FLUSHES, 2 * FLUSHES, 3 * FLUSHES, 4 * FLUSHES

ENDING_WITH_ONE = (0, 0, 9, 9, 10, 11)  # the straight that may end with the 1, by number of players (R44)
POSITION_OF_HIGHEST = np.array([4] * 12 + [0, 1])  # of the strongest tile in each straight; the 2 in 2-6 and 1-5 (E1)


@kernel
def is_sequence(state: State, sequence: int) -> bool:
    """Whether a straight of the catalogue is legal in this game: only one of three may end with the 1 (R44, R46)."""
    if FIRST_ENDING_WITH_ONE <= sequence <= LAST_ENDING_WITH_ONE:
        return sequence == ENDING_WITH_ONE[state.seats]
    return True


@kernel
def sequence_of(state: State, ranks: Bits) -> int:
    """Return the straight of these five ranks, -1 for none."""
    for sequence in range(SEQUENCES):
        if SEQUENCE_RANKS[sequence] == ranks:
            return sequence if is_sequence(state, sequence) else -1
    return -1


@kernel
def deciding_position(state: State, sequence: int) -> Index:
    """Return the position of the tile whose suit decides between equal straights: first or highest (R35, E1)."""
    return POSITION_OF_HIGHEST[sequence] if state.options[STRAIGHT_TIEBREAK] == HIGHEST_DECIDES else 0


@kernel
def kind_of(state: State, move: Move) -> CombinationKind:
    """Return the kind of combination that a move plays."""
    if move < PAIR_FIRST:
        return CombinationKind.NONE if move == PASS else CombinationKind.SINGLE
    if move < STRAIGHT_FIRST:
        return CombinationKind.PAIR if move < TRIPLE_FIRST else CombinationKind.TRIPLE
    if move < FLUSH_FIRST:
        return CombinationKind.STRAIGHT
    if move < FULL_FIRST:
        ranks = flush_ranks((move - FLUSH_FIRST) % SUIT_FLUSHES)
        return CombinationKind.STRAIGHT_FLUSH if sequence_of(state, ranks) >= 0 else CombinationKind.FLUSH
    return CombinationKind.FULL if move < FOUR_FIRST else CombinationKind.FOUR


@kernel
def strength_of(state: State, move: Move) -> int:
    """Return the strength of a combination: numbers before suits (R40)."""
    if move < PAIR_FIRST:
        return 0 if move == PASS else move - SINGLE_FIRST + 1
    if move < TRIPLE_FIRST:
        rank = (move - PAIR_FIRST) // 6
        return rank * SUITS + highest_bit(PAIRS[(move - PAIR_FIRST) % 6]) + 1
    if move < STRAIGHT_FIRST:
        return (move - TRIPLE_FIRST) // 4 + 1
    if move < FLUSH_FIRST:
        return strength_of_straight(state, move)
    if move < FULL_FIRST:
        number, suit = (move - FLUSH_FIRST) % SUIT_FLUSHES, (move - FLUSH_FIRST) // SUIT_FLUSHES
        return strength_of_flush(state, number, flush_ranks(number), suit)
    if move < FOUR_FIRST:
        return FULL_FLOOR + (move - FULL_FIRST) // PAIRS_BESIDE // 4 + 1
    return FOUR_FLOOR + (move - FOUR_FIRST) // FIFTH_TILES + 1


@kernel
def strength_of_straight(state: State, move: Move) -> int:
    """Return the strength of a straight: by number in the order of R36, then by the suit of the deciding tile (R35)."""
    sequence = (move - STRAIGHT_FIRST) // MIXED_SUITS
    suit = (suits_of_straight(move) >> (8 - 2 * deciding_position(state, sequence))) & 3
    return sequence * SUITS + suit + 1


@kernel
def strength_of_flush(state: State, number: int, ranks: Bits, suit: int) -> int:
    """Return the strength of a straight flush (R39, E12), or of a flush by its top tile or all numbers (R37, E2)."""
    sequence = sequence_of(state, ranks)
    if sequence >= 0:
        return STRAIGHT_FLUSH_FLOOR + sequence * SUITS + suit + 1
    first = number if state.options[FLUSH] == KICKERS_DECIDE else highest_bit(ranks)
    return FLUSH_FLOOR + first * SUITS + suit + 1


# The strongest combination in a hand


@kernel
def strongest(state: State, hand: Tiles, size: int) -> int:
    """Return the strength of a hand's strongest combination of a size, 0 if it has none."""
    if hand == 0:
        return 0
    if size == 1:
        return highest_bit(hand) + 1
    if size == 5:
        return strongest_five(state, hand) if count_of(hand) >= 5 else 0
    for rank in range(RANKS - 1, -1, -1):
        suits = suits_at(hand, rank)
        if SUIT_COUNT[suits] >= size:
            return rank + 1 if size == 3 else rank * SUITS + highest_bit(suits) + 1
    return 0


@kernel
def holds_five(state: State, hand: Tiles) -> bool:
    """Whether a hand holds any combination of five tiles; faster than finding the strongest."""
    if count_of(hand) < 5:
        return False
    for suit in range(SUITS):
        if count_in_suit(hand, suit) >= 5:
            return True
    pairs = pair_ranks(hand)
    if four_ranks(hand) != 0 or (triple_ranks(hand) != 0 and pairs & (pairs - 1) != 0):
        return True
    return strongest_sequence(state, ranks_in(hand)) >= 0


@kernel
def strongest_five(state: State, hand: Tiles) -> int:
    """Return the strength of the strongest five tiles, kinds in descending order (R32); 0 if there are none."""
    best = strongest_straight_flush(state, hand)
    if best == 0:
        best = strongest_of_ranks(hand)
    if best == 0:
        best = strongest_flush(state, hand)
    return best if best else strongest_straight(state, hand)


@kernel
def strongest_straight_flush(state: State, hand: Tiles) -> int:
    """Return the strength of the strongest straight flush, 0 if there is none."""
    best = 0
    for suit in range(SUITS):
        sequence = strongest_sequence(state, ranks_in_suit(hand, suit)) if count_in_suit(hand, suit) >= 5 else -1
        if sequence >= 0:
            best = max(best, STRAIGHT_FLUSH_FLOOR + sequence * SUITS + suit + 1)
    return best


@kernel
def strongest_sequence(state: State, ranks: Bits) -> int:
    """Return the strongest straight of these ranks, -1 for none."""
    for sequence in range(SEQUENCES - 1, -1, -1):
        if ranks & SEQUENCE_RANKS[sequence] == SEQUENCE_RANKS[sequence] and is_sequence(state, sequence):
            return sequence
    return -1


@kernel
def strongest_of_ranks(hand: Tiles) -> int:
    """Return the strength of the strongest four of a kind, else full house, of five or more tiles; 0 for none."""
    triple, pairs = -1, 0
    for rank in range(RANKS - 1, -1, -1):
        size = SUIT_COUNT[suits_at(hand, rank)]
        if size == 4:
            return FOUR_FLOOR + rank + 1
        if size == 3 and triple < 0:
            triple = rank
        elif size >= 2:
            pairs += 1
    return FULL_FLOOR + triple + 1 if triple >= 0 and pairs > 0 else 0


@kernel
def strongest_flush(state: State, hand: Tiles) -> int:
    """Return the strength of the strongest flush of a hand without straight flush, 0 if there is none."""
    best = 0
    for suit in range(SUITS):
        spare = count_in_suit(hand, suit) - 5
        if spare >= 0:
            ranks = ranks_in_suit(hand, suit)
            for _ in range(spare):
                ranks &= ranks - 1
            best = max(best, strength_of_flush(state, flush_number(ranks), ranks, suit))
    return best


@kernel
def strongest_straight(state: State, hand: Tiles) -> int:
    """Return the strength of the strongest straight of a hand without straight flush, 0 if there is none."""
    sequence = strongest_sequence(state, ranks_in(hand))
    if sequence < 0:
        return 0
    decider = SEQUENCE[sequence, deciding_position(state, sequence)]
    return sequence * SUITS + highest_bit(suits_at(hand, decider)) + 1
