"""One line on stderr where a program has to wait for the compiler; `TABLEE_QUIET=1` turns it off."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from tablee.core.compilation import is_interpreted, on_compilation

if TYPE_CHECKING:
    from tablee.core.game import Game

PATIENCE = 1.0  # seconds of compiling before the line is written
QUIET_VARIABLE = "TABLEE_QUIET"

_written: set[str] = set()


@contextmanager
def compile_notice(what: str, starts_now: bool = False) -> Iterator[None]:
    """Write "compiling {what}", once in a process, if kernels are compiled inside for more than a second.

    The second begins with the first kernel that is not in the cache, or with `starts_now` at once.
    """
    if is_interpreted() or os.environ.get(QUIET_VARIABLE, "0") not in ("", "0"):
        yield
        return
    timer = threading.Timer(PATIENCE, _write, [f"compiling {what}\n"])
    timer.daemon = True

    def begin() -> None:
        if timer.ident is None:
            timer.start()

    if starts_now:
        begin()
    try:
        with on_compilation(begin):
            yield
    finally:
        timer.cancel()


def single_game_notice(game: Game) -> AbstractContextManager[None]:
    """Write that what plays single games of a game in an adapter is compiled, if it is."""
    return compile_notice(f"{game.name} for single games, about 20 s the first time")


def _write(line: str) -> None:
    if line not in _written:
        _written.add(line)
        sys.stderr.write(line)
        sys.stderr.flush()
