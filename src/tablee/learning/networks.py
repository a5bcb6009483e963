"""The network: an observation in, ratings of the legal moves and the value of the position out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from tablee.core.observation import move_feature_table
from tablee.learning.choices import Choices, Distribution, MaskedChoices, MaskedDistribution, PackedDistribution

if TYPE_CHECKING:
    from tablee.core.game import Game

LAYERS = 3
WIDTH_STEP = 32
RATING_WIDTH = 96  # of the layer in which an observation and a move meet


class PolicyNetwork(nn.Module):
    """Three dense layers, a policy head and a value head.

    The policy head has a rating for every move or, with `features`, (moves, k), rates each pair of an observation and
    the features of a move. The value is the reward that the seat on turn can expect until the end of the round.
    """

    def __init__(self, numbers: int, moves: int, width: int, features: Tensor | None = None) -> None:
        super().__init__()
        sizes = [numbers] + [width] * LAYERS
        self.body = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.value = nn.Linear(width, 1)
        self.has_features = features is not None
        if features is None:
            self.policy = nn.Linear(width, moves)
        else:
            self.register_buffer("features", features, persistent=False)
            self.policy = nn.Linear(width, RATING_WIDTH)
            self.move_policy = nn.Linear(features.shape[1], RATING_WIDTH, bias=False)
            self.rating = nn.Linear(RATING_WIDTH, 1, bias=False)
        with torch.no_grad():  # begin with nearly equal ratings
            (self.rating if self.has_features else self.policy).weight.mul_(0.01)

    def forward(self, observations: Tensor, choices: Choices) -> tuple[Distribution, Tensor]:
        """Return a distribution over the legal moves of each position, and the values, (n,)."""
        hidden = observations
        for layer in self.body:
            hidden = torch.relu(layer(hidden))
        values = self.value(hidden).squeeze(1)
        if isinstance(choices, MaskedChoices):
            return MaskedDistribution(self.policy(hidden), choices), values
        rows = self.policy(hidden).repeat_interleave(choices.counts, dim=0)
        ratings = self.rating(torch.relu(rows + self.move_policy(self.features[choices.moves]))).squeeze(1)
        return PackedDistribution(ratings, choices), values


def make_network(game: Game, max_weights: int, max_width: int) -> PolicyNetwork:
    """Make a network for a game, with layers as wide as the number of weights allows."""
    table = move_feature_table(game)
    features = None if table is None else torch.from_numpy(np.array(table))
    numbers = game.kernels.observation.size
    for width in range(max_width, WIDTH_STEP, -WIDTH_STEP):
        network = PolicyNetwork(numbers, game.moves, width, features)
        if count_weights(network) <= max_weights:
            return network
    return PolicyNetwork(numbers, game.moves, WIDTH_STEP, features)


def count_weights(network: nn.Module) -> int:
    """Return the number of weights."""
    return sum(parameter.numel() for parameter in network.parameters())
