"""Let bots play games, write them to Parquet, and study them with pandas and polars.

    python examples/dataset.py [--game NAME] [--games 200] [--bots greedy,random] [--into FOLDER] [--picture FILE]

The same dataset as `tablee dataset NAME --bots greedy,random --games 200 --into FOLDER` writes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pandas
import polars


def main() -> None:
    """Write a dataset, and answer two questions from it."""
    parser = argparse.ArgumentParser(description="a dataset of games")
    parser.add_argument("--game", default="skyjo")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--bots", default="greedy,random")
    parser.add_argument("--into", type=Path, default=Path("games"))
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    write(arguments.game, arguments.games, arguments.bots, arguments.into)
    rewards = rewards_by_bot(arguments.into)
    lengths = lengths_of_rounds(arguments.into)
    print(f"{lengths['game_number'].nunique():,} games, {lengths['moves'].sum():,} moves")
    print(rewards)
    if arguments.picture:
        draw(lengths, arguments.game, arguments.picture)


def write(game: str, games: int, bots: str, folder: Path) -> None:
    """Run the command; it continues a dataset that is not complete."""
    command = [sys.executable, "-m", "tablee", "dataset", game, "--games", str(games), "--bots", bots]
    subprocess.run([*command, "--into", str(folder)], check=True)


def rewards_by_bot(folder: Path) -> polars.DataFrame:
    """Return the mean reward per game of each bot; polars reads only the columns that are needed."""
    moves = polars.scan_parquet(folder / "*.parquet").select("game_number", "players", "reward")
    seats = moves.explode("players", "reward").with_columns(polars.col("players").cast(polars.String))
    games = seats.group_by("players", "game_number").agg(polars.col("reward").sum())
    means = games.group_by("players").agg(mean_reward=polars.col("reward").mean(), games=polars.len())
    return means.sort("mean_reward", descending=True).collect()


def lengths_of_rounds(folder: Path) -> pandas.DataFrame:
    """Return the number of moves of each round, with pandas."""
    moves = pandas.concat(
        pandas.read_parquet(path, columns=["game_number", "round"]) for path in sorted(folder.glob("*.parquet"))
    )
    return moves.groupby(["game_number", "round"]).size().rename("moves").reset_index()


def draw(lengths: pandas.DataFrame, name: str, path: Path) -> None:
    """Draw a histogram of the lengths of rounds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.hist(lengths["moves"], bins=40)
    axes.set(xlabel="moves in a round", ylabel="rounds", title=f"{len(lengths):,} rounds of {name}")
    figure.savefig(path)


if __name__ == "__main__":
    main()
