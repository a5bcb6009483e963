"""The state: everyone's dice, the bid, and the round that ended last."""

from __future__ import annotations

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Seat, State

from . import GAME
from .moves import DOUBT, FACES

MAX_SEATS = 4
MAX_DICE = 5

UNKNOWN = -1  # a die that the viewer does not see
NO_DIE = 0
NO_BID = -1

# Indices of the options
DICE = GAME.option_index("dice")
WILD_ONES = GAME.option_index("wild_ones")

STATE = state_type(
    GAME,
    [
        ("dice_left", "i4", (MAX_SEATS,)),  # dice per seat
        ("lost_dice", "i4"),  # by all seats together: one per round
        (
            "out_number",
            "i4",
            (MAX_SEATS,),
        ),  # 1 for the first seat that lost all its dice, then 2, ...; 0 while it has some
        ("bid", "i4"),  # the move that made it, or NO_BID
        ("bidder", "i4"),  # the seat that made it, or NOBODY
        ("dice", "i1", (MAX_SEATS, MAX_DICE)),  # faces in ascending order, then NO_DIE
        # The round that ended last: a doubt ends a round and begins the next one, so nothing else remembers it
        ("last_dice", "i1", (MAX_SEATS, MAX_DICE)),  # as `dice`
        ("last_bid", "i4"),
        ("last_bidder", "i4"),
        ("last_doubter", "i4"),
        ("last_loser", "i4"),
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_DICE = "a seat's dice are not as many as `dice_left` says, or not faces in ascending order"
    WRONG_COUNT = "the dice left and lost are not those that were dealt"
    WRONG_BID = "`bid` and `bidder` do not fit each other"
    WRONG_TURN = "`to_move` does not fit `end_reason`, or has no dice"


@kernel
def total_dice(state: State) -> int:
    """Count the dice of all seats."""
    total = 0
    for seat in range(state.seats):
        total += state.dice_left[seat]
    return total


@kernel
def problems(state: State) -> Bits:
    """Return the flags of `Problem` that are broken."""
    bits = 0
    for seat in range(MAX_SEATS):
        if not has_right_dice(state, seat):
            bits |= Problem.WRONG_DICE
    if total_dice(state) + state.lost_dice != state.seats * state.options[DICE]:
        bits |= Problem.WRONG_COUNT
    if (state.bid == NO_BID) != (state.bidder == NOBODY) or not NO_BID <= state.bid < DOUBT:
        bits |= Problem.WRONG_BID
    if (state.end_reason != 0) != (state.to_move == NOBODY):
        bits |= Problem.WRONG_TURN
    if state.to_move != NOBODY and state.dice_left[state.to_move] == 0:
        bits |= Problem.WRONG_TURN
    return bits


@kernel
def has_right_dice(state: State, seat: Seat) -> bool:
    """Whether a seat has `dice_left` dice in ascending order, none when the game is over."""
    rolled = 0 if state.end_reason != 0 else state.dice_left[seat]
    for index in range(MAX_DICE):
        die = state.dice[seat, index]
        if index >= rolled and die != NO_DIE:
            return False
        if index < rolled and not 1 <= die <= FACES:
            return False
        if 0 < index < rolled and die < state.dice[seat, index - 1]:
            return False
    return True
