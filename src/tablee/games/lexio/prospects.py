"""What each seat can expect of the rest of the game, for reviews (docs/review.md)."""

from __future__ import annotations

import math

from tablee.core.compilation import kernel
from tablee.core.kernels import lead_shares, rank_shares
from tablee.core.types import Ratings, State
from tablee.games.lexio.state import ROUNDS

CHIPS_PER_ROUND = 9.8  # how much one round changes a lead; fitted by benchmarks/review.py


@kernel
def shares(state: State, out: Ratings) -> None:
    """Estimate from the chips, by the number of rounds left."""
    if state.end_reason != 0:
        rank_shares(state, out)
        return
    left = state.options[ROUNDS] - state.rounds_played
    lead_shares(state.balances, state.seats, CHIPS_PER_ROUND * math.sqrt(left), out)
