"""The columns of a dataset: one row per move."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from tablee.core.game import Game

NAMES = pa.dictionary(pa.int32(), pa.string())  # texts that recur in many rows


class Column(NamedTuple):
    """A column: name, type and meaning."""

    name: str
    type: Any
    meaning: str


def columns(game: Game, observations: bool) -> list[Column]:
    """Return the columns of a game's datasets, in order."""
    always = [
        Column("game_number", pa.int64(), "number of the game in the dataset, from 0"),
        Column("game", NAMES, "name of the game"),
        Column("version", pa.int32(), "version of its rules"),
        Column("seats", pa.int8(), "number of seats"),
        Column("options", NAMES, "every option as `name=value`, separated by spaces"),
        Column("reduction", NAMES, "name of the reduction, empty for the whole game"),
        Column("players", pa.list_(NAMES), "per seat: `person`, or a bot with its version"),
        Column("seed", pa.string(), "seed of the deal, in decimal: up to 256 bits"),
        Column("stream", pa.uint64(), "stream of the deal"),
        Column("move_number", pa.int32(), "moves played before this one"),
        Column("round", pa.int32(), "rounds finished before this move"),
        Column("mover", pa.int8(), "seat that moves"),
        Column("legal", pa.list_(pa.int32()), "its legal moves, ascending"),
        Column("move", pa.int32(), "the move it plays"),
        Column("reward", pa.list_(pa.float64()), "per seat: the reward of the move"),
        Column("ended", pa.bool_(), "whether the move ends the game"),
        Column("digest", pa.string(), "digest of the state after the move, as in records"),
    ]
    if not observations:
        return always
    size = game.kernels.observation.size
    observation = Column("observation", pa.list_(pa.float32(), size), "what the mover observes before the move")
    at = next(index for index, column in enumerate(always) if column.name == "legal")
    return [*always[:at], observation, *always[at:]]


def schema(game: Game, observations: bool, metadata: dict[str, str]) -> pa.Schema:
    """Return the Arrow schema; the meaning of each column is in the metadata of its field."""
    fields = [
        pa.field(column.name, column.type, nullable=False, metadata={"meaning": column.meaning})
        for column in columns(game, observations)
    ]
    return pa.schema(fields, metadata)
