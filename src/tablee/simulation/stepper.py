"""One game stepped from Python, with one call of compiled code per step: what the adapters are built on.

A call of a compiled function takes about half a microsecond, and more for every array among its arguments. So all that
a step reads and writes beside the state is one structure, allocated once (`workspace_type`).
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

import numpy as np

from tablee.core.compilation import lean_kernel
from tablee.core.errors import BadMove, BadSetup, TableeError, did_you_mean
from tablee.core.fields import single_state, with_attributes
from tablee.core.game import Game, Setup
from tablee.core.kernels import finished_rounds, glimpse, legal_moves, observe, play, ranks, scores
from tablee.core.match import Match, illegal_move
from tablee.core.randomness import key_words
from tablee.core.sight import Sight
from tablee.core.state import NOBODY, SPECTATOR, blank_state
from tablee.core.types import Move, Seat, State
from tablee.simulation.full_state import decode_state, full_state_layout, full_state_table
from tablee.simulation.steps import BY_NEGATIVE_POINTS, BY_POINTS, BY_RANKS, rank_reward

REFUSED = -2  # what the kernel `step` returns for an illegal move
EPISODES = ("game", "round")
REWARDS = ("ranks", "points")


@cache
def workspace_type(game: Game) -> np.dtype[Any]:
    """Return the type of what a step reads and writes beside the state."""
    seats = game.seats.stop - 1
    return np.dtype(
        [
            # Settings
            ("reward", "i8"),  # BY_RANKS, BY_POINTS or BY_NEGATIVE_POINTS
            ("ends_with_round", "i8"),  # whether an episode is one round
            ("max_moves", "i8"),  # after which an episode is cut off; 0: never
            ("observes", "i8"),  # whether a step writes the observation of the seat on turn
            # The episode so far
            ("played", "i8"),  # moves
            ("rounds", "i8"),  # finished when the episode began
            ("to_move", "i8"),  # the seat on turn, NOBODY when the episode is over
            ("is_truncated", "i8"),  # whether it was cut off
            # The last step
            ("rewards", "f8", (seats,)),
            ("points", "i8", (seats,)),
            ("ranks", "i8", (seats,)),
            ("count", "i8"),  # of legal moves
            ("legal", "i4", (game.max_legal_moves,)),  # ascending; entries from `count` on are undefined
            ("sight", game.kernels.state_type),
            ("observation", "f4", (game.kernels.observation.size,)),
            ("mask", "i1", (game.moves,)),  # 1 for legal moves
        ],
        align=True,
    )


class Stepper:
    """One game, stepped from Python at a few microseconds per step: `Stepper(game, game.setup(2), seed=1)`.

    `legal`, `mask` and `rewards` are views of memory that changes with each step: copy what is to be kept. Moves are
    checked. `reward` is "ranks" or "points"; `episode="round"` ends with the first round that is scored, and
    `max_moves` cuts an episode off. With `observes`, a step also writes the observation of the seat on turn.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        seed: int = 0,
        stream: int = 0,
        *,
        reward: str = "ranks",
        episode: str = "game",
        max_moves: int = 0,
        observes: bool = True,
    ) -> None:
        if episode not in EPISODES:
            raise BadSetup(f"there is no episode {episode!r}; {did_you_mean(episode, EPISODES)}")
        if max_moves < 0:
            raise BadSetup(f"max_moves is a number of moves, or 0 for no limit, not {max_moves}")
        self.game = game
        self.setup = setup
        self.observes = observes
        self._blank = blank_state(game, setup)
        self._connect(np.zeros(_state_size(game) + workspace_type(game).itemsize, np.uint8))
        self._workspace.reward = _reward_code(game, reward)
        self._workspace.ends_with_round = episode == "round"
        self._workspace.max_moves = max_moves
        self._workspace.observes = observes
        self.reset(seed, stream)

    def _connect(self, memory: np.ndarray) -> None:
        """Use a buffer for the state and, after it, the workspace, and make views of its arrays.

        NumPy copies structures field by field, and takes fifty times as long for it as for their bytes.
        """
        size = _state_size(self.game)
        self._memory = memory
        self.state: State = _scalar(self.game.kernels.state_type, memory[:size])
        self._workspace = _scalar(workspace_type(self.game), memory[size:])
        self._listed: np.ndarray = self._workspace.legal
        self._observation: np.ndarray = self._workspace.observation
        self.mask: np.ndarray = self._workspace.mask  # (moves,) int8: 1 for the legal moves
        self.rewards: np.ndarray = self._workspace.rewards[: self.setup.seats]  # (seats,) float64: of the last step

    # Playing

    def reset(self, seed: int, stream: int = 0) -> None:
        """Deal a stream of a seed, as `Match(..., seed=seed, stream=stream)` does, and begin an episode."""
        self.state.data[:] = self._blank.data
        self.state.generator["key"] = key_words(seed)
        self.state.generator["stream"] = stream
        self.game.kernels.deal(self.state)
        self._begin()

    def put(self, state: State) -> None:
        """Begin an episode in a copy of a full state of the same setup."""
        self.state.data[:] = state.tobytes()
        self._begin()

    def _begin(self) -> None:
        self.to_move: int = begin(self.state, self._workspace)  # the seat on turn, NOBODY when the episode is over
        self._observed: int | None = self.to_move if self.observes else None  # the seat whose observation is held

    def step(self, move: int) -> int:
        """Play a move; return the seat on turn, NOBODY (-1) if the episode is over.

        Raises BadMove if there is no such move, IllegalMove with the reason if the rules refuse it.
        """
        move = operator.index(move)
        if not 0 <= move < self.game.moves:
            raise BadMove(f"{self.game.name} has no move {move}; they are numbered 0 to {self.game.moves - 1}")
        to_move: int = step(self.state, self._workspace, move)
        if to_move == REFUSED:
            raise self._refusal(move)
        self.to_move = to_move
        self._observed = to_move if self.observes else None
        return to_move

    def _refusal(self, move: int) -> TableeError:
        if self.is_over and not self.state.end_reason:
            return TableeError("the episode is over: call reset before the next move")
        return illegal_move(self.game, self.state, move, self.played + 1)

    # The present position

    @property
    def is_over(self) -> bool:
        """Whether the episode is over: it has ended, or was cut off."""
        return self.to_move == NOBODY

    @property
    def is_truncated(self) -> bool:
        """Whether the episode was cut off after `max_moves`."""
        return bool(self._workspace.is_truncated)

    @property
    def played(self) -> int:
        """The number of moves since the episode began."""
        return int(self._workspace.played)

    @property
    def legal(self) -> np.ndarray:
        """The legal moves of the seat on turn, ascending: (count,) int32, a view."""
        return self._listed[: self._workspace.count]

    def observe(self, seat: int) -> np.ndarray:
        """Return what a seat observes (-1: a spectator): (numbers,) float32, a new array."""
        if seat != self._observed:
            self._check_seat(seat)
            write_observation(self.state, self._workspace, seat)
            self._observed = seat
        return self._observation.copy()

    def _check_seat(self, seat: int) -> None:
        if not SPECTATOR <= seat < self.setup.seats:
            raise BadSetup(f"there is no seat {seat} at a table of {self.setup.seats}")

    def full_state(self) -> np.ndarray:
        """Return perfect information as numbers, as `Batch.full_state` does: (numbers,) float32."""
        out = np.zeros(full_state_layout(self.game).size, np.float32)
        decode_state(np.frombuffer(self.state.data, np.uint8), full_state_table(self.game), out)
        return out

    def sight(self, seat: int) -> Sight:
        """Return what a seat knows (-1: a spectator)."""
        return Sight.of(self.game, self.state, seat)

    def match(self) -> Match:
        """Return a match that begins with the present position."""
        return Match.from_state(self.game, self.state)

    # Copies

    def copy(self) -> Stepper:
        """Return an independent stepper with the same position."""
        twin = Stepper.__new__(Stepper)
        twin.__dict__.update(self.__dict__)
        twin._connect(self._memory.copy())
        return twin

    def save(self) -> bytes:
        """Return the position as bytes, for `restore`."""
        return self._memory[: _saved_size(self.game)].tobytes()

    def restore(self, saved: bytes) -> None:
        """Return to a position that `save` returned, of a stepper with the same setup and settings."""
        size = _saved_size(self.game)
        if len(saved) != size:
            raise BadSetup(f"a saved position of {self.game.name} has {size} bytes, not {len(saved)}")
        unmark_moves(self._workspace)
        self._memory[:size] = np.frombuffer(saved, np.uint8)
        self.to_move = refresh(self.state, self._workspace)
        self._observed = self.to_move if self.observes else None


def _scalar(dtype: np.dtype[Any], memory: np.ndarray) -> Any:
    return single_state(np.ndarray(1, with_attributes(dtype), memory.data))


def _state_size(game: Game) -> int:
    return game.kernels.state_type.itemsize


@cache
def _saved_size(game: Game) -> int:
    """Return the size of what does not follow from the rest: the state, and the workspace up to `count`."""
    fields = workspace_type(game).fields
    assert fields is not None
    return _state_size(game) + fields["count"][1]


def _reward_code(game: Game, name: str) -> int:
    if name not in REWARDS:
        raise BadSetup(f"there is no reward {name!r}; {did_you_mean(name, REWARDS)}")
    if name == "ranks":
        return BY_RANKS
    return BY_NEGATIVE_POINTS if game.fewest_points_win else BY_POINTS


# Kernels


@lean_kernel
def begin(state: State, workspace: Any) -> Seat:
    """Begin an episode; return the seat on turn."""
    workspace.played = 0
    workspace.rounds = finished_rounds(state)
    workspace.to_move = state.to_move
    workspace.is_truncated = 0
    for seat in range(state.seats):
        workspace.rewards[seat] = 0.0
    unmark_moves(workspace)
    return refresh(state, workspace)


@lean_kernel
def step(state: State, workspace: Any, move: Move) -> Seat:
    """Play a move, REFUSED if it is illegal; return the seat on turn."""
    if workspace.mask[move] == 0:
        return REFUSED
    play(state, move)
    workspace.played += 1
    workspace.to_move = state.to_move
    unmark_moves(workspace)
    for seat in range(state.seats):
        workspace.rewards[seat] = 0.0
    has_ended = state.to_move == NOBODY
    if workspace.ends_with_round != 0 and not has_ended:
        has_ended = finished_rounds(state) != workspace.rounds
    if has_ended:
        workspace.to_move = NOBODY
        write_rewards(state, workspace)
    elif workspace.played == workspace.max_moves:
        workspace.to_move = NOBODY
        workspace.is_truncated = 1
    return refresh(state, workspace)


@lean_kernel
def write_rewards(state: State, workspace: Any) -> None:
    """Write the rewards at the end of an episode."""
    points, placing = workspace.points[:], workspace.ranks[:]
    scores(state, points)
    ranks(state, placing)
    for seat in range(state.seats):
        if workspace.reward == BY_RANKS:
            workspace.rewards[seat] = rank_reward(placing, seat, state.seats)
        else:
            workspace.rewards[seat] = workspace.reward * points[seat]


@lean_kernel
def unmark_moves(workspace: Any) -> None:
    """Clear the listed moves in the mask: far fewer bytes than all of it."""
    for index in range(workspace.count):
        workspace.mask[workspace.legal[index]] = 0
    workspace.count = 0


@lean_kernel
def refresh(state: State, workspace: Any) -> Seat:
    """List the legal moves, and write the observation of the seat on turn if it is wanted; return that seat."""
    if workspace.to_move != NOBODY:
        listed = workspace.legal[:]
        workspace.count = legal_moves(state, listed)
        for index in range(workspace.count):
            workspace.mask[listed[index]] = 1
    if workspace.observes != 0:
        write_observation(state, workspace, workspace.to_move)
    to_move: Seat = workspace.to_move
    return to_move


@lean_kernel
def write_observation(state: State, workspace: Any, seat: Seat) -> None:
    """Write what a seat observes (-1: a spectator), from its sight alone."""
    out = workspace.observation[:]
    out[:] = 0.0
    glimpse(state, seat, workspace.sight)
    observe(workspace.sight, seat, out)
