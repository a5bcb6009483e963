"""Random games in which a true state and an imagined one have the same distribution, if `imagine` is right.

Take a position, a viewer with its sight of it, and two worlds that `imagine` draws from the sight. If `imagine` draws
every world with the right probability, then the state, the first and the second world are three independent draws from
one distribution, and nothing changes if the state and a world are exchanged. So the difference of any number computed
from them is as often positive as negative (docs/decisions/0042-exchangeability.md).

For that to hold exactly, the choices of the other seats must not tell the viewer more than that they were legal:
`imagine` leaves it to `believe` to weigh how likely a choice was. So a move of another seat is proposed by an imagined
world, which knows nothing of the state, and played if it is legal in the state. If it is not, the state is replaced by
a new world before the next proposal. A move that the viewer may not know is chosen among those of the state.
"""

from __future__ import annotations

from typing import Any

from tablee.core.compilation import kernel
from tablee.core.kernels import imagine, legal_moves, play, problems, sees_move
from tablee.core.randomness import below
from tablee.core.types import Seat
from tablee.testing.buffers import WalkBuffers
from tablee.testing.walk import MOVE, SIGHT, STATE, WORLD, WORLD_SIGHT, write_sight

MAX_HIDDEN_MOVES = 500  # in a row
MAX_PROPOSALS = 200  # for one move; a game in which they do not suffice is left out
NO_MOVE = -1


@kernel
def draw_triple(buffers: WalkBuffers, viewer: Seat, moves: int, out: Any) -> bool:
    """Play a dealt state for `moves` moves, or a few more; write the state and two worlds into `out`, (3, bytes) uint8.

    While another seat makes moves that the viewer may not know, it does not know how many they were: more are played.
    Returns whether it could: not if the worlds have problems or allow no move, which other checks find.
    """
    number = 0
    while buffers.states[STATE].end_reason == 0 and (number < moves or is_kept_in_the_dark(buffers, viewer)):
        buffers.found[MOVE] = number
        if number == moves + MAX_HIDDEN_MOVES or not play_evenly(buffers, viewer):
            return False
        number += 1
    write_sight(buffers, STATE, viewer, SIGHT)
    out[0] = buffers.raw[STATE]
    for index in range(1, 3):
        if not imagine_into(buffers, viewer, WORLD):
            return False
        out[index] = buffers.raw[WORLD]
    return True


@kernel
def is_kept_in_the_dark(buffers: WalkBuffers, viewer: Seat) -> bool:
    """Whether another seat is on turn with a legal move that the viewer may not know."""
    state = buffers.states[STATE]
    if state.to_move == viewer:
        return False
    for index in range(legal_moves(state, buffers.listed[0])):
        if not sees_move(state, buffers.listed[0][index], viewer):
            return True
    return False


@kernel
def play_evenly(buffers: WalkBuffers, viewer: Seat) -> bool:
    """Play a random move that tells the viewer nothing but that it was legal; return whether one was found."""
    state = buffers.states[STATE]
    if state.to_move == viewer:
        count = legal_moves(state, buffers.listed[0])
        play(state, buffers.listed[0][below(buffers.chance[0], count)])
        return True
    write_sight(buffers, STATE, viewer, SIGHT)
    for _ in range(MAX_PROPOSALS):
        if not imagine_into(buffers, viewer, WORLD):
            return False
        move = proposed_move(buffers, viewer)
        if is_listed(buffers, move):
            play(state, move)
            return True
        if not imagine_into(buffers, viewer, STATE):
            return False
    return False


@kernel
def is_listed(buffers: WalkBuffers, move: Any) -> bool:
    """Whether a move is legal in the state."""
    for index in range(legal_moves(buffers.states[STATE], buffers.listed[0])):
        if buffers.listed[0][index] == move:
            return True
    return False


@kernel
def proposed_move(buffers: WalkBuffers, viewer: Seat) -> Any:
    """Return a legal move of the imagined world, or one of the state instead of one that the viewer may not know."""
    world, state = buffers.states[WORLD], buffers.states[STATE]
    count = legal_moves(world, buffers.listed[1])
    if count == 0:
        return NO_MOVE
    move = buffers.listed[1][below(buffers.chance[0], count)]
    if sees_move(world, move, viewer):
        return move
    hidden = 0
    for index in range(legal_moves(state, buffers.listed[0])):
        if not sees_move(state, buffers.listed[0][index], viewer):
            buffers.listed[0][hidden] = buffers.listed[0][index]
            hidden += 1
    return buffers.listed[0][below(buffers.chance[0], hidden)] if hidden > 0 else NO_MOVE


@kernel
def imagine_into(buffers: WalkBuffers, viewer: Seat, index: int) -> bool:
    """Write a world of the sight over one of the states; return whether it has no problems."""
    buffers.raw[WORLD_SIGHT] = buffers.raw[SIGHT]
    imagine(buffers.states[WORLD_SIGHT], viewer, buffers.chance[1])
    buffers.raw[index] = buffers.raw[WORLD_SIGHT]
    return problems(buffers.states[index]) == 0
