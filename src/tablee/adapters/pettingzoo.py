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

from tablee.adapters.pictures import RENDER_MODES, render
from tablee.adapters.shared import (
    ILLEGAL_MOVES,
    MoveSpace,
    ObservationParts,
    checked_seat,
    chosen_from,
    chosen_game,
    deal_of,
)
from tablee.core.errors import BadMove, IllegalMove
from tablee.core.game import Game, Options
from tablee.core.match import Match
from tablee.core.observation import move_feature_table
from tablee.core.registry import all_games
from tablee.core.state import NOBODY, SPECTATOR
from tablee.simulation.full_state import full_state_layout
from tablee.simulation.rewards import reward_bounds
from tablee.simulation.stepper import Stepper


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A game with agents `seat_0`, `seat_1`, …; an observation has `observation` and `action_mask`.

    The mask is also in the info of the agent on turn, with the `legal_moves`. `move_list=True` adds the legal moves and
    their features to the observation, `action_mask=False` leaves the mask out; `move_features` has the features of all
    moves. `state()` is perfect information, for critics in training. An illegal move raises `IllegalMove` with the
    reason; with `illegal="lose"` it ends the episode with the lowest reward for its agent. `reward`, `episode`,
    `max_moves` and `reduction` are those of a batch (docs/research.md). Without a seed, `reset` uses an unpredictable
    one. `render_mode` is "human", "ansi" or "rgb_array", drawn from the view of `viewer`.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
        viewer: int = SPECTATOR,
        *,
        reduction: str = "",
        reward: str | None = None,
        episode: str = "game",
        max_moves: int | None = None,
        illegal: str = "raise",
        action_mask: bool = True,
        move_list: bool = False,
    ) -> None:
        super().__init__()
        self.game = chosen_game(game)
        self.setup = self.game.setup(seats, options, reduction)
        self.stepper = Stepper(self.game, self.setup, reward=reward, episode=episode, max_moves=max_moves)
        self.illegal = chosen_from("illegal", illegal, ILLEGAL_MOVES)
        self.render_mode = chosen_from("render_mode", render_mode, (None, *RENDER_MODES))
        self.viewer = checked_seat(viewer, self.setup, SPECTATOR)
        self.metadata = {**self.metadata, "name": f"{self.game.name}_v{self.game.version}"}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.setup.seats)]
        self._parts = ObservationParts(self.game, action_mask, move_list)
        self.observation_spaces = {agent: self._parts.space() for agent in self.possible_agents}
        self.action_spaces = {agent: MoveSpace(self.game.moves, self._legal_moves) for agent in self.possible_agents}
        self.state_space = spaces.Box(-np.inf, np.inf, (full_state_layout(self.game).size,), np.float32)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    @property
    def match(self) -> Match:
        """The present position as a match, without the moves that led to it."""
        return self.stepper.match()

    @property
    def move_features(self) -> np.ndarray | None:
        """The features of all moves, (moves, numbers) float32, read only; None for games that declare none."""
        return move_feature_table(self.game)

    def _legal_moves(self) -> np.ndarray:
        return self.stepper.legal

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent: the move numbers."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal; `options` may have a `stream` of the seed."""
        self.stepper.reset(*deal_of(seed, options))
        self.agents = self.possible_agents[:]
        self.rewards = self._no_rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._select_agent()

    def _select_agent(self) -> None:
        """Select the agent on turn; only its info has legal moves."""
        if self.infos[self.agent_selection]:
            self.infos[self.agent_selection] = {}
        if self.stepper.to_move != NOBODY:
            self.agent_selection = self.possible_agents[self.stepper.to_move]
            info = {"legal_moves": self.stepper.legal.copy()}
            if self._parts.mask:
                info["action_mask"] = self.stepper.mask.copy()
            self.infos[self.agent_selection] = info

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent observes; its mask is all zeros unless it is on turn."""
        return self._parts.of(self.stepper, self._seats[agent])

    def state(self) -> np.ndarray:
        """Return perfect information, as `Batch.full_state` does: all fields of the state but the generator."""
        return self.stepper.full_state()

    def step(self, action: int | None) -> None:
        """Play a move for the agent on turn."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadMove(f"{agent} is on turn and needs a move; None is for agents whose episode is over")
        self._cumulative_rewards[agent] = 0.0
        try:
            self.stepper.step(action)
        except IllegalMove as why:
            if self.illegal == "raise":
                raise
            self._end_by_illegal_move(agent, str(why))
            return
        self._pay()
        self._select_agent()
        if self.stepper.to_move == NOBODY:
            self._end(self.stepper.is_truncated)

    def _pay(self) -> None:
        """Take the rewards of the last move over; nearly always there are none."""
        if self.stepper.is_rewarded:
            self.rewards = dict(zip(self.possible_agents, self.stepper.rewards.tolist(), strict=True))
            self._accumulate_rewards()
        elif self.rewards is not self._no_rewards:
            self.rewards = self._no_rewards

    def _end(self, is_truncated: bool) -> None:
        """Tell every agent that the episode is over."""
        self.terminations = dict.fromkeys(self.agents, not is_truncated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self._deads_step_first()

    def _end_by_illegal_move(self, agent: str, why: str) -> None:
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = reward_bounds(self.game, self.stepper.rule)[0]
        self._accumulate_rewards()
        self.infos[agent] = {"illegal": why}
        self._end(is_truncated=False)

    def render(self) -> str | np.ndarray | None:
        """Draw the game as `viewer` sees it; None without a render mode."""
        return render(self.match, self.viewer, self.render_mode)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def parallel_table(game: Game | str, **settings: Any) -> ParallelEnv[str, Any, Any]:
    """Return an environment in which all agents act at each step, but only the action of the one on turn counts.

    Kernels play simultaneous choices in turn, hidden until all have chosen. So a step is still one move; the infos
    name its agent (`active_agent`).
    """
    return turn_based_aec_to_parallel(TableEnv(game, **settings))


@cache
def register_games() -> None:
    """Register every game with PettingZoo, as turn-based and as parallel environment."""
    for game in all_games():
        name = f"tablee/{game.name}-v{game.version}"
        if name not in aec_registry:
            register("aec", name, entry_point=f"{__name__}:TableEnv", kwargs={"game": game.name})
            register("parallel", name, entry_point=f"{__name__}:parallel_table", kwargs={"game": game.name})


register_games()
