"""Ratings: Plackett and Luce's model of places, as openskill estimates it, with intervals over deals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean, stdev

from tablee.arena.estimates import Estimate
from tablee.arena.standings import Deal
from tablee.core.errors import TableeError
from tablee.simulation.results import NORMAL_95

RESAMPLES = 50
ORDERS = 4  # openskill learns game by game, and more from the last ones: a rating is the mean over some orders
# Bots do not learn, so nothing is added to the uncertainty from game to game.
DRIFT = 0.0


def ratings(
    bots: Sequence[str], deals: Sequence[Deal], resamples: int = RESAMPLES, orders: int = ORDERS
) -> dict[str, Estimate]:
    """Rate the bots; 25 is the middle. The intervals come from rating deals drawn again and again."""
    if not deals:
        return {}
    chance = random.Random(len(deals))
    rated = [_rate(bots, _drawn_again(deals, chance), chance, orders) for _ in range(resamples)]
    found = {}
    for bot, value in _rate(bots, deals, chance, orders).items():
        margin = NORMAL_95 * stdev(sample[bot] for sample in rated)
        found[bot] = Estimate(value, value - margin, value + margin, len(deals))
    return found


def _drawn_again(deals: Sequence[Deal], chance: random.Random) -> list[Deal]:
    """Draw as many deals of each line-up as there are, with repetition."""
    groups: dict[tuple[str, ...], list[Deal]] = {}
    for deal in deals:
        groups.setdefault(tuple(sorted(deal[0].lineup)), []).append(deal)
    return [deal for group in groups.values() for deal in chance.choices(group, k=len(group))]


def _rate(bots: Sequence[str], deals: Sequence[Deal], chance: random.Random, orders: int) -> dict[str, float]:
    """Rate the bots by some deals, in several orders."""
    rated = [_rate_in_order(bots, chance.sample(deals, len(deals))) for _ in range(orders)]
    return {bot: fmean(sample[bot] for sample in rated) for bot in bots}


def _rate_in_order(bots: Sequence[str], deals: Sequence[Deal]) -> dict[str, float]:
    """Go through the games once; a bot in several seats of a game learns the mean of what they learnt."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise TableeError("ratings need openskill: pip install 'tablee[arena]'") from None
    model = PlackettLuce(tau=DRIFT)
    known = {bot: model.rating() for bot in bots}
    for game in (game for deal in deals for game in deal):
        after = model.rate([[known[name]] for name in game.lineup], ranks=[float(rank) for rank in game.ranks])
        for bot in set(game.lineup):
            copies = [team[0] for team, name in zip(after, game.lineup, strict=True) if name == bot]
            known[bot] = model.rating(mu=fmean(c.mu for c in copies), sigma=fmean(c.sigma for c in copies))
    return {bot: float(rating.mu) for bot, rating in known.items()}
