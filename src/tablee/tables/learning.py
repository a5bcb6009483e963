"""Whether a move taught anybody something hidden: then it cannot be taken back.

The answer is worked out from what the mover knew, in worlds that fit it: one made from the true record could tell him
what the others know.
"""

from __future__ import annotations

from typing import Any

from tablee.bots.simple import generator_for
from tablee.core.match import Match
from tablee.core.state import SPECTATOR, new_states

WORLDS = 3  # that fit what the mover knew
DISGUISES = 5  # of each world, per viewer: all that he could not know is different


def taught_nothing(before: Match, move: int) -> bool:
    """Whether, as far as the mover can tell, everybody sees after the move what he could have said before it."""
    mover = before.to_move
    sight = before.sight(mover)
    generator = generator_for(0, sight)
    viewers = [mover, SPECTATOR, *(seat for seat in range(before.seats) if seat != mover)]
    for _ in range(WORLDS):
        world = sight.imagine(generator)
        if not all(_is_foreseen(before, world, move, viewer, generator) for viewer in viewers):
            return False
    return True


def _is_foreseen(before: Match, world: Any, move: int, viewer: int, generator: Any) -> bool:
    """Whether the move looks the same to a viewer in every world that looked the same to him before."""
    kernels = before.game.kernels
    records = new_states(kernels.state_type, 2)  # used again and again: this is asked after every move of a person
    other, seen = records
    first = None
    for number in range(DISGUISES + 1):
        records[0] = world
        if number:
            kernels.disguise(other, viewer, generator)
        if kernels.refusal(other, move):
            return False  # that the move was possible tells him something
        kernels.play(other, move)
        kernels.see(other, viewer, seen)
        first = first or seen.tobytes()
        if seen.tobytes() != first:
            return False
    return True
