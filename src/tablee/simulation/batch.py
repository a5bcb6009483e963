"""Many games stepped together: arrays with one row per game, on the cores of the CPU or on a CUDA device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game, Options
from tablee.core.observation import Layout
from tablee.core.randomness import GENERATOR, key_words
from tablee.core.registry import find_game
from tablee.core.state import blank_state, new_states
from tablee.simulation import steps
from tablee.simulation.full_state import full_state_layout, full_state_table
from tablee.simulation.random_play import policy_generator
from tablee.simulation.runners import make_runner
from tablee.simulation.steps import BatchArrays

POLICIES = {"random": steps.RANDOM, "policy": steps.RATED}


class Batch:
    """Games with one setup, played side by side: `Batch(name, size=65536, seats=4, device="cuda")`.

    Game n is the match with the same seed and `stream=n`; its next deals are streams n + size, n + 2 * size, and so on.
    Arrays keep their memory and change with each step. On CUDA they are device arrays, which PyTorch, JAX and CuPy use
    without a copy. Like kernels, a batch trusts its caller: an illegal move corrupts a game; `refusals` checks moves.
    """

    def __init__(
        self,
        game: Game | str,
        size: int,
        *,
        seats: int | None = None,
        options: Options | None = None,
        seed: int = 0,
        device: str = "cpu",
        auto_reset: bool = True,
        mask: bool = True,
        observations: bool = True,
        threads: int | None = None,
    ) -> None:
        if size < 1:
            raise BadSetup(f"a batch has at least one game, not {size}")
        self.game = find_game(game) if isinstance(game, str) else game
        self.setup = self.game.setup(seats, options)
        self.size = size
        self.auto_reset = auto_reset  # whether a step deals the games that it ends again
        self._runner = make_runner(self.game, size, device, threads)
        self._arrays = self._allocate(mask, observations)
        self._generators: Any = None
        self.reset(seed)

    def _allocate(self, mask: bool, observations: bool) -> BatchArrays:
        size, seats, game = self.size, self.setup.seats, self.game
        blank = new_states(game.kernels.state_type, 1)
        blank[0] = blank_state(game, self.setup)
        zeros = self._runner.zeros
        return BatchArrays(
            states=zeros(size, game.kernels.state_type),
            blank=self._runner.to_device(blank),
            keys=zeros((size, 8), np.uint32),
            streams=zeros(size, np.int64),
            to_move=zeros(size, np.int32),
            counts=zeros(size, np.int32),
            legal=zeros((size, game.max_legal_moves), np.int32),
            mask=zeros((size if mask else 0, game.moves), np.bool_),
            observations=zeros((size if observations else 0, game.kernels.observation.size), np.float32),
            points=zeros((size, seats), np.int64),
            ranks=zeros((size, seats), np.int64),
            rewards=zeros((size, seats), np.float32),
            ended=zeros(size, np.bool_),
            returns=zeros((size, seats), np.float32),
            finished=zeros(size, np.int32),
            utility=_utility(game),
            stride=size,
        )

    # Playing

    def reset(self, seed: int | Sequence[int] = 0) -> None:
        """Deal all games: streams 0 to size - 1 of one seed, or stream 0 of one seed per game."""
        if not isinstance(seed, int) and len(seed) != self.size:
            raise BadSetup(f"{len(seed)} seeds for {self.size} games")
        streams = np.arange(self.size, dtype=np.int64) * isinstance(seed, int)
        seeds = [seed] if isinstance(seed, int) else [int(one) for one in seed]
        policy_keys = {one: policy_generator(one)["key"] for one in set(seeds)}
        generators = np.zeros(self.size, GENERATOR).view(np.recarray)
        generators.key[:] = [policy_keys[one] for one in seeds]
        generators.stream = streams
        keys = np.empty((self.size, 8), np.uint32)
        keys[:] = [key_words(one) for one in seeds]
        to_device = self._runner.to_device
        self._generators = to_device(generators)
        self._arrays = self._arrays._replace(keys=to_device(keys), streams=to_device(streams))
        self._runner.reset(self._arrays, False)

    def step(self, moves: Any) -> None:
        """Play a move in each game, and update rewards, ends, legal moves, mask and observations.

        Without `auto_reset`, finished games ignore their move.
        """
        self._runner.step(self._arrays, self._runner.integers(moves), self.auto_reset)

    def reset_ended(self) -> None:
        """Deal the finished games again, each from its next stream."""
        self._runner.reset(self._arrays, True)

    def play_until(self, seat: int, policy: str = "random") -> None:
        """Let the other seats play, "random" or by "policy", until `seat` is on turn or the game is over.

        `ended` and `rewards` keep what the step before has set, for games that it ended.
        """
        self._runner.play_until(self._arrays, self._generators, seat, _policy_code(policy), self.auto_reset)

    def rollout(self, moves: int, policy: str = "random") -> None:
        """Play `moves` moves in each game inside the compiled loop; finished games are dealt again.

        `policy` is "random", or "policy" for moves drawn by softmax of the game's ratings. Adds to `finished` and
        `returns`. Does not update `observations`: call `observe`.
        """
        self._runner.roll_out(self._arrays, self._generators, moves, _policy_code(policy))

    def random_moves(self) -> Any:
        """Draw a legal move for each game, -1 where it is over: (size,) int32."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.draw_moves(self._arrays, self._generators, out)
        return out

    def refusals(self, moves: Any) -> Any:
        """Return the refusal code of a move in each game, 0 for a legal one: (size,) int32."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.refuse(self._arrays, self._runner.integers(moves), out)
        return out

    # Arrays with one row per game

    @property
    def states(self) -> Any:
        """The full states: (size,)."""
        return self._arrays.states

    @property
    def to_move(self) -> Any:
        """The seat on turn, -1 when the game is over: (size,) int32."""
        return self._arrays.to_move

    @property
    def legal(self) -> Any:
        """The legal moves of the seat on turn, ascending, `counts` in each row: (size, max_legal_moves) int32."""
        return self._arrays.legal

    @property
    def counts(self) -> Any:
        """The number of legal moves: (size,) int32."""
        return self._arrays.counts

    @property
    def mask(self) -> Any:
        """True for the legal moves: (size, moves) bool. Read only: a step updates only the entries that change."""
        return self._arrays.mask

    @property
    def observations(self) -> Any:
        """What the seat on turn observes: (size, numbers) float32."""
        return self._arrays.observations

    @property
    def rewards(self) -> Any:
        """The rewards of the last step: (size, seats) float32; zero unless it ended the game (docs/research.md)."""
        return self._arrays.rewards

    @property
    def ended(self) -> Any:
        """Whether the last step ended the game: (size,) bool."""
        return self._arrays.ended

    @property
    def scores(self) -> Any:
        """The points of the last game that ended in each row: (size, seats) int64."""
        return self._arrays.points

    @property
    def ranks(self) -> Any:
        """The ranks of the last game that ended in each row: (size, seats) int64."""
        return self._arrays.ranks

    @property
    def finished(self) -> Any:
        """The number of games that ended in rollouts: (size,) int32."""
        return self._arrays.finished

    @property
    def returns(self) -> Any:
        """The sum of rewards of the games that ended in rollouts: (size, seats) float32."""
        return self._arrays.returns

    def observe(self, seats: Any) -> Any:
        """Return what one seat of each game observes; `seats` is an int or one per game (-1: a spectator)."""
        chosen = np.full(self.size, seats, np.int32) if isinstance(seats, int) else seats
        out = self._runner.zeros((self.size, self.game.kernels.observation.size), np.float32)
        self._runner.observe(self._arrays, self._runner.integers(chosen), out)
        return out

    @property
    def full_state_layout(self) -> Layout:
        """The layout of `full_state`."""
        return full_state_layout(self.game)

    def full_state(self) -> Any:
        """Return perfect information for critics in training, (size, numbers) float32: all fields but the generator."""
        out = self._runner.zeros((self.size, self.full_state_layout.size), np.float32)
        self._runner.decode(self._arrays.states, self._runner.to_device(full_state_table(self.game)), out)
        return out

    def on_host(self, array: Any) -> np.ndarray:
        """Return an array of this batch as a NumPy array; a copy if it is on a device."""
        host: np.ndarray = self._runner.to_host(array)
        return host


def _policy_code(name: str) -> int:
    if name not in POLICIES:
        raise BadSetup(f"there is no policy {name!r}; {did_you_mean(name, POLICIES)}")
    return POLICIES[name]


def _utility(game: Game) -> int:
    if game.utility == "ranks":
        return steps.BY_RANKS
    return steps.BY_NEGATIVE_POINTS if game.fewest_points_win else steps.BY_POINTS
