"""What all adapters need of a match: the action mask, and rewards as in a batch."""

from __future__ import annotations

import numpy as np

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.simulation.steps import rank_reward


def legal_mask(match: Match, seat: int) -> np.ndarray:
    """Return an int8 mask with 1 for the legal moves of a seat; all zeros unless it is on turn."""
    mask = np.zeros(match.game.moves, np.int8)
    if seat == match.to_move:
        mask[match.legal_moves()] = 1
    return mask


def rewards(match: Match) -> list[float]:
    """Return the reward of each seat: 0 until the end of the game, then by the game's `utility`."""
    outcome = match.outcome
    if outcome is None:
        return [0.0] * match.seats
    if match.game.utility == "ranks":
        ranks = np.array(outcome.ranks)
        return [float(np.float32(rank_reward(ranks, seat, match.seats))) for seat in range(match.seats)]
    sign = -1.0 if match.game.fewest_points_win else 1.0
    return [sign * points for points in outcome.scores]


def reward_bounds(game: Game) -> tuple[float, float]:
    """Return the lowest and the highest possible reward."""
    if game.utility == "ranks":
        return -1.0, 1.0
    low, high = game.score_bounds
    return (-float(high), -float(low)) if game.fewest_points_win else (float(low), float(high))
