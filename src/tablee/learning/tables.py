"""Groups of tables: batches of games with one setup each, and who plays their seats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tablee.core.game import Setup
from tablee.learning.choices import Choices, MaskedChoices, PackedChoices
from tablee.learning.networks import PolicyNetwork
from tablee.learning.settings import TrainingSettings
from tablee.simulation import Batch

if TYPE_CHECKING:
    from tablee.core.game import Game


class TableGroup:
    """Games with one setup, played side by side by the learner and, in some seats, by an earlier network."""

    def __init__(self, batch: Batch, device: str, opponent: PolicyNetwork | None, own: Tensor) -> None:
        self.batch = batch
        self.device = device
        self.opponent = opponent  # plays the seats that are not the learner's
        self.own = own  # (size, seats) bool: the learner's seats

    def tensor(self, array: Any) -> Tensor:
        """Return an array of the batch as a tensor that shares its memory."""
        return torch.as_tensor(array, device=self.device)

    @property
    def observations(self) -> Tensor:
        """What the seats on turn observe: (size, numbers), changed by the next step."""
        return self.tensor(self.batch.observations)

    @property
    def movers(self) -> Tensor:
        """The seats on turn: (size,) int64."""
        return self.tensor(self.batch.to_move).long()

    def choices(self) -> Choices:
        """Return the legal moves; a mask is changed by the next step."""
        if len(self.batch.mask):
            return MaskedChoices(self.tensor(self.batch.mask))
        moves, offsets = (self.tensor(array).long() for array in self.batch.packed_legal())
        return PackedChoices(moves, offsets.diff(), offsets[:-1])

    def step(self, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Play a move in each game; return the rewards, (size, seats), and whether the episode ended, (size,)."""
        self._play(moves)
        return self.tensor(self.batch.rewards).float(), self.tensor(self.batch.ended).clone()

    def _play(self, moves: Tensor) -> None:
        self.batch.step(moves.to(torch.int32) if self.device != "cpu" else moves.numpy())


class GreedyGroup(TableGroup):
    """Games in which the learner has one seat, and the bot `greedy` plays the others inside the batch."""

    def __init__(self, batch: Batch, device: str) -> None:
        seats = batch.setup.seats
        self.seats = np.arange(batch.size, dtype=np.int32) % seats  # the learner's
        own = torch.from_numpy(self.seats[:, None] == np.arange(seats)).to(device)
        super().__init__(batch, device, None, own)
        batch.play_until(self.seats, "greedy")

    def _play(self, moves: Tensor) -> None:
        """Play a move and those of the others; the rewards of all these moves are one reward."""
        super()._play(moves)
        self.batch.play_until(self.seats, "greedy")


def draw_groups(
    game: Game, settings: TrainingSettings, pool: list[PolicyNetwork], seeds: np.random.Generator, device: str
) -> list[TableGroup]:
    """Deal the games of a generation: first groups of the usual setup, then others; some of both play the pool."""
    groups: list[TableGroup] = []
    for number in range(settings.groups):
        is_usual = number < settings.usual_groups
        setup = game.setup(reduction=settings.reduction) if is_usual or settings.reduction else draw_setup(game, seeds)
        batch = Batch(
            game,
            settings.games // settings.groups,
            seats=setup.seats,
            options=setup.options,
            reduction=setup.reduction,
            seed=int(seeds.integers(1 << 62)),
            device=device,
            reward="round",
            episode="round",
            mask=game.kernels.move_features is None,
        )
        if settings.usual_groups - settings.greedy_groups <= number < settings.usual_groups:
            groups.append(GreedyGroup(batch, device))
            continue
        opponent = pool[int(seeds.integers(len(pool)))] if pool and _plays_pool(number, settings) else None
        own = seeds.random((batch.size, setup.seats)) < (0.5 if opponent else 2.0)
        own[np.arange(batch.size), np.arange(batch.size) % setup.seats] = True
        groups.append(TableGroup(batch, device, opponent, torch.from_numpy(own).to(device)))
    return groups


def _plays_pool(number: int, settings: TrainingSettings) -> bool:
    """Whether a group meets earlier networks: spread evenly over all groups."""
    return (number * settings.pool_groups) % settings.groups < settings.pool_groups


def draw_setup(game: Game, seeds: np.random.Generator) -> Setup:
    """Draw a number of seats and a value of every option that the game accepts together."""
    while True:
        seats = int(seeds.choice(list(game.seats)))
        options = {option.name: option.choices[int(seeds.integers(len(option.choices)))] for option in game.options}
        if game.refuses_setup(seats, options) is None:
            return game.setup(seats, options)
