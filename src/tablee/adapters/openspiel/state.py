"""A state of a game, as OpenSpiel's algorithms step it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from tablee.adapters.openspiel.observers import NO_TENSOR
from tablee.core.errors import BadMove
from tablee.core.randomness import new_generator
from tablee.core.types import Numbers
from tablee.simulation.chance_steps import CHANCE, OVER

if TYPE_CHECKING:
    from tablee.adapters.openspiel.game import TableGame
    from tablee.adapters.openspiel.trail import TrackedPosition


class TableState(pyspiel.State):  # type: ignore[misc]
    """A state: a position, and nothing else, so that OpenSpiel clones it quickly.

    Methods that OpenSpiel would answer by calling several of ours are answered here directly.
    """

    position: TrackedPosition

    def __init__(self, table: TableGame) -> None:
        super().__init__(table)
        self.position = table.root  # copied before the first action: most clones replace it at once

    # Turns and actions

    def current_player(self) -> int:
        """Return the player on turn, or OpenSpiel's number for chance or the end."""
        return self.position.player

    def is_terminal(self) -> bool:
        """Whether the game is over or was cut off."""
        return self.position.player == OVER

    def is_chance_node(self) -> bool:
        """Whether chance is on turn."""
        return self.position.player == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the moves of a player, by default of the one on turn, or the outcomes of chance, ascending."""
        if player is None or player == self.position.player:
            return self.position.listed()
        return []

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.listed()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes with their probabilities."""
        return list(zip(self.position.listed(), self.position.probabilities(), strict=True))

    def _apply_action(self, action: int) -> None:
        if self.position.is_shared:
            self.position = self.position.copy()
        self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return self.position.outcome_text(action)
        game = self.position.model.game
        if not 0 <= action < game.moves:
            raise BadMove(f"{game.name} has no move {action}; they are numbered 0 to {game.moves - 1}")
        return str(game.module("moves").move_text(action))

    # Rewards

    def returns(self) -> list[float]:
        """Return the sum of each player's rewards so far."""
        return self.position.returns()

    def rewards(self) -> list[float]:
        """Return each player's reward for the last move."""
        return self.position.rewards()

    # What players see

    def observation_tensor(self, player: int | None = None) -> Sequence[float]:
        """Return what a player observes: an `array` of float32, which takes a tenth of the time of a list."""
        position = self.position
        return position.observed(position.player if player is None else self._checked(player))

    def _checked(self, player: int) -> int:
        """Return a player as a plain integer; raise the error that OpenSpiel's own tests expect if there is none."""
        player, seats = index(player), self.position.model.setup.seats
        if not 0 <= player < seats:
            raise pyspiel.SpielError(f"there is no player {player}: needed are player >= 0 and player < {seats}")
        return player

    def information_state_tensor(self, player: int | None = None) -> Sequence[float]:
        """Return a player's observation and the last moves it has seen; raise ValueError without `history`."""
        observer = self.get_game().history_observer
        if observer is None:
            raise ValueError(NO_TENSOR)
        observer.set_from(self, self._checked(self.position.player if player is None else player))
        return array("f", observer.tensor.tobytes())

    def legal_move_features(self) -> Numbers:
        """Return the features of each legal move: (moves, features) float32, with no columns where there are none."""
        return self.position.model.features(self.legal_actions())

    def resample_from_infostate(self, player: int, sampler: Any) -> TableState:
        """Return a state that looks the same to a player, with the hidden part resampled by `sampler() -> [0, 1)`.

        The player has the same information state in it, string and tensor. What the other players have seen is what the
        resampled world shows to them from now on: two resampled states in which one of them sees the same are one
        information state to that player, and nothing of the true world is left in it. OpenSpiel's own history of the
        state is empty for the same reason: what was dealt and drawn in the other world is not known.
        """
        position = self.position
        if position.player == CHANCE or not position.is_dealt:
            raise ValueError("states are resampled at a player's turn or at the end, not at a chance node")
        generator = new_generator(int(sampler() * 2**53))
        world = position.sight(self._checked(player)).imagine(generator)
        other: TableState = self.get_game().new_initial_state()
        other.position = position.resampled(player, world)
        return other

    # Other forms

    def to_struct(self) -> dict[str, Any]:
        """Return the fields of the full state as plain values, by name."""
        if not self.position.is_dealt:
            return {}
        state = self.position.state()
        return {name: np.asarray(state[name]).tolist() for name in state.dtype.names if name != "generator"}

    def __str__(self) -> str:
        if not self.position.is_dealt:
            return "before the deal"
        return f"{self.position.model.game.name} after {self.position.played} moves, {self.position.state_digest()}"
