"""Evaluation of a network in a batch: duplicate deals against a policy that plays inside compiled code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from tablee.core.game import Setup
from tablee.learning.networks import PolicyNetwork
from tablee.learning.tables import TableGroup
from tablee.simulation import Batch
from tablee.simulation.policies import mixed_moves
from tablee.simulation.steps import NO_MOVE

if TYPE_CHECKING:
    from tablee.core.game import Game

MAX_STEPS = 20_000  # of the learner, after which games that are not over are left out


class Evaluation(NamedTuple):
    """How a network did against one policy in all other seats, with half the width of 95 % intervals over deals."""

    opponent: str
    deals: int
    lead: float  # points ahead of the mean of the others, per game; positive is better in every game
    lead_error: float
    wins: float  # share of first ranks, a tie shared
    wins_error: float


@torch.no_grad()
def evaluate(
    network: PolicyNetwork,
    game: Game,
    setup: Setup,
    opponent: str = "greedy",
    deals: int = 100,
    seed: int = 1_000_003,
    device: str = "cpu",
) -> Evaluation:
    """Play each deal once from every seat, the others by `opponent`, a policy of `Batch.play_until`.

    The network, on `device`, plays its most likely move, and draws moves where the game asks for mixed play.
    """
    seats = setup.seats
    own = np.tile(np.arange(seats, dtype=np.int32), deals)
    batch = Batch(
        game,
        deals * seats,
        seats=seats,
        options=setup.options,
        reduction=setup.reduction,
        seed=[seed + number // seats for number in range(deals * seats)],
        auto_reset=False,
        device=device,
        mask=game.kernels.move_features is None,
    )
    group = TableGroup(batch, device, None, torch.ones(1))
    first, stop = mixed_moves(game)
    generator = torch.Generator(device).manual_seed(seed)
    batch.play_until(own, opponent)
    for _ in range(MAX_STEPS):
        rows = (group.movers >= 0).nonzero().squeeze(1)
        if not len(rows):
            break
        distribution, _ = network(group.observations[rows], group.choices().select(rows))
        chosen = distribution.sample(generator) if stop > first else distribution.most_likely()
        group.step(torch.full((batch.size,), NO_MOVE, device=device).index_put((rows,), chosen))
        batch.play_until(own, opponent)
    return _summarise(batch, own, opponent, deals)


def _summarise(batch: Batch, own: np.ndarray, opponent: str, deals: int) -> Evaluation:
    """Return the means over deals, leaving out deals with a game that is not over."""
    rows = np.arange(batch.size)
    sign = -1 if batch.game.fewest_points_win else 1
    points = sign * batch.on_host(batch.scores).astype(float)
    mine = points[rows, own]
    leads = mine - (points.sum(axis=1) - mine) / (batch.setup.seats - 1)
    is_first = batch.on_host(batch.ranks) == 1
    wins = is_first[rows, own] / np.maximum(is_first.sum(axis=1), 1)
    over = (batch.on_host(batch.to_move) < 0).reshape(deals, -1).all(axis=1)
    by_deal = np.stack([leads.reshape(deals, -1).mean(axis=1), wins.reshape(deals, -1).mean(axis=1)])[:, over]
    means = by_deal.mean(axis=1)
    errors = 1.96 * by_deal.std(axis=1, ddof=1) / math.sqrt(by_deal.shape[1])
    return Evaluation(opponent, by_deal.shape[1], *(float(x) for x in np.stack([means, errors], axis=1).flatten()))
