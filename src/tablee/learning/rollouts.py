"""Rollouts: moves of all groups of tables by the present network, as samples for an update."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from tablee.learning.advantages import estimate_advantages
from tablee.learning.choices import Choices, concatenate
from tablee.learning.networks import PolicyNetwork
from tablee.learning.tables import GreedyGroup, TableGroup


class Samples(NamedTuple):
    """The decisions of a rollout, n = steps * games."""

    observations: Tensor  # (n, numbers)
    choices: Choices  # of n positions
    moves: Tensor  # (n,) int64
    log_probabilities: Tensor  # (n,): of the moves, when they were played
    advantages: Tensor  # (n,)
    targets: Tensor  # (n,): of the values
    values: Tensor  # (n,): when the moves were played
    rows: Tensor  # (m,): the decisions to learn from
    rounds: int  # that ended
    lead: float  # mean reward per round of the learner's seats where they met an earlier network; nan if none ended
    greedy_lead: float  # the same where they met the bot `greedy`


class _Step(NamedTuple):
    observations: Tensor
    choices: Choices
    moves: Tensor
    log_probabilities: Tensor
    values: Tensor
    movers: Tensor
    is_own: Tensor
    rewards: Tensor
    ended: Tensor


@torch.no_grad()
def collect(
    network: PolicyNetwork, groups: Sequence[TableGroup], steps: int, trace: float, generator: torch.Generator
) -> Samples:
    """Play `steps` moves in every game; estimate advantages with lambda = `trace`."""
    seats = max(group.batch.setup.seats for group in groups)
    played = [_play_step(network, groups, seats, generator) for _ in range(steps)]
    values, movers, rewards, ended, is_own = (
        torch.stack([getattr(step, name) for step in played])
        for name in ("values", "movers", "rewards", "ended", "is_own")
    )
    estimates = estimate_advantages(values, movers, rewards, ended, trace)
    return Samples(
        observations=torch.cat([step.observations for step in played]),
        choices=concatenate([step.choices for step in played]),
        moves=torch.cat([step.moves for step in played]),
        log_probabilities=torch.cat([step.log_probabilities for step in played]),
        advantages=estimates.advantages.flatten(),
        targets=estimates.targets.flatten(),
        values=values.flatten(),
        rows=(estimates.is_known & is_own).flatten().nonzero().squeeze(1),
        rounds=int(ended.sum()),
        lead=_mean_lead(groups, [group.opponent is not None for group in groups], rewards, ended),
        greedy_lead=_mean_lead(groups, [isinstance(group, GreedyGroup) for group in groups], rewards, ended),
    )


def _play_step(network: PolicyNetwork, groups: Sequence[TableGroup], seats: int, generator: torch.Generator) -> _Step:
    """Play one move in every game."""
    observations = torch.cat([group.observations for group in groups])
    choices = concatenate([group.choices() for group in groups])
    movers = torch.cat([group.movers for group in groups])
    distribution, values = network(observations, choices)
    moves = distribution.sample(generator)
    log_probabilities = distribution.log_probability(moves)
    is_own, results = torch.ones_like(movers, dtype=torch.bool), []
    for group, (first, stop) in zip(groups, _ranges(groups), strict=True):
        if group.opponent is not None:
            is_own[first:stop] = group.own.gather(1, movers[first:stop, None]).squeeze(1)
            others = group.opponent(observations[first:stop], choices.part(first, stop))[0].sample(generator)
            moves[first:stop] = torch.where(is_own[first:stop], moves[first:stop], others)
        results.append(group.step(moves[first:stop]))
    rewards = torch.cat([pad(reward, (0, seats - reward.shape[1])) for reward, _ in results])
    ended = torch.cat([ended for _, ended in results])
    return _Step(observations, choices, moves, log_probabilities, values, movers, is_own, rewards, ended)


def _ranges(groups: Sequence[TableGroup]) -> list[tuple[int, int]]:
    """Return the first and last + 1 row of each group."""
    return list(pairwise(np.cumsum([0, *(group.batch.size for group in groups)]).tolist()))


def _mean_lead(groups: Sequence[TableGroup], chosen: Sequence[bool], rewards: Tensor, ended: Tensor) -> float:
    """Return the mean reward per round of the learner's seats at the tables of some groups where others play, too."""
    total, count = 0.0, 0
    for group, is_chosen, (first, stop) in zip(groups, chosen, _ranges(groups), strict=True):
        if not is_chosen:
            continue
        own = group.own & ~group.own.all(dim=1, keepdim=True)
        gained = rewards[:, first:stop, : own.shape[1]].sum(dim=0)
        total += float((gained * own).sum())
        count += int((ended[:, first:stop].sum(dim=0)[:, None] * own).sum())
    return total / count if count else float("nan")
