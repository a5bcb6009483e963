"""Moves as text: `pass`, or `play` and the tiles, number and suit: `play 5N 6N 7S 8L 9L`; and as numbers for learning.

The letters are French: N nuage (cloud), E étoile (star), L lune (moon), S soleil (sun). A straight is written in its
own order (`1S 2L 3N 4N 5E`), a full house or four of a kind with the larger group first, other sets weak to strong.
"""

from __future__ import annotations

import re
from functools import cache

from tablee.core.bits import highest_bit
from tablee.core.compilation import kernel
from tablee.core.errors import BadMove, did_you_mean
from tablee.core.observation import Layout
from tablee.core.types import Move, Numbers
from tablee.games.lexio.catalogue import (
    FIFTH_TILES,
    FLUSH_FIRST,
    FLUSHES,
    FOUR_FIRST,
    FULL_FIRST,
    MIXED_SUITS,
    NO_MOVE,
    NUMBERS,
    PAIR_FIRST,
    PAIRS,
    PAIRS_BESIDE,
    PASS,
    RANKS,
    SEQUENCE,
    SEQUENCE_RANKS,
    SEQUENCES,
    STRAIGHT_FIRST,
    SUIT_FLUSHES,
    SUIT_LETTERS,
    SUITS,
    TILES,
    TRIPLE_FIRST,
    TRIPLES,
    Tiles,
    flush_ranks,
    move_of,
    size_of,
    suits_of_straight,
    tiles_of,
)
from tablee.games.lexio.strength import POSITION_OF_HIGHEST

TILE_NAMES = tuple(f"{NUMBERS[tile // SUITS]}{SUIT_LETTERS[tile % SUITS]}" for tile in range(TILES))
ALL_TILES = (1 << TILES) - 1
_tiles = {name: tile for tile, name in enumerate(TILE_NAMES)}
_written = SEQUENCE.tolist()
_TILE = re.compile(r"\d+\s*[a-zé]", re.IGNORECASE)


def tiles_in(tiles: Tiles) -> list[int]:
    """Return the tiles of a set, weak to strong."""
    found, left = [], int(tiles) & ALL_TILES
    while left:
        lowest = left & -left
        found.append(lowest.bit_length() - 1)
        left ^= lowest
    return found


@cache
def tiles_in_order(move: Move) -> tuple[int, ...]:
    """Return the tiles of a move in the order in which its text names them."""
    tiles = tiles_in(tiles_of(move))
    ranks = [tile // SUITS for tile in tiles]
    for written in _written:
        if sorted(written) == ranks:
            return tuple(sorted(tiles, key=lambda tile: written.index(tile // SUITS)))
    return tuple(sorted(tiles, key=lambda tile: (-ranks.count(tile // SUITS), tile)))


def move_kind(move: Move) -> str:
    """Return the kind of a move: pass, or how many tiles it plays."""
    return ("pass", "single", "pair", "triple", "", "five")[size_of(move)]


def move_text(move: Move) -> str:
    """Return the text of a move."""
    if move == PASS:
        return "pass"
    return " ".join(["play", *(TILE_NAMES[tile] for tile in tiles_in_order(move))])


def parse_move(text: str) -> Move:
    """Return the number of a move given as text; the order of the tiles does not matter."""
    word, _, rest = " ".join(text.split()).partition(" ")
    if word.lower() == "pass" and not rest:
        return PASS
    if word.lower() != "play" or _TILE.sub("", rest).strip():
        raise BadMove(f"Lexio has no move {text!r}; {did_you_mean(text, ('pass', 'play 5N', 'play 5N 5S'))}")
    tiles = 0
    for name in _TILE.findall(rest):
        tile = _parse_tile(name)
        if tiles >> tile & 1:
            raise BadMove(f"{TILE_NAMES[tile]} is named twice in {text!r}; there is one of each tile")
        tiles |= 1 << tile
    move = int(move_of(tiles))
    if move == NO_MOVE:
        raise BadMove(
            f"{text!r} is no combination; the combinations are one tile, a pair, a triple, and with five tiles a "
            "straight, a flush, a full house, four of a kind with any fifth tile, and a straight flush"
        )
    return move


def _parse_tile(name: str) -> int:
    tile = _tiles.get("".join(name.split()).upper().replace("É", "E"))
    if tile is None:
        raise BadMove(f"there is no tile {name!r}; a tile is a number from 1 to 15 and one of N E L S, such as 5N")
    return tile


# Features of a move. Whether five tiles of one suit are a straight flush depends on the number of players (R44), which
# tile decides between equal straights on an option (E1): the features hold what is needed for both.

KINDS = ("pass", "single", "pair", "triple", "straight", "flush", "full", "four")

MOVE_FEATURES = Layout(
    ("tiles", TILES, "1 per tile that the move plays; tiles weak to strong: 3N 3E 3L 3S 4N … 2S"),
    ("kind", len(KINDS), f"one-hot: {', '.join(KINDS)}; a straight flush is a flush with a number in `straight`"),
    ("size", 1, "tiles that the move plays / 5"),
    (
        "strength",
        1,
        "order among all of its kind, above 0 (weakest) to 1: a single by its tile, a pair by its strongest tile, a "
        "triple by its rank, a straight by its ranks, a flush by its ranks and then its suit, a full house and four "
        "of a kind by the rank of the larger group; 0 for a pass",
    ),
    ("straight", SEQUENCES, "one-hot: the ranks of a straight or flush as a straight, weak to strong: 3-7 … 1-5"),
    (
        "suits",
        2,
        "of a straight or flush, suits that decide between equal ranks: of the first tile, and of the highest / 4; "
        "suits are 1 (N) to 4 (S)",
    ),
)
AT_TILES = MOVE_FEATURES.start("tiles")
AT_KIND = MOVE_FEATURES.start("kind")
AT_SIZE = MOVE_FEATURES.start("size")
AT_STRENGTH = MOVE_FEATURES.start("strength")
AT_STRAIGHT = MOVE_FEATURES.start("straight")
AT_SUITS = MOVE_FEATURES.start("suits")


@kernel
def move_features(move: Move, out: Numbers) -> None:
    """Write the numbers of MOVE_FEATURES that are not zero."""
    tiles = tiles_of(move)
    for tile in range(TILES):
        if (tiles >> tile) & 1:
            out[AT_TILES + tile] = 1.0
    out[AT_SIZE] = size_of(move) / 5
    if move < PAIR_FIRST:
        write_kind(0 if move == PASS else 1, move / TILES, out)
    elif move < TRIPLE_FIRST:
        rank, suits = (move - PAIR_FIRST) // len(PAIRS), PAIRS[(move - PAIR_FIRST) % len(PAIRS)]
        write_kind(2, (rank * SUITS + highest_bit(suits) + 1) / TILES, out)
    elif move < STRAIGHT_FIRST:
        write_kind(3, ((move - TRIPLE_FIRST) // len(TRIPLES) + 1) / RANKS, out)
    elif move < FLUSH_FIRST:
        write_straight(move, out)
    elif move < FULL_FIRST:
        write_flush((move - FLUSH_FIRST) % SUIT_FLUSHES, (move - FLUSH_FIRST) // SUIT_FLUSHES, out)
    elif move < FOUR_FIRST:
        write_kind(6, ((move - FULL_FIRST) // PAIRS_BESIDE // len(TRIPLES) + 1) / RANKS, out)
    else:
        write_kind(7, ((move - FOUR_FIRST) // FIFTH_TILES + 1) / RANKS, out)


@kernel
def write_kind(kind: int, strength: float, out: Numbers) -> None:
    """Write the kind of a move, an index of KINDS, and its strength among those of its kind."""
    out[AT_KIND + kind] = 1.0
    out[AT_STRENGTH] = strength


@kernel
def write_straight(move: Move, out: Numbers) -> None:
    """Write the features of a straight of several suits."""
    sequence, suits = (move - STRAIGHT_FIRST) // MIXED_SUITS, suits_of_straight(move)
    write_kind(4, (sequence + 1) / SEQUENCES, out)
    out[AT_STRAIGHT + sequence] = 1.0
    out[AT_SUITS] = ((suits >> 8) + 1) / SUITS
    out[AT_SUITS + 1] = (((suits >> (8 - 2 * POSITION_OF_HIGHEST[sequence])) & 3) + 1) / SUITS


@kernel
def write_flush(number: int, suit: int, out: Numbers) -> None:
    """Write the features of five tiles of one suit, which may be a straight too."""
    write_kind(5, (number * SUITS + suit + 1) / FLUSHES, out)
    ranks = flush_ranks(number)
    for sequence in range(SEQUENCES):
        if SEQUENCE_RANKS[sequence] == ranks:
            out[AT_STRAIGHT + sequence] = 1.0
    out[AT_SUITS] = (suit + 1) / SUITS
    out[AT_SUITS + 1] = (suit + 1) / SUITS
