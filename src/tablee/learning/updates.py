"""Updates of a network by the clipped objective of PPO (Schulman et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tablee.learning.networks import PolicyNetwork
from tablee.learning.rollouts import Samples
from tablee.learning.settings import TrainingSettings


def update(
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    samples: Samples,
    settings: TrainingSettings,
    entropy_weight: float,
    generator: torch.Generator,
    magnet: PolicyNetwork | None = None,
) -> dict[str, float]:
    """Learn from a rollout; return figures of the last epoch.

    With a `magnet`, the policy is also drawn towards that network's, by `settings.magnet`: magnetic mirror descent
    (Sokota et al. 2022), which converges where play is mixed and PPO goes round in circles.
    """
    advantages = _standardised(samples.advantages[samples.rows])
    count = -(-len(samples.rows) // settings.minibatch)
    figures: list[Tensor] = []
    for _ in range(settings.epochs):
        order = torch.randperm(len(samples.rows), generator=generator, device=samples.rows.device)
        figures = []
        for part in order.chunk(count):
            loss, parts = _loss(
                network, samples, samples.rows[part], advantages[part], settings, entropy_weight, magnet
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.max_gradient)
            optimizer.step()
            figures.append(parts)
    entropy, value_loss, clipped, divergence = torch.stack(figures).mean(dim=0).tolist()
    explained = 1 - value_loss / max(float(samples.targets[samples.rows].var()), 1e-9)
    return {"entropy": entropy, "explained": explained, "clipped": clipped, "divergence": divergence}


def _standardised(advantages: Tensor) -> Tensor:
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def _loss(
    network: PolicyNetwork,
    samples: Samples,
    rows: Tensor,
    advantages: Tensor,
    settings: TrainingSettings,
    entropy_weight: float,
    magnet: PolicyNetwork | None,
) -> tuple[Tensor, Tensor]:
    """Return the loss of a minibatch and, (4,), entropy, loss of values, share clipped and divergence of the policy."""
    observations, choices = samples.observations[rows], samples.choices.select(rows)
    distribution, values = network(observations, choices)
    difference = distribution.log_probability(samples.moves[rows]) - samples.log_probabilities[rows]
    ratio = difference.exp()
    bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    policy_loss = -torch.min(ratio * advantages, bounded * advantages).mean()
    value_loss = (values - samples.targets[rows]).square().mean()
    entropy = distribution.entropy().mean()
    loss = policy_loss + settings.value_weight * value_loss - entropy_weight * entropy
    if magnet is not None:
        with torch.no_grad():
            earlier, _ = magnet(observations, choices)
        loss = loss + settings.magnet * distribution.divergence(earlier).mean()
    with torch.no_grad():
        parts = torch.stack((entropy, value_loss, (ratio != bounded).float().mean(), (ratio - 1 - difference).mean()))
    return loss, parts
