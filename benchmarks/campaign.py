"""Everything that says how strong `master` is, on all cores of a machine that is lent for some minutes.

    PYTHONPATH=src python benchmarks/campaign.py FOLDER [--minutes 9] [--jobs 16] [--game NAME ...] WORK ...

Kinds of work, in the order in which they are to be settled; `+` joins those that are played side by side:

    usual:expert:master[:DEALS]     the step of the ladder with the usual number of players (`steps.py`)
    other:expert:master[:DEALS]     the same with the other numbers of players
    detective:master:3000:300       300 rounds of the detective against a kind of bot (`detective.py`)
    curves:50,200,800:12            12 deals of the curves over the number of worlds (`curves.py`)

Only NumPy and Numba are needed. The journals in FOLDER are those of the three benchmarks, whose `report` reads them
(curves: FOLDER/curves); the same command continues where it was stopped, on another machine too.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from curves import CurveSeries
from detective import DetectiveSeries
from series import Series, play
from steps import Step, StepSeries
from strength import setups
from tablee.core.game import Game
from tablee.core.registry import all_games, find_game

STEP_DEALS = 400  # at most, unless said otherwise


def main() -> None:
    """Play."""
    parser = argparse.ArgumentParser(description="play steps, curves and the detective's rounds on all cores")
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", nargs="+", metavar="WORK")
    parser.add_argument("--minutes", type=float, default=9.0, help="compilation included")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--game", action="append", metavar="NAME", help="of steps and curves; default: all")
    parser.add_argument("--commit", help="if git is not installed")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    games = [find_game(name) for name in arguments.game] if arguments.game else all_games()
    stages = [
        [series for work in text.split("+") for series in series_of(work.split(":"), games, arguments.folder)]
        for text in arguments.work
    ]
    play(stages, arguments.folder, arguments.jobs, end, arguments.commit)


def series_of(words: Sequence[str], games: Sequence[Game], folder: Path) -> Iterator[Series]:
    """Yield the series of a kind of work."""
    match words:
        case ["usual" | "other" as players, weaker, stronger, *deals]:
            for game in games:
                for seats in (setup.seats for setup in setups(game)):
                    if (players == "usual") == (seats == game.usual_seats):
                        yield StepSeries(
                            Step(game, weaker, stronger, seats), folder, int(deals[0]) if deals else STEP_DEALS
                        )
        case ["detective", name, iterations, rounds]:
            yield DetectiveSeries(name.replace("-", " "), int(iterations), folder, int(rounds))
        case ["curves", worlds, deals]:
            numbers = [int(number) for number in worlds.split(",")]
            yield from (CurveSeries(game, folder / "curves", numbers, int(deals)) for game in games)
        case _:
            raise SystemExit(f"no such work: {':'.join(words)}; see --help")


if __name__ == "__main__":
    main()
