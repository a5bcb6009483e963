"""What all adapters ask of a match: its mask, its observations, and rewards as a batch gives them."""

from __future__ import annotations

import numpy as np

from tablee.core.errors import BadSetup
from tablee.core.game import Game, Options
from tablee.core.match import Match
from tablee.simulation.steps import lead


def legal_mask(match: Match, seat: int) -> np.ndarray:
    """Return 1 for the legal moves; none for a seat that is not on turn, whose moves are nobody's business."""
    mask = np.zeros(match.game.moves, np.int8)
    if seat == match.to_move:
        mask[match.legal_moves()] = 1
    return mask


def rewards(match: Match) -> list[float]:
    """Return what each seat has gained: nothing until the end, then as the game's `utility` says."""
    outcome = match.outcome
    if outcome is None:
        return [0.0] * match.seats
    if match.game.utility == "ranks":
        ranks = np.array(outcome.ranks)
        return [float(np.float32(lead(ranks, seat, match.seats))) for seat in range(match.seats)]
    sign = -1.0 if match.game.fewest_points_win else 1.0
    return [sign * points for points in outcome.scores]


def reward_bounds(game: Game) -> tuple[float, float]:
    """Return the least and the greatest reward."""
    if game.utility == "ranks":
        return -1.0, 1.0
    low, high = game.score_bounds
    return (-float(high), -float(low)) if game.fewest_points_win else (float(low), float(high))


def parse_options(game: Game, text: str) -> Options:
    """Read options as people write them: `rows=on opening=auto`, with blanks or semicolons between."""
    chosen = {}
    for wish in text.replace(";", " ").split():
        name, sign, value = wish.partition("=")
        if not sign:
            raise BadSetup(f"an option is written name=value, not {wish!r}")
        chosen[name] = game.option(name).parse(value)
    return chosen
