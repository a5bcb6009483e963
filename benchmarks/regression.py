"""Compare the speed of this tree with that of another commit, measured in turns on one machine.

    python benchmarks/regression.py COMMIT [--game NAME ...] [--figure games|steps|search|match] [--pairs 12]

Each tree is measured by a process of its own that stays alive, so that compilation counts for neither. The two take
turns (this, other, other, this, …); each pair of neighbours gives one ratio of rates, and the figures printed are the
geometric mean of the ratios and its 95 % interval (Student's t over pairs). Rates are per second of processor time. A
change counts as one only if the interval excludes 1. Exits 1 if a figure is certainly slower than `--least` (0.95).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from json_lines import print_line
from machine import description

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ("games", "steps", "search", "match")
SIZES = (256, 1024)  # games in a batch that is stepped: the best counts, as in peers.py
STUDENT_95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23}


def main() -> int:
    """Compare every figure of every game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit", nargs="?", help="what to compare with")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--figure", action="append", choices=FIGURES, help="only this one (may be repeated)")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.5, help="per measurement")
    parser.add_argument("--least", type=float, default=0.95, help="the ratio below which a figure fails")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return serve_measurements()
    if not arguments.commit:
        parser.error("name a commit to compare with")
    print_line(**description(), compared_with=arguments.commit)
    failed = False
    with checked_out(arguments.commit) as other, worker(ROOT) as ours, worker(other) as theirs:
        for game in arguments.game or ask(ours, "list"):
            for figure in arguments.figure or FIGURES:
                ratios = measured_ratios(ours, theirs, figure, game, arguments.pairs, arguments.seconds)
                failed |= report(game, figure, ratios, arguments.least)
    return int(failed)


def measured_ratios(
    ours: subprocess.Popen[str], theirs: subprocess.Popen[str], figure: str, game: str, pairs: int, seconds: float
) -> list[float]:
    """Return our rate over theirs, pair by pair."""
    for process in (ours, theirs):
        ask(process, figure, game, 0.0)  # compile and warm up
    ratios = []
    for pair in range(pairs):
        order = (ours, theirs) if pair % 2 == 0 else (theirs, ours)
        rates = {process.pid: ask(process, figure, game, seconds) for process in order}
        ratios.append(rates[ours.pid] / rates[theirs.pid])
    return ratios


def report(game: str, figure: str, ratios: list[float], least: float, **values: Any) -> bool:
    """Print the ratio with its interval, and other values; return whether it is certainly below `least`."""
    logs = [math.log(ratio) for ratio in ratios]
    half = STUDENT_95.get(len(logs) - 1, 2.0) * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.fmean(logs)
    low, high = math.exp(mean - half), math.exp(mean + half)
    verdict = "faster" if low > 1 else "slower" if high < 1 else "no change"
    print_line(
        game=game,
        figure=figure,
        ratio=round(math.exp(mean), 3),
        low=round(low, 3),
        high=round(high, 3),
        verdict=verdict,
        **values,
    )
    return high < least


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Check another commit out beside this tree, for as long as it is measured."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "other"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True)


@contextmanager
def worker(folder: Path, *command: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that measures the package in a folder when it is asked, by default with this module."""
    process = subprocess.Popen(
        [sys.executable, *(command or (__file__, "--worker"))],
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def ask(process: subprocess.Popen[str], *question: Any) -> Any:
    """Ask a worker for a figure and wait for it."""
    send(process, *question)
    return receive(process)


def send(process: subprocess.Popen[str], *question: Any) -> None:
    """Ask a worker for a figure."""
    assert process.stdin is not None
    print(json.dumps(question), file=process.stdin, flush=True)


def receive(process: subprocess.Popen[str]) -> Any:
    """Wait for a worker's answer."""
    assert process.stdout is not None
    answer = process.stdout.readline()
    if not answer:
        raise SystemExit(f"a measuring process ended with exit code {process.wait()}")
    return json.loads(answer)


# In the worker: only what both commits have


def serve_measurements() -> int:
    """Answer questions until there are no more."""
    from tablee import all_games, find_game

    cache: dict[Any, Any] = {}  # what is made once
    for line in sys.stdin:
        kind, *rest = json.loads(line)
        if kind == "list":
            answer: Any = [game.name for game in all_games()]
        else:
            game, seconds = find_game(rest[0]), rest[1]
            measure = {"search": search_rate, "steps": step_rate}.get(kind)
            answer = measure(game, seconds, cache) if measure else play_rate(kind, game, seconds)
        print(json.dumps(answer), flush=True)
    return 0


def play_rate(kind: str, game: Any, seconds: float) -> float:
    """Return moves per second of whole random games, compiled or through `Match`."""
    speed = speed_module()
    measure = speed.compiled_on_one_core if kind == "games" else speed.match_from_python
    return float(measure(game, game.setup(), seconds))


def speed_module() -> Any:
    """Return the module that measures moves per second."""
    try:
        from tablee.simulation import speed
    except ImportError:  # before version 0.2
        from tablee.simulation import measuring as speed  # type: ignore[attr-defined,no-redef]
    return speed


def step_rate(game: Any, seconds: float, cache: dict[Any, Any]) -> float:
    """Return random moves per second of batches with masks and observations, on one thread, at the best size."""
    from tablee.simulation.batch import Batch

    rate, best = speed_module().rate, 0.0
    for size in SIZES:
        if (game.name, size) not in cache:
            cache[game.name, size] = Batch(game.name, size, threads=1)
        batch = cache[game.name, size]

        def step(times: int, batch: Any = batch) -> int:
            for _ in range(times):
                batch.step(batch.random_moves())
            return times * int(batch.size)

        best = max(best, float(rate(step, seconds / len(SIZES))))
    return best


def search_rate(game: Any, seconds: float, cache: dict[Any, Any]) -> float:
    """Return simulations per second of guided search in three positions."""
    import time

    from tablee.bots import search

    settings = getattr(search, "SearchSettings", None) or search.Strength  # type: ignore[attr-defined]  # before 0.2

    if game.name not in cache:
        matches = [random_match(game, moves) for moves in (0, 20, 60)]
        matches = [match for match in matches if len(match.legal_moves()) > 1]
        cache[game.name] = search.SearchBot("search", 1, settings(iterations=400), 1), matches
    bot, matches = cache[game.name]
    done, begin = 0, time.process_time()
    while time.process_time() - begin < seconds or not done:
        done += sum(bot.decide(match.sight(match.to_move), match.legal_moves()).worlds for match in matches)
    return done / (time.process_time() - begin)


def random_match(game: Any, moves: int) -> Any:
    """Return a match after some random moves, the same in every process."""
    from tablee import Match

    chooser, match = random.Random(1), Match(game, seed=1)
    while len(match.moves) < moves and not match.is_over:
        match.play(chooser.choice(match.legal_moves()))
    return match


if __name__ == "__main__":
    sys.exit(main())
