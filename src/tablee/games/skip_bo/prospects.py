"""What each seat can expect of the rest of the game, for reviews (docs/review.md)."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.kernels import lead_shares, rank_shares
from tablee.core.types import Ratings, State
from tablee.games.skip_bo.policy import expect_points
from tablee.games.skip_bo.state import MAX_SEATS

POINTS_PER_ROUND = 45.0  # how much one round changes a lead; fitted to games among club players


@kernel
def shares(state: State, out: Ratings) -> None:
    """Estimate from the totals and the expected points of this round."""
    if state.end_reason != 0:
        rank_shares(state, out)
        return
    points = np.empty(MAX_SEATS)
    expect_points(state, points)
    lead_shares(points, state.seats, POINTS_PER_ROUND, out)
