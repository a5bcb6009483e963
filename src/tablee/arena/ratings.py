"""Ratings: the Plackett-Luce model of ranks as openskill estimates it, with intervals over deals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean, stdev

from tablee.arena.estimates import Estimate
from tablee.arena.standings import Deal
from tablee.core.errors import TableeError
from tablee.simulation.results import NORMAL_95

RESAMPLES = 50
ORDERS = 4  # openskill updates game by game and weighs late games more: a rating is the mean over several orders
DRIFT = 0.0  # openskill's tau, the uncertainty added per game: bots do not learn


def rate_bots(
    bots: Sequence[str], deals: Sequence[Deal], resamples: int = RESAMPLES, orders: int = ORDERS
) -> dict[str, Estimate]:
    """Return the rating of each bot (mean 25), with bootstrap intervals; empty without deals."""
    if not deals:
        return {}
    random_source = random.Random(len(deals))
    rated = [_rate(bots, _resample(deals, random_source), random_source, orders) for _ in range(resamples)]
    estimates = {}
    for bot, value in _rate(bots, deals, random_source, orders).items():
        margin = NORMAL_95 * stdev(sample[bot] for sample in rated)
        estimates[bot] = Estimate(value, value - margin, value + margin, len(deals))
    return estimates


def _resample(deals: Sequence[Deal], random_source: random.Random) -> list[Deal]:
    """Draw deals with replacement, keeping the number of deals per line-up."""
    groups: dict[tuple[str, ...], list[Deal]] = {}
    for deal in deals:
        groups.setdefault(tuple(sorted(deal[0].lineup)), []).append(deal)
    return [deal for group in groups.values() for deal in random_source.choices(group, k=len(group))]


def _rate(bots: Sequence[str], deals: Sequence[Deal], random_source: random.Random, orders: int) -> dict[str, float]:
    """Return the mean ratings over several random orders of the deals."""
    rated = [_rate_in_order(bots, random_source.sample(deals, len(deals))) for _ in range(orders)]
    return {bot: fmean(sample[bot] for sample in rated) for bot in bots}


def _rate_in_order(bots: Sequence[str], deals: Sequence[Deal]) -> dict[str, float]:
    """Update ratings game by game; a bot in several seats of a game gets the mean of their updates."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise TableeError("ratings need openskill: pip install 'tablee[arena]'") from None
    model = PlackettLuce(tau=DRIFT)
    current = {bot: model.rating() for bot in bots}
    for game in (game for deal in deals for game in deal):
        after = model.rate([[current[name]] for name in game.lineup], ranks=[float(rank) for rank in game.ranks])
        for bot in set(game.lineup):
            copies = [team[0] for team, name in zip(after, game.lineup, strict=True) if name == bot]
            current[bot] = model.rating(mu=fmean(c.mu for c in copies), sigma=fmean(c.sigma for c in copies))
    return {bot: float(rating.mu) for bot, rating in current.items()}
