"""Facts about moves that a coach tells: what holds in a world after a move (docs/review.md)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tablee.core.state import copy_state
from tablee.core.types import Move, State
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import PASS
from tablee.games.lexio.rules import legal_moves, play


def find_facts(world: State, move: Move, after: State) -> Iterator[str]:
    """Yield "unbeaten" if nobody can beat what was played (R15): it then leads again (R17)."""
    if move == PASS or after.table != move:  # the last tiles end the round
        return
    others, moves = copy_state(after), np.zeros(GAME.max_legal_moves, np.int32)
    while others.to_move != world.to_move:
        if legal_moves(others, moves) > 1:
            return
        play(others, PASS)
    yield "unbeaten"
