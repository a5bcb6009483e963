"""Compilation of the kernels that a server needs, while its tables are already played.

Compiling in the server process would block all its tables, so another process compiles (`tablee prepare`). Until the
machine code of a game is loaded, its tables are interpreted (`core/twins.py`), and bots that search play without
looking ahead. What people open is compiled first (docs/decisions/0051-play-before-compilation.md).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeAlias

from tablee.bots.roster import NAMES, TRAINED_NAMES
from tablee.core import twins
from tablee.core.compilation import cache_folder
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.warmup import Warmup, is_warm, warm, without_scipy
from tablee.server.logs import log
from tablee.tables.warmup import TABLE_STEPS, exercise_table

BOTS = (*NAMES, *TRAINED_NAMES)
SERVING = Warmup("serve", TABLE_STEPS + len(BOTS), lambda game: exercise_table(game, BOTS))
ProgressBar: TypeAlias = AbstractContextManager[Callable[[int, int], None]]
POLL_SECONDS = 0.5  # between two looks whether a game has been compiled


class Superseded(TableeError):
    """Another game was requested while this one was being compiled."""


# In the process that compiles


def compile_games(games: Iterable[Game], bar_for: Callable[[Game], ProgressBar]) -> Iterator[tuple[Game, str]]:
    """Compile games, the one that was requested last first; yield each with an error, empty if it is compiled.

    A game that is requested meanwhile comes before the one being compiled, whose finished kernels are kept.
    """
    left = list(games)
    while left:
        game = max(left, key=_requested_at)
        error = ""
        try:
            with bar_for(game) as show:
                warm(game, _interruptible(left), show)
        except Superseded:
            continue
        except TableeError as why:
            error = str(why)
        left.remove(game)
        _file(game, "requested").unlink(missing_ok=True)
        _file(game, "progress").unlink(missing_ok=True)
        yield game, error


def _interruptible(left: list[Game]) -> Warmup:
    """Return the warm-up for serving, which ends after a step with Superseded if another game is wanted more."""

    def run(game: Game) -> Iterator[None]:
        for done, _ in enumerate(SERVING.run(game), start=1):
            _report(game, done)
            if max(left, key=_requested_at) is not game:
                raise Superseded(game.name)
            yield

    return Warmup(SERVING.purpose, SERVING.steps, run)


def _report(game: Game, done: int) -> None:
    with suppress(OSError):
        file = _file(game, "progress")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{done}", encoding="ascii")


# In the process that serves


def is_compiled(game: Game) -> bool:
    """Whether the machine code for tables of this game is in the cache."""
    return is_warm(game, SERVING)


def compiled_share(game: Game) -> float:
    """Return how much of a game is compiled, from 0 to 1."""
    if is_compiled(game):
        return 1.0
    with suppress(OSError, ValueError):
        return min(0.99, int(_file(game, "progress").read_text(encoding="ascii")) / SERVING.steps)
    return 0.0


def request(game: Game) -> None:
    """Have a game compiled before those that nobody has opened."""
    if is_compiled(game):
        return
    with suppress(OSError):
        file = _file(game, "requested")
        file.parent.mkdir(exist_ok=True)
        file.touch()


class GameLoader:
    """Loads the machine code of games into this process when it is in the cache; until then they are interpreted.

    `when_loaded` is called in its thread when all games are loaded.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self._waiting = {game.name: game for game in games}
        self.when_loaded: Callable[[], None] = lambda: None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="game loader", daemon=True)

    def is_loaded(self, game: Game) -> bool:
        """Whether tables of a game run on machine code."""
        return game.name not in self._waiting

    def start(self) -> None:
        """Start loading, if there are games to load."""
        if self._waiting:
            twins.wait_for_machine_code(True)
            self._thread.start()

    def stop(self) -> None:
        """Stop loading."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        twins.wait_for_machine_code(False)

    def _run(self) -> None:
        with twins.loading(), without_scipy():
            while not self._stopped.is_set():
                for game in [game for game in self._waiting.values() if is_compiled(game)]:
                    self._load(game)
                if not self._waiting:
                    break
                self._stopped.wait(POLL_SECONDS)
        if not self._stopped.is_set():
            twins.wait_for_machine_code(False)  # what a warm-up does not call is compiled on demand from now on
            self.when_loaded()

    def _load(self, game: Game) -> None:
        try:
            for _ in SERVING.run(game):
                if self._stopped.is_set():
                    return
        except Exception as why:  # a game's policy may raise anything, and other games go on
            log("game not loaded", logging.ERROR, game=game.name, why=type(why).__name__)
        del self._waiting[game.name]
        log("game loaded", game=game.name)


# Files beside the markers of `core/warmup.py`, by which the two processes talk


def _requested_at(game: Game) -> int:
    with suppress(OSError):
        return _file(game, "requested").stat().st_mtime_ns
    return 0


def _file(game: Game, what: str) -> Path:
    return cache_folder() / "warm" / f"{game.name}.{what}"
