"""Many environments in one batch for Stable-Baselines3: `MaskablePPO("MlpPolicy", BatchVecEnv(64, "<game>"))`.

Needs `pip install 'tablee[learn]'`; MaskablePPO of sb3-contrib finds the masks without a wrapper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from tablee.adapters.vector import BatchVectorEnv


class BatchVecEnv(VecEnv):  # type: ignore[misc]
    """A `BatchVectorEnv` as a `VecEnv`; takes the same settings.

    Observations are the numbers of the game's layout alone: masks reach MaskablePPO through `action_masks`. The last
    observation of an episode is in its info (`terminal_observation`), as Stable-Baselines3 expects.
    """

    def __init__(self, num_envs: int, game: Any, **settings: Any) -> None:
        self.tables = BatchVectorEnv(num_envs, game, autoreset_mode=AutoresetMode.SAME_STEP, **settings)
        space = self.tables.single_observation_space.spaces["observation"]
        self.render_mode = None
        self._actions: Any = None
        self._next_seed: int | None = None
        super().__init__(num_envs, space, self.tables.single_action_space)

    def reset(self) -> np.ndarray:
        """Deal all games."""
        seen, _ = self.tables.reset(seed=self._next_seed)
        self._next_seed = None
        observations: np.ndarray = seen["observation"]
        return observations

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Set the seed of the next reset."""
        self._next_seed = seed
        return [seed] * self.num_envs

    def step_async(self, actions: np.ndarray) -> None:
        """Remember the moves for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the moves."""
        seen, rewards, terminated, truncated, info = self.tables.step(self._actions)
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            infos[row]["terminal_observation"] = info["final_obs"]["observation"][row]
            infos[row]["TimeLimit.truncated"] = bool(truncated[row])
        return seen["observation"], rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Do nothing: a batch holds no resources."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once per environment; all share one batch."""
        return [getattr(self.tables, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all environments."""
        setattr(self.tables, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **settings: Any) -> list[Any]:
        """Call a method; of an array with one row per environment, return the rows."""
        result = getattr(self.tables, method_name)(*arguments, **settings)
        return [result[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return that no environment is wrapped."""
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return no pictures."""
        return [None] * self.num_envs
