"""Compile what a command will need before it needs it, so that nobody waits in the middle of a game.

A file beside the machine code marks what has been compiled, so that the next start rehearses nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.compilation import cache_folder, is_interpreted

if TYPE_CHECKING:
    from tablee.core.game import Game

RULES_STEPS = 5  # pauses of `exercise_rules`


@dataclass(frozen=True)
class Warmup:
    """Uses everything compiled that some purpose needs, and pauses after each thing."""

    purpose: str
    steps: int
    run: Callable[[Game], Iterator[None]]


def warm(game: Game, warmup_plan: Warmup, progress: Callable[[int, int], None]) -> bool:
    """Rehearse unless this build has done so before; return whether it had not.

    `progress` is told how many steps are done, and how many there are; it is not called where nothing needs compiling.
    """
    if is_warm(game, warmup_plan):
        if not is_interpreted():
            _load_compiler()
        return False
    progress(0, warmup_plan.steps)
    for done, _ in enumerate(warmup_plan.run(game), start=1):
        progress(done, warmup_plan.steps)
    _marker(game, warmup_plan).touch()
    return True


def is_warm(game: Game, warmup_plan: Warmup) -> bool:
    """Return whether nothing is left to compile."""
    return is_interpreted() or _marker(game, warmup_plan).exists()


def _marker(game: Game, warmup_plan: Warmup) -> Path:
    return cache_folder() / f"{game.name}.{warmup_plan.purpose}.compiled"


@contextmanager
def without_scipy() -> Iterator[None]:
    """Keep Numba from loading SciPy wherever it is installed: that takes long, and no kernel may depend on it."""
    if "scipy" in sys.modules:
        yield
        return
    sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["scipy"]


def _load_compiler() -> None:
    """Call a kernel: the first call makes Numba import the rest of itself."""
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
    """Do all that a match does: the rules, what each seat sees of them, and how it is drawn and told."""
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
