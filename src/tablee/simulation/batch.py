"""Many games at once, stepped together: arrays with a row per game, on the cores of the CPU or on a CUDA device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tablee.core.compilation import Kernel
from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game, Options
from tablee.core.observation import Layout
from tablee.core.randomness import GENERATOR, key_words
from tablee.core.registry import find_game
from tablee.core.state import blank_state, new_states
from tablee.simulation import steps
from tablee.simulation.full_state import decode_rows, full_state_layout, full_state_table
from tablee.simulation.random_play import policy_generator, usable_threads
from tablee.simulation.steps import Arrays

DEVICES = ("cpu", "cuda")
POLICIES = {"random": steps.RANDOM, "policy": steps.RATED}
# Games per thread: with fewer, waking a thread costs more than it saves. Of things to do with one move of each game,
# of what only looks at what is already written, and of many moves of each game.
MIN_STEPPED_PER_THREAD, MIN_OBSERVED_PER_THREAD, MIN_PLAYED_PER_THREAD = 512, 1 << 15, 64


class Batch:
    """Games of one kind and setup, played side by side: `Batch(name, size=65536, seats=4, device="cuda")`.

    Game number n is the match with the same seed and `stream=n`; dealt anew it is stream n + size, then n + 2 size.
    All arrays stay where they are and change with each step; on CUDA they are device arrays, which PyTorch, JAX and
    CuPy use without a copy. Like kernels, a batch trusts its caller: an illegal move breaks a game, unless `refusals`
    is asked before.
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
            raise BadSetup(f"a batch is of at least one game, not {size}")
        self.game = find_game(game) if isinstance(game, str) else game
        self.setup = self.game.setup(seats, options)
        self.size = size
        self.auto_reset = auto_reset  # whether a step deals anew the games that it ends
        self._runner = _runner(self.game, size, device, threads)
        self._arrays = self._allocate(mask, observations)
        self._generators: Any = None
        self.reset(seed)

    def _allocate(self, mask: bool, observations: bool) -> Arrays:
        size, seats, game = self.size, self.setup.seats, self.game
        blank = new_states(game.kernels.state_type, 1)
        blank[0] = blank_state(game, self.setup)
        zeros = self._runner.zeros
        return Arrays(
            states=zeros(size, game.kernels.state_type),
            blank=self._runner.place(blank),
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
        """Deal all games: streams 0 to size - 1 of one seed, or stream 0 of a seed per game."""
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
        self._generators = self._runner.place(generators)
        self._arrays = self._arrays._replace(keys=self._runner.place(keys), streams=self._runner.place(streams))
        self._runner.reset(self._arrays, False)

    def step(self, moves: Any) -> None:
        """Play a move in each game, then write rewards, ends, legal moves, mask and observations.

        In a game that is over (only without `auto_reset`) nothing is played.
        """
        self._runner.step(self._arrays, self._runner.numbers(moves), self.auto_reset)

    def reset_ended(self) -> None:
        """Deal anew the games that are over."""
        self._runner.reset(self._arrays, True)

    def play_until(self, seat: int, policy: str = "random") -> None:
        """Let the others play, "random" or by "policy", until `seat` is on turn (or the game is over).

        `ended` and `rewards` still tell of games that the step before has ended.
        """
        self._runner.play_until(self._arrays, self._generators, seat, _policy_code(policy), self.auto_reset)

    def rollout(self, moves: int, policy: str = "random") -> None:
        """Play so many moves in each game inside the compiled loop, dealing anew where a game is over.

        `way` is "random", or "policy" for moves drawn by the game's own ratings. `finished` and `returns` count what
        ended. Observations are those of before: ask `observe` for new ones.
        """
        self._runner.roll(self._arrays, self._generators, moves, _policy_code(policy))

    def random_moves(self) -> Any:
        """Draw a legal move for each game; -1 where it is over."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.draw(self._arrays, self._generators, out)
        return out

    def refusals(self, moves: Any) -> Any:
        """Return per game 0 for a legal move, else the code of what speaks against it."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.refuse(self._arrays, self._runner.numbers(moves), out)
        return out

    # What there is to know: a row per game

    @property
    def states(self) -> Any:
        """The true records."""
        return self._arrays.states

    @property
    def to_move(self) -> Any:
        """The seat on turn, -1 when over."""
        return self._arrays.to_move

    @property
    def legal(self) -> Any:
        """The legal moves of the seat on turn, ascending: the first `counts` of each row."""
        return self._arrays.legal

    @property
    def counts(self) -> Any:
        """How many legal moves there are."""
        return self._arrays.counts

    @property
    def mask(self) -> Any:
        """True for the legal moves. Read it, do not write it: a step changes only what changes."""
        return self._arrays.mask

    @property
    def observations(self) -> Any:
        """What the seat on turn observes."""
        return self._arrays.observations

    @property
    def rewards(self) -> Any:
        """Per seat: zero until the last step of a game; then as `utility` says (docs/research.md)."""
        return self._arrays.rewards

    @property
    def ended(self) -> Any:
        """Whether the last step ended the game."""
        return self._arrays.ended

    @property
    def scores(self) -> Any:
        """Per seat: the points of the game that ended last here."""
        return self._arrays.points

    @property
    def ranks(self) -> Any:
        """Per seat: the places in the game that ended last here."""
        return self._arrays.ranks

    @property
    def finished(self) -> Any:
        """How many games rollouts have ended."""
        return self._arrays.finished

    @property
    def returns(self) -> Any:
        """Per seat: the rewards of all games that rollouts have ended."""
        return self._arrays.returns

    def observe(self, seats: Any) -> Any:
        """Return what a seat of each game observes: one for all, or a row of them (-1: a spectator)."""
        chosen = np.full(self.size, seats, np.int32) if isinstance(seats, int) else seats
        out = self._runner.zeros((self.size, self.game.kernels.observation.size), np.float32)
        self._runner.observe(self._arrays, self._runner.numbers(chosen), out)
        return out

    @property
    def full_state_layout(self) -> Layout:
        """What the numbers of `truth` mean."""
        return full_state_layout(self.game)

    def full_state(self) -> Any:
        """Return perfect information, for critics in training and for nothing that plays: every field but chance."""
        out = self._runner.zeros((self.size, self.full_state_layout.size), np.float32)
        self._runner.decode(self._arrays.states, self._runner.place(full_state_table(self.game)), out)
        return out

    def on_host(self, array: Any) -> np.ndarray:
        """Return an array of this batch as a NumPy array (a copy, if it lies on a device)."""
        host: np.ndarray = self._runner.fetch(array)
        return host


def _policy_code(name: str) -> int:
    if name not in POLICIES:
        raise BadSetup(f"moves cannot be chosen by {name!r}; {did_you_mean(name, POLICIES)}")
    return POLICIES[name]


def _utility(game: Game) -> int:
    if game.utility == "ranks":
        return steps.BY_PLACES
    return steps.FEWEST_POINTS if game.fewest_points_win else steps.MOST_POINTS


class Runner(Protocol):
    """Where a batch lies and who plays it."""

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def place(self, array: np.ndarray) -> Any: ...  # noqa: D102
    def numbers(self, array: Any) -> Any: ...  # noqa: D102
    def fetch(self, array: Any) -> Any: ...  # noqa: D102
    def reset(self, arrays: Arrays, auto_reset: bool) -> None: ...  # noqa: D102
    def step(self, arrays: Arrays, moves: Any, auto_reset: bool) -> None: ...  # noqa: D102
    def observe(self, arrays: Arrays, seats: Any, out: Any) -> None: ...  # noqa: D102
    def refuse(self, arrays: Arrays, moves: Any, out: Any) -> None: ...  # noqa: D102
    def play_until(self, arrays: Arrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None: ...  # noqa: D102
    def draw(self, arrays: Arrays, generators: Any, out: Any) -> None: ...  # noqa: D102
    def roll(self, arrays: Arrays, generators: Any, moves: int, policy: int) -> None: ...  # noqa: D102
    def decode(self, states: Any, table: Any, out: Any) -> None: ...  # noqa: D102


def _runner(game: Game, size: int, device: str, threads: int | None) -> Runner:
    if device == "cpu":
        return OnCores(game, size, threads or usable_threads())
    if device == "cuda":
        return OnCuda(game, size)
    raise BadSetup(f"a batch cannot lie on {device!r}; {did_you_mean(device, DEVICES)}")


class OnCores:
    """A batch in the computer's memory, played by several threads: compiled code lets go of Python's lock."""

    def __init__(self, game: Game, size: int, threads: int) -> None:
        self.game = game
        self.size = size
        self.threads = max(1, min(threads, size // MIN_PLAYED_PER_THREAD))
        self.sights = [new_states(game.kernels.state_type, 1) for _ in range(self.threads)]

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """The threads, once there is more than one thing to do."""
        return ThreadPoolExecutor(self.threads - 1)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Make an array."""
        made = np.zeros(shape, dtype)
        return made.view(np.recarray) if made.dtype.names else made

    def place(self, array: np.ndarray) -> Any:
        """Take an array as it is."""
        return array

    def numbers(self, array: Any) -> np.ndarray:
        """Take whole numbers as they come."""
        return np.asarray(array, np.int32)

    def fetch(self, array: Any) -> Any:
        """Return an array as it is."""
        return array

    def _share(self, fewest: int, kernel: Kernel, *arguments: Callable[[int], Any]) -> None:
        """Run a kernel over all games, each thread over its part, `fewest` games or more; the first in this thread."""
        parts = max(1, min(self.threads, self.size // fewest))
        runs = list(pairwise(self.size * part // parts for part in range(parts + 1)))
        waiting = [
            self.pool.submit(kernel, *(argument(part) for argument in arguments), *runs[part])
            for part in range(1, parts)
        ]
        kernel(*(argument(0) for argument in arguments), *runs[0])
        for future in waiting:
            future.result()

    def reset(self, arrays: Arrays, auto_reset: bool) -> None:
        """Deal."""
        self._share(
            MIN_STEPPED_PER_THREAD, steps.reset_games, lambda _: arrays, self.sights.__getitem__, lambda _: auto_reset
        )

    def step(self, arrays: Arrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self._share(
            MIN_STEPPED_PER_THREAD,
            steps.step_games,
            lambda _: arrays,
            self.sights.__getitem__,
            lambda _: moves,
            lambda _: auto_reset,
        )

    def observe(self, arrays: Arrays, seats: Any, out: Any) -> None:
        """Write what seats observe."""
        self._share(
            MIN_STEPPED_PER_THREAD,
            steps.observe_games,
            lambda _: arrays,
            self.sights.__getitem__,
            lambda _: seats,
            lambda _: out,
        )

    def refuse(self, arrays: Arrays, moves: Any, out: Any) -> None:
        """Write what speaks against moves."""
        self._share(MIN_OBSERVED_PER_THREAD, steps.refuse_games, lambda _: arrays, lambda _: moves, lambda _: out)

    def play_until(self, arrays: Arrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None:
        """Let the others play until one seat is on turn."""
        most = self.game.max_legal_moves
        self._share(
            MIN_PLAYED_PER_THREAD,
            steps.play_games_until,
            lambda _: arrays,
            self.sights.__getitem__,
            lambda _: generators,
            lambda _: np.empty(most, np.int32),
            lambda _: np.empty(most, np.float64),
            lambda _: seat,
            lambda _: policy,
            lambda _: auto_reset,
        )

    def draw(self, arrays: Arrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self._share(MIN_OBSERVED_PER_THREAD, steps.draw_games, lambda _: arrays, lambda _: generators, lambda _: out)

    def roll(self, arrays: Arrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game."""
        most = self.game.max_legal_moves
        self._share(
            MIN_PLAYED_PER_THREAD,
            steps.roll_games,
            lambda _: arrays,
            lambda _: generators,
            lambda _: np.empty(most, np.int32),
            lambda _: np.empty(most, np.float64),
            lambda _: moves,
            lambda _: policy,
        )

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the records as numbers."""
        rows = states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)
        decode_rows(rows, table, out)


class OnCuda:
    """A batch in a device's memory, a thread per game."""

    def __init__(self, game: Game, size: int) -> None:
        from tablee.simulation import cuda

        cuda.demand_device()
        self.cuda = cuda
        self.kernels = cuda.kernels_of(game)
        self.shape = cuda.launch_shape(game, size)
        self._memory: Any = None

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Make an array."""
        made = np.zeros(shape, dtype)
        return self.place(made.view(np.recarray) if made.dtype.names else made)

    def place(self, array: np.ndarray) -> Any:
        """Copy an array to the device."""
        return self.cuda.to_device(array)

    def numbers(self, array: Any) -> Any:
        """Take whole numbers that lie on the device as they are, and copy others to it."""
        placed = self.cuda.on_device(array)
        return self.place(np.asarray(array, np.int32)) if placed is None else placed

    def memory(self, arrays: Arrays) -> Any:
        """Return the memory of the larger arrays, which stay where they are."""
        if self._memory is None:
            self._memory = self.cuda.memory_of(arrays)
        return self._memory

    def fetch(self, array: Any) -> Any:
        """Copy an array from the device."""
        return array.copy_to_host()

    def reset(self, arrays: Arrays, auto_reset: bool) -> None:
        """Deal."""
        self.kernels.reset[self.shape](arrays, self.memory(arrays), auto_reset)

    def step(self, arrays: Arrays, moves: Any, auto_reset: bool) -> None:
        """Play a move in each game."""
        self.kernels.step[self.shape](arrays, self.memory(arrays), moves, auto_reset)

    def observe(self, arrays: Arrays, seats: Any, out: Any) -> None:
        """Write what seats observe."""
        self.kernels.observe[self.shape](arrays, seats, out)

    def refuse(self, arrays: Arrays, moves: Any, out: Any) -> None:
        """Write what speaks against moves."""
        self.kernels.refuse[self.shape](arrays, moves, out)

    def play_until(self, arrays: Arrays, generators: Any, seat: int, policy: int, auto_reset: bool) -> None:
        """Let the others play until one seat is on turn."""
        self.kernels.play_until[self.shape](arrays, self.memory(arrays), generators, seat, policy, auto_reset)

    def draw(self, arrays: Arrays, generators: Any, out: Any) -> None:
        """Draw a legal move for each game."""
        self.kernels.draw[self.shape](arrays, generators, out)

    def roll(self, arrays: Arrays, generators: Any, moves: int, policy: int) -> None:
        """Play many moves in each game."""
        self.kernels.rolls[policy][self.shape](arrays, self.memory(arrays), generators, moves)

    def decode(self, states: Any, table: Any, out: Any) -> None:
        """Write the fields of the records as numbers."""
        self.kernels.decode[self.shape](states.view(np.uint8), table, out)
