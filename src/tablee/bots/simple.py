"""Bots that do not search: one plays at random, one by the policy's ratings."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from tablee.bots.bot import Candidate, Decision, require_own_turn
from tablee.core.randomness import below, new_generator, uniform
from tablee.core.sight import Sight
from tablee.core.types import Generator, Index

UNVERSIONED = 0  # the version of a bot that was not made by the roster


def generator_for(seed: int, sight: Sight, part: int = 0) -> Generator:
    """Return the generator of one decision, or of a part of it; it depends only on the bot's seed and on the sight."""
    return new_generator(seed, (stream_of(sight) + part) % 2**64)


def stream_of(sight: Sight) -> int:
    """Return the stream of random numbers that belongs to a sight, a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(sight.state.data, digest_size=8).digest(), "little")


def draw(generator: Generator, weights: Sequence[float]) -> Index:
    """Draw an index, each in proportion to its weight."""
    remaining = uniform(generator) * sum(weights)
    for index, weight in enumerate(weights):
        remaining -= weight
        if remaining < 0:
            return index
    return len(weights) - 1


class RandomBot:
    """Plays a random legal move."""

    name = "random"

    def __init__(self, seed: int, version: int = UNVERSIONED) -> None:
        self.seed = seed
        self.version = version

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose each move with the same probability."""
        require_own_turn(sight, moves)
        return Decision(moves[int(below(generator_for(self.seed, sight), len(moves)))])


class GreedyBot:
    """Plays the move that the game's policy rates best; ties are broken at random.

    Where the best move is one of `mixed_moves`, it draws among them by softmax of their ratings.
    """

    name = "greedy"

    def __init__(self, seed: int, mixed_moves: range = range(0), version: int = UNVERSIONED) -> None:
        self.seed = seed
        self.mixed_moves = mixed_moves
        self.version = version

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose by rating."""
        require_own_turn(sight, moves)
        ratings = np.zeros(len(moves))
        sight.game.kernels.rate(sight.state, np.array(moves, np.int32), len(moves), ratings)
        candidates = [Candidate(int(move), 0, float(rating)) for move, rating in zip(moves, ratings, strict=True)]
        candidates.sort(key=lambda candidate: -candidate.value)
        probabilities = self.probabilities(candidates)
        chosen = list(probabilities)[draw(generator_for(self.seed, sight), list(probabilities.values()))]
        return Decision(chosen, tuple(candidates))

    def probabilities(self, candidates: Sequence[Candidate]) -> dict[int, float]:
        """Return the probability of each move that may be played; `candidates` are best first."""
        weights = {candidate.move: self._weight(candidate, candidates[0]) for candidate in candidates}
        return {move: weight / sum(weights.values()) for move, weight in weights.items() if weight}

    def _weight(self, candidate: Candidate, best: Candidate) -> float:
        if candidate.move in self.mixed_moves and best.move in self.mixed_moves:
            return math.exp(candidate.value - best.value)
        return float(candidate.value == best.value)
