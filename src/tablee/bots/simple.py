"""Bots that look one move ahead, or not at all."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tablee.bots.bot import Candidate, Decision, demand_own_turn
from tablee.core.randomness import below, new_generator, uniform
from tablee.core.sight import Sight


def generator_for(seed: int, sight: Sight) -> Any:
    """Return the chance for one decision; it depends on the bot's seed and on what it sees, on nothing else."""
    stream = int.from_bytes(hashlib.blake2b(sight.to_bytes(), digest_size=8).digest(), "little")
    return new_generator(seed, stream)


def draw(generator: Any, weights: Sequence[float]) -> int:
    """Draw an index, each in proportion to its weight."""
    mark = uniform(generator) * sum(weights)
    for index, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return index
    return len(weights) - 1


class RandomBot:
    """Plays any legal move."""

    name, version = "random", 1

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose blindly."""
        demand_own_turn(sight, moves)
        return Decision(moves[int(below(generator_for(self.seed, sight), len(moves)))])


class GreedyBot:
    """Plays the move that the game's policy rates best, equals at random.

    Where the game asks for mixed play (`mixed_moves`), better rated moves are likelier, not certain.
    """

    name, version = "greedy", 2

    def __init__(self, seed: int, mixed_moves: range = range(0)) -> None:
        self.seed = seed
        self.mixed_moves = mixed_moves

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose by rating."""
        demand_own_turn(sight, moves)
        ratings = np.zeros(len(moves))
        sight.game.kernels.rate(sight.state, np.array(moves, np.int32), len(moves), ratings)
        rated = [Candidate(int(m), 0, float(r)) for m, r in zip(moves, ratings, strict=True)]
        rated.sort(key=lambda candidate: -candidate.value)
        shares = self.shares(rated)
        chosen = list(shares)[draw(generator_for(self.seed, sight), list(shares.values()))]
        return Decision(chosen, tuple(rated))

    def shares(self, rated: Sequence[Candidate]) -> dict[int, float]:
        """Return with which chance each move is played, from how all are rated (best first)."""
        weights = {candidate.move: self._weight(candidate, rated[0]) for candidate in rated}
        return {move: weight / sum(weights.values()) for move, weight in weights.items() if weight}

    def _weight(self, candidate: Candidate, best: Candidate) -> float:
        if candidate.move in self.mixed_moves and best.move in self.mixed_moves:
            return math.exp(candidate.value - best.value)
        return float(candidate.value == best.value)
