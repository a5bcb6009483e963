"""How long until a command answers, as ratios to what no Python program can avoid; one JSON line per figure.

    python benchmarks/start.py [--runs 9] [--game NAME]

The best of several runs, since other programs can only make it longer. `play` is measured on the second start, when
everything is compiled: in plain lines up to its first question, in a terminal up to its first drawn screen and up to
the first board. `beyond_interpreter` is what a start takes besides what a bare interpreter does.
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
LAST_LINE = b"F10"  # the keys, at the bottom of every screen
ON_TURN = "\N{BLACK RIGHT-POINTING TRIANGLE}".encode()  # beside a name, as soon as there is a board


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
    table = [*play, "--bots", "random"]
    screens = [until_drawn(table, LAST_LINE, ON_TURN) for _ in range(arguments.runs)]
    lobby = best(lambda: until_drawn([*TABLEE, "play"], LAST_LINE)[0], arguments.runs)
    tell(f"tablee play {arguments.game}, to the first question", question, bare, numba)
    tell("tablee play, to the lobby", lobby, bare, numba)
    tell(f"tablee play {arguments.game}, to the first screen", min(first for first, _ in screens), bare, numba)
    tell(f"tablee play {arguments.game}, to the first board", min(board for _, board in screens), bare, numba)


def tell(what: str, seconds: float, bare: float, numba: float) -> None:
    """Print a line for programs."""
    ratios = {"times_bare_interpreter": round(seconds / bare, 1), "times_import_numba": round(seconds / numba, 2)}
    beyond = {"beyond_interpreter": round(seconds - bare, 3)}
    print(json.dumps({"start": what, "seconds": round(seconds, 3), **beyond, **ratios}), flush=True)


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


def until_drawn(command: list[str], *marks: bytes) -> list[float]:
    """Run a command in a terminal of its own; return how long it took until each mark, in order, was on the screen."""
    screen, terminal = pty.openpty()
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
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
        spent, drawn = [], b""
        for mark in marks:
            while mark not in drawn:
                drawn += os.read(screen, 65536)
            spent.append(time.perf_counter() - begun)
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(screen)
    return spent


if __name__ == "__main__":
    main()
