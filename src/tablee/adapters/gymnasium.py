"""Every game as a Gymnasium environment: one learner against bots, `gymnasium.make("tablee/<game>-v1", bots="greedy")`.

`gymnasium.make_vec("tablee/<game>-v1", num_envs=1024)` makes many environments in one batch (`adapters/vector.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import gymnasium
import numpy as np

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
from tablee.bots.bot import Bot
from tablee.bots.roster import make_bot
from tablee.core.errors import BadSetup, IllegalMove, TableeError
from tablee.core.game import Game, Options
from tablee.core.match import Match
from tablee.core.observation import move_feature_table
from tablee.core.registry import all_games
from tablee.core.state import NOBODY
from tablee.simulation.policies import POLICIES
from tablee.simulation.rewards import reward_bounds
from tablee.simulation.stepper import Stepper

Observation: TypeAlias = dict[str, np.ndarray]
Opponent: TypeAlias = str | Bot | Callable[[Observation], int]
SEATS = ("rotate", "random")  # how the learner's seat changes, instead of a number
MAX_DEALS = 100  # in one reset, to find an episode in which the learner gets a turn


class LearnerEnv(gymnasium.Env[Any, Any]):
    """A game in which one seat is the learner's and opponents play the others.

    `bots` is one opponent for all other seats, or one per seat in turn order after the learner: a name of the roster, a
    policy ("random", "greedy" and "policy" play inside compiled code), a `Bot`, or a function that gets an observation
    and returns a move. `seat` is a number, "rotate" (another in each episode) or "random". An illegal move ends the
    episode with the lowest reward, and the reason is in the info; with `illegal="raise"` it raises `IllegalMove`. The
    action mask is in the observation, in the info, and in `action_masks()`. `reward`, `episode`, `max_moves` and
    `reduction` are those of a batch (docs/research.md), `action_mask` and `move_list` as in PettingZoo.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        seat: int | str = 0,
        bots: Opponent | Sequence[Opponent] = "random",
        illegal: str = "lose",
        render_mode: str | None = None,
        *,
        reduction: str = "",
        reward: str | None = None,
        episode: str = "game",
        max_moves: int | None = None,
        action_mask: bool = True,
        move_list: bool = False,
    ) -> None:
        self.game = chosen_game(game)
        self.setup = self.game.setup(seats, options, reduction)
        self.seating = chosen_from("seat", seat, SEATS) if isinstance(seat, str) else checked_seat(seat, self.setup)
        self.seat = 0 if isinstance(self.seating, str) else self.seating  # the learner's, in this episode
        self.illegal = chosen_from("illegal", illegal, ILLEGAL_MOVES)
        self.render_mode = chosen_from("render_mode", render_mode, (None, *RENDER_MODES))
        self.opponents = self._checked_opponents(bots)
        self.stepper = Stepper(
            self.game, self.setup, reward=reward, episode=episode, max_moves=max_moves, observes=self._is_compiled
        )
        self._parts = ObservationParts(self.game, action_mask, move_list)
        self.observation_space = self._parts.space()
        self.action_space = MoveSpace(self.game.moves, self._legal_moves)
        self._episodes = 0  # since the last seed
        self._is_lost = True  # by an illegal move, or because no episode has begun
        self._earned = 0.0  # since the learner's last move

    def _checked_opponents(self, bots: Opponent | Sequence[Opponent]) -> list[Opponent]:
        """Return one opponent per other seat; a name is checked by making the bot once."""
        others = self.setup.seats - 1
        is_one = isinstance(bots, str) or callable(bots) or hasattr(bots, "decide")
        opponents: list[Any] = [bots] * others if is_one else list(bots)  # type: ignore[arg-type]
        if len(opponents) != others:
            raise BadSetup(f"{len(opponents)} bots for {others} seats")
        for opponent in opponents:
            if isinstance(opponent, str) and opponent not in POLICIES:
                make_bot(opponent, self.game, 0)
            elif not (isinstance(opponent, str) or callable(opponent) or hasattr(opponent, "decide")):
                raise BadSetup(f"an opponent is a name, a bot or a function, not {opponent!r}")
        return opponents

    @property
    def _is_compiled(self) -> bool:
        """Whether all opponents play inside compiled code."""
        return all(isinstance(opponent, str) and opponent in POLICIES for opponent in self.opponents)

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

    # Episodes

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal, and let the opponents play until the learner is on turn; `options` may have a `stream` of the seed."""
        deal, stream = deal_of(seed if seed is not None else 0, options)
        super().reset(seed=None if seed is None else deal % 2**64)
        if seed is None:
            deal = int(self.np_random.integers(2**63))
        else:
            self._episodes = 0
        self._take_seat()
        self._is_lost = False
        for attempt in range(MAX_DEALS):
            self._deal(deal, stream + attempt)
            if self.stepper.to_move != NOBODY:
                return self._result()
        raise BadSetup(f"seat {self.seat} gets no turn in {MAX_DEALS} deals; the episodes are too short")

    def _take_seat(self) -> None:
        """Choose the learner's seat of the next episode."""
        if self.seating == "rotate":
            self.seat = self._episodes % self.setup.seats
        elif self.seating == "random":
            self.seat = int(self.np_random.integers(self.setup.seats))
        self._episodes += 1

    def _deal(self, seed: int, stream: int) -> None:
        """Deal, with the opponents in their seats, and play until the learner is on turn."""
        seats = self.setup.seats
        policies: list[str | None] = [None] * seats
        self._players: dict[int, Bot | Callable[[Observation], int]] = {}
        for index, opponent in enumerate(self.opponents):
            seat = (self.seat + 1 + index) % seats
            if isinstance(opponent, str) and opponent in POLICIES:
                policies[seat] = opponent
            else:
                is_name = isinstance(opponent, str)
                self._players[seat] = make_bot(opponent, self.game, seed + index) if is_name else opponent  # type: ignore[arg-type, assignment]
        self.stepper.set_policies(policies)
        self.stepper.reset(seed, stream)
        self._play_opponents()
        self._earned = 0.0  # the learner's episode begins with its first turn

    def _play_opponents(self) -> None:
        """Let the opponents that are no policies play until the learner is on turn."""
        stepper = self.stepper
        while stepper.to_move != self.seat and stepper.to_move != NOBODY:
            player = self._players[stepper.to_move]
            if hasattr(player, "decide"):
                move = player.decide(stepper.sight(stepper.to_move), stepper.legal.tolist()).move
            else:
                move = player(self._parts.of(stepper, stepper.to_move))
            stepper.step(move)
            self._earned += float(stepper.rewards[self.seat])

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's move, then the opponents until the learner is on turn again."""
        stepper = self.stepper
        if self._is_lost or stepper.to_move == NOBODY:
            raise TableeError("the episode is over: call reset before the next step")
        try:
            stepper.step(action)
        except IllegalMove as why:
            if self.illegal == "raise":
                raise
            return self._lose(str(why))
        if stepper.is_rewarded:
            self._earned += float(stepper.rewards[self.seat])
        if self._players:
            self._play_opponents()
        reward, self._earned = self._earned, 0.0
        seen, info = self._result()
        if stepper.to_move != NOBODY:
            return seen, reward, False, False, info
        is_truncated = stepper.is_truncated
        return seen, reward, not is_truncated, is_truncated, info

    def _lose(self, why: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """End the episode after an illegal move."""
        self._is_lost = True
        seen, info = self._result()
        return seen, reward_bounds(self.game, self.stepper.rule)[0], True, False, {**info, "illegal": why}

    def _result(self) -> tuple[Observation, dict[str, Any]]:
        """Return what the learner observes, and the info."""
        seen = self._parts.of(self.stepper, self.seat)
        info: dict[str, Any] = {"seat": self.seat, "legal_moves": self.stepper.legal.copy()}
        if self._parts.mask:
            info["action_mask"] = seen["action_mask"]
        if self.render_mode == "human":
            self.render()
        return seen, info

    def action_masks(self) -> np.ndarray:
        """Return a boolean mask of the learner's legal moves; MaskablePPO looks for this name."""
        return self.stepper.mask.astype(np.bool_)

    def render(self) -> Any:
        """Draw the learner's view; None without a render mode."""
        return render(self.match, self.seat, self.render_mode)


@cache
def register_games() -> None:
    """Register every game with Gymnasium."""
    for game in all_games():
        name = f"tablee/{game.name}-v{game.version}"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="tablee.adapters.gymnasium:LearnerEnv",
                vector_entry_point="tablee.adapters.vector:BatchVectorEnv",
                kwargs={"game": game.name},
            )


register_games()
