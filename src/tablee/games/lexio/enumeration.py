"""Enumeration of the combinations in a hand that are stronger than the one to beat (R23 to R31).

Every function appends moves to `out` in ascending order, from index `count` on, and returns the new count. `to_beat` is
the strength to exceed, 0 when the seat leads.
"""

from __future__ import annotations

from tablee.core.bits import lowest_bit
from tablee.core.compilation import kernel
from tablee.core.types import Bits, Index, Moves, State
from tablee.games.lexio.catalogue import (
    BINOMIAL,
    FIFTH_TILES,
    FLUSH_FIRST,
    FOUR_FIRST,
    FULL_FIRST,
    MIXED_SUITS,
    PAIR_COUNT,
    PAIR_FIRST,
    PAIRS_BESIDE,
    PAIRS_IN,
    RANKS,
    SEQUENCE,
    SEQUENCE_RANKS,
    SEQUENCES,
    SINGLE_FIRST,
    STRAIGHT_FIRST,
    SUIT_COUNT,
    SUIT_FLUSHES,
    SUITS,
    SUITS_IN,
    TRIPLE_COUNT,
    TRIPLE_FIRST,
    TRIPLES_IN,
    Tiles,
    count_in_suit,
    flush_number,
    four_ranks,
    mixed_number,
    pair_ranks,
    ranks_in,
    ranks_in_suit,
    suits_at,
    triple_ranks,
)
from tablee.games.lexio.strength import (
    FLUSH_FLOOR,
    FOUR_FLOOR,
    FULL_FLOOR,
    STRAIGHT_FLUSH_FLOOR,
    deciding_position,
    is_sequence,
    strength_of_flush,
)


@kernel
def list_singles(hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the single tiles (R24, R33)."""
    rest = hand >> to_beat << to_beat
    while rest != 0:
        out[count] = SINGLE_FIRST + lowest_bit(rest)
        count += 1
        rest &= rest - 1
    return count


@kernel
def list_pairs(hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the pairs (R25); of two pairs of one number, the one with the sun is stronger (R34)."""
    rest = pair_ranks(hand) & (-1 << to_beat // SUITS * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        if suits >> max(0, to_beat - rank * SUITS) != 0:
            for index in range(PAIR_COUNT[suits]):
                out[count] = PAIR_FIRST + rank * 6 + PAIRS_IN[suits, index]
                count += 1
        rest &= rest - 1
    return count


@kernel
def list_triples(hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the triples (R26); two triples never have the same number (E10)."""
    rest = triple_ranks(hand) & (-1 << to_beat * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        for index in range(TRIPLE_COUNT[suits]):
            out[count] = TRIPLE_FIRST + rank * 4 + TRIPLES_IN[suits, index]
            count += 1
        rest &= rest - 1
    return count


@kernel
def list_fives(state: State, hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the combinations of five tiles, of the same or any stronger kind (R32, E9)."""
    if state.hand_counts[state.to_move] < 5:
        return count
    if to_beat <= FLUSH_FLOOR:
        count = list_straights(state, hand, to_beat, out, count)
    if to_beat <= FULL_FLOOR:
        count = list_flushes(state, hand, to_beat, out, count)
    else:
        count = list_straight_flushes(state, hand, to_beat, out, count)
    if to_beat <= FOUR_FLOOR:
        count = list_fulls(hand, to_beat - FULL_FLOOR, out, count)
    if to_beat <= STRAIGHT_FLUSH_FLOOR:
        count = list_fours(hand, to_beat - FOUR_FLOOR, out, count)
    return count


@kernel
def list_straights(state: State, hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the straights of several suits (R27, R44)."""
    ranks = ranks_in(hand)
    for sequence in range(to_beat // SUITS, SEQUENCES):
        if ranks & SEQUENCE_RANKS[sequence] == SEQUENCE_RANKS[sequence] and is_sequence(state, sequence):
            strong_suits = (0b1111 << max(0, to_beat - sequence * SUITS)) & 0b1111
            count = list_sequence(hand, sequence, deciding_position(state, sequence), strong_suits, out, count)
    return count


@kernel
def list_sequence(hand: Tiles, sequence: int, decider: Index, strong_suits: Bits, out: Moves, count: int) -> int:
    """List one straight in all combinations of suits in hand; the deciding tile has one of the strong suits."""
    base = STRAIGHT_FIRST + sequence * MIXED_SUITS
    first = suits_at_position(hand, sequence, 0, decider, strong_suits)
    second = suits_at_position(hand, sequence, 1, decider, strong_suits)
    third = suits_at_position(hand, sequence, 2, decider, strong_suits)
    fourth = suits_at_position(hand, sequence, 3, decider, strong_suits)
    fifth = suits_at_position(hand, sequence, 4, decider, strong_suits)
    for a in range(SUIT_COUNT[first]):
        one = SUITS_IN[first, a] << 8
        for b in range(SUIT_COUNT[second]):
            two = one | SUITS_IN[second, b] << 6
            for c in range(SUIT_COUNT[third]):
                three = two | SUITS_IN[third, c] << 4
                for d in range(SUIT_COUNT[fourth]):
                    four = three | SUITS_IN[fourth, d] << 2
                    for e in range(SUIT_COUNT[fifth]):
                        five = four | SUITS_IN[fifth, e]
                        if five % 341 != 0:  # five tiles of one suit are listed with the flushes
                            out[count] = base + mixed_number(five)
                            count += 1
    return count


@kernel
def suits_at_position(hand: Tiles, sequence: int, index: Index, decider: Index, strong_suits: Bits) -> Bits:
    """Return the suits in hand for one tile of a straight."""
    suits = suits_at(hand, SEQUENCE[sequence, index])
    return suits & strong_suits if index == decider else suits


@kernel
def list_flushes(state: State, hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List five tiles of one suit, straight flushes included (R28, R31, R45)."""
    for suit in range(SUITS):
        if count_in_suit(hand, suit) >= 5:
            count = list_suit(state, ranks_in_suit(hand, suit), suit, to_beat, out, count)
    return count


@kernel
def list_suit(state: State, ranks: Bits, suit: int, to_beat: int, out: Moves, count: int) -> int:
    """List the flushes of one suit in the order of their numbers: sorted by the highest rank first."""
    base = FLUSH_FIRST + suit * SUIT_FLUSHES
    packed, size = pack(ranks)
    for e in range(4, size):
        top = (packed >> (e * 4)) & 15
        for d in range(3, e):
            fourth = (packed >> (d * 4)) & 15
            number_above = BINOMIAL[5, top] + BINOMIAL[4, fourth]
            above = 1 << top | 1 << fourth
            for c in range(2, d):
                third = (packed >> (c * 4)) & 15
                for b in range(1, c):
                    second = (packed >> (b * 4)) & 15
                    for a in range(b):
                        first = (packed >> (a * 4)) & 15
                        number = number_above + BINOMIAL[3, third] + BINOMIAL[2, second] + first
                        chosen = above | 1 << third | 1 << second | 1 << first
                        if to_beat <= FLUSH_FLOOR or strength_of_flush(state, number, chosen, suit) > to_beat:
                            out[count] = base + number
                            count += 1
    return count


@kernel
def pack(ranks: Bits) -> tuple[int, int]:
    """Return the ranks of a set packed into one integer, four bits each, lowest first, and their number."""
    packed, size = 0, 0
    for rank in range(RANKS):
        if (ranks >> rank) & 1:
            packed |= rank << (size * 4)
            size += 1
    return packed, size


@kernel
def list_straight_flushes(state: State, hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List only the straight flushes (R31, R39)."""
    for suit in range(SUITS):
        ranks = ranks_in_suit(hand, suit)
        for sequence in range(SEQUENCES):
            needed = SEQUENCE_RANKS[sequence]
            if ranks & needed == needed and is_sequence(state, sequence):
                if STRAIGHT_FLUSH_FLOOR + sequence * SUITS + suit >= to_beat:
                    out[count] = FLUSH_FIRST + suit * SUIT_FLUSHES + flush_number(needed)
                    count += 1
    return count


@kernel
def list_fulls(hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List the full houses (R29); only the triples are compared (R38, E11)."""
    rest = triple_ranks(hand) & (-1 << max(0, to_beat) * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        for index in range(TRIPLE_COUNT[suits]):
            base = FULL_FIRST + (rank * 4 + TRIPLES_IN[suits, index]) * PAIRS_BESIDE
            count = list_pairs_beside(hand, rank, base, out, count)
        rest &= rest - 1
    return count


@kernel
def list_pairs_beside(hand: Tiles, rank: int, base: int, out: Moves, count: int) -> int:
    """List the full houses of one triple."""
    rest = pair_ranks(hand) & ~(1 << rank * SUITS)
    while rest != 0:
        other = lowest_bit(rest) // SUITS
        suits = suits_at(hand, other)
        pair_base = base + (other if other < rank else other - 1) * 6
        for index in range(PAIR_COUNT[suits]):
            out[count] = pair_base + PAIRS_IN[suits, index]
            count += 1
        rest &= rest - 1
    return count


@kernel
def list_fours(hand: Tiles, to_beat: int, out: Moves, count: int) -> int:
    """List four of a kind with any fifth tile (R30), which is not compared (E11)."""
    fours = four_ranks(hand) & (-1 << max(0, to_beat) * SUITS)
    while fours != 0:
        rank = lowest_bit(fours) // SUITS
        base = FOUR_FIRST + rank * FIFTH_TILES
        rest = hand & ~(0b1111 << rank * SUITS)
        while rest != 0:
            tile = lowest_bit(rest)
            out[count] = base + (tile if tile < rank * SUITS else tile - SUITS)
            count += 1
            rest &= rest - 1
        fours &= fours - 1
    return count
