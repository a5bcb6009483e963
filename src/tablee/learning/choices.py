"""The legal moves of many positions, and distributions over them.

Where a game has few moves, they are a mask. Where it has features of moves, the legal moves of all positions are packed
into one list: nothing is padded, so no gradient is spent on padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

IMPOSSIBLE = -1e9  # rating of a move that is not legal


class MaskedChoices(NamedTuple):
    """The legal moves of n positions as a mask."""

    mask: Tensor  # (n, moves) bool

    def select(self, rows: Tensor) -> MaskedChoices:
        """Return the choices of some positions."""
        return MaskedChoices(self.mask[rows])

    def part(self, first: int, stop: int) -> MaskedChoices:
        """Return the choices of the positions from `first` up to `stop`."""
        return MaskedChoices(self.mask[first:stop])


class PackedChoices(NamedTuple):
    """The legal moves of n positions in one list."""

    moves: Tensor  # (total,) int64
    counts: Tensor  # (n,) int64: legal moves per position
    starts: Tensor  # (n,) int64: where those of each position begin

    def select(self, rows: Tensor) -> PackedChoices:
        """Return the choices of some positions, in a list of their own."""
        counts = self.counts[rows]
        starts = counts.cumsum(0) - counts
        shifts = torch.repeat_interleave(self.starts[rows] - starts, counts)
        return PackedChoices(self.moves[shifts + torch.arange(len(shifts), device=shifts.device)], counts, starts)

    def part(self, first: int, stop: int) -> PackedChoices:
        """Return the choices of the positions from `first` up to `stop`."""
        return self.select(torch.arange(first, stop, device=self.counts.device))


Choices: TypeAlias = MaskedChoices | PackedChoices


def concatenate(parts: Sequence[Choices]) -> Choices:
    """Return the choices of several lists of positions, all of one kind, as one."""
    masks = [part.mask for part in parts if isinstance(part, MaskedChoices)]
    if masks:
        return MaskedChoices(torch.cat(masks))
    packed = [part for part in parts if isinstance(part, PackedChoices)]
    counts = torch.cat([part.counts for part in packed])
    return PackedChoices(torch.cat([part.moves for part in packed]), counts, counts.cumsum(0) - counts)


class MaskedDistribution:
    """A distribution over the moves that a mask allows, from a rating of every move."""

    def __init__(self, ratings: Tensor, choices: MaskedChoices) -> None:
        self.log_probabilities = ratings.masked_fill(~choices.mask, IMPOSSIBLE).log_softmax(dim=1)

    def sample(self, generator: torch.Generator) -> Tensor:
        """Draw a move per position: (n,) int64."""
        probabilities = self.log_probabilities.exp()
        return (probabilities / torch.empty_like(probabilities).exponential_(generator=generator)).argmax(dim=1)

    def most_likely(self) -> Tensor:
        """Return the most likely move per position: (n,) int64."""
        return self.log_probabilities.argmax(dim=1)

    def log_probability(self, moves: Tensor) -> Tensor:
        """Return the logarithm of the probability of one move per position."""
        return self.log_probabilities.gather(1, moves[:, None]).squeeze(1)

    def entropy(self) -> Tensor:
        """Return the entropy of each position's distribution."""
        return -(self.log_probabilities.exp() * self.log_probabilities).sum(dim=1)

    def divergence(self, other: MaskedDistribution) -> Tensor:
        """Return the Kullback-Leibler divergence of each position's distribution from another."""
        return (self.log_probabilities.exp() * (self.log_probabilities - other.log_probabilities)).sum(dim=1)


class PackedDistribution:
    """A distribution over the packed legal moves of each position, from a rating of every one."""

    def __init__(self, ratings: Tensor, choices: PackedChoices) -> None:
        self.choices = choices
        counts = choices.counts
        self.positions = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
        shifted = ratings - self._maxima(ratings.detach())[self.positions]
        self.log_probabilities = shifted - self._sums(shifted.exp()).log()[self.positions]

    def _maxima(self, numbers: Tensor) -> Tensor:
        return torch.segment_reduce(numbers, "max", lengths=self.choices.counts)

    def sample(self, generator: torch.Generator) -> Tensor:
        """Draw a move per position: (n,) int64."""
        probabilities = self.log_probabilities.exp()
        return self._best(probabilities / torch.empty_like(probabilities).exponential_(generator=generator))

    def most_likely(self) -> Tensor:
        """Return the most likely move per position: (n,) int64."""
        return self._best(self.log_probabilities)

    def _best(self, keys: Tensor) -> Tensor:
        """Return the move with the highest key per position."""
        is_chosen = keys == self._maxima(keys)[self.positions]
        chosen = torch.zeros_like(self.choices.counts)
        return chosen.index_put((self.positions[is_chosen],), self.choices.moves[is_chosen])

    def log_probability(self, moves: Tensor) -> Tensor:
        """Return the logarithm of the probability of one move per position."""
        return self.log_probabilities[self.choices.moves == moves[self.positions]]

    def entropy(self) -> Tensor:
        """Return the entropy of each position's distribution."""
        return -self._sums(self.log_probabilities.exp() * self.log_probabilities)

    def divergence(self, other: PackedDistribution) -> Tensor:
        """Return the Kullback-Leibler divergence of each position's distribution from another."""
        return self._sums(self.log_probabilities.exp() * (self.log_probabilities - other.log_probabilities))

    def _sums(self, numbers: Tensor) -> Tensor:
        return torch.segment_reduce(numbers, "sum", lengths=self.choices.counts)


Distribution: TypeAlias = MaskedDistribution | PackedDistribution
