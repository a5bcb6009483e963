"""The rows of a game: its moves, played again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tablee.core.errors import BadRecord
from tablee.core.game import Game, Setup, show
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.state import state_digest
from tablee.records import Record
from tablee.records.header import Deal
from tablee.simulation.stepper import Stepper


@dataclass(frozen=True)
class PlayedGame:
    """A game from its deal to its end: everything that its rows follow from."""

    game: Game
    setup: Setup
    seed: int
    stream: int
    players: tuple[str, ...]  # kind per seat: `person`, or a bot with its version
    moves: tuple[int, ...]

    @classmethod
    def of(cls, record: Record) -> PlayedGame:
        """Return the game of a record, with every move, digest and the outcome checked; raise BadRecord if wrong."""
        origin = record.header.origin
        if not isinstance(origin, Deal):
            raise BadRecord("a game that starts from a stored position has no seed, and cannot be part of a dataset")
        match = record.replay()
        kinds = tuple(player.kind for player in record.header.players) or ("",) * match.seats
        return cls(match.game, match.setup, origin.seed, origin.stream, kinds, tuple(match.moves))

    @classmethod
    def from_rows(cls, rows: pa.Table) -> PlayedGame:
        """Return the game of its rows; raise BadSetup if there is no such game or setup."""
        first = rows.slice(0, 1).to_pylist()[0]
        game = find_game(first["game"])
        setup = game.setup(first["seats"], game.parse_options(first["options"].split()), first["reduction"])
        moves = tuple(rows["move"].to_pylist())
        return cls(game, setup, int(first["seed"]), first["stream"], tuple(first["players"]), moves)

    def stepper(self, reward: str, observes: bool) -> Stepper:
        """Return a stepper at the deal of the game."""
        setup = self.setup
        match = Match(
            self.game,
            seats=setup.seats,
            options=setup.options,
            reduction=setup.reduction,
            seed=self.seed,
            stream=self.stream,
        )
        stepper = Stepper(self.game, setup, reward=reward, observes=observes)
        stepper.put(match.state)
        return stepper


def game_rows(played: PlayedGame, number: int, schema: pa.Schema, reward: str) -> pa.RecordBatch:
    """Return the rows of a game; raise IllegalMove if its moves cannot be played."""
    count = len(played.moves)
    constants = {
        "game_number": number,
        "game": played.game.name,
        "version": played.game.version,
        "seats": played.setup.seats,
        "options": options_text(played.setup),
        "reduction": played.setup.reduction,
        "players": played.players,
        "seed": str(played.seed),
        "stream": played.stream,
    }
    values: dict[str, Sequence[Any] | np.ndarray] = {name: [value] * count for name, value in constants.items()}
    values |= _steps(played, reward, "observation" in schema.names)
    return pa.RecordBatch.from_arrays([_array(values[field.name], field.type) for field in schema], schema=schema)


def options_text(setup: Setup) -> str:
    """Return the options of a setup as one text."""
    return " ".join(f"{name}={show(value)}" for name, value in setup.options.items())


def _steps(played: PlayedGame, reward: str, observations: bool) -> dict[str, Sequence[Any] | np.ndarray]:
    """Play the moves; return the columns that change from move to move."""
    kernels = played.game.kernels
    stepper = played.stepper(reward, observations)
    names = ("round", "mover", "legal", "reward", "ended", "digest")
    columns: dict[str, Any] = {name: [] for name in names}
    observed = np.zeros((len(played.moves), kernels.observation.size if observations else 0), np.float32)
    for number, move in enumerate(played.moves):
        columns["round"].append(int(kernels.finished_rounds(stepper.state)))
        columns["mover"].append(stepper.to_move)
        columns["legal"].append(stepper.legal.copy())
        if observations:
            observed[number] = stepper.observe(stepper.to_move)
        stepper.step(move)
        columns["reward"].append(stepper.rewards.copy())
        columns["ended"].append(stepper.is_over)
        columns["digest"].append(state_digest(stepper.state))
    return columns | {"move_number": range(len(played.moves)), "move": played.moves, "observation": observed}


def _array(values: Sequence[Any] | np.ndarray, kind: pa.DataType) -> pa.Array:
    if isinstance(values, np.ndarray):
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), type=kind)
    return pa.array(values, kind)
