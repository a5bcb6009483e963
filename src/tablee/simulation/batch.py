"""Many games stepped together: arrays with one row per game, on the cores of the CPU or on a CUDA device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tablee.core.deals import all_deals
from tablee.core.errors import BadSetup, IllegalMove
from tablee.core.game import Game, Options
from tablee.core.match import illegal_move
from tablee.core.observation import Layout, move_feature_table
from tablee.core.randomness import GENERATOR, key_words
from tablee.core.state import NOBODY, blank_state, new_states
from tablee.simulation.arguments import checked_game, checked_seeds, flag, one_of, require_memory, whole_number
from tablee.simulation.full_state import full_state_layout, full_state_table
from tablee.simulation.policies import POLICIES, mixed_moves
from tablee.simulation.random_play import policy_generator
from tablee.simulation.rewards import reward_rule
from tablee.simulation.runners import checked_seats, make_runner
from tablee.simulation.saving import PathOrFile, from_bytes, read_batch, write_batch
from tablee.simulation.steps import BatchArrays

DERIVED = {
    "blank",
    "deals",
    "mask",
    "observations",
    "rule",
    "mixed_moves",
    "stride",
    "max_moves",
}  # what `save` leaves out


class Batch:
    """Games with one setup, played side by side: `Batch(name, size=65536, seats=4, device="cuda")`.

    Game n is the match with the same seed and `stream=n`; its next deals are streams n + size, n + 2 * size, and so on.
    Arrays keep their memory and change with each step. On CUDA they are device arrays, which PyTorch, JAX and CuPy use
    without a copy. Moves must be integers of the game, one per game; whether they are legal is checked only with
    `checked=True`, and an illegal move corrupts a game otherwise.

    `reward` is "ranks", "points", "round" or "potential", `episode` is "game" or "round"; `max_moves` cuts an episode
    off. An interrupted call leaves every game in a valid position, but not all at the same move.
    """

    def __init__(
        self,
        game: Game | str,
        size: int,
        *,
        seats: int | None = None,
        options: Options | None = None,
        reduction: str = "",
        seed: int | Sequence[int] = 0,
        device: str = "cpu",
        reward: str | None = None,
        episode: str = "game",
        max_moves: int | None = None,
        auto_reset: bool = True,
        checked: bool = False,
        mask: bool = True,
        observations: bool = True,
        threads: int | None = None,
    ) -> None:
        self.game = checked_game(game)
        self.setup = self.game.setup(seats, options, reduction)
        self.size = whole_number("the size of a batch", size, 1, (1 << 31) - 1)
        self.auto_reset = flag("auto_reset", auto_reset)  # whether a step deals the games that it ends again
        self.checked = flag("checked", checked)  # whether a step refuses illegal moves
        self.rule = reward_rule(self.game, reward, episode)
        if max_moves is not None:
            max_moves = whole_number("max_moves", max_moves, 1, (1 << 62))
        elif reduction:
            max_moves = self.game.reduction(reduction).max_moves
        self.max_moves = max_moves  # of an episode, after which it is cut off; None: it never is
        self._settings = {
            "size": self.size,
            "seats": self.setup.seats,
            "options": dict(self.setup.options),
            "reduction": reduction,
            "reward": reward,
            "episode": episode,
            "max_moves": max_moves,
            "auto_reset": self.auto_reset,
            "checked": self.checked,
            "mask": flag("mask", mask),
            "observations": flag("observations", observations),
        }
        seeds = checked_seeds(seed, self.size)
        self._runner = make_runner(self.game, self.size, device, threads, self.rule, bool(reduction), bool(max_moves))
        self._arrays = self._allocate(bool(mask), bool(observations))
        self._generators: Any = None
        self._features: Any = None
        self._start(*seeds)

    def _allocate(self, mask: bool, observations: bool) -> BatchArrays:
        size, seats, game = self.size, self.setup.seats, self.game
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "states": ((size,), game.kernels.state_type),
            "keys": ((size, 8), np.uint32),
            "streams": ((size,), np.int64),
            "played": ((size,), np.int64),
            "to_move": ((size,), np.int32),
            "counts": ((size,), np.int32),
            "legal": ((size, game.max_legal_moves), np.int32),
            "mask": ((size if mask else 0, game.moves), np.bool_),
            "observations": ((size if observations else 0, game.kernels.observation.size), np.float32),
            "points": ((size, seats), np.int64),
            "ranks": ((size, seats), np.int64),
            "rewards": ((size, seats), np.float64),
            "ended": ((size,), np.bool_),
            "truncated": ((size,), np.bool_),
            "final_states": ((size if self.auto_reset else 0,), game.kernels.state_type),
            "baseline": ((size, 2 * seats + 1), np.int64),
            "returns": ((size, seats), np.float64),
            "finished": ((size,), np.int32),
        }
        require_memory(sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in shapes.values()))
        return BatchArrays(
            **{name: self._runner.zeros(shape, dtype) for name, (shape, dtype) in shapes.items()},
            blank=self._runner.to_device(self._blank()),
            deals=self._runner.to_device(self._deals()),
            rule=self.rule,
            mixed_moves=mixed_moves(game),
            stride=size,
            max_moves=self.max_moves or 0,
        )

    def _blank(self) -> Any:
        blank = new_states(self.game.kernels.state_type, 1)
        blank[0] = blank_state(self.game, self.setup)
        return blank

    def _deals(self) -> Any:
        """Return all deals of a reduction; none for the whole game."""
        return all_deals(self.game, self.setup) if self.setup.reduction else new_states(self.game.kernels.state_type, 0)

    # Playing

    def reset(self, seed: int | Sequence[int] = 0) -> None:
        """Deal all games: streams 0 to size - 1 of one seed, or stream 0 of one seed per game."""
        self._start(*checked_seeds(seed, self.size))

    def _start(self, seeds: list[int], is_seeded_per_game: bool) -> None:
        streams = np.arange(self.size, dtype=np.int64) * (not is_seeded_per_game)
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

        `moves` is a (size,) array of integers, or anything like one. Raises BadMove for other shapes, types and
        numbers, IllegalMove with `checked=True`; then no move is played. Games with NO_MOVE keep their position.
        Without `auto_reset`, games that are over ignore their move, which may be -1.
        """
        chosen = self._runner.moves(self._arrays, moves)
        if self.checked:
            self._require_legal(chosen)
        self._runner.step(self._arrays, chosen, self.auto_reset)

    def _require_legal(self, moves: Any) -> None:
        out = self._runner.zeros(self.size, np.int32)
        self._runner.refuse(self._arrays, moves, out)
        refused = np.flatnonzero((self.on_host(out) != 0) & (self.on_host(self.to_move) >= 0))
        if len(refused):
            raise self.illegal_move(int(refused[0]), int(self.on_host(moves)[refused[0]]))

    def illegal_move(self, index: int, move: int) -> IllegalMove:
        """Return the error for an illegal move in a game, with its reason."""
        number = int(self.on_host(self._arrays.played)[index]) + 1
        error = illegal_move(self.game, self.on_host(self.states)[index], move, number)
        return IllegalMove(f"game {index} of the batch: {error}", code=error.code, clause=error.clause)

    def reset_ended(self) -> None:
        """Deal the games that are over or cut off again, each from its next stream."""
        self._runner.reset(self._arrays, True)

    def play_until(self, seats: Any, policy: str = "random", next_seats: Any = None) -> None:
        """Let the other seats play until one is on turn, the same in all games or one per game, or the game is over.

        `policy` is "random", "greedy" as the bot of that name, or "policy" for moves drawn by softmax of the game's
        ratings. In a game whose episode ends, or ended with the step before, `next_seats` is played until, if given.
        Adds the rewards of the moves to those of the step before, until an episode ends. Where that step ended one,
        `ended` and `rewards` stay as they are. Raises TableeError if one game after the other ends before the seat is
        on turn, as they may where `max_moves` is small.
        """
        rows = [checked_seats(seats, self.size, self.setup.seats, 0)]
        rows.append(rows[0] if next_seats is None else checked_seats(next_seats, self.size, self.setup.seats, 0))
        chosen = self._runner.to_device(np.stack(rows))
        self._runner.play_until(self._arrays, self._generators, chosen, _policy_code(policy), self.auto_reset)

    def end_games(self, chosen: Any) -> None:
        """Give games up where `chosen`, (size,) bool, is True: they are over, as they stand, until dealt again."""
        rows = np.asarray(chosen)
        if rows.dtype != np.bool_ or rows.shape != (self.size,):
            raise BadSetup(f"games are chosen by a (size,) array of bool, not by {rows.dtype} of shape {rows.shape}")
        to_move = self.on_host(self.to_move).copy()
        to_move[rows] = NOBODY
        self._runner.fill(self.to_move, to_move)

    def rollout(self, moves: int, policy: str = "random") -> None:
        """Play `moves` moves in each game inside the compiled loop; finished games are dealt again.

        `policy` is "random", or "policy" for moves drawn by softmax of the game's ratings. Adds to `finished` and
        `returns`. Does not update `observations`: call `observe`.
        """
        moves, code = whole_number("a number of moves", moves, 0), _policy_code(policy)
        self._runner.roll_out(self._arrays, self._generators, moves, code)

    def random_moves(self) -> Any:
        """Draw a legal move for each game, -1 where it is over: (size,) int32."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.draw_moves(self._arrays, self._generators, out)
        return out

    def refusals(self, moves: Any) -> Any:
        """Return the refusal code of a move in each game, 0 for a legal one and for NO_MOVE: (size,) int32."""
        out = self._runner.zeros(self.size, np.int32)
        self._runner.refuse(self._arrays, self._runner.moves(self._arrays, moves), out)
        return out

    # Arrays with one row per game

    @property
    def states(self) -> Any:
        """The full states: (size,)."""
        return self._arrays.states

    @property
    def to_move(self) -> Any:
        """The seat on turn, -1 when the game is over or cut off: (size,) int32."""
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
        """True for the legal moves: (size, moves) bool; (0, moves) in a batch without masks.

        Read only: a step updates only the entries that change.
        """
        return self._arrays.mask

    @property
    def observations(self) -> Any:
        """What the seat on turn observes: (size, numbers) float32; (0, numbers) in a batch without observations."""
        return self._arrays.observations

    @property
    def rewards(self) -> Any:
        """The rewards of the last step: (size, seats) float64 (docs/research.md)."""
        return self._arrays.rewards

    @property
    def ended(self) -> Any:
        """Whether the last step ended the episode, by the rules or by `max_moves`: (size,) bool."""
        return self._arrays.ended

    @property
    def truncated(self) -> Any:
        """Whether the last step cut the episode off after `max_moves`: (size,) bool."""
        return self._arrays.truncated

    @property
    def final_states(self) -> Any:
        """The full state in which the last episode of each row ended: (size,); (0,) without `auto_reset`."""
        return self._arrays.final_states

    @property
    def scores(self) -> Any:
        """The points of the last episode that ended in each row: (size, seats) int64."""
        return self._arrays.points

    @property
    def ranks(self) -> Any:
        """The ranks of the last episode that ended in each row: (size, seats) int64."""
        return self._arrays.ranks

    @property
    def finished(self) -> Any:
        """The number of episodes that ended in rollouts: (size,) int32."""
        return self._arrays.finished

    @property
    def returns(self) -> Any:
        """The sum of the rewards in rollouts: (size, seats) float64."""
        return self._arrays.returns

    def observe(self, seats: Any) -> Any:
        """Return what one seat of each game observes; `seats` is an int or one per game (-1: a spectator)."""
        out = self._runner.zeros((self.size, self.game.kernels.observation.size), np.float32)
        self._runner.observe(self._arrays, self._runner.seats(seats, self.setup.seats), out)
        return out

    # The last position of an episode that the last step ended, after which `auto_reset` has dealt again

    def final_observations(self, seats: Any) -> Any:
        """Return what one seat of each game observed when its episode ended; zeros where `ended` is False."""
        self._require_final_states()
        out = self._runner.zeros((self.size, self.game.kernels.observation.size), np.float32)
        self._runner.observe_final(self._arrays, self._runner.seats(seats, self.setup.seats), out)
        return out

    def final_legal(self) -> tuple[Any, Any]:
        """Return the legal moves when the episode ended, as `legal` and `counts`: none unless it was cut off."""
        self._require_final_states()
        legal = self._runner.zeros((self.size, self.game.max_legal_moves), np.int32)
        counts = self._runner.zeros(self.size, np.int32)
        self._runner.list_final(self._arrays, legal, counts)
        return legal, counts

    def _require_final_states(self) -> None:
        if not self.auto_reset:
            raise BadSetup("without auto_reset a finished game keeps its last position: call observe")

    # Moves as features

    def packed_legal(self) -> tuple[Any, Any]:
        """Return the legal moves of all games in one list, and where each game's begin in it.

        The first is (total,) int32, the second (size + 1,) int64: game n has the moves from offset n up to n + 1.
        """
        offsets = np.zeros(self.size + 1, np.int64)
        np.cumsum(self.on_host(self.counts), out=offsets[1:])
        moves = self._runner.zeros(int(offsets[-1]), np.int32)
        on_device = self._runner.to_device(offsets)
        self._runner.pack(self._arrays, on_device, moves)
        return moves, on_device

    @property
    def move_feature_table(self) -> Any:
        """The features of all moves of the game: (moves, numbers) float32. Raises BadSetup if it declares none."""
        if self._features is None:
            table = move_feature_table(self.game)
            if table is None:
                raise BadSetup(f"{self.game.name} declares no features of moves (docs/contract.md)")
            self._features = self._runner.to_device(table)
        return self._features

    def move_features(self, *, packed: bool = False) -> Any:
        """Return the features of the legal moves: (size, max_legal_moves, numbers) float32, zeros from `counts` on.

        With `packed`, (total, numbers) in the order of `packed_legal`.
        """
        table = self.move_feature_table
        moves, offsets = self.packed_legal()
        out = self._runner.zeros((len(moves), table.shape[1]), np.float32)
        if len(moves):
            self._runner.gather(table, moves, out)
        return out if flag("packed", packed) else self._padded(out, offsets)

    def _padded(self, rows: Any, offsets: Any) -> Any:
        out = self._runner.zeros((self.size, self.game.max_legal_moves, rows.shape[1]), np.float32)
        self._runner.pad(rows, offsets, out)
        return out

    # Perfect information

    @property
    def full_state_layout(self) -> Layout:
        """The layout of `full_state`."""
        return full_state_layout(self.game)

    def full_state(self) -> Any:
        """Return perfect information for critics in training, (size, numbers) float32: all fields but the generator."""
        out = self._runner.zeros((self.size, self.full_state_layout.size), np.float32)
        self._runner.decode(self._arrays.states, self._runner.to_device(full_state_table(self.game)), out)
        return out

    # Saving

    def save(self, target: PathOrFile) -> None:
        """Write everything, the generators included, to a file, given by its path or open for writing bytes."""
        arrays = {name: self.on_host(array) for name, array in self._saved_arrays().items()}
        write_batch(target, self.game, self._settings, arrays)

    @classmethod
    def load(cls, source: PathOrFile, *, device: str = "cpu", threads: int | None = None) -> Batch:
        """Return a saved batch, which goes on exactly as the original, also on another device.

        Raises BadSave for other files, and for another version of the game or layout of its states. `observations` are
        those of the position, also if a rollout had left them behind.
        """
        saved = read_batch(source)
        batch = cls(saved.game, **saved.settings, device=device, threads=threads)
        for name, array in batch._saved_arrays().items():
            batch._runner.fill(array, from_bytes(name, saved.arrays.get(name), batch.on_host(array)))
        batch._refresh()
        return batch

    def _saved_arrays(self) -> dict[str, Any]:
        """Return all arrays that do not follow from others."""
        arrays = self._arrays._asdict() | {"generators": self._generators}
        return {name: array for name, array in arrays.items() if name not in DERIVED}

    def _refresh(self) -> None:
        """Set the mask and the observations by the other arrays."""
        if len(self.mask):
            moves, offsets = (self.on_host(array) for array in self.packed_legal())
            marked = np.zeros(self.mask.shape, np.bool_)
            marked[np.repeat(np.arange(self.size), np.diff(offsets)), moves] = True
            self._runner.fill(self.mask, marked)
        if len(self.observations):
            self._runner.fill(self.observations, self.on_host(self.observe(self.to_move)))

    def on_host(self, array: Any) -> np.ndarray:
        """Return an array of this batch as a NumPy array; a copy if it is on a device."""
        host: np.ndarray = self._runner.to_host(array)
        return host


def _policy_code(name: str) -> int:
    return POLICIES[one_of("policy", name, POLICIES)]
