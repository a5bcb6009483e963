"""What makes bots good at the game: how likely a bid is true, and how good it is to have dice left."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.types import Move, Moves, Ratings, Seat, State

from .moves import DOUBT, FACES, bid_count, bid_face
from .rules import finished_rounds as stage  # noqa: F401  playouts stop at the end of a round
from .state import MAX_DICE, WILD_ONES, total_dice


@kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate safe bids alike, risky ones lower, and the doubt by how risky the bid is."""
    for index in range(count):
        if moves[index] == DOUBT:
            out[index] = -2.0 * surplus(state, state.to_move, state.bid)
        else:
            out[index] = 2.0 * min(surplus(state, state.to_move, moves[index]), 0.5)


@kernel
def surplus(state: State, seat: Seat, bid: Move) -> float:
    """Return how many more dice than bid a seat expects: its own, and a share of those it does not see."""
    face = bid_face(bid)
    are_ones_wild = state.options[WILD_ONES] == 1
    own = 0
    for index in range(MAX_DICE):
        die = state.dice[seat, index]
        own += die == face or (die == 1 and are_ones_wild)
    unseen = total_dice(state) - state.dice_left[seat]
    faces_that_count = 2 if are_ones_wild and face != 1 else 1
    return own + unseen * faces_that_count / FACES - bid_count(bid)


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Write each seat's share of the dice: the winner has all of them (R8)."""
    total = total_dice(state)
    for seat in range(state.seats):
        out[seat] = state.dice_left[seat] / total
