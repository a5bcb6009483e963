"""The catalogue of combinations: the number of every playable set of tiles, computed in both directions.

A tile is `rank * 4 + suit`, so that a stronger tile has the higher number; a set of tiles is an integer with a bit per
tile. A rank is the index of a number in the order 3 4 … 15 1 2 (R6), a suit 0 cloud, 1 star, 2 moon, 3 sun (R7). A move
is 0 (pass) or a set of tiles; whether a set of one suit counts as a flush or a straight flush depends on the number of
players (R44), so it is one move in either case.
"""

from __future__ import annotations

from math import comb
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.bits import count_of, highest_bit
from tablee.core.compilation import kernel
from tablee.core.types import Bits, Move

Tiles: TypeAlias = int  # a set of tiles, a bit each

RANKS = 15
SUITS = 4
TILES = RANKS * SUITS
ALL_TILES = (1 << TILES) - 1
ONE_SUIT = 0x111_1111_1111_1111  # the cloud tiles
RANK_OF_ONE, RANK_OF_TWO = 13, 14
NUMBERS = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 2)  # by rank
SUIT_LETTERS = "NELS"  # nuage, étoile, lune, soleil

# The straights as written, weak to strong (R36): 3-7 to 11-15, three that end with the 1 (R44), 2-6 and 1-5.
STRAIGHTS = (
    *(tuple(range(first, first + 5)) for first in range(3, 12)),
    (6, 7, 8, 9, 1),
    (10, 11, 12, 13, 1),
    (12, 13, 14, 15, 1),
    (2, 3, 4, 5, 6),
    (1, 2, 3, 4, 5),
)
SEQUENCES = len(STRAIGHTS)
FIRST_ENDING_WITH_ONE, LAST_ENDING_WITH_ONE = 9, 11
SEQUENCE = np.array([[NUMBERS.index(number) for number in straight] for straight in STRAIGHTS])  # ranks, as written
SEQUENCE_RANKS = np.array([sum(1 << rank for rank in ranks) for ranks in SEQUENCE.tolist()])  # a bit per rank

# Sets of suits, as the four bits of a rank
PAIRS = np.array([0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100])
TRIPLES = np.array([0b0111, 0b1011, 0b1101, 0b1110])
SUIT_COUNT = np.array([suits.bit_count() for suits in range(16)])


def _padded(rows: list[list[int]]) -> npt.NDArray[Any]:
    """Return rows of different lengths as one table, filled up with zeros."""
    width = max(len(row) for row in rows)
    return np.array([row + [0] * (width - len(row)) for row in rows])


_suits = [[suit for suit in range(SUITS) if suits >> suit & 1] for suits in range(16)]
_pairs = [[index for index, pair in enumerate(PAIRS.tolist()) if suits & pair == pair] for suits in range(16)]
_triples = [[index for index, triple in enumerate(TRIPLES.tolist()) if suits & triple == triple] for suits in range(16)]
SUITS_IN = _padded(_suits)  # [set of suits]: its suits
PAIRS_IN = _padded(_pairs)  # [set of suits]: the pairs in it, as indices of PAIRS
PAIR_COUNT = np.array([len(row) for row in _pairs])
TRIPLES_IN = _padded(_triples)  # [set of suits]: the triples in it, as indices of TRIPLES
TRIPLE_COUNT = np.array([len(row) for row in _triples])
BINOMIAL = np.array([[comb(n, k) for n in range(RANKS + 1)] for k in range(6)])  # [k, n]

# The numbers of the moves
MIXED_SUITS = 4**5 - SUITS  # of a straight: all combinations of suits except those of one suit
SUIT_FLUSHES = comb(RANKS, 5)
FLUSHES = SUITS * SUIT_FLUSHES
PAIRS_BESIDE = (RANKS - 1) * len(PAIRS)  # of a full house
FIFTH_TILES = TILES - SUITS  # beside four of a kind

PASS = 0
SINGLE_FIRST = 1
PAIR_FIRST = SINGLE_FIRST + TILES
TRIPLE_FIRST = PAIR_FIRST + RANKS * len(PAIRS)
STRAIGHT_FIRST = TRIPLE_FIRST + RANKS * len(TRIPLES)
FLUSH_FIRST = STRAIGHT_FIRST + SEQUENCES * MIXED_SUITS
FULL_FIRST = FLUSH_FIRST + FLUSHES
FOUR_FIRST = FULL_FIRST + RANKS * len(TRIPLES) * PAIRS_BESIDE
MOVES = FOUR_FIRST + RANKS * FIFTH_TILES
NO_MOVE = -1


# Sets of tiles


@kernel
def suits_at(tiles: Tiles, rank: int) -> Bits:
    """Return the suits of a rank, four bits."""
    return (tiles >> (rank * SUITS)) & 0b1111


@kernel
def ranks_in_suit(tiles: Tiles, suit: int) -> Bits:
    """Return the ranks of a suit, a bit each."""
    ranks = (tiles >> suit) & ONE_SUIT
    ranks = (ranks | ranks >> 3) & 0x0303_0303_0303_0303
    ranks = (ranks | ranks >> 6) & 0x000F_000F_000F_000F
    ranks = (ranks | ranks >> 12) & 0x0000_00FF_0000_00FF
    return (ranks | ranks >> 24) & 0x7FFF


@kernel
def count_in_suit(tiles: Tiles, suit: int) -> int:
    """Count the tiles of a suit: the highest four bits of the product are the sum over all ranks."""
    return (int((tiles >> suit) & ONE_SUIT) * ONE_SUIT >> (TILES - SUITS)) & 0b1111


@kernel
def in_suit(ranks: Bits, suit: int) -> Tiles:
    """Return the tiles of a suit that have these ranks."""
    ranks = (ranks | ranks << 24) & 0x0000_00FF_0000_00FF
    ranks = (ranks | ranks << 12) & 0x000F_000F_000F_000F
    ranks = (ranks | ranks << 6) & 0x0303_0303_0303_0303
    return ((ranks | ranks << 3) & ONE_SUIT) << suit


@kernel
def ranks_in(tiles: Tiles) -> Bits:
    """Return the ranks of a set of tiles, a bit each."""
    either = tiles | tiles >> 1
    return ranks_in_suit(either | either >> 2, 0)


@kernel
def pair_ranks(tiles: Tiles) -> Tiles:
    """Return the ranks with at least two tiles, each as the bit of its cloud tile."""
    both, either = tiles & tiles >> 1, tiles | tiles >> 1
    return (both | both >> 2 | (either & either >> 2)) & ONE_SUIT


@kernel
def triple_ranks(tiles: Tiles) -> Tiles:
    """Return the ranks with at least three tiles, each as the bit of its cloud tile."""
    both, either = tiles & tiles >> 1, tiles | tiles >> 1
    return ((both & either >> 2) | (both >> 2 & either)) & ONE_SUIT


@kernel
def four_ranks(tiles: Tiles) -> Tiles:
    """Return the ranks with all four tiles, each as the bit of its cloud tile."""
    both = tiles & tiles >> 1
    return both & both >> 2 & ONE_SUIT


# From the number of a move to its tiles


@kernel
def size_of(move: Move) -> int:
    """Return how many tiles a move plays."""
    if move < PAIR_FIRST:
        return 0 if move == PASS else 1
    if move < TRIPLE_FIRST:
        return 2
    return 3 if move < STRAIGHT_FIRST else 5


@kernel
def tiles_of(move: Move) -> Tiles:
    """Return the tiles that a move plays."""
    if move < PAIR_FIRST:
        return 0 if move == PASS else 1 << (move - SINGLE_FIRST)
    if move < TRIPLE_FIRST:
        return PAIRS[(move - PAIR_FIRST) % 6] << ((move - PAIR_FIRST) // 6 * SUITS)
    if move < STRAIGHT_FIRST:
        return TRIPLES[(move - TRIPLE_FIRST) % 4] << ((move - TRIPLE_FIRST) // 4 * SUITS)
    if move < FLUSH_FIRST:
        return straight_tiles((move - STRAIGHT_FIRST) // MIXED_SUITS, suits_of_straight(move))
    if move < FULL_FIRST:
        return in_suit(flush_ranks((move - FLUSH_FIRST) % SUIT_FLUSHES), (move - FLUSH_FIRST) // SUIT_FLUSHES)
    if move < FOUR_FIRST:
        return full_tiles((move - FULL_FIRST) // PAIRS_BESIDE, (move - FULL_FIRST) % PAIRS_BESIDE)
    rank, fifth = (move - FOUR_FIRST) // FIFTH_TILES, (move - FOUR_FIRST) % FIFTH_TILES
    return 0b1111 << (rank * SUITS) | 1 << (fifth if fifth < rank * SUITS else fifth + SUITS)


@kernel
def suits_of_straight(move: Move) -> int:
    """Return the five suits of a straight, two bits each, the first tile highest; five equal suits have no number."""
    suits = (move - STRAIGHT_FIRST) % MIXED_SUITS + 1
    if suits >= 341:
        suits += 1
    return suits + 1 if suits >= 682 else suits


@kernel
def straight_tiles(sequence: int, suits: int) -> Tiles:
    """Return the tiles of a straight."""
    tiles = 0
    for index in range(5):
        tiles |= 1 << (SEQUENCE[sequence, index] * SUITS + ((suits >> (8 - 2 * index)) & 3))
    return tiles


@kernel
def flush_ranks(number: int) -> Bits:
    """Return the ranks of a flush from its number among all sets of five ranks, ordered by the highest rank first."""
    ranks, rank = 0, RANKS
    for size in range(5, 0, -1):
        rank -= 1
        while BINOMIAL[size, rank] > number:
            rank -= 1
        number -= BINOMIAL[size, rank]
        ranks |= 1 << rank
    return ranks


@kernel
def full_tiles(triple: int, beside: int) -> Tiles:
    """Return the tiles of a full house from the numbers of its triple and its pair."""
    rank, pair_rank = triple // 4, beside // 6
    if pair_rank >= rank:
        pair_rank += 1
    return TRIPLES[triple % 4] << (rank * SUITS) | PAIRS[beside % 6] << (pair_rank * SUITS)


# From tiles to the number of the move


@kernel
def move_of(tiles: Tiles) -> Move:
    """Return the move that plays these tiles, NO_MOVE if they are not a combination."""
    size = count_of(tiles)
    if size == 5:
        return move_of_five(tiles)
    if size == 0 or size > 3:
        return NO_MOVE
    rank = highest_bit(tiles) // SUITS
    suits = suits_at(tiles, rank)
    if SUIT_COUNT[suits] != size:
        return NO_MOVE
    if size == 1:
        return SINGLE_FIRST + rank * SUITS + SUITS_IN[suits, 0]
    if size == 2:
        return PAIR_FIRST + rank * 6 + PAIRS_IN[suits, 0]
    return TRIPLE_FIRST + rank * 4 + TRIPLES_IN[suits, 0]


@kernel
def move_of_five(tiles: Tiles) -> Move:
    """Return the move that plays these five tiles, NO_MOVE if they are not a combination."""
    ranks = ranks_in(tiles)
    if count_of(ranks) == 5:
        for suit in range(SUITS):
            if ranks_in_suit(tiles, suit) == ranks:
                return FLUSH_FIRST + suit * SUIT_FLUSHES + flush_number(ranks)
        return move_of_straight(tiles, ranks)
    if count_of(ranks) != 2:
        return NO_MOVE
    high = highest_bit(ranks)
    low = highest_bit(ranks ^ (1 << high))
    if SUIT_COUNT[suits_at(tiles, high)] > 2:
        return move_of_ranks(tiles, high, low)
    return move_of_ranks(tiles, low, high)


@kernel
def flush_number(ranks: Bits) -> int:
    """Return the number of a set of five ranks among all such sets, ordered by the highest rank first."""
    number, size = 0, 0
    for rank in range(RANKS):
        if (ranks >> rank) & 1:
            size += 1
            number += BINOMIAL[size, rank]
    return number


@kernel
def move_of_straight(tiles: Tiles, ranks: Bits) -> Move:
    """Return the move of five tiles of several suits and different ranks, NO_MOVE if they are not a straight."""
    for sequence in range(SEQUENCES):
        if SEQUENCE_RANKS[sequence] == ranks:
            suits = 0
            for index in range(5):
                suits = suits << 2 | SUITS_IN[suits_at(tiles, SEQUENCE[sequence, index]), 0]
            return STRAIGHT_FIRST + sequence * MIXED_SUITS + mixed_number(suits)
    return NO_MOVE


@kernel
def mixed_number(suits: int) -> int:
    """Return the number of five suits among those not all equal: 0, 341, 682 and 1023 are skipped."""
    return suits - 1 - suits // 341


@kernel
def move_of_ranks(tiles: Tiles, many: int, few: int) -> Move:
    """Return the move of a full house or four of a kind, given the rank with more tiles and the other rank."""
    suits, beside = suits_at(tiles, many), suits_at(tiles, few)
    if suits == 0b1111:
        fifth = few * SUITS + SUITS_IN[beside, 0]
        return FOUR_FIRST + many * FIFTH_TILES + (fifth if few < many else fifth - SUITS)
    pair = (few if few < many else few - 1) * 6 + PAIRS_IN[beside, 0]
    return FULL_FIRST + (many * 4 + TRIPLES_IN[suits, 0]) * PAIRS_BESIDE + pair
