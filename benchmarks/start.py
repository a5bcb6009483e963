"""How long until a command answers, as ratios to what no Python program can avoid; one JSON line per figure.

    python benchmarks/start.py [--runs 9] [--game NAME]

The best of several runs, since other programs can only make it longer. `play` is measured up to its first question, on
the second start: everything is compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from machine import description
from tablee import all_games

TABLEE = [sys.executable, "-m", "tablee"]
QUESTION = b"> "


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="time to the first answer")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--game", default=all_games()[0].name)
    arguments = parser.parse_args()
    print(json.dumps(description()), flush=True)
    play = [*TABLEE, "play", arguments.game, "--seed", "1"]
    until_question(play)  # compiles, if this is the first time
    bare = best(lambda: until_end([sys.executable, "-c", "pass"]), arguments.runs)
    numba = best(lambda: until_end([sys.executable, "-c", "import numba"]), arguments.runs)
    games = best(lambda: until_end([*TABLEE, "games"]), arguments.runs)
    question = best(lambda: until_question(play), arguments.runs)
    tell("bare interpreter", bare, bare, numba)
    tell("import numba", numba, bare, numba)
    tell("tablee games", games, bare, numba)
    tell(f"tablee play {arguments.game}, to the first question", question, bare, numba)


def tell(what: str, seconds: float, bare: float, numba: float) -> None:
    """Print a line for programs."""
    ratios = {"times_bare_interpreter": round(seconds / bare, 1), "times_import_numba": round(seconds / numba, 2)}
    print(json.dumps({"start": what, "seconds": round(seconds, 3), **ratios}), flush=True)


def best(measure: Callable[[], float], runs: int) -> float:
    """Return the shortest of several measurements."""
    return min(measure() for _ in range(runs))


def until_end(command: list[str]) -> float:
    """Run a command; return how long it took."""
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def until_question(command: list[str]) -> float:
    """Run a command until it asks for input; return how long that took."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        assert process.stdout is not None
        shown = b""
        while not shown.endswith(QUESTION):
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                raise SystemExit(f"{command} asked nothing: {shown.decode()}")
            shown += more
        spent = time.perf_counter() - begun
        process.communicate(b"quit\n")
    return spent


if __name__ == "__main__":
    main()
