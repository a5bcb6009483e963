"""Small versions of Xe Queo! for exact methods (docs/reductions.md): the end of a round that decides the game.

Both seats have won three rings. The ring is on d4, four pawns beside it are known to belong to nobody (`excluded`) and
cannot move any more, since every move leads nearer to the ring. Chance deals a secret disc of the other three pawns to
each seat, which may be the same (R18).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import State
from tablee.games.xe_queo.board import FIELD_NAMES
from tablee.games.xe_queo.moves import PAWNS
from tablee.games.xe_queo.state import ENTERED, NO_PAWN, RINGS, RINGS_TO_WIN, SEATS, TURN

CANDIDATES = 3  # pawns that may be a seat's: the first ones
RING = FIELD_NAMES.index("d4")
TINY_PAWNS = np.array([FIELD_NAMES.index(field) for field in ("b3", "b5", "c6", "d3", "c4", "e4", "d5")])
SMALL_PAWNS = np.array([FIELD_NAMES.index(field) for field in ("c2", "f3", "c6", "d3", "c4", "e4", "d5")])


@kernel
def deal_tiny(state: State, number: int) -> None:
    """Deal the discs with all three pawns near the ring."""
    deal_discs(state, number, TINY_PAWNS)


@kernel
def deal_small(state: State, number: int) -> None:
    """Deal the discs with pawns farther from the ring."""
    deal_discs(state, number, SMALL_PAWNS)


@kernel
def deal_discs(state: State, number: int, fields: Any) -> None:
    """Put the pawns on their fields, and deal the discs; seat 0 is on turn."""
    for round_number in range(RINGS):
        is_played = round_number < 2 * (RINGS_TO_WIN - 1)
        state.winners[round_number] = round_number % SEATS if is_played else NOBODY
        state.endings[round_number] = ENTERED if is_played else 0
        state.named[round_number] = 0 if is_played else NO_PAWN
        for seat in range(SEATS):
            is_shown = is_played and seat == round_number % SEATS
            state.shown[round_number, seat] = 0 if is_shown else NO_PAWN
    for pawn in range(PAWNS):
        state.pawns[pawn] = fields[pawn]
    for seat in range(SEATS):
        state.rings[seat] = RINGS_TO_WIN - 1
        state.excluded[seat] = (1 << PAWNS) - (1 << CANDIDATES)
    state.chosen[0] = number // CANDIDATES
    state.chosen[1] = number % CANDIDATES
    state.rounds_played = 2 * (RINGS_TO_WIN - 1)
    state.ring = RING
    state.phase = TURN
    state.to_move = 0
