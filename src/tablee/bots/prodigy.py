"""The bot that plays by a trained network alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tablee.bots.bot import Candidate, Decision, require_own_turn
from tablee.bots.networks import Network, shares
from tablee.bots.simple import UNVERSIONED, draw, generator_for
from tablee.core.sight import Sight

MIN_MIXED_SHARE = 0.1  # of the best move's probability: less likely moves are not played where play is mixed


class NetworkBot:
    """Plays the move that a network rates best; where the best is one of `mixed_moves`, draws among them."""

    def __init__(
        self,
        network: Network,
        seed: int,
        mixed_moves: range = range(0),
        version: int = UNVERSIONED,
        name: str = "prodigy",
    ) -> None:
        self.network = network
        self.seed = seed
        self.mixed_moves = mixed_moves
        self.version = version
        self.name = name

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Choose by the network's ratings of what the seat observes."""
        require_own_turn(sight, moves)
        if len(moves) == 1:
            return Decision(moves[0])
        ratings, value = self.network.rate(sight.observe(), np.array(moves, np.int32))
        candidates = [Candidate(int(move), 0, share) for move, share in zip(moves, shares(ratings), strict=True)]
        candidates.sort(key=lambda candidate: -candidate.value)
        probabilities = self.probabilities(candidates)
        chosen = list(probabilities)[draw(generator_for(self.seed, sight), list(probabilities.values()))]
        return Decision(chosen, tuple(candidates), facts={"value": value})

    def probabilities(self, candidates: Sequence[Candidate]) -> dict[int, float]:
        """Return the probability of each move that may be played; `candidates` are best first."""
        best = candidates[0]
        if best.move not in self.mixed_moves:
            return {best.move: 1.0}
        least = MIN_MIXED_SHARE * best.value
        likely = {c.move: c.value for c in candidates if c.move in self.mixed_moves and c.value >= least}
        return {move: share / sum(likely.values()) for move, share in likely.items()}
