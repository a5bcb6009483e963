"""Are reviews right? They add up, luck has no side, mistakes order the bots, and chances come true.

    python benchmarks/review.py play FOLDER [--games 1000] [--jobs 2] [--game NAME ...]
    python benchmarks/review.py review FOLDER [--games 200] [--jobs 2] [--game NAME ...]
    NUMBA_DISABLE_JIT=1 python benchmarks/review.py fit FOLDER [--game NAME ...]
    python benchmarks/review.py times [--game NAME ...]
    python benchmarks/review.py report FOLDER [--write]

`play` plays games among equal bots, and evaluates some positions of each for all seats. `review` plays games in which
all seats have different bots, and reviews them. Both append a line of JSON per game to files of the folder, and go on
where they were when started again. `fit` finds the constants of the games' `prospects.py` from games that `report`
does not use: those with seeds from FITTED_FROM on. `times` measures reviews of usual games. `report` prints:

- whether decisions, others and luck added up to the result in every game (they are sums of whole millionths);
- the mean luck of each seat, and the mean loss per decision of each bot, with 95 % intervals; games are the unit;
- how chances came true: positions in ten groups by what a seat was given, and the mean absolute difference to what it
  got, weighted by positions.

`--write` writes the tables into docs/review.md, and the picture.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from bot_games import path_of, play, play_missing, played, replay
from constants_fit import fit_constants
from journals import read, run_missing
from review_report import report, title
from tablee.bots.roster import SearchKind, find_kind
from tablee.bots.simple import generator_for
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.core.warmup import warm
from tablee.review.analysis import DEPTHS, USUAL, Depth, Reviewer, final_shares, list_positions, review
from tablee.review.evaluation import Evaluator
from tablee.review.report import UNIT, Review
from tablee.review.warmup import REVIEWING

POSITIONS = 6  # evaluated per game
TIMED = 40  # positions of which `times` measures the review
NOVICES = 9  # seed of a game among novices
FITTED_FROM = 1000  # games with this seed and higher ones are for `fit`
FITTED_GAMES = 300
# In the sums of a game what is expected between two moves cancels out, so few worlds are enough for that.
SUMS = Depth(values=16, screening=16, choosing=64, judging=192, start_factor=256)


def chances_of(folder: Path, name: str, seed: int) -> dict[str, Any]:
    """Evaluate some positions of a game: what each seat is given in each, and what it got."""
    line, evaluator = _lines(folder, name)[seed], _evaluator(name)
    moves, match = line["moves"], Match(find_game(name), seed=seed)
    chosen = set(np.random.default_rng(seed).choice(len(moves), min(POSITIONS, len(moves)), replace=False).tolist())
    given = []
    for number, move in enumerate(moves):
        if number in chosen:
            sights = [match.sight(seat) for seat in range(match.seats)]
            values = [evaluator.expect(sight, USUAL.values, generator_for(0, sight)) for sight in sights]
            given.append([float(value[seat]) for seat, value in enumerate(values)])
        match.push(move)
    return {"bot": line["bots"][0], "given": given, "got": [share / UNIT for share in final_shares(match)]}


@cache
def _lines(folder: Path, name: str) -> dict[int, dict[str, Any]]:
    return {line["key"][2]: line for line in read(path_of(folder, name, "equal"))}


@cache
def _evaluator(name: str) -> Evaluator:
    game, kind = find_game(name), find_kind("expert")
    assert isinstance(kind, SearchKind)
    return Evaluator(game, kind.settings(game))


def play_and_review(name: str, seed: int) -> dict[str, Any]:
    """Play a game among different bots, and return what its review says."""
    game = play(name, "mixed", seed)
    return {"bots": game["bots"], **summary(review(replay(name, seed, game["moves"]), SUMS))}


def summary(found: Review) -> dict[str, Any]:
    """Return what the report needs of a review; lists are by seat."""
    start = found.rounds[0].expected
    return {
        "rests": [found.balance(seat).total - (found.results[seat] - start[seat]) for seat in found.seats],
        "luck": [found.balance(seat).luck for seat in found.seats],
        "losses": [sum(step.loss for step in found.choices(seat)) for seat in found.seats],
        "choices": [len(found.choices(seat)) for seat in found.seats],
    }


def run_play(folder: Path, names: Sequence[str], games: int, jobs: int) -> None:
    """Play games among equals, also those for `fit`, and evaluate positions of the others."""
    for name in names:
        warm(find_game(name), REVIEWING, lambda done, steps: None)
        play_missing(folder, name, "equal", [*range(games), *range(FITTED_FROM, FITTED_FROM + FITTED_GAMES)], jobs)
        path = folder / f"chances-{name}.jsonl"
        run_missing(path, [(name, seed) for seed in range(games)], partial(chances_of, folder), jobs)


def run_review(folder: Path, names: Sequence[str], games: int, jobs: int) -> None:
    """Play and review games among different bots."""
    for name in names:
        warm(find_game(name), REVIEWING, lambda done, steps: None)
        keys = [(name, seed) for seed in range(games)]
        run_missing(folder / f"reviews-{name}.jsonl", keys, play_and_review, jobs)


def run_fit(folder: Path, names: Sequence[str]) -> None:
    """Print the constants that predict the results of the games for `fit` best."""
    for name in names:
        games = [each.match for each in played(folder, name, "equal") if each.seed >= FITTED_FROM]
        for line in fit_constants(find_game(name), games):
            print(line)


def run_times(names: Sequence[str]) -> None:
    """Print what reviews of games among novices cost in processor time, and how exact they are, from some positions."""
    print("| game | moves | depth | a review on one core, s | error of a difference, points: median | 90 % |")
    print("|---|---:|---|---:|---:|---:|")
    for name in names:
        warm(find_game(name), REVIEWING, lambda done, steps: None)
        found = replay(name, NOVICES, play(name, "equal", NOVICES)["moves"])
        positions = list_positions(found)
        sampled = np.random.default_rng(1).choice(len(positions), min(TIMED, len(positions)), replace=False)
        for depth in ("quick", "usual"):
            reviewer, errors = Reviewer(found, DEPTHS[depth]), []
            start = time.process_time()
            for index in sampled:
                reviewer.review_position(positions[index])
            seconds = (time.process_time() - start) * len(positions) / len(sampled)
            for position in (positions[index] for index in sampled):
                others = [move for move in position.moves if move != position.played]
                if others:
                    sight, worlds = position.sights[position.mover], DEPTHS[depth].judging
                    pair = [position.played, others[0]]
                    compared = _evaluator(name).compare(sight, pair, worlds, generator_for(0, sight))
                    errors.append(100 * float(compared.errors[1]))
            median, most = np.quantile(errors, (0.5, 0.9))
            cells = (title(name), len(positions), f"`{depth}`", f"{seconds:.1f}", f"{median:.2f}", f"{most:.2f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("play", "review", "fit", "times", "report"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/review"))
    parser.add_argument("--games", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--game", action="append", choices=[game.name for game in all_games()])
    parser.add_argument("--write", action="store_true", help="write the tables and the picture of docs/review.md")
    arguments = parser.parse_args()
    names = arguments.game or [game.name for game in all_games()]
    if arguments.command == "play":
        run_play(arguments.folder, names, arguments.games or FITTED_FROM, arguments.jobs)
    elif arguments.command == "review":
        run_review(arguments.folder, names, arguments.games or 200, arguments.jobs)
    elif arguments.command == "fit":
        run_fit(arguments.folder, names)
    elif arguments.command == "times":
        run_times(names)
    else:
        report(arguments.folder, names, arguments.write)


if __name__ == "__main__":
    main()
