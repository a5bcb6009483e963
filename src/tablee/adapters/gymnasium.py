"""Every game as a Gymnasium environment: one learner against bots, `gymnasium.make("tablee/<game>-v1", bots="greedy")`.

`gymnasium.make_vec(..., vectorization_mode="vector_entry_point")` gives many tables at once, played by a batch.
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
from tablee.simulation.batch import Batch

ILLEGAL = ("raise", "lose")


def _observation_space(game: Game) -> spaces.Dict:
    numbers = spaces.Box(-np.inf, np.inf, (game.kernels.observation.size,), np.float32)
    return spaces.Dict({"observation": numbers, "action_mask": spaces.Box(0, 1, (game.moves,), np.int8)})


class LearnerEnv(gymnasium.Env[Any, Any]):
    """One seat is the learner's; the others are played by bots of the roster, or by any objects that decide as one.

    An illegal move raises `IllegalMove` with its reason; with `illegal="lose"` it ends the game with the least reward,
    and the info says why. The mask is in the observation, in the info, and in `action_masks()`.
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
        if illegal not in ILLEGAL:
            raise BadSetup(f"illegal moves can {' or '.join(ILLEGAL)}, not {illegal!r}")
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        others = self.setup.seats - 1
        self.wanted_bots: list[str | Bot] = [bots] * others if isinstance(bots, str) else list(bots)
        if len(self.wanted_bots) != others:
            raise BadSetup(f"{len(self.wanted_bots)} bots for {others} seats")
        self.observation_space = _observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.moves)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal, and let the bots play until the learner is on turn; `options` may name a `stream` of the seed."""
        super().reset(seed=seed)
        deal = int(self.np_random.integers(2**63)) if seed is None else seed
        stream = (options or {}).get("stream", 0)
        self.match = Match(self.game, seats=self.setup.seats, options=self.setup.options, seed=deal, stream=stream)
        self.bots = [self._bot(wish, deal + index) for index, wish in enumerate(self.wanted_bots)]
        self._answer()
        return self._observed(), self._info()

    def _bot(self, wish: str | Bot, seed: int) -> Bot:
        return make_bot(wish, self.game, seed) if isinstance(wish, str) else wish

    def _answer(self) -> None:
        """Let the bots play until the learner is on turn."""
        while self.match.to_move not in (self.seat, -1):
            index = (self.match.to_move - self.seat - 1) % self.setup.seats
            sight = self.match.sight(self.match.to_move)
            self.match.play(self.bots[index].decide(sight, self.match.legal_moves()).move)

    def _observed(self) -> dict[str, np.ndarray]:
        return {"observation": self.match.sight(self.seat).observe(), **self._info()}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": legal_mask(self.match, self.seat)}

    def action_masks(self) -> np.ndarray:
        """Return True for what the learner may do now (the name that MaskablePPO looks for)."""
        return legal_mask(self.match, self.seat).astype(np.bool_)

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Play the learner's move and the bots' answers."""
        try:
            self.match.play(int(action))
        except IllegalMove as why:
            if self.illegal == "raise":
                raise
            return self._observed(), reward_bounds(self.game)[0], True, False, {**self._info(), "illegal": str(why)}
        self._answer()
        return self._observed(), rewards(self.match)[self.seat], self.match.is_over, False, self._info()

    def render(self) -> Any:
        """Draw the table as the learner sees it."""
        if self.render_mode is None:
            return None
        view = self.match.view(self.seat)
        return as_text(view) if self.render_mode == "ansi" else as_picture(view)


class BatchVectorEnv(VectorEnv[Any, Any, Any]):
    """Many tables at once in one batch: the same seat of each is the learner's, the others play inside compiled code.

    They play "random", or by the game's own "policy". A table that ends is dealt anew in the same step; what was last
    seen there is not kept.
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
        """Deal; tables are streams of one seed, or each has its own."""
        if isinstance(seed, int) or seed is None:
            super().reset(seed=seed)
            seed = int(self.np_random.integers(2**63)) if seed is None else seed
        self.batch.reset(seed)
        self.batch.play_until(self.seat, self.policy)
        return self._observed()

    def _observed(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        mask = self.batch.mask.astype(np.int8)
        return {"observation": self.batch.observations.copy(), "action_mask": mask}, {"action_mask": mask}

    def step(self, actions: Any) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's moves and the others' answers."""
        refused = np.flatnonzero(self.batch.refusals(actions))
        if len(refused):
            raise BadSetup(
                f"illegal move {np.asarray(actions)[refused[0]]} at table {refused[0]}; mind the action mask"
            )
        self.batch.step(actions)
        self.batch.play_until(self.seat, self.policy)
        observed, info = self._observed()
        ended = self.batch.ended.copy()
        won = np.where(ended, self.batch.rewards[:, self.seat], 0.0).astype(np.float64)
        return observed, won, ended, np.zeros(self.num_envs, np.bool_), info


@cache
def register_games() -> None:
    """Make every game known to Gymnasium."""
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
