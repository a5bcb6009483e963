"""What each seat can expect of the rest of the game, for reviews (docs/review.md)."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.types import Ratings, State
from tablee.games.xe_queo.policy import evaluate


@kernel
def shares(state: State, out: Ratings) -> None:
    """Estimate from the rings: with two seats, the share is the probability to win."""
    evaluate(state, out)
