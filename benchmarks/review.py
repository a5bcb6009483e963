"""Are reviews right? They add up, luck has no side, mistakes order the bots, and chances come true.

    PYTHONPATH=src python benchmarks/review.py --into FOLDER [--games 200] [--depth quick] [--game NAME ...]
    python benchmarks/review.py --report FOLDER [--picture docs/pictures/calibration.png]

The first command plays games in which all seats have the same bot, for every bot of the roster in turn, and reviews
them; it writes a line of JSON per game, and continues when started again with the same folder. Among equal bots nobody
is lost early, so that mistakes of weak players still cost something. The second prints, for each game:

- whether decisions, others and luck added up to the result in every game (they are sums of whole numbers);
- the mean luck of each seat, with two standard errors;
- the mean loss per decision of each bot, with two standard errors;
- of the games among `club` bots, how chances came true: positions in ten groups by what a seat was given, and the mean
  absolute difference to what it got. Positions of a game depend on each other, so games are the unit of the errors.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablee.bots.roster import NAMES, make_bot
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.core.warmup import warm
from tablee.review.analysis import DEPTHS, review
from tablee.review.report import UNIT, Review
from tablee.review.warmup import REVIEWING

CALIBRATED = "club"
GROUPS = 10


def play_and_review(name: str, bot: str, seed: int, depth: str) -> dict[str, Any]:
    """Play a game among equal bots and return what its review says."""
    game = find_game(name)
    match = Match(game, seed=seed)
    players = [make_bot(bot, game, seed * match.seats + seat) for seat in range(match.seats)]
    while not match.is_over:
        match.push(players[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    return {"game": name, "bot": bot, "seed": seed, "depth": depth, **summary(review(match, DEPTHS[depth]))}


def summary(found: Review) -> dict[str, Any]:
    """Return what the report needs of a review."""
    start, groups = found.rounds[0].expected, np.zeros((GROUPS, 3))
    for step in found.steps:
        for seat in found.seats:
            group = min(GROUPS - 1, step.values[seat] * GROUPS // UNIT)
            groups[group] += (1, step.values[seat] / UNIT, found.results[seat] / UNIT)
    return {
        "rests": [found.balance(seat).total - (found.results[seat] - start[seat]) for seat in found.seats],
        "luck": [found.balance(seat).luck for seat in found.seats],
        "loss": sum(step.loss for step in found.steps),
        "choices": sum(step.is_choice for step in found.steps),
        "groups": groups.tolist(),  # by what a seat was given: positions, sum of chances, sum of results
    }


def run(folder: Path, games: Sequence[str], count: int, depth: str, processes: int) -> None:
    """Play and review what the folder does not have yet; all bots of a game get the same number of games."""
    folder.mkdir(exist_ok=True)
    for name in games:
        warm(find_game(name), REVIEWING, lambda done, total: None)
        done = {(line["bot"], line["seed"]) for line in read(folder, name)}
        todo = [(bot, seed) for seed in range(count) for bot in NAMES if (bot, seed) not in done]
        with ProcessPoolExecutor(processes) as pool, (folder / f"{name}.jsonl").open("a") as file:
            tasks = [pool.submit(play_and_review, name, bot, seed, depth) for bot, seed in todo]
            for number, task in enumerate(tasks, start=1):
                file.write(json.dumps(task.result()) + "\n")
                file.flush()
                print(f"\r{name}: {number} of {len(tasks)} games", end="", flush=True)
        print()


def read(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the games of a folder."""
    path = folder / f"{name}.jsonl"
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def report(folder: Path, picture: Path | None) -> None:
    """Print what the reviews of a folder say, and draw how chances came true."""
    curves = {}
    for game in all_games():
        lines = list(read(folder, game.name))
        if not lines:
            continue
        wrong = sum(any(line["rests"]) for line in lines)
        print(f"\n{game.name}: {len(lines)} games, depth {lines[0]['depth']}; sums wrong in {wrong}")
        print("  luck by seat, percentage points:", ", ".join(_mean(seat) for seat in _luck(lines)))
        for bot in NAMES:
            losses = [line["loss"] / max(1, line["choices"]) for line in lines if line["bot"] == bot]
            if losses:
                print(f"  {bot:8} {len(losses):5} games, loss per decision {_mean(np.array(losses) / UNIT)}")
        curves[game.name] = calibration([line for line in lines if line["bot"] == CALIBRATED])
        print(
            f"  chances among {CALIBRATED} bots: {_deviation(curves[game.name]):.1f} percentage points off on average"
        )
    if picture is not None:
        draw(curves, picture)


def _luck(lines: Sequence[dict[str, Any]]) -> list[NDArray[np.float64]]:
    seats: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        for seat, luck in enumerate(line["luck"]):
            seats[seat].append(luck / UNIT)
    return [np.array(values) for values in seats.values()]


def _mean(values: NDArray[np.float64]) -> str:
    """Return a mean with two standard errors, in percentage points."""
    error = 2 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{100 * values.mean():+.2f} ± {100 * error:.2f}"


def calibration(lines: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    """Return positions, mean chances and mean results, and two standard errors of the results, by group."""
    by_game = np.array([line["groups"] for line in lines])  # (games, GROUPS, 3)
    totals = by_game.sum(axis=0)
    counts = np.maximum(totals[:, 0], 1)
    given, got = totals[:, 1] / counts, totals[:, 2] / counts
    residuals = by_game[:, :, 2] - by_game[:, :, 0] * got
    errors = 2 * np.sqrt((residuals**2).sum(axis=0)) / counts
    return np.stack([totals[:, 0], given, got, errors], axis=1)


def _deviation(curve: NDArray[np.float64]) -> float:
    """Return the mean absolute difference between chances and results, in percentage points."""
    return float(100 * np.average(abs(curve[:, 1] - curve[:, 2]), weights=curve[:, 0]))


def draw(curves: dict[str, NDArray[np.float64]], path: Path) -> None:
    """Draw the reliability curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2 * len(curves), 3.4), layout="constrained")
    for index, (name, curve) in enumerate(curves.items(), start=1):
        axes = figure.add_subplot(1, len(curves), index)
        axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
        shown = curve[curve[:, 0] > 0]
        axes.errorbar(shown[:, 1], shown[:, 2], shown[:, 3], fmt="o-", markersize=4, color="#0072b2")
        axes.set_title(f"{find_game(name).words('en').say('title')}: {_deviation(curve):.1f} points off")
        axes.set_xlabel("chances given")
        axes.set_ylabel("share of the others beaten" if index == 1 else "")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--game", action="append", choices=[game.name for game in all_games()])
    parser.add_argument("--depth", choices=DEPTHS, default="quick")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.into is not None:
        names = arguments.game or [game.name for game in all_games()]
        run(arguments.into, names, arguments.games, arguments.depth, arguments.processes)
    if arguments.report is not None:
        report(arguments.report, arguments.picture)
    if arguments.into is None and arguments.report is None:
        parser.error("give --into or --report")


if __name__ == "__main__":
    main()
