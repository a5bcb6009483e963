"""What chance gave each seat of a game, in points: taken off, a lead needs fewer deals to be told from none.

Before every move, what no seat knows is put into random order again (`shuffle_unknown` of the game) and the move played
in the copy: whatever a function of the position says about the true outcome, less its mean over such copies, is luck
with the mean zero, however the seats decide, because they cannot know more than the copies keep. The function here is
the points so far plus what the game's network expects of the present round for the seat on turn. The better it
predicts, the more luck is found; a bad network leaves the lead as it was, and never shifts it (Burch et al. 2018).
"""

from __future__ import annotations

import numpy as np

from tablee.bots.networks import network_of
from tablee.core.match import Match
from tablee.core.randomness import new_generator, reseed
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.types import State

COPIES = 12  # of the position, per move
NO_MOVES = np.zeros(0, np.int32)


class LuckMeter:
    """Follows a match, and sums what chance gave each seat: points ahead of the mean of the others."""

    def __init__(self, match: Match, seed: int) -> None:
        self.luck = np.zeros(match.seats)
        self._match = match
        self._network = network_of(match.game)
        self._generator = new_generator(seed)
        self._has_draws = (match.game.folder / "chance.py").exists()  # else rotations of the seats cancel the deals

    def play(self, move: int) -> None:
        """Play a legal move in the match, and add the luck of what it turned up."""
        before = copy_state(self._match.state)
        self._match.push(move)
        if self._has_draws:
            copies = [self._leads(self._played_again(before, move)) for _ in range(COPIES)]
            self.luck += self._leads(self._match.state) - np.mean(copies, axis=0)

    def _played_again(self, before: State, move: int) -> State:
        """Return the position after the move if what no seat knows had another order."""
        state, kernels = copy_state(before), self._match.game.kernels
        reseed(state.generator, self._generator)
        kernels.shuffle_unknown(state)
        kernels.play(state, move)
        return state

    def _leads(self, state: State) -> np.ndarray:
        """Return how far each seat is ahead of the mean of the others: so far, and expected of the present round."""
        game, seats, mover = self._match.game, self._match.seats, int(state.to_move)
        points = np.zeros(seats, np.int64)
        game.kernels.scores(state, points)
        leads = (points - points.mean()) * seats / (seats - 1) * (-1 if game.fewest_points_win else 1)
        if not state.end_reason:
            _, value = self._network.rate(Sight.of(game, state, mover).observe(), NO_MOVES)
            expected = np.full(seats, -value / (seats - 1))
            expected[mover] = value
            leads += expected * game.round_scale
        return leads
