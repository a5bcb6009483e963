"""Compilation of the kernels that a server needs.

Compiling in the server process would block all its tables, so another process compiles (`tablee prepare`) while the
server already runs, and a game can be played when it is ready. What people open is compiled first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tablee.bots.roster import NAMES
from tablee.core.compilation import cache_folder
from tablee.core.game import Game
from tablee.core.warmup import Warmup, is_warm
from tablee.tables.warmup import TABLE_STEPS, exercise_table

SERVING = Warmup("serve", TABLE_STEPS + len(NAMES), lambda game: exercise_table(game, NAMES))


def is_ready(game: Game) -> bool:
    """Whether a table of this game can be played without compiling anything."""
    return is_warm(game, SERVING)


def request(game: Game) -> None:
    """Have a game compiled before those that nobody has opened."""
    file = _request_file(game)
    file.parent.mkdir(exist_ok=True)
    file.touch()


def requested_first(games: Iterable[Game]) -> Iterator[Game]:
    """Yield games in their order, but whenever one is taken, the one that was requested last."""
    left = list(games)
    while left:
        game = max(left, key=_requested_at)
        _request_file(game).unlink(missing_ok=True)
        left.remove(game)
        yield game


def _requested_at(game: Game) -> int:
    file = _request_file(game)
    return file.stat().st_mtime_ns if file.exists() else 0


def _request_file(game: Game) -> Path:
    return cache_folder() / "warm" / f"{game.name}.requested"
