"""Warm-ups: a command calls every kernel that it needs before a person has to wait for one to be compiled.

A marker file says for which sources a warm-up has been run, so that the next start skips it. Where the marker is
missing although everything is in the cache, for example after an edit of a comment, the warm-up takes a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.cache_files import digest_of
from tablee.core.compilation import cache_counts, cache_folder, is_interpreted, on_compilation

if TYPE_CHECKING:
    from tablee.core.game import Game

PACKAGE = Path(__file__).resolve().parents[1]
DECORATORS = b"from tablee.core.compilation import"  # in every module that defines kernels
RULES_STEPS = 5  # of `exercise_rules`


@dataclass(frozen=True)
class Warmup:
    """Calls every kernel that a purpose needs."""

    purpose: str  # part of the name of the marker file
    steps: int  # how often `run` yields
    run: Callable[[Game], Iterator[None]]


def warm(game: Game, warmup: Warmup, progress: Callable[[int, int], None]) -> bool:
    """Run a warm-up unless its marker exists; return whether anything had to be compiled.

    `progress` is called with the number of steps done and the number of all steps, from when the first kernel has to be
    compiled; never if none has.
    """
    if is_warm(game, warmup):
        if not is_interpreted():
            _load_compiler()
        return False
    done = 0
    compiled_before = cache_counts()[1]
    with on_compilation(lambda: progress(done, warmup.steps)):
        for done, _ in enumerate(warmup.run(game), start=1):
            if cache_counts()[1] > compiled_before:
                progress(done, warmup.steps)
    marker = _marker(game, warmup)
    marker.parent.mkdir(exist_ok=True)
    marker.touch()
    return cache_counts()[1] > compiled_before


def is_warm(game: Game, warmup: Warmup) -> bool:
    """Return whether the warm-up has been run for the present sources."""
    return is_interpreted() or _marker(game, warmup).exists()


def _marker(game: Game, warmup: Warmup) -> Path:
    return cache_folder() / "warm" / f"{game.name}.{warmup.purpose}.{sources_digest(game)}"


@cache
def sources_digest(game: Game) -> str:
    """Digest the sources of the kernels that serve a game: its own, and those that serve every game."""
    return digest_of(path.read_bytes() for path in kernel_sources(game))


def kernel_sources(game: Game) -> list[Path]:
    """Return the modules of a game from which kernels and their constants come, and all others that define kernels."""
    own = [path for path in sorted(game.folder.glob("*.py")) if path.name != "view.py"]
    return own + [path for path in sorted(PACKAGE.glob("*/*.py")) if DECORATORS in path.read_bytes()]


@contextmanager
def without_scipy() -> Iterator[None]:
    """Keep Numba from importing SciPy, which takes long and which no kernel uses."""
    if "scipy" in sys.modules:
        yield
        return
    sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["scipy"]


def _load_compiler() -> None:
    """Call a kernel: at the first call Numba imports the rest of itself."""
    from tablee.core.randomness import new_generator, start

    start(new_generator(0), 0)


def exercise_rules(game: Game) -> Iterator[None]:
    """Deal, list, play and score, as a match does."""
    import numpy as np

    from tablee.core.match import Match

    match = Match(game, seed=0)
    _load_compiler()
    yield
    move = match.legal_moves()[0]
    yield
    match.play(move)
    yield
    match.scores()
    yield
    game.kernels.ranks(match.state, np.zeros(match.seats, np.int64))
    yield


def _exercise_match(game: Game) -> Iterator[None]:
    """Call all methods of a match that run kernels: rules, sights, views and events."""
    from tablee.core.match import Match

    yield from exercise_rules(game)
    match = Match(game, seed=0)
    match.sight(match.to_move)
    yield
    match.play(match.legal_moves()[0])
    match.events(0)
    yield
    match.view(match.to_move)
    yield


PLAYING = Warmup("play", RULES_STEPS + 3, _exercise_match)
