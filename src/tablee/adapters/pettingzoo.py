"""Every game as a PettingZoo environment, where the seats act in turn: `pettingzoo.make("aec", "tablee/<game>-v1")`.

`pettingzoo.make("parallel", ...)` gives the same table to programs that want an action from every agent at each step.
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
    """A table: agents are `seat_0`, `seat_1`, …; an observation is `observation` and `action_mask`.

    The mask is also in the info of the seat on turn. An illegal move raises `IllegalMove`, which says why. Without a
    seed, `reset` deals what nobody can guess. `render_mode` is "ansi" or "rgb_array", as `viewer` sees the table.
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
        """Return what an agent's observations are."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent's actions are: the move numbers."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal; `options` may name a `stream` of the seed."""
        stream = (options or {}).get("stream", 0)
        self.match = Match(self.game, seats=self.setup.seats, options=self.setup.options, seed=seed, stream=stream)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._turn()

    def _turn(self) -> None:
        """Tell whose turn it is, and tell that agent alone what it may do."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if not self.match.is_over:
            self.agent_selection = self.possible_agents[self.match.to_move]
            self.infos[self.agent_selection] = {"action_mask": legal_mask(self.match, self.match.to_move)}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent knows, and what it may do if it is on turn."""
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
        self._turn()
        self._accumulate_rewards()
        if self.match.is_over:
            self._deads_step_first()

    def render(self) -> str | np.ndarray | None:
        """Draw the table."""
        if self.render_mode is None:
            return None
        view = self.match.view(self.viewer)
        return as_text(view) if self.render_mode == "ansi" else as_picture(view)

    def close(self) -> None:
        """Nothing is held open."""


def parallel_table(game: Game | str, **wishes: Any) -> ParallelEnv[str, Any, Any]:
    """Return a table at which all agents act at once, and only the action of the one on turn counts.

    The rules have every decision made in turn, also those that people make at the same time: they are hidden until
    all have chosen. So a step of all agents is still one move; the info says whose (`active_agent`).
    """
    return turn_based_aec_to_parallel(TableEnv(game, **wishes))


@cache
def register_games() -> None:
    """Make every game known to PettingZoo, in both of its ways."""
    for game in all_games():
        name = f"tablee/{game.name}-v{game.version}"
        if name not in aec_registry:
            register("aec", name, entry_point=f"{__name__}:TableEnv", kwargs={"game": game.name})
            register("parallel", name, entry_point=f"{__name__}:parallel_table", kwargs={"game": game.name})


register_games()
