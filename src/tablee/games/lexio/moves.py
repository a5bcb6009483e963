"""Moves as text: `pass`, or `play` and the tiles, number and suit: `play 5N 6N 7S 8L 9L`.

The letters are French: N nuage (cloud), E étoile (star), L lune (moon), S soleil (sun). A straight is written in its
own order (`1S 2L 3N 4N 5E`), a full house or four of a kind with the larger group first, other sets weak to strong.
"""

from __future__ import annotations

import re
from functools import cache

from tablee.core.errors import BadMove, did_you_mean
from tablee.core.types import Move
from tablee.games.lexio.catalogue import (
    NO_MOVE,
    NUMBERS,
    PASS,
    SEQUENCE,
    SUIT_LETTERS,
    SUITS,
    TILES,
    Tiles,
    move_of,
    tiles_of,
)

TILE_NAMES = tuple(f"{NUMBERS[tile // SUITS]}{SUIT_LETTERS[tile % SUITS]}" for tile in range(TILES))
_tiles = {name: tile for tile, name in enumerate(TILE_NAMES)}
_written = SEQUENCE.tolist()
_TILE = re.compile(r"\d+\s*[a-zé]", re.IGNORECASE)


def tiles_in(tiles: Tiles) -> list[int]:
    """Return the tiles of a set, weak to strong."""
    return [tile for tile in range(TILES) if int(tiles) >> tile & 1]


@cache
def tiles_in_order(move: Move) -> tuple[int, ...]:
    """Return the tiles of a move in the order in which its text names them."""
    tiles = tiles_in(tiles_of(move))
    ranks = [tile // SUITS for tile in tiles]
    for written in _written:
        if sorted(written) == ranks:
            return tuple(sorted(tiles, key=lambda tile: written.index(tile // SUITS)))
    return tuple(sorted(tiles, key=lambda tile: (-ranks.count(tile // SUITS), tile)))


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
