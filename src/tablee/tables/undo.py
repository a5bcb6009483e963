"""Whether a move taught anybody something hidden: then it cannot be taken back.

The answer is worked out from what the mover knew, in worlds that fit it: one made from the true record could tell him
what the others know.
"""

from __future__ import annotations

from tablee.bots.simple import generator_for
from tablee.core.compilation import kernel
from tablee.core.kernels import disguise, imagine, play, refusal
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.tables.worlds import FIRST, OTHER, WORLD, looks_alike, new_worlds

WORLDS = 3  # that fit what the mover knew
DISGUISES = 5  # of each world, per viewer: all that he could not know is different


def reveals_nothing(before: Sight, move: int) -> bool:
    """Whether, as far as the mover can tell, everybody sees after his move what he could have said before it."""
    states, raw = new_worlds(before.game)
    return bool(_is_foreseen_by_all(before.state, move, generator_for(0, before), states, raw))


@kernel
def _is_foreseen_by_all(sight, move, generator, states, raw):
    """One kernel, and not a call for each question: this is asked after every move of a person."""
    for _ in range(WORLDS):
        states[WORLD] = sight
        imagine(states[WORLD], sight.viewer, generator)
        for viewer in range(SPECTATOR, sight.seats):
            if not _is_foreseen(states, raw, move, viewer, generator):
                return False
    return True


@kernel
def _is_foreseen(states, raw, move, viewer, generator):
    """Whether the move looks the same to a viewer in every world that looked the same to him before."""
    for number in range(DISGUISES + 1):
        states[OTHER] = states[WORLD]
        if number > 0:
            disguise(states[OTHER], viewer, generator)
        if refusal(states[OTHER], move) != 0:
            return False  # that the move was possible tells him something
        play(states[OTHER], move)
        if not looks_alike(states, raw, OTHER, viewer, FIRST, number == 0):
            return False
    return True
