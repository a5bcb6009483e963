"""What a seat knows, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.observation import Layout
from tablee.core.randomness import reseed
from tablee.core.state import imagine_head, see_head
from tablee.core.types import Generator, Move, Numbers, Seat, SightState, State

from .moves import FACES, MAX_TOTAL_DICE, bid_count, bid_face
from .rules import roll
from .state import DICE, MAX_DICE, MAX_SEATS, NO_BID, NO_DIE, UNKNOWN, WILD_ONES


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: its own dice, how many the others have, the bid, and the last round (R2, R5)."""
    see_head(state, seat, out)
    out.lost_dice = state.lost_dice
    out.bid = state.bid
    out.bidder = state.bidder
    out.last_bid = state.last_bid
    out.last_bidder = state.last_bidder
    out.last_doubter = state.last_doubter
    out.last_loser = state.last_loser
    for other in range(MAX_SEATS):
        out.dice_left[other] = state.dice_left[other]
        out.out_number[other] = state.out_number[other]
        for index in range(MAX_DICE):
            die = state.dice[other, index]
            out.dice[other, index] = die if other == seat or die == NO_DIE else UNKNOWN
            out.last_dice[other, index] = state.last_dice[other, index]


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: bids and doubts are said aloud (R3, R4)."""
    return True


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Roll the dice that the seat does not see."""
    imagine_head(sight, generator)
    for other in range(sight.seats):
        if sight.dice[other, 0] == UNKNOWN:
            roll(sight, other, generator)


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the dice of the others, the generator (R2)."""
    reseed(state.generator, generator)
    for other in range(state.seats):
        if other != seat and state.dice[other, 0] != NO_DIE:
            roll(state, other, generator)


# Observations. Seats are relative: 0 is the viewer, 1 the next (a spectator observes from seat 0).

OBSERVATION = Layout(
    ("own_dice", FACES, "the viewer's dice with each face / 5"),
    ("dice_left", MAX_SEATS, "dice per relative seat / 5"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("bidder", MAX_SEATS, "one-hot: relative seat that made the bid"),
    ("bid_count", 1, "dice that the bid names / 20"),
    ("bid_face", FACES, "one-hot: the face that the bid names"),
    ("dealt_dice", 1, "dice that everyone began with / 5"),
    ("wild_ones", 1, "1 if ones count as every face"),
)
AT_OWN_DICE = OBSERVATION.start("own_dice")
AT_DICE_LEFT = OBSERVATION.start("dice_left")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_BIDDER = OBSERVATION.start("bidder")
AT_BID_COUNT = OBSERVATION.start("bid_count")
AT_BID_FACE = OBSERVATION.start("bid_face")
AT_DEALT_DICE = OBSERVATION.start("dealt_dice")
AT_WILD_ONES = OBSERVATION.start("wild_ones")


@kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    for face in range(1, FACES + 1):
        count = 0
        for index in range(MAX_DICE):
            count += sight.dice[me, index] == face
        out[AT_OWN_DICE + face - 1] = count / MAX_DICE
    for relative in range(sight.seats):
        other = (me + relative) % sight.seats
        out[AT_DICE_LEFT + relative] = sight.dice_left[other] / MAX_DICE
        if sight.to_move == other:
            out[AT_ON_TURN + relative] = 1.0
        if sight.bidder == other:
            out[AT_BIDDER + relative] = 1.0
    if sight.bid != NO_BID:
        out[AT_BID_COUNT] = bid_count(sight.bid) / MAX_TOTAL_DICE
        out[AT_BID_FACE + bid_face(sight.bid) - 1] = 1.0
    out[AT_DEALT_DICE] = sight.options[DICE] / MAX_DICE
    out[AT_WILD_ONES] = sight.options[WILD_ONES]
