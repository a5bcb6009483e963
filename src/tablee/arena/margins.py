"""By how many points the bots are ahead of each other, whoever met whom, with intervals over deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tablee.arena.estimates import Estimate, student_95
from tablee.arena.matches import GameResult


def margins(bots: Sequence[str], deals: Sequence[Sequence[GameResult]], fewest_points_win: bool) -> dict[str, Estimate]:
    """Return how far each bot is ahead of the mean of the others, as if all sat at one table.

    A bot has a strength in points that it takes to every table; those that fit the points at all tables best (least
    squares) are compared, so that it does not matter who had the weaker neighbours. Where all bots sit at every table,
    that is the plain mean. A deal is one observation: intervals come from leaving out one deal after the other.
    """
    scored = [[game for game in deal if game.scores is not None and len(set(game.lineup)) > 1] for deal in deals]
    scored = [games for games in scored if games]
    met = [bot for bot in bots if any(bot in game.lineup for games in scored for game in games)]
    if len(scored) < 2 or len(met) < 2:
        return {}
    sign = -1 if fewest_points_win else 1
    weights, sums = (np.array(part) for part in zip(*(_observe(met, games, sign) for games in scored), strict=True))
    total, summed = weights.sum(axis=0), sums.sum(axis=0)
    ahead = _ahead(total, summed)
    without = np.array([_ahead(total - weight, summed - part) for weight, part in zip(weights, sums, strict=True)])
    count = len(scored)
    variances = ((without - without.mean(axis=0)) ** 2).sum(axis=0) * (count - 1) / count  # the jackknife
    halves = student_95(count - 1) * np.sqrt(variances)
    return {
        bot: Estimate(value, value - half, value + half, count)
        for bot, value, half in zip(met, ahead.tolist(), halves.tolist(), strict=True)
    }


def _observe(bots: Sequence[str], games: Sequence[GameResult], sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what the games of a deal add to the normal equations: to their matrix, and to their other side."""
    weights, sums = np.zeros((len(bots), len(bots))), np.zeros(len(bots))
    for game in games:
        sits = np.array([[bot == name for bot in bots] for name in game.lineup], float)
        sits -= sits.mean(axis=0)  # a table is judged by itself: only who is ahead of whom counts
        weights += sits.T @ sits
        sums += sits.T @ (sign * np.array(game.scores, float))
    return weights, sums


def _ahead(weights: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Solve the normal equations; return how far each strength is above the mean of the others."""
    bots = len(sums)
    strengths = np.linalg.pinv(weights) @ sums
    ahead: np.ndarray = (strengths - strengths.mean()) * bots / (bots - 1)
    return ahead
