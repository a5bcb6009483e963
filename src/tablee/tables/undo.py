"""Whether a move revealed something hidden: then it cannot be undone.

The answer is computed from what the mover knew, in worlds that fit it: computed from the true state, it could tell the
mover what the others know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.kernels import disguise, imagine, play, refusal
from tablee.core.randomness import start
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.core.twins import set_twin
from tablee.core.types import Generator, Move, Moves, Seat, SightState, States
from tablee.tables.worlds import FIRST, OTHER, WORLD, looks_alike, worlds_of

WORLDS = 3  # that fit what the mover knew
DISGUISES = 5  # of each world, per viewer: worlds that differ in everything the viewer could not know


def reveals_nothing(before: Sight, move: int) -> bool:
    """Whether, as far as the mover can tell, no viewer learns anything by the move but the move itself."""
    return worlds_of(before.game).ask(_is_foreseen_by_all, before, move)


@kernel
def _is_foreseen_by_all(
    sight: SightState, stream: np.uint64, generator: Generator, states: States, words: Any, moves: Moves, move: Move
) -> bool:
    """Whether all viewers could foresee what they see after the move; one kernel, as it is asked after every move."""
    start(generator, stream)
    for _ in range(WORLDS):
        states[WORLD] = sight
        imagine(states[WORLD], sight.viewer, generator)
        for viewer in range(SPECTATOR, sight.seats):
            if not _is_foreseen(states, words, move, viewer, generator):
                return False
    return True


set_twin(_is_foreseen_by_all, lambda *_: False)  # until it is compiled, nothing is undone: worlds take long to imagine


@kernel
def _is_foreseen(states: States, words: Any, move: Move, viewer: Seat, generator: Generator) -> bool:
    """Whether the move looks the same to a viewer in all worlds that looked the same to them before."""
    for number in range(DISGUISES + 1):
        states[OTHER] = states[WORLD]
        if number > 0:
            disguise(states[OTHER], viewer, generator)
        if refusal(states[OTHER], move) != 0:
            return False  # that the move was legal tells the viewer something
        play(states[OTHER], move)
        if not looks_alike(states, words, OTHER, viewer, FIRST, number == 0):
            return False
    return True
