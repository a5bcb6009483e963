"""What each seat can expect of the rest of the game, for reviews (docs/review.md)."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.kernels import lead_shares, rank_shares
from tablee.core.types import Ratings, State
from tablee.games.skip_bo.policy import expect_points
from tablee.games.skip_bo.rules import TARGET
from tablee.games.skip_bo.state import MAX_SEATS

# Fitted by benchmarks/review.py: the points of the leader in a round, and how much a round changes a lead
POINTS_PER_ROUND = 30.0
LEAD_PER_ROUND = 38.0


@kernel
def shares(state: State, out: Ratings) -> None:
    """Estimate from the totals and the expected points of this round, by the number of rounds expected to follow."""
    if state.end_reason != 0:
        rank_shares(state, out)
        return
    points = np.empty(MAX_SEATS)
    expect_points(state, points)
    highest = 0.0
    for seat in range(state.seats):
        highest = max(highest, points[seat])
    rounds_left = max(1.0, (TARGET - highest) / POINTS_PER_ROUND)
    lead_shares(points, state.seats, LEAD_PER_ROUND * math.sqrt(rounds_left), out)
