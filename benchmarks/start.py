"""Time until a command answers, also as ratios to the start of an interpreter; prints one JSON line per figure.

    python benchmarks/start.py [--runs 9] [--game NAME]

Figures are the best of several runs, since other programs can only make a run longer. `play` is measured when
everything is compiled: in plain mode until its first question, in a terminal until its first screen and until the first
board. `beyond_interpreter` is the time without that of a bare interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fcntl import ioctl
from termios import TIOCSWINSZ

from machine import description
from tablee import all_games

TABLEE = [sys.executable, "-m", "tablee"]
QUESTION = b"> "
LAST_LINE = b"F10"  # a key at the bottom of every screen
ON_TURN = "\N{BLACK RIGHT-POINTING TRIANGLE}".encode()  # beside a name on every board


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description="time until a command answers")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--game", default=all_games()[0].name)
    arguments = parser.parse_args()
    print(json.dumps(description()), flush=True)
    play = [*TABLEE, "play", arguments.game, "--seed", "1"]
    until_question(play)  # compiles, the first time
    bare = best(lambda: until_end([sys.executable, "-c", "pass"]), arguments.runs)
    numba = best(lambda: until_end([sys.executable, "-c", "import numba"]), arguments.runs)
    games = best(lambda: until_end([*TABLEE, "games"]), arguments.runs)
    question = best(lambda: until_question(play), arguments.runs)
    print_figure("bare interpreter", bare, bare, numba)
    print_figure("import numba", numba, bare, numba)
    print_figure("tablee games", games, bare, numba)
    table = [*play, "--bots", "random"]
    screens = [until_drawn(table, LAST_LINE, ON_TURN) for _ in range(arguments.runs)]
    lobby = best(lambda: until_drawn([*TABLEE, "play"], LAST_LINE)[0], arguments.runs)
    print_figure(f"tablee play {arguments.game}, to the first question", question, bare, numba)
    print_figure("tablee play, to the lobby", lobby, bare, numba)
    print_figure(f"tablee play {arguments.game}, to the first screen", min(first for first, _ in screens), bare, numba)
    print_figure(f"tablee play {arguments.game}, to the first board", min(board for _, board in screens), bare, numba)


def print_figure(what: str, seconds: float, bare: float, numba: float) -> None:
    """Print a figure as JSON, with ratios to a bare interpreter and to importing Numba."""
    ratios = {"times_bare_interpreter": round(seconds / bare, 1), "times_import_numba": round(seconds / numba, 2)}
    beyond = {"beyond_interpreter": round(seconds - bare, 3)}
    print(json.dumps({"start": what, "seconds": round(seconds, 3), **beyond, **ratios}), flush=True)


def best(measure: Callable[[], float], runs: int) -> float:
    """Return the shortest of several measurements."""
    return min(measure() for _ in range(runs))


def until_end(command: list[str]) -> float:
    """Run a command; return the seconds it took."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def until_question(command: list[str]) -> float:
    """Run a command until it asks for input; return the seconds until then."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        assert process.stdout is not None
        shown = b""
        while not shown.endswith(QUESTION):
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                raise SystemExit(f"{command} asked nothing: {shown.decode()}")
            shown += more
        elapsed = time.perf_counter() - start
        process.communicate(b"quit\n")
    return elapsed


def until_drawn(command: list[str], *marks: bytes) -> list[float]:
    """Run a command in a new terminal; return the seconds until each mark, in order, was on the screen."""
    screen, terminal = pty.openpty()
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(terminal)
        elapsed, drawn = [], b""
        for mark in marks:
            while mark not in drawn:
                drawn += os.read(screen, 65536)
            elapsed.append(time.perf_counter() - start)
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(screen)
    return elapsed


if __name__ == "__main__":
    main()
