"""A dataset on disk: a folder of Parquet files, each with the same number of games, and a description."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tablee import __version__
from tablee.core.errors import BadSetup, TableeError
from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.datasets.columns import schema
from tablee.datasets.rows import PlayedGame, game_rows
from tablee.records import files

FORMAT = 1
DESCRIPTION = "dataset.json"
METADATA_KEY = "tablee"  # of the description in the metadata of each file
LEFTOVER = f".{'[0-9a-f]' * 16}.new"  # pattern of the names of files that a killed run had not completed
GROUP_ROWS = 16_384  # after which a row group is complete; it ends with a game


class Dataset:
    """A folder of shards `part-00000.parquet`, … and `dataset.json`, which describes all of them.

    A shard is written under another name and renamed when it is complete, so whatever has its name can be read.
    """

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        self.folder = folder
        self.description = dict(description)
        self.game: Game = find_game(description["game"])
        self.reward: str = description["reward"]
        self.schema: pa.Schema = schema(
            self.game, description["observations"], {METADATA_KEY: json.dumps(self.description, ensure_ascii=False)}
        )

    @classmethod
    def create(cls, folder: Path, game: Game, **description: Any) -> Dataset:
        """Create a dataset, or continue one with the same description; raise BadSetup if it has another.

        Only one process may write a dataset: what another had not completed is removed.
        """
        layout = game.kernels.observation
        described = {
            "format": FORMAT,
            "software": f"tablee {__version__}",
            "game": game.name,
            "version": game.version,
            "observation_layout": layout.digest,
            **description,
        }
        dataset = cls(folder, described)
        folder.mkdir(parents=True, exist_ok=True)
        path, leftovers = folder / DESCRIPTION, set(folder.glob(LEFTOVER))
        if path.exists():
            _require_same(path, _read_description(path), described)
        elif set(folder.iterdir()) - leftovers:
            raise BadSetup(f"{folder} is not empty, and not a dataset")
        else:
            files.write(path, json.dumps(described, ensure_ascii=False, indent=2).encode() + b"\n")
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
        return dataset

    @classmethod
    def open(cls, folder: Path) -> Dataset:
        """Open a dataset; raise TableeError if the folder is none."""
        return cls(folder, _read_description(folder / DESCRIPTION))

    def path(self, shard: int) -> Path:
        """Return the path of a shard."""
        return self.folder / f"part-{shard:05}.parquet"

    def games_in(self, shard: int) -> int:
        """Return the number of games in a shard, 0 if it is not there; only the end of the file is read."""
        path = self.path(shard)
        if not path.exists():
            return 0
        described = pq.read_metadata(path)
        column = self.schema.get_field_index("game_number")
        bounds = [described.row_group(group).column(column).statistics for group in range(described.num_row_groups)]
        return bounds[-1].max - bounds[0].min + 1 if bounds else 0

    def shards(self) -> Iterator[Path]:
        """Yield the paths of the complete shards, in order."""
        yield from sorted(self.folder.glob("part-*.parquet"))

    def write_shard(self, shard: int, first: int, games: Iterable[PlayedGame]) -> int:
        """Write a shard whose first game has the number `first`; return the number of moves."""
        temporary = self.folder / f".{secrets.token_hex(8)}.new"
        moves = 0
        try:
            with pq.ParquetWriter(temporary, self.schema, compression="zstd") as writer:
                for group in self._row_groups(games, first):
                    writer.write_table(group, row_group_size=group.num_rows)
                    moves += group.num_rows
            temporary.replace(self.path(shard))
        finally:
            temporary.unlink(missing_ok=True)
        return moves

    def _row_groups(self, games: Iterable[PlayedGame], first: int) -> Iterator[pa.Table]:
        """Yield the rows of consecutive games, enough for a row group each."""
        batches: list[pa.RecordBatch] = []
        for number, played in enumerate(games, first):
            batches.append(game_rows(played, number, self.schema, self.reward))
            if sum(batch.num_rows for batch in batches) >= GROUP_ROWS:
                yield _joined(batches)
                batches = []
        if batches:
            yield _joined(batches)


def _joined(batches: list[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()


def games_of(path: Path) -> Iterator[pa.Table]:
    """Yield the rows of each game of a shard."""
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        rows = file.read_row_group(group)
        numbers = rows["game_number"].to_numpy()
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        for start, end in pairwise([*starts.tolist(), rows.num_rows]):
            yield rows.slice(start, end - start)


class DatasetMismatch(TableeError):
    """A game of a dataset does not replay to the same rows."""


def verify_dataset(folder: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> tuple[int, int]:
    """Play every game of a dataset again and compare all columns bit by bit; return the numbers of games and moves.

    `progress` is called with the games done and their total. Raises DatasetMismatch for the first game that differs.
    """
    dataset = Dataset.open(folder)
    paths = list(dataset.shards())
    total = sum(dataset.games_in(shard) for shard in range(len(paths)))
    games = moves = 0
    for path in paths:
        for rows in games_of(path):
            _verify_game(dataset, path, rows)
            games += 1
            moves += rows.num_rows
            progress(games, total)
    return games, moves


def _verify_game(dataset: Dataset, path: Path, rows: pa.Table) -> None:
    number = rows["game_number"][0].as_py()
    try:
        expected = game_rows(PlayedGame.from_rows(rows), number, dataset.schema, dataset.reward)
    except TableeError as why:
        raise DatasetMismatch(f"{path.name}, game {number}: {why}") from None
    column = _first_difference(rows, pa.Table.from_batches([expected]))
    if column is not None:
        raise DatasetMismatch(f"{path.name}, game {number}: the column {column!r} differs")


def _first_difference(found: pa.Table, expected: pa.Table) -> str | None:
    """Return the first column that differs, None if none does; dictionaries may list their texts in another order."""
    for name in expected.column_names:
        if name not in found.column_names or found[name].to_pylist() != expected[name].to_pylist():
            return str(name)
    return None


def _read_description(path: Path) -> dict[str, Any]:
    try:
        described: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as why:
        raise TableeError(f"{path.parent} is not a dataset: {why}") from None
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise TableeError(f"{path} does not describe a dataset of format {FORMAT}")
    return described


def _require_same(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raise BadSetup rather than mix games of different bots, rules or columns."""
    for key, value in expected.items():
        if found.get(key) != value:
            raise BadSetup(f"{path} describes another dataset: its {key} is {found.get(key)!r}, not {value!r}")
