"""Many environments in one batch, as a Gymnasium `VectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from tablee.adapters.shared import ObservationParts
from tablee.core.errors import BadSetup
from tablee.core.game import Game, Options
from tablee.simulation.batch import Batch


class BatchVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games in one batch: the same seat of each is the learner's, and kernels play the others.

    `bots` is "random", or "policy" for the game's own ratings. A finished game is dealt again in the same step; its
    last observation is not kept.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        seat: int = 0,
        bots: str = "random",
    ) -> None:
        self.num_envs = num_envs
        self.batch = Batch(game, num_envs, seats=seats, options=options)
        self.seat = seat
        self.policy = bots
        self.single_observation_space = ObservationParts(self.batch.game).space()
        self.single_action_space = spaces.Discrete(self.batch.game.moves)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal; games are streams of one seed, or each has a seed of its own."""
        if isinstance(seed, int) or seed is None:
            super().reset(seed=seed)
            seed = int(self.np_random.integers(2**63)) if seed is None else seed
        self.batch.reset(seed)
        self.batch.play_until(self.seat, self.policy)
        return self._observations()

    def _observations(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        mask = self.batch.mask.astype(np.int8)
        return {"observation": self.batch.observations.copy(), "action_mask": mask}, {"action_mask": mask}

    def step(self, actions: Any) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's moves, then the other seats until the learner is on turn again."""
        refused = np.flatnonzero(self.batch.refusals(actions))
        if len(refused):
            raise BadSetup(f"illegal move {np.asarray(actions)[refused[0]]} in game {refused[0]}; see its action mask")
        self.batch.step(actions)
        self.batch.play_until(self.seat, self.policy)
        observations, info = self._observations()
        ended = self.batch.ended.copy()
        rewards = np.where(ended, self.batch.rewards[:, self.seat], 0.0).astype(np.float64)
        return observations, rewards, ended, np.zeros(self.num_envs, np.bool_), info
