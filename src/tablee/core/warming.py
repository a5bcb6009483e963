"""Compile what a command will need before it needs it, so that nobody waits in the middle of a game.

A file beside the machine code marks what has been compiled, so that the next start asks for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tablee.core.compiling import cache_folder, is_interpreted

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.words import Words

Step = Callable[[], object]
Progress = Callable[[int, int], None]  # steps done, steps in all


def warm(game: Game, purpose: str, steps: Callable[[Game], list[Step]], progress: Progress) -> bool:
    """Take the steps that make Numba compile, unless this build has them in its cache; return whether it had not."""
    if is_interpreted():
        return False
    with without_scipy():
        marker = cache_folder() / f"{game.name}.{purpose}.compiled"
        if marker.exists():
            return False
        progress(0, 1)
        waiting = steps(game)
        for done, step in enumerate(waiting, start=1):
            step()
            progress(done, len(waiting))
    marker.touch()
    return True


def playing_steps(game: Game) -> list[Step]:
    """Return the steps that load all that a match needs: its kernels one by one, then what it draws."""
    from tablee.core.match import Match

    match: Match

    def begin() -> None:
        nonlocal match
        match = Match(game, seed=0)

    def draw() -> None:
        match.view(match.to_move)
        match.play(match.legal_moves()[0])
        match.events(0)

    return [
        begin,
        lambda: match.legal_moves(),
        lambda: match.why_not(0),
        lambda: match.copy().play(match.legal_moves()[0]),
        lambda: match.sight(match.to_move),
        lambda: match.scores(),
        lambda: game.kernels.places(match.state, _numbers(match.seats)),
        draw,
    ]
