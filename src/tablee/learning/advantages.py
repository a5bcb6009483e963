"""Generalised advantage estimates, for each seat over its own decisions."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Estimates(NamedTuple):
    """What a rollout says about its decisions."""

    advantages: Tensor  # (steps, games)
    targets: Tensor  # (steps, games): of the values
    is_known: Tensor  # (steps, games) bool: False for the last decision of a seat, whose consequences lie ahead


def estimate_advantages(values: Tensor, movers: Tensor, rewards: Tensor, ended: Tensor, trace: float) -> Estimates:
    """Estimate how much better each decision was than expected, with lambda = `trace` and without discounting.

    `values` are those of the movers, (steps, games); `movers` are seats, (steps, games) int64; `rewards` are those of
    all seats for each move, (steps, games, seats); `ended` says whether it ended the episode, (steps, games) bool. What
    a seat gets by the moves of others counts for its own decision before.
    """
    steps, games, seats = rewards.shape
    advantages, is_known = torch.zeros_like(values), torch.zeros_like(ended)
    following = values.new_zeros((games, seats))  # value of the next decision of a seat
    traces, gains = torch.zeros_like(following), torch.zeros_like(following)
    is_followed = ended.new_zeros((games, seats))  # whether the seat decides again, in this episode or the next
    for now in range(steps - 1, -1, -1):
        goes_on = (~ended[now])[:, None]
        following, traces, gains = following * goes_on, traces * goes_on, gains * goes_on + rewards[now]
        mover = movers[now][:, None]
        value = values[now][:, None]
        advantage = gains.gather(1, mover) + following.gather(1, mover) - value + trace * traces.gather(1, mover)
        advantages[now] = advantage.squeeze(1)
        is_known[now] = is_followed.gather(1, mover).squeeze(1)
        following = following.scatter(1, mover, value)
        # The last decision is a sample of nothing: the one before ends with its value.
        traces = traces.scatter(1, mover, advantage * is_known[now][:, None])
        gains = gains.scatter(1, mover, 0.0)
        is_followed = is_followed.scatter(1, mover, True)
    return Estimates(advantages, advantages + values, is_known)
