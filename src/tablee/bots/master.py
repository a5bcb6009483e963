"""The bot that searches with a trained network, which says what to try first and which moves give little away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tablee.bots.bot import Candidate
from tablee.bots.networks import Network
from tablee.bots.search import SearchBot
from tablee.bots.settings import SearchSettings
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.core.types import Generator, Seat, State

VEIL = 0.5  # where play is mixed: share of the moves that are drawn as if the secret were any
MAX_LOSS = 0.02  # of the expected result, from 0 to 1: moves that cost more are not played to hide a secret
SECRETS = 21  # drawn, to find what a spectator expects
MIN_VISITS = 20  # of a move, from which on its mean result says something
MIN_PRIOR = 1e-4  # a network is not more certain than that


class MasterBot(SearchBot):
    """Searches like the others, but tries moves at the root as both the game's policy and a network suggest.

    Of what it has found, it plays the move with the best sum of mean result and `trust` times the logarithm of the
    network's probability. Results are as wrong as the policy that plays the rollouts, however many they are; the
    network errs elsewhere. Without trust it plays the most visited move.

    Where play is mixed, it hides its secret: it draws a part of its moves as if the secret were any that a spectator
    finds possible, and makes secret choices evenly among good ones.
    """

    def __init__(
        self,
        name: str,
        version: int,
        settings: SearchSettings,
        network: Network,
        seed: int,
        seconds: float | None = None,
        trust: float = 0.0,
    ) -> None:
        super().__init__(name, version, settings, seed, seconds)
        self.network = network
        self.trust = trust

    def root_priors(self, sight: Sight, moves: Sequence[int]) -> dict[int, float] | None:
        """Return the network's probability of each move."""
        return self.network.probabilities(sight.observe(), moves)

    def ranked(self, candidates: tuple[Candidate, ...], priors: Mapping[int, float] | None) -> tuple[Candidate, ...]:
        """Return the root's moves best first: by result and prior those that were tried, then by visits the others."""
        if not self.trust or priors is None:
            return candidates

        def worth(candidate: Candidate) -> tuple[bool, float]:
            tried = candidate.visits >= MIN_VISITS
            prior = math.log(max(priors[candidate.move], MIN_PRIOR))
            return tried, candidate.value + self.trust * prior if tried else candidate.visits

        return tuple(sorted(candidates, key=worth, reverse=True))

    def mixture(self, sight: Sight, candidates: Sequence[Candidate], generator: Generator) -> dict[int, float]:
        """Return the probability of each move: by the visits, and where play is mixed also by what hides the secret."""
        by_visits = self.probabilities(candidates)
        best, mixed = candidates[0], self.settings.mixed_moves
        good = [c.move for c in candidates if c.move in mixed and c.visits and c.value >= best.value - MAX_LOSS]
        if best.move not in mixed or len(good) < 2:
            return by_visits
        world = sight.imagine(generator)
        if is_secret(sight, world, best.move):
            return {move: 1 / len(good) for move in good}
        expected = self._public_probabilities(Sight.of(sight.game, world, SPECTATOR), sight.seat, good, generator)
        moves = dict.fromkeys([*by_visits, *good])
        return {move: (1 - VEIL) * by_visits.get(move, 0.0) + VEIL * expected.get(move, 0.0) for move in moves}

    def _public_probabilities(
        self, spectator: Sight, seat: Seat, moves: Sequence[int], generator: Generator
    ) -> dict[int, float]:
        """Return the network's probability of each move, the mean over secrets that a spectator finds possible."""
        sums = dict.fromkeys(moves, 0.0)
        for _ in range(SECRETS):
            imagined = Sight.of(spectator.game, spectator.imagine(generator), seat)
            for move, share in self.network.probabilities(imagined.observe(), moves).items():
                sums[move] += share / SECRETS
        return sums


def is_secret(sight: Sight, world: State, move: int) -> bool:
    """Whether no other seat sees a move of the seat on turn; `world` is one that it imagines."""
    others = [seat for seat in range(sight.seats) if seat != sight.seat]
    return not any(sight.game.kernels.sees_move(world, move, seat) for seat in others)
