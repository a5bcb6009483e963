"""One game stepped from Python, with one call of compiled code per step: what the adapters are built on.

A call of a compiled function takes about half a microsecond, and more for every array among its arguments. So all that
a step reads and writes beside the state is one structure, allocated once (`workspace_type`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import index as index_of
from typing import Any

import numpy as np

from tablee.core.compilation import lean_kernel
from tablee.core.deals import deal_number, draw_number
from tablee.core.errors import BadMove, BadSetup, TableeError
from tablee.core.fields import single_state, with_attributes
from tablee.core.game import Game, Setup
from tablee.core.kernels import glimpse, legal_moves, observe, play
from tablee.core.match import Match, illegal_move
from tablee.core.notices import single_game_notice
from tablee.core.randomness import GENERATOR, key_words, new_generator, reseed
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.core.state import NOBODY, SPECTATOR, blank_state
from tablee.core.types import Move, Seat, State
from tablee.simulation.full_state import decode_state, full_state_layout, full_state_table
from tablee.simulation.policies import ASKED, POLICIES, MixedMoves, choose_by_policy, mixed_moves, policy_code
from tablee.simulation.random_play import POLICY_STREAM
from tablee.simulation.rewards import RewardRule, reward_rule, start_rewards, write_rewards

MAX_STREAM = 2**64 - 1
# What a compiled step returns: the seat on turn, times two, and one more if there are rewards. Or, for an illegal move:
REFUSED = 2 * NOBODY - 2


@cache
def workspace_type(game: Game) -> np.dtype[Any]:
    """Return the type of what a step reads and writes beside the state."""
    seats = game.seats.stop - 1
    return np.dtype(
        [
            # Settings
            ("rule", [(name, "i8") for name in RewardRule._fields]),
            ("max_moves", "i8"),  # after which an episode is cut off; 0: never
            ("observes", "i8"),  # whether a step writes the observation of the seat on turn
            ("policies", "i8", (seats,)),  # per seat: ASKED, or what chooses its moves inside the step
            ("mixed_moves", [(name, "i8") for name in MixedMoves._fields]),  # of the greedy policy
            # The episode so far
            ("played", "i8"),  # moves
            ("to_move", "i8"),  # the seat on turn, NOBODY when the episode is over
            ("is_cut_off", "i8"),  # whether it was cut off after `max_moves`
            ("baseline", "i8", (2 * seats + 1,)),  # what the next rewards are measured from
            ("generator", GENERATOR),  # of the policies
            # The last step
            ("points", "i8", (seats,)),  # of the episode that ended
            ("ranks", "i8", (seats,)),  # in the episode that ended
            ("rewards", "f8", (seats,)),  # of the last step
            # What follows from the state, or is working memory
            ("count", "i8"),  # of legal moves
            ("legal", "i4", (game.max_legal_moves,)),  # ascending; entries from `count` on are undefined
            ("gains", "f8", (seats,)),  # rewards of one of the moves of a step
            ("ratings", "f8", (game.max_legal_moves,)),
            ("sight", game.kernels.state_type),
            ("observation", "f4", (game.kernels.observation.size,)),
            ("mask", "i1", (game.moves,)),  # 1 for legal moves
        ],
        align=True,
    )


class Stepper:
    """One game, stepped from Python at a few microseconds per step: `Stepper(game, game.setup(2), seed=1)`.

    `legal`, `mask` and `rewards` are views of memory that changes with each step: copy what is to be kept. Moves are
    checked. `reward` and `episode` are those of a batch (docs/research.md). An episode is cut off after `max_moves` and
    scored as the game stands; a reduction is cut off after its own number of moves. With `observes`, a step also writes
    the observation of the seat on turn. Seats with a policy ("random", "greedy" or "policy") play inside the step.
    """

    to_move: int  # the seat on turn, NOBODY when the episode is over
    is_rewarded: bool  # whether the last step gave any seat a reward other than 0
    _observed: int | None  # the seat whose observation is held

    def __init__(
        self,
        game: Game,
        setup: Setup,
        seed: int = 0,
        stream: int = 0,
        *,
        reward: str | None = None,
        episode: str = "game",
        max_moves: int | None = None,
        observes: bool = True,
        policies: Sequence[str | None] | None = None,
    ) -> None:
        self.game = game
        self.setup = setup
        self._settings = {"reward": reward, "episode": episode, "max_moves": max_moves, "observes": observes}
        self.rule = reward_rule(game, reward, episode)
        self.observes = observes
        self._moves = game.moves
        self._blank = blank_state(game, setup)
        self._state_type = with_attributes(game.kernels.state_type)
        self._workspace_type = with_attributes(workspace_type(game))
        self._saved_size = self._state_type.itemsize + offset_of(self._workspace_type, "count")
        self._connect(np.zeros(self._state_type.itemsize + self._workspace_type.itemsize, np.uint8))
        for name, value in self.rule._asdict().items():
            self._workspace.rule[name] = value
        for name, value in mixed_moves(game)._asdict().items():
            self._workspace.mixed_moves[name] = value
        self._workspace.max_moves = self._move_limit(max_moves)
        self._workspace.observes = bool(observes)
        self.set_policies(policies or [None] * setup.seats)
        with single_game_notice(game):
            self.reset(seed, stream)

    def _move_limit(self, max_moves: int | None) -> int:
        """Return the number of moves after which an episode is cut off, 0 for none."""
        max_moves = 0 if max_moves is None else index_of(max_moves)
        if not 0 <= max_moves < 2**63:
            raise BadSetup(f"max_moves is a number of moves, or None for no limit, not {max_moves}")
        reduction = self.game.reduction(self.setup.reduction).max_moves if self.setup.reduction else 0
        self._is_truncating = max_moves > 0 and (reduction == 0 or max_moves < reduction)
        return max_moves if self._is_truncating else reduction

    def set_policies(self, policies: Sequence[str | None]) -> None:
        """Say which seats play by a policy inside a step, from the next reset on; None: the caller plays the seat."""
        if len(policies) != self.setup.seats:
            raise BadSetup(f"{len(policies)} policies for {self.setup.seats} seats")
        codes = [ASKED if name is None else policy_code(name) for name in policies]
        if ASKED not in codes:
            raise BadSetup("every seat has a policy: leave at least one to the caller")
        self._workspace.policies[: len(codes)] = codes
        has_policies = any(code != ASKED for code in codes)
        self._begin_kernel, self._step_kernel = (
            (begin_with_policies, step_with_policies) if has_policies else (begin, step)
        )

    def _connect(self, memory: np.ndarray) -> None:
        """Use a buffer for the state and, after it, the workspace, and make views of its arrays.

        NumPy copies structures field by field, and takes fifty times as long for it as for their bytes.
        """
        self._memory = memory
        size = self._state_type.itemsize
        self.state: State = single_state(np.ndarray(1, self._state_type, memory[:size].data))
        self._workspace = single_state(np.ndarray(1, self._workspace_type, memory[size:].data))
        self._listed: np.ndarray = self._workspace.legal
        self._count = memory[self._saved_size :][:8].view(np.int64)  # quicker to read than the field
        self._observation: np.ndarray = self._workspace.observation
        self.mask: np.ndarray = self._workspace.mask  # (moves,) int8: 1 for the legal moves
        self.rewards: np.ndarray = self._workspace.rewards[: self.setup.seats]  # (seats,) float64: of the last step

    # Playing

    def reset(self, seed: int, stream: int = 0) -> None:
        """Deal a stream of a seed, as `Match(..., seed=seed, stream=stream)` does, and begin an episode."""
        seed, stream = check_seed(seed, stream)
        if self.setup.reduction:
            number = draw_number(self.game.reduction(self.setup.reduction).deals, seed, stream)
            self.state.data[:] = deal_number(self.game, self.setup, number).tobytes()
        else:
            self.state.data[:] = self._blank.data
            self.state.generator["key"] = key_words(seed)
            self.state.generator["stream"] = stream
            self.game.kernels.deal(self.state)
        if self._step_kernel is not step:
            generator = new_generator(0)  # as `policy_generator`, whose scalars take long to pass to a kernel
            reseed(generator, new_generator(seed, POLICY_STREAM))
            generator["stream"] = stream
            self._workspace.generator = generator
        self._begin()

    def put(self, state: State) -> None:
        """Begin an episode in a copy of a full state of the same setup."""
        self.state.data[:] = state.tobytes()
        self._begin()

    def _begin(self) -> None:
        self._update(self._begin_kernel(self.state, self._workspace))

    def step(self, move: int) -> int:
        """Play a move; return the seat on turn, NOBODY (-1) if the episode is over.

        Raises BadMove if there is no such move, IllegalMove with the reason if the rules refuse it.
        """
        move = index_of(move)
        if not 0 <= move < self._moves:
            raise BadMove(f"{self.game.name} has no move {move}; they are numbered 0 to {self.game.moves - 1}")
        code = self._step_kernel(self.state, self._workspace, move)
        if code == REFUSED:
            raise self._refusal(move)
        self.to_move = to_move = code >> 1
        self.is_rewarded = code & 1 == 1
        self._observed = to_move if self.observes else None
        return to_move

    def _update(self, code: int) -> None:
        """Read what a compiled step returned."""
        self.to_move = code >> 1
        self.is_rewarded = code & 1 == 1
        self._observed = self.to_move if self.observes else None

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
        """Whether the episode was cut off after `max_moves`; a reduction ends where it is cut off."""
        return self._is_truncating and bool(self._workspace.is_cut_off)

    @property
    def played(self) -> int:
        """The number of moves since the episode began, those of policies included."""
        return int(self._workspace.played)

    @property
    def legal(self) -> np.ndarray:
        """The legal moves of the seat on turn, ascending: (count,) int32, a view."""
        return self._listed[: self._count.item()]

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

    def __deepcopy__(self, memo: dict[int, Any]) -> Stepper:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        codes = self._workspace.policies[: self.setup.seats]
        names = {code: name for name, code in POLICIES.items()}
        settings = {**self._settings, "policies": [names.get(int(code)) for code in codes]}
        return _rebuilt, (self.game.name, self.setup, settings, self.save())

    def save(self) -> bytes:
        """Return the position as bytes, for `restore`."""
        return self._memory[: self._saved_size].tobytes()

    def restore(self, saved: bytes) -> None:
        """Return to a position that `save` returned, of a stepper with the same setup and settings."""
        size = self._saved_size
        if len(saved) != size:
            raise BadSetup(f"a saved position of {self.game.name} has {size} bytes, not {len(saved)}")
        unmark_moves(self._workspace)
        self._memory[:size] = np.frombuffer(saved, np.uint8)
        self._update(refresh(self.state, self._workspace))


def _rebuilt(name: str, setup: Setup, settings: dict[str, Any], saved: bytes) -> Stepper:
    stepper = Stepper(find_game(name), setup, **settings)
    stepper.restore(saved)
    return stepper


def offset_of(dtype: np.dtype[Any], name: str) -> int:
    """Return the offset of a field, in bytes."""
    assert dtype.fields is not None
    return dtype.fields[name][1]


def check_seed(seed: int, stream: int = 0) -> tuple[int, int]:
    """Return a seed and a stream as plain integers; raise TypeError if they are none, BadSetup if out of range."""
    seed, stream = index_of(seed), index_of(stream)
    try:
        key_words(seed)
    except ValueError as why:
        raise BadSetup(str(why)) from None
    if not 0 <= stream <= MAX_STREAM:
        raise BadSetup(f"a stream is a whole number from 0 to 2**64 - 1, not {stream}")
    return seed, stream


# Kernels


@lean_kernel
def begin(state: State, workspace: Any) -> int:
    """Begin an episode; return the seat on turn, as `refresh` does."""
    start_episode(state, workspace)
    return refresh(state, workspace)


@lean_kernel
def begin_with_policies(state: State, workspace: Any) -> int:
    """Begin an episode, and let the policies play until a seat without one is on turn."""
    start_episode(state, workspace)
    play_policies(state, workspace)
    return refresh(state, workspace)


@lean_kernel
def step(state: State, workspace: Any, move: Move) -> int:
    """Play a move; return the seat on turn, as `refresh` does, or REFUSED if the move is illegal."""
    if workspace.mask[move] == 0:
        return REFUSED
    unmark_moves(workspace)
    clear_rewards(state, workspace)
    play_move(state, workspace, move)
    return refresh(state, workspace)


@lean_kernel
def step_with_policies(state: State, workspace: Any, move: Move) -> int:
    """Play a move, and let the policies play until a seat without one is on turn."""
    if workspace.mask[move] == 0:
        return REFUSED
    unmark_moves(workspace)
    clear_rewards(state, workspace)
    play_move(state, workspace, move)
    play_policies(state, workspace)
    return refresh(state, workspace)


@lean_kernel
def start_episode(state: State, workspace: Any) -> None:
    """Begin in the present state: no moves, no rewards."""
    workspace.played = 0
    workspace.to_move = state.to_move
    workspace.is_cut_off = 0
    start_rewards(state, workspace.rule, workspace.baseline[:], workspace.gains[:])
    clear_rewards(state, workspace)
    unmark_moves(workspace)


@lean_kernel
def clear_rewards(state: State, workspace: Any) -> None:
    """Set the rewards to 0."""
    for seat in range(state.seats):
        workspace.rewards[seat] = 0.0


@lean_kernel
def play_move(state: State, workspace: Any, move: Move) -> None:
    """Play a move and add its rewards; the end of the episode is `to_move` NOBODY."""
    play(state, move)
    workspace.played += 1
    workspace.is_cut_off = 1 if state.to_move != NOBODY and workspace.played == workspace.max_moves else 0
    is_over = state.to_move == NOBODY or workspace.is_cut_off == 1
    gains = workspace.gains[:]
    has_ended = write_rewards(
        state, workspace.rule, is_over, workspace.baseline[:], workspace.points[:], workspace.ranks[:], gains
    )
    for seat in range(state.seats):
        workspace.rewards[seat] += gains[seat]
    workspace.to_move = NOBODY if has_ended else state.to_move


@lean_kernel
def play_policies(state: State, workspace: Any) -> None:
    """Play for the seats that have a policy, until one without is on turn or the episode is over."""
    choices, ratings = workspace.legal[:], workspace.ratings[:]
    while workspace.to_move != NOBODY and workspace.policies[workspace.to_move] != ASKED:
        policy = workspace.policies[workspace.to_move]
        count = legal_moves(state, choices)
        chosen = choose_by_policy(state, workspace.generator, choices, ratings, count, policy, workspace.mixed_moves)
        play_move(state, workspace, int(choices[chosen]))


@lean_kernel
def unmark_moves(workspace: Any) -> None:
    """Clear the listed moves in the mask: far fewer bytes than all of it."""
    for index in range(workspace.count):
        workspace.mask[workspace.legal[index]] = 0
    workspace.count = 0


@lean_kernel
def refresh(state: State, workspace: Any) -> int:
    """List the legal moves, and write the observation of the seat on turn if it is wanted.

    Returns that seat times two, and one more if there are rewards.
    """
    if workspace.to_move != NOBODY:
        listed = workspace.legal[:]
        workspace.count = legal_moves(state, listed)
        for index in range(workspace.count):
            workspace.mask[listed[index]] = 1
    if workspace.observes != 0:
        write_observation(state, workspace, workspace.to_move)
    is_rewarded = 0
    for seat in range(state.seats):
        if workspace.rewards[seat] != 0.0:
            is_rewarded = 1
    return 2 * int(workspace.to_move) + is_rewarded


@lean_kernel
def write_observation(state: State, workspace: Any, seat: Seat) -> None:
    """Write what a seat observes (-1: a spectator), from its sight alone."""
    out = workspace.observation[:]
    out[:] = 0.0
    glimpse(state, seat, workspace.sight)
    observe(workspace.sight, seat, out)
