"""Write ten thousand random games to Parquet, and read them back.

    python examples/dataset.py [--games 10000] [--game NAME] [--out games.parquet] [--picture lengths.png]

One row per game: seed and stream of the deal, all moves, points and ranks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tablee.simulation import Batch

BATCH = 1000


def main() -> None:
    """Write the games, read them back, and draw the lengths."""
    parser = argparse.ArgumentParser(description="a dataset of games")
    parser.add_argument("--game", default="xe_queo")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("games.parquet"))
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    table = pa.Table.from_batches(list(batches(arguments.game, arguments.games, arguments.seed)))
    pq.write_table(table, arguments.out)
    read = pq.read_table(arguments.out)
    assert read.equals(table)
    lengths = np.array([len(moves) for moves in read["moves"].to_pylist()])
    print(f"{len(lengths):,} games, {lengths.sum():,} moves, {arguments.out.stat().st_size:,} bytes")
    if arguments.picture:
        draw(lengths, arguments.game, arguments.picture)


def batches(name: str, games: int, seed: int) -> Iterator[pa.RecordBatch]:
    """Play random games in batches, each with its own seed."""
    for first in range(0, games, BATCH):
        size = min(BATCH, games - first)
        yield play(Batch(name, size, seed=seed + first, auto_reset=False, mask=False, observations=False), seed + first)


def play(batch: Batch, seed: int) -> pa.RecordBatch:
    """Play all games of a batch to the end."""
    moves: list[list[int]] = [[] for _ in range(batch.size)]
    while (batch.to_move >= 0).any():
        chosen = batch.random_moves()
        for game in np.flatnonzero(chosen >= 0):
            moves[game].append(int(chosen[game]))
        batch.step(chosen)
    columns = {
        "seed": [seed] * batch.size,
        "stream": list(range(batch.size)),
        "moves": moves,
        "scores": batch.scores.tolist(),
        "ranks": batch.ranks.tolist(),
    }
    return pa.RecordBatch.from_pydict(columns)


def draw(lengths: np.ndarray, name: str, path: Path) -> None:
    """Draw a histogram of the lengths."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    width = 1 + (lengths.max() - lengths.min()) // 100  # an integer, so that every bar holds equally many lengths
    axes.hist(lengths, bins=np.arange(lengths.min(), lengths.max() + 2 * width, width))
    axes.set(xlabel="moves", ylabel="games", title=f"{len(lengths):,} random games of {name}")
    figure.savefig(path)


if __name__ == "__main__":
    main()
