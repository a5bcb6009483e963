"""Many environments in one batch, as a Gymnasium `VectorEnv`: a learner against opponents, or in all seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from tablee.adapters.shared import ILLEGAL_MOVES, MoveSpace, MovesSpace, ObservationParts, checked_seat, chosen_from
from tablee.bots.bot import Bot
from tablee.bots.roster import make_bot
from tablee.core.errors import BadMove, BadSetup, TableeError
from tablee.core.game import Game, Options
from tablee.core.sight import Sight
from tablee.simulation.arguments import integer_row
from tablee.simulation.batch import Batch
from tablee.simulation.policies import POLICIES
from tablee.simulation.rewards import reward_bounds
from tablee.simulation.steps import NO_MOVE

Observations: TypeAlias = dict[str, Any]  # arrays with one row per environment
Opponents: TypeAlias = str | Bot | Callable[[Observations], Any]
SEATS = ("rotate", "random", "all")  # how the learner's seat changes, instead of a number
MAX_STEPS = 100_000  # of opponents outside compiled code, until the learner is on turn


class BatchVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games in one batch, with a learner in one seat of each: `gymnasium.make_vec("tablee/<game>-v1", 1024)`.

    `seat` is a number, "rotate" or "random" (another in each episode), or "all": then the learner plays every seat in
    turn, each step has the reward of the seat that moved, and `rewards` in the info those of all. `bots` play the other
    seats: a policy ("random", "greedy", "policy") inside compiled code; a function that gets the observations of some
    games and returns a move for each; a `Bot` or the name of one, game by game. An illegal move ends the episode with
    the lowest reward; with `illegal="raise"` it raises `IllegalMove`, and no move is played. All modes of
    `autoreset_mode` are supported; the last observation of an episode is in `final_obs` of the info (SAME_STEP, the
    default) or in the observation itself. With `device="cuda"`, observations and masks are device arrays that change
    with each step, rewards and ends are NumPy arrays, and the mode is SAME_STEP. The other settings are those of
    `LearnerEnv`.
    """

    single_observation_space: spaces.Dict
    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        game: Game | str,
        seats: int | None = None,
        options: Options | None = None,
        seat: int | str = 0,
        bots: Opponents = "random",
        illegal: str = "lose",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        device: str = "cpu",
        *,
        reduction: str = "",
        reward: str | None = None,
        episode: str = "game",
        max_moves: int | None = None,
        action_mask: bool = True,
        move_list: bool = False,
        threads: int | None = None,
    ) -> None:
        self.batch = Batch(
            game,
            num_envs,
            seats=seats,
            options=options,
            reduction=reduction,
            reward=reward,
            episode=episode,
            max_moves=max_moves,
            device=device,
            threads=threads,
        )
        self.game, self.setup, self.num_envs = self.batch.game, self.batch.setup, self.batch.size
        self.seating = chosen_from("seat", seat, SEATS) if isinstance(seat, str) else checked_seat(seat, self.setup)
        self.illegal = chosen_from("illegal", illegal, ILLEGAL_MOVES)
        self.mode = _checked_mode(autoreset_mode)
        self.is_on_cuda = device == "cuda"
        self._opponents = self._checked_opponents(bots)
        if self.is_on_cuda and (self.mode is not AutoresetMode.SAME_STEP or move_list or self._opponents is not None):
            raise BadSetup("on CUDA the mode is SAME_STEP, bots are a policy, and legal moves are listed by the batch")
        self.policy = bots if isinstance(bots, str) and self._opponents is None else None
        self.metadata = {**self.metadata, "autoreset_mode": self.mode}
        self._truncates = max_moves is not None  # else a reduction ends where it is cut off
        self._parts = ObservationParts(self.game, action_mask, move_list)
        self.single_observation_space = self._parts.space()
        self.single_action_space = MoveSpace(self.game.moves, lambda: next(self._legal_moves()))
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = MovesSpace(self.num_envs, self.game.moves, self._legal_moves)
        self._rows = np.arange(self.num_envs)
        self._waits = np.zeros(self.num_envs, np.bool_)  # whose episode is over, until it is reset
        self._is_reset = False

    def _checked_opponents(self, bots: Opponents) -> Any:
        """Return the bot or function that plays the other seats; None for a policy."""
        if isinstance(bots, str):
            return None if bots in POLICIES else make_bot(bots, self.game, 0)
        if callable(bots) or hasattr(bots, "decide"):
            return bots
        raise BadSetup(f"opponents are a name, a bot or a function, not {bots!r}")

    def _legal_moves(self) -> Iterator[np.ndarray]:
        """Yield the legal moves of each game."""
        legal, counts = self.batch.on_host(self.batch.legal), self.batch.on_host(self.batch.counts)
        return (legal[row, : counts[row]] for row in range(self.num_envs))

    # Episodes

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal; games are streams of one seed, or each has a seed of its own.

        In the mode DISABLED, `options` may have a `reset_mask`, (num_envs,) bool: only these games are dealt again.
        """
        if options is not None and not isinstance(options, Mapping):
            raise BadSetup(f"options of reset are a dict, not {options!r}")
        chosen = None if options is None else options.get("reset_mask")
        if chosen is not None:
            return self._reset_some(chosen)
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=None if seed is None else int(seed) % 2**64)
            seed = int(self.np_random.integers(2**63)) if seed is None else seed
        self.batch.reset(seed)
        self._waits[:] = False
        self._is_reset = True
        self.seats = self._first_seats()
        self._next_seats = self._later_seats()
        self._play_opponents(_Turn(self))
        return self._observations(), self._info()

    def _reset_some(self, chosen: Any) -> tuple[Observations, dict[str, Any]]:
        chosen = np.asarray(chosen)
        if chosen.dtype != np.bool_ or chosen.shape != (self.num_envs,) or not chosen.any():
            raise BadSetup(f"reset_mask chooses games by a ({self.num_envs},) array of bool, with at least one True")
        self._require_reset()
        self._deal_again(chosen & ~self._waits)  # the others are dealt already
        self._waits &= ~chosen
        return self._observations(), self._info()

    def _deal_again(self, chosen: np.ndarray) -> None:
        """Give up the chosen games and deal the next ones."""
        if chosen.any():
            self.batch.end_games(chosen)
            self.seats[chosen] = self._next_seats[chosen]
            self.batch.reset_ended()
            self._play_opponents(_Turn(self))

    def _first_seats(self) -> np.ndarray:
        if self.seating == "random":
            return self.np_random.integers(self.setup.seats, size=self.num_envs)
        if isinstance(self.seating, str):
            return self._rows % self.setup.seats
        return np.full(self.num_envs, self.seating)

    def _later_seats(self) -> np.ndarray:
        """Return the learner's seats in the next episodes."""
        if self.seating == "random":
            return self.np_random.integers(self.setup.seats, size=self.num_envs)
        return (self.seats + 1) % self.setup.seats if self.seating == "rotate" else self.seats.copy()

    def step(self, actions: Any) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's moves, then the opponents until the learner is on turn again."""
        self._require_reset()
        if self.mode is AutoresetMode.DISABLED and self._waits.any():
            raise TableeError(f"the episode of game {self._waits.argmax()} is over: reset it with a reset_mask")
        waits = self._waits.copy()
        moves, lost = self._checked_moves(actions, waits)
        if self.seating == "all":
            self.seats = self.batch.on_host(self.batch.to_move).copy()
        turn = _Turn(self)
        turn.lose(lost)
        self._waits[:] = False
        self.batch.step(moves)
        if self.seating == "all":
            turn.add()
        self._play_opponents(turn)
        if lost.any() and self.seating == "all":
            self.batch.reset_ended()
        if self.mode is not AutoresetMode.SAME_STEP:
            self._waits = turn.ended.copy()
        observations, info = turn.place_final(self._observations(), self._info())
        return observations, turn.rewards, turn.ended & ~turn.truncated, turn.truncated, info

    def _require_reset(self) -> None:
        if not self._is_reset:
            raise TableeError("call reset before the first step")

    def _checked_moves(self, actions: Any, waits: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the moves to play, and the games that are lost by an illegal one; raise BadMove for no moves."""
        given = self.batch.on_host(actions) if self.is_on_cuda and hasattr(actions, "copy_to_host") else actions
        moves = integer_row("moves", given, self.num_envs).astype(np.int64)
        moves = np.where(waits, self.batch.on_host(self.batch.legal)[:, 0], moves)
        if moves.min() < 0:
            raise BadMove(f"game {moves.argmin()} of the batch: {self.game.name} has no move {moves.min()}")
        illegal = self.batch.on_host(self.batch.refusals(moves)) != 0
        if illegal.any() and self.illegal == "raise":
            row = int(illegal.argmax())
            raise self.batch.illegal_move(row, int(moves[row]))
        if illegal.any():
            self.batch.end_games(illegal)
        return np.where(waits | illegal, NO_MOVE, moves), illegal

    def _play_opponents(self, turn: _Turn) -> None:
        """Play for the other seats until the learner is on turn."""
        if self.seating == "all":
            return
        if self.policy is not None:
            self.batch.play_until(self.seats, self.policy, self._next_seats)
            turn.add()
            return
        turn.add()
        for _ in range(MAX_STEPS):
            if (self.batch.to_move < 0).any():
                self.batch.reset_ended()
            behind = np.flatnonzero(self.batch.to_move != self.seats)
            if not len(behind):
                return
            self.batch.step(self._opponents_moves(behind))
            turn.add()
        raise BadSetup(f"the learner got no turn in {MAX_STEPS} moves of the opponents; the episodes are too short")

    def _opponents_moves(self, rows: np.ndarray) -> np.ndarray:
        """Ask the opponents for their moves in some games; the other games wait."""
        moves = np.full(self.num_envs, NO_MOVE)
        if hasattr(self._opponents, "decide"):
            moves[rows] = [self._decide(row) for row in rows]
        else:
            moves[rows] = self._opponents({name: part[rows] for name, part in self._observations().items()})
        refused = rows[self.batch.refusals(np.maximum(moves, 0))[rows] != 0]
        if len(refused):
            raise self.batch.illegal_move(int(refused[0]), int(moves[refused[0]]))
        return moves

    def _decide(self, row: int) -> int:
        """Ask a bot for its move in one game."""
        legal = self.batch.legal[row, : self.batch.counts[row]].tolist()
        sight = Sight.of(self.game, self.batch.states[row], int(self.batch.to_move[row]))
        move: int = self._opponents.decide(sight, legal).move
        return move

    # What is returned

    def _observations(self) -> Observations:
        """Return what the seats on turn observe; new arrays, except on CUDA."""
        batch = self.batch
        if self.is_on_cuda:
            return {"observation": batch.observations, **({"action_mask": batch.mask} if self._parts.mask else {})}
        seen = {"observation": batch.observations.copy()}
        if self._parts.mask:
            seen["action_mask"] = batch.mask.astype(np.int8)
        if self._parts.moves:
            is_listed = np.arange(self.game.max_legal_moves) < batch.counts[:, None]
            seen["legal_moves"] = np.where(is_listed, batch.legal, np.int32(-1))
            if self.game.kernels.move_feature_layout is not None:
                seen["move_features"] = batch.move_features()
        return seen

    def _info(self) -> dict[str, Any]:
        """Return the seat of each observation, and the legal moves as a mask."""
        seats = self.batch.on_host(self.batch.to_move).copy() if self.seating == "all" else self.seats.copy()
        info: dict[str, Any] = {"seat": seats}
        if self._parts.mask:
            info["action_mask"] = self.batch.mask if self.is_on_cuda else self.batch.mask.astype(np.int8)
        return info | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in info}

    def action_masks(self) -> np.ndarray:
        """Return a boolean mask of the legal moves of each game, which MaskablePPO asks for: (num_envs, moves)."""
        return self.batch.on_host(self.batch.mask).copy()


class _Turn:
    """What happens in all games from one move of the learner to the next."""

    def __init__(self, tables: BatchVectorEnv) -> None:
        self.tables = tables
        games, seats = tables.num_envs, tables.setup.seats
        self.rewards = np.zeros(games)
        self.all_rewards = np.zeros((games, seats))
        self.ended, self.truncated = np.zeros(games, np.bool_), np.zeros(games, np.bool_)
        self.lost = np.zeros(games, np.bool_)
        self.final: Any = None  # the last observations of the episodes that ended
        self.final_seats = tables.seats.copy()

    def lose(self, lost: np.ndarray) -> None:
        """End the episodes in which the learner's move was illegal."""
        if lost.any():
            self.lost, self.ended = lost.copy(), lost.copy()
            self.rewards[lost] = reward_bounds(self.tables.game, self.tables.batch.rule)[0]
            if not self.tables.is_on_cuda:
                self.final = np.where(lost[:, None], self.tables.batch.observations, np.float32(0.0))
            self._change_seats(lost)

    def add(self) -> None:
        """Add what the batch reports of its last step, up to the end of each episode."""
        tables, batch = self.tables, self.tables.batch
        going, ended = ~self.ended, batch.on_host(batch.ended)
        rewards = batch.on_host(batch.rewards)
        self.all_rewards[going] += rewards[going]
        self.rewards[going] += rewards[tables._rows, self.final_seats][going]
        fresh = ended & going
        if fresh.any():
            self.truncated |= fresh & batch.on_host(batch.truncated) & tables._truncates
            self._keep_final(fresh)
            self.ended |= fresh
            self._change_seats(fresh)

    def _keep_final(self, fresh: np.ndarray) -> None:
        seen = self.tables.batch.final_observations(self.final_seats.astype(np.int32))
        if self.final is None:
            self.final = seen
        else:
            self.final[fresh] = seen[fresh]

    def _change_seats(self, chosen: np.ndarray) -> None:
        tables = self.tables
        if tables.seating != "all":
            tables.seats = np.where(chosen, tables._next_seats, tables.seats)
            tables._next_seats = np.where(chosen, tables._later_seats(), tables._next_seats)

    def place_final(self, seen: Observations, info: dict[str, Any]) -> tuple[Observations, dict[str, Any]]:
        """Put the last observations of ended episodes where the autoreset mode has them."""
        tables = self.tables
        if tables.seating == "all":
            info |= {"rewards": self.all_rewards, "_rewards": np.ones(len(self.ended), np.bool_)}
        if not self.ended.any():
            return seen, info
        batch = tables.batch
        final_info = {"seat": self.final_seats, "illegal": self.lost, "_seat": self.ended, "_illegal": self.ended}
        final_info |= {"scores": batch.on_host(batch.scores).copy(), "ranks": batch.on_host(batch.ranks).copy()}
        final_info |= {"_scores": self.ended & ~self.lost, "_ranks": self.ended & ~self.lost}
        info |= {"final_info": final_info, "_final_info": self.ended.copy()}
        final: Observations = {"observation": self.final}
        if not tables.is_on_cuda:
            final |= {name: _nothing_in(part) for name, part in seen.items() if name != "observation"}
        if tables.mode is AutoresetMode.SAME_STEP:
            return seen, info | {"final_obs": final, "_final_obs": self.ended.copy()}
        for name, part in seen.items():
            part[self.ended] = final[name][self.ended]
        info["action_mask"] = seen.get("action_mask", info.get("action_mask"))
        return seen, info


def _nothing_in(part: np.ndarray) -> np.ndarray:
    """Return an array like a part of observations, without legal moves."""
    return np.full_like(part, -1) if part.dtype == np.int32 else np.zeros_like(part)


def _checked_mode(mode: Any) -> AutoresetMode:
    """Return an autoreset mode, given itself or by its value."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise BadSetup(f"autoreset_mode is one of {[one.value for one in AutoresetMode]}, not {mode!r}") from None
