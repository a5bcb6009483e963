"""Margins: each bot's lead over the others in points, corrected for the opponents it met, with intervals over deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tablee.arena.estimates import Estimate, student_95
from tablee.arena.matches import GameResult


def estimate_margins(
    bots: Sequence[str], deals: Sequence[Sequence[GameResult]], fewest_points_win: bool
) -> dict[str, Estimate]:
    """Return each bot's lead over the mean of the others, in points, as if all sat at one table.

    Each bot has one strength in points; the strengths are the least-squares fit to the points of all games, so that
    weaker opponents give no advantage. Where all bots meet in every game, this is the plain mean. Intervals come from
    the jackknife over deals. Empty with fewer than two deals or two bots that met.
    """
    scored = [[game for game in deal if game.scores is not None and len(set(game.lineup)) > 1] for deal in deals]
    scored = [games for games in scored if games]
    met = [bot for bot in bots if any(bot in game.lineup for games in scored for game in games)]
    if len(scored) < 2 or len(met) < 2:
        return {}
    sign = -1 if fewest_points_win else 1
    parts = (_normal_equations(met, games, sign) for games in scored)
    matrices, rights = (np.array(part) for part in zip(*parts, strict=True))
    matrix, right = matrices.sum(axis=0), rights.sum(axis=0)
    leads = _solve_leads(matrix, right)
    without = np.array([_solve_leads(matrix - a, right - b) for a, b in zip(matrices, rights, strict=True)])
    count = len(scored)
    variances = ((without - without.mean(axis=0)) ** 2).sum(axis=0) * (count - 1) / count  # jackknife
    widths = student_95(count - 1) * np.sqrt(variances)
    return {
        bot: Estimate(value, value - width, value + width, count)
        for bot, value, width in zip(met, leads.tolist(), widths.tolist(), strict=True)
    }


def _normal_equations(bots: Sequence[str], games: Sequence[GameResult], sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what the games of a deal add to the matrix (bots, bots) and right side (bots,) of the normal equations."""
    matrix, right = np.zeros((len(bots), len(bots))), np.zeros(len(bots))
    for game in games:
        design = np.array([[bot == name for bot in bots] for name in game.lineup], float)
        design -= design.mean(axis=0)  # only differences within a game count, not how many points it gave to all
        matrix += design.T @ design
        right += design.T @ (sign * np.array(game.scores, float))
    return matrix, right


def _solve_leads(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve the normal equations; return each strength minus the mean of the others."""
    bots = len(right)
    strengths = np.linalg.pinv(matrix) @ right
    leads: np.ndarray = (strengths - strengths.mean()) * bots / (bots - 1)
    return leads
