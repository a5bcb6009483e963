"""Small versions of Lexio for exact methods (docs/reductions.md).

Fewer tiles are in the game and fewer are dealt: `deck` and `hand_size` say so to everybody, as they do with two
players (E18). One round is played.
"""

from __future__ import annotations

import numpy as np

from tablee.core.arrangements import write_arrangement
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import State
from tablee.games.lexio.catalogue import PASS, SUITS
from tablee.games.lexio.rules import clear_table, find_leader
from tablee.games.lexio.state import CHIPS, MAX_PLAYS, MAX_SEATS

TINY_TILES = np.array(
    [0 * SUITS + 0, 0 * SUITS + 3, 1 * SUITS + 0, 1 * SUITS + 1, 2 * SUITS + 2, 12 * SUITS + 0, 12 * SUITS + 3]
)
TINY_HAND = 3


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal three of seven tiles to each of two seats; nobody sees the one that is left out."""
    owners = np.zeros(len(TINY_TILES), np.int64)
    write_arrangement(number, np.array([TINY_HAND, TINY_HAND, 1]), owners)
    state.hand_size = TINY_HAND
    for index in range(len(TINY_TILES)):
        state.deck |= 1 << TINY_TILES[index]
        if owners[index] < state.seats:
            state.hands[owners[index]] |= 1 << TINY_TILES[index]
    for seat in range(state.seats):
        state.hand_counts[seat] = TINY_HAND
        state.balances[seat] = CHIPS
    for seat in range(MAX_SEATS):
        for index in range(MAX_PLAYS):
            state.plays[seat, index] = PASS
    state.last_winner = NOBODY
    clear_table(state)
    find_leader(state)
