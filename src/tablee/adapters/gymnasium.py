"""Every game as a Gymnasium environment: one learner against bots, `gymnasium.make("tablee/<game>-v1", bots="greedy")`.

`gymnasium.make_vec(..., vectorization_mode="vector_entry_point")` makes many environments in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from tablee.adapters.pictures import as_picture, as_text
from tablee.adapters.shared import legal_mask, reward_bounds, rewards
from tablee.bots.bot import Bot
from tablee.bots.roster import make_bot
from tablee.core.errors import BadSetup, IllegalMove
from tablee.core.game import Game, Options
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.core.state import NOBODY
from tablee.simulation.batch import Batch

ILLEGAL_MOVES = ("raise", "lose")


def _observation_space(game: Game) -> spaces.Dict:
    numbers = spaces.Box(-np.inf, np.inf, (game.kernels.observation.size,), np.float32)
    return spaces.Dict({"observation": numbers, "action_mask": spaces.Box(0, 1, (game.moves,), np.int8)})


class LearnerEnv(gymnasium.Env[Any, Any]):
    """A game in which one seat is the learner's and bots play the others: names of the roster, or any `Bot`.

    An illegal move raises `IllegalMove` with the reason; with `illegal="lose"` it ends the game with the lowest reward,
    and the reason is in the info. The action mask is in the observation, in the info, and in `action_masks()`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        seat: int = 0,
        bots: str | Sequence[str | Bot] = "random",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.setup = self.game.setup(seats, options)
        if not 0 <= seat < self.setup.seats:
            raise BadSetup(f"there is no seat {seat} at a table of {self.setup.seats}")
        if illegal not in ILLEGAL_MOVES:
            raise BadSetup(f"an illegal move can {' or '.join(ILLEGAL_MOVES)}, not {illegal!r}")
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        other_seats = self.setup.seats - 1
        self.opponents: list[str | Bot] = [bots] * other_seats if isinstance(bots, str) else list(bots)
        if len(self.opponents) != other_seats:
            raise BadSetup(f"{len(self.opponents)} bots for {other_seats} seats")
        self.observation_space = _observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.moves)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal, and let the bots play until the learner is on turn; `options` may have a `stream` of the seed."""
        super().reset(seed=seed)
        deal = int(self.np_random.integers(2**63)) if seed is None else seed
        stream = (options or {}).get("stream", 0)
        self.match = Match(self.game, seats=self.setup.seats, options=self.setup.options, seed=deal, stream=stream)
        self.bots = [self._bot(opponent, deal + index) for index, opponent in enumerate(self.opponents)]
        self._play_bots()
        return self._observation(), self._info()

    def _bot(self, opponent: str | Bot, seed: int) -> Bot:
        return make_bot(opponent, self.game, seed) if isinstance(opponent, str) else opponent

    def _play_bots(self) -> None:
        """Let the bots play until the learner is on turn."""
        while self.match.to_move not in (self.seat, NOBODY):
            index = (self.match.to_move - self.seat - 1) % self.setup.seats
            sight = self.match.sight(self.match.to_move)
            self.match.play(self.bots[index].decide(sight, self.match.legal_moves()).move)

    def _observation(self) -> dict[str, np.ndarray]:
        return {"observation": self.match.sight(self.seat).observe(), **self._info()}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": legal_mask(self.match, self.seat)}

    def action_masks(self) -> np.ndarray:
        """Return a boolean mask of the learner's legal moves; MaskablePPO looks for this name."""
        return legal_mask(self.match, self.seat).astype(np.bool_)

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Play the learner's move, then the bots until the learner is on turn again."""
        try:
            self.match.play(int(action))
        except IllegalMove as why:
            if self.illegal == "raise":
                raise
            info = {**self._info(), "illegal": str(why)}
            return self._observation(), reward_bounds(self.game)[0], True, False, info
        self._play_bots()
        return self._observation(), rewards(self.match)[self.seat], self.match.is_over, False, self._info()

    def render(self) -> Any:
        """Draw the learner's view as text or as a picture; None without a render mode."""
        if self.render_mode is None:
            return None
        view = self.match.view(self.seat)
        return as_text(view) if self.render_mode == "ansi" else as_picture(view)


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
        self.single_observation_space = _observation_space(self.batch.game)
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


@cache
def register_games() -> None:
    """Register every game with Gymnasium."""
    for game in all_games():
        name = f"tablee/{game.name}-v{game.version}"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="tablee.adapters.gymnasium:LearnerEnv",
                vector_entry_point="tablee.adapters.gymnasium:BatchVectorEnv",
                kwargs={"game": game.name},
            )


register_games()
