"""Compilation of the kernels that a review needs."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.warmup import PLAYING, Warmup
from tablee.review.analysis import Depth, Reviewer, list_positions


def _exercise(game: Game) -> Iterator[None]:
    """Replay a match, and review a position."""
    yield from PLAYING.run(game)
    match = Match(game, seed=0)
    match.push(match.legal_moves()[0])
    Reviewer(match, Depth(1, 1, 1, 1)).review_position(list_positions(match)[0])
    yield


REVIEWING = Warmup("review", PLAYING.steps + 1, _exercise)
