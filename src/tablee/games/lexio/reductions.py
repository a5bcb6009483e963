"""Small versions of Lexio for exact methods (docs/reductions.md): one round with few tiles.

`deck` and `hand_size` tell everybody which tiles are in the game and how many were dealt, as they do with two players
(E18). Seat 0 always has the weakest tile and leads; nobody sees the tiles that are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.arrangements import write_arrangement
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import State
from tablee.games.lexio.catalogue import NUMBERS, PASS, SUIT_LETTERS, SUITS
from tablee.games.lexio.rules import clear_table, find_leader
from tablee.games.lexio.state import CHIPS, MAX_PLAYS, MAX_SEATS


def _tiles(names: str) -> Any:
    """Return the numbers of tiles written like 3N, weakest first."""
    return np.array([NUMBERS.index(int(name[:-1])) * SUITS + SUIT_LETTERS.index(name[-1]) for name in names.split()])


TINY_TILES = _tiles("3N 3S 4N 4E 5L 1N 1S")
SMALL_TILES = _tiles("3N 3S 4N 4E 5L 5S 1N 1S 2L")


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal three of seven tiles to each of two seats."""
    deal_few(state, number, TINY_TILES, 3)


@kernel
def deal_small(state: State, number: int) -> None:
    """Deal three of nine tiles to each of two seats."""
    deal_few(state, number, SMALL_TILES, 3)


@kernel
def deal_three(state: State, number: int) -> None:
    """Deal two of seven tiles to each of three seats."""
    deal_few(state, number, TINY_TILES, 2)


@kernel
def deal_few(state: State, number: int, tiles: Any, hand_size: int) -> None:
    """Deal the weakest tile to seat 0, others to all seats, and start the round."""
    sizes = np.full(state.seats + 1, hand_size)
    sizes[0] -= 1
    sizes[state.seats] = len(tiles) - state.seats * hand_size  # left out
    owners = np.zeros(len(tiles), np.int64)
    write_arrangement(number, sizes, owners[1:])
    state.hand_size = hand_size
    for index in range(len(tiles)):
        state.deck |= 1 << tiles[index]
        if owners[index] < state.seats:
            state.hands[owners[index]] |= 1 << tiles[index]
    for seat in range(state.seats):
        state.hand_counts[seat] = hand_size
        state.balances[seat] = CHIPS
    for seat in range(MAX_SEATS):
        for index in range(MAX_PLAYS):
            state.plays[seat, index] = PASS
    state.last_winner = NOBODY
    clear_table(state)
    find_leader(state)
