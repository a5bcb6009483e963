"""What each seat can expect of the rest of the game, for reviews (docs/review.md)."""

from __future__ import annotations

import math

from tablee.core.compilation import kernel
from tablee.core.kernels import lead_shares, rank_shares
from tablee.core.types import Ratings, State
from tablee.games.skyjo.rules import TARGET

# Fitted to games among club players: the points of the seat with the most in a round, and how much a round changes a
# lead
POINTS_PER_ROUND = 20.0
LEAD_PER_ROUND = 9.0


@kernel
def shares(state: State, out: Ratings) -> None:
    """Estimate from the totals, by the number of rounds expected to follow."""
    if state.end_reason != 0:
        rank_shares(state, out)
        return
    highest = 0
    for seat in range(state.seats):
        highest = max(highest, int(state.totals[seat]))
    rounds_left = max(1.0, (TARGET - highest) / POINTS_PER_ROUND)
    lead_shares(state.totals, state.seats, -LEAD_PER_ROUND * math.sqrt(rounds_left), out)
