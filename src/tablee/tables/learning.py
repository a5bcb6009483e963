"""Whether a move taught anybody something hidden: only then does taking it back need to be refused."""

from __future__ import annotations

from typing import Any

from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state

WORLDS = 12  # tried per viewer; each differs in all that the viewer could not know before the move


def taught_nothing(before: Match, after: Match) -> bool:
    """Whether everybody sees after the move what he could have said before it."""
    move = after.moves[-1]
    generator = new_generator(0, len(before.moves))
    mover = before.to_move
    viewers = [mover, SPECTATOR, *(seat for seat in range(before.seats) if seat != mover)]
    return all(_was_foreseen(before, after, move, viewer, generator) for viewer in viewers)


def _was_foreseen(before: Match, after: Match, move: int, viewer: int, generator: Any) -> bool:
    """Whether the move looks the same to a viewer in every world that looked the same to him before."""
    kernels = before.game.kernels
    seen = after.sight(viewer)
    for _ in range(WORLDS):
        world = copy_state(before.state)
        kernels.disguise(world, viewer, generator)
        if kernels.refusal(world, move):
            return False  # that the move was possible told him something
        kernels.play(world, move)
        if Sight.of(before.game, world, viewer) != seen:
            return False
    return True
