"""Every game as a PettingZoo environment in which agents act in turn: `pettingzoo.make("aec", "tablee/<game>-v1")`.

`pettingzoo.make("parallel", ...)` is for programs that need an action from every agent at each step.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv, aec_registry, register
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from tablee.adapters.pictures import as_picture, as_text
from tablee.adapters.shared import legal_mask, rewards
from tablee.core.game import Game, Options
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.core.state import SPECTATOR


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A game with agents `seat_0`, `seat_1`, …; an observation has `observation` and `action_mask`.

    The mask is also in the info of the agent on turn. An illegal move raises `IllegalMove` with the reason. Without a
    seed, `reset` uses an unpredictable one. `render_mode` is "ansi" or "rgb_array", drawn from the view of `viewer`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
        viewer: int = SPECTATOR,
    ) -> None:
        super().__init__()
        self.game = find_game(game) if isinstance(game, str) else game
        self.setup = self.game.setup(seats, options)
        self.render_mode = render_mode
        self.viewer = viewer
        self.metadata = {**self.metadata, "name": f"{self.game.name}_v{self.game.version}"}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.setup.seats)]
        numbers = self.game.kernels.observation.size
        observation = spaces.Box(-np.inf, np.inf, (numbers,), np.float32)
        mask = spaces.Box(0, 1, (self.game.moves,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": observation, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.game.moves) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent: the move numbers."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal; `options` may have a `stream` of the seed."""
        stream = (options or {}).get("stream", 0)
        self.match = Match(self.game, seats=self.setup.seats, options=self.setup.options, seed=seed, stream=stream)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select_agent()

    def _select_agent(self) -> None:
        """Select the agent on turn; only its info has an action mask."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if not self.match.is_over:
            self.agent_selection = self.possible_agents[self.match.to_move]
            self.infos[self.agent_selection] = {"action_mask": legal_mask(self.match, self.match.to_move)}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent observes, and its action mask, which is all zeros unless it is on turn."""
        seat = self.possible_agents.index(agent)
        return {"observation": self.match.sight(seat).observe(), "action_mask": legal_mask(self.match, seat)}

    def step(self, action: int | None) -> None:
        """Play a move for the agent on turn."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.match.play(int(action))
        self.rewards = dict(zip(self.possible_agents, rewards(self.match), strict=True))
        self.terminations = dict.fromkeys(self.agents, self.match.is_over)
        self._select_agent()
        self._accumulate_rewards()
        if self.match.is_over:
            self._deads_step_first()

    def render(self) -> str | np.ndarray | None:
        """Draw the game as text or as a picture; None without a render mode."""
        if self.render_mode is None:
            return None
        view = self.match.view(self.viewer)
        return as_text(view) if self.render_mode == "ansi" else as_picture(view)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def parallel_table(game: Game | str, **options: Any) -> ParallelEnv[str, Any, Any]:
    """Return an environment in which all agents act at each step, but only the action of the one on turn counts.

    Kernels play simultaneous choices in turn, hidden until all have chosen. So a step is still one move; the infos
    name its agent (`active_agent`).
    """
    return turn_based_aec_to_parallel(TableEnv(game, **options))


@cache
def register_games() -> None:
    """Register every game with PettingZoo, as turn-based and as parallel environment."""
    for game in all_games():
        name = f"tablee/{game.name}-v{game.version}"
        if name not in aec_registry:
            register("aec", name, entry_point=f"{__name__}:TableEnv", kwargs={"game": game.name})
            register("parallel", name, entry_point=f"{__name__}:parallel_table", kwargs={"game": game.name})


register_games()
