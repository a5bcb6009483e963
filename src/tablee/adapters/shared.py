"""What the adapters share: spaces of observations and moves, and the settings of a table."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game, Setup
from tablee.core.observation import move_feature_table
from tablee.core.randomness import secret_seed
from tablee.core.registry import find_game
from tablee.simulation.arguments import flag
from tablee.simulation.stepper import Stepper, check_seed

ILLEGAL_MOVES = ("raise", "lose")  # what an illegal move does: raise IllegalMove, or end the episode


def chosen_game(game: Game | str) -> Game:
    """Return a game, given itself or by name."""
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise BadSetup(f"a game is given by its name, not by {game!r}")
    return find_game(game)


def chosen_from(what: str, name: Any, known: tuple[Any, ...]) -> Any:
    """Return a setting that is one of a few words; raise BadSetup for any other."""
    if not any(name is one or (isinstance(name, str) and name == one) for one in known):
        words = [one for one in known if isinstance(one, str)]
        raise BadSetup(f"{what} cannot be {name!r}; {did_you_mean(str(name), words)}")
    return name


def checked_seat(seat: int, setup: Setup, lowest: int = 0) -> int:
    """Return a seat as a plain integer; raise BadSetup if there is none, TypeError if it is no integer."""
    seat = operator.index(seat)
    if not lowest <= seat < setup.seats:
        raise BadSetup(f"there is no seat {seat} at a table of {setup.seats}; the first is 0")
    return seat


def deal_of(seed: int | None, options: Mapping[str, Any] | None) -> tuple[int, int]:
    """Return the seed and the stream that a call of `reset` asks for; without a seed, one that cannot be guessed.

    Other options are ignored: programs pass the same to every environment, and PettingZoo's own tests do.
    """
    if options is not None and not isinstance(options, Mapping):
        raise BadSetup(f"options of reset are a dict, not {options!r}")
    return check_seed(secret_seed() if seed is None else seed, (options or {}).get("stream", 0))


@dataclass(frozen=True)
class ObservationParts:
    """What an observation is made of, beside the numbers of the game's layout.

    `mask`: `action_mask`, a 1 per legal move. `moves`: `legal_moves`, the moves themselves in ascending order, and
    `move_features` for games that declare them, one row per legal move; both are padded, with -1 and zeros.
    """

    game: Game
    mask: bool = True
    moves: bool = False

    def __post_init__(self) -> None:
        flag("action_mask", self.mask)
        flag("move_list", self.moves)

    def space(self) -> spaces.Dict:
        """Return the space of the observations."""
        game = self.game
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(-np.inf, np.inf, (game.kernels.observation.size,), np.float32)
        }
        if self.mask:
            parts["action_mask"] = spaces.Box(0, 1, (game.moves,), np.int8)
        if self.moves:
            parts["legal_moves"] = spaces.Box(-1, game.moves - 1, (game.max_legal_moves,), np.int32)
            if game.kernels.move_feature_layout is not None:
                shape = (game.max_legal_moves, game.kernels.move_feature_layout.size)
                parts["move_features"] = spaces.Box(-np.inf, np.inf, shape, np.float32)
        return spaces.Dict(parts)

    def of(self, stepper: Stepper, seat: int) -> dict[str, np.ndarray]:
        """Return what a seat observes: new arrays. Only the seat on turn has legal moves."""
        is_on_turn = seat == stepper.to_move
        seen = {"observation": stepper.observe(seat)}
        if self.mask:
            seen["action_mask"] = stepper.mask.copy() if is_on_turn else np.zeros(self.game.moves, np.int8)
        if self.moves:
            self._add_moves(seen, stepper.legal if is_on_turn else stepper.legal[:0])
        return seen

    def _add_moves(self, seen: dict[str, np.ndarray], legal: np.ndarray) -> None:
        seen["legal_moves"] = np.full(self.game.max_legal_moves, -1, np.int32)
        seen["legal_moves"][: len(legal)] = legal
        table = move_feature_table(self.game)
        if table is not None:
            seen["move_features"] = np.zeros((self.game.max_legal_moves, table.shape[1]), np.float32)
            seen["move_features"][: len(legal)] = table[legal]


class MoveSpace(spaces.Discrete):
    """The moves of a game, of which `sample()` draws a legal one while there are any.

    Without that, a program that samples actions, as test suites do, would hardly ever draw a legal move.
    """

    def __init__(self, moves: int, legal_moves: Callable[[], np.ndarray]) -> None:
        super().__init__(moves)
        self._legal_moves = legal_moves

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Draw a legal move, or as `Discrete` does if a mask or probabilities are given."""
        legal = self._legal_moves() if mask is None and probability is None else ()
        if not len(legal):
            return super().sample(mask, probability)
        return np.int64(legal[self.np_random.integers(len(legal))])

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.Discrete, (int(self.n),)  # a saved or copied space does not hold the environment


class MovesSpace(spaces.MultiDiscrete):
    """A move in each of several games, of which `sample()` draws legal ones."""

    def __init__(self, games: int, moves: int, legal_moves: Callable[[], Iterable[np.ndarray]]) -> None:
        super().__init__([moves] * games)
        self._legal_moves = legal_moves

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """Draw a legal move for each game, or as `MultiDiscrete` does if a mask or probabilities are given."""
        drawn = super().sample(mask, probability)
        if mask is None and probability is None:
            for game, legal in enumerate(self._legal_moves()):
                if len(legal):
                    drawn[game] = legal[self.np_random.integers(len(legal))]
        return drawn

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.MultiDiscrete, (self.nvec,)
