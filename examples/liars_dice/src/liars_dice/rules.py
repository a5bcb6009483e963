"""The rules, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel
from tablee.core.randomness import below
from tablee.core.state import NOBODY, next_seat
from tablee.core.types import Generator, Move, Moves, Points, Seat, State

from .moves import DOUBT, FACES, bid_count, bid_face
from .state import DICE, MAX_DICE, MAX_SEATS, NO_BID, NO_DIE, WILD_ONES, total_dice


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R8"
    NOT_HIGHER = "R3"
    TOO_MANY_DICE = "R3"
    NOTHING_TO_DOUBT = "R4"


class EndReason(EndReasonCode):
    """Why the game ended."""

    ONE_LEFT = 1


# Rolling (R1, R2)


@kernel
def deal(state: State) -> None:
    """Give everyone their dice and roll them (R1, R2)."""
    for seat in range(state.seats):
        state.dice_left[seat] = state.options[DICE]
    state.last_bid = NO_BID
    begin_round(state, 0)


@kernel
def begin_round(state: State, first: Seat) -> None:
    """Roll all dice; the first seat bids (R2)."""
    state.bid = NO_BID
    state.bidder = NOBODY
    state.to_move = first
    for seat in range(state.seats):
        roll(state, seat, state.generator)


@kernel
def roll(state: State, seat: Seat, generator: Generator) -> None:
    """Roll a seat's dice and put them in ascending order."""
    for index in range(state.dice_left[seat]):
        die = 1 + below(generator, FACES)
        while index > 0 and state.dice[seat, index - 1] > die:
            state.dice[seat, index] = state.dice[seat, index - 1]
            index -= 1
        state.dice[seat, index] = die


# Bidding and doubting (R3, R4)


@kernel
def legal_moves(state: State, out: Moves) -> int:
    """List the legal moves of the seat on turn, ascending: all higher bids, and the doubt of a bid."""
    if state.end_reason != 0:
        return 0
    count = 0
    for bid in range(state.bid + 1, total_dice(state) * FACES):
        out[count] = bid
        count += 1
    if state.bid != NO_BID:
        out[count] = DOUBT
        count += 1
    return count


@kernel
def refusal(state: State, move: Move) -> int:
    """Return 0 for a legal move, else why it is refused, a `Refusal`."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    if move == DOUBT:
        return Refusal.NOTHING_TO_DOUBT if state.bid == NO_BID else 0
    if bid_count(move) > total_dice(state):
        return Refusal.TOO_MANY_DICE
    return Refusal.NOT_HIGHER if move <= state.bid else 0


@kernel
def play(state: State, move: Move) -> None:
    """Bid, or doubt the bid, which ends the round (R3, R4)."""
    if move == DOUBT:
        finish_round(state)
        return
    state.bid = move
    state.bidder = state.to_move
    state.to_move = next_seat_with_dice(state, state.to_move)


@kernel
def next_seat_with_dice(state: State, seat: Seat) -> Seat:
    """Return the next seat that is not out (R3, R7)."""
    seat = next_seat(state, seat)
    while state.dice_left[seat] == 0:
        seat = next_seat(state, seat)
    return seat


# The end of a round (R5 to R7)


@kernel
def finish_round(state: State) -> None:
    """Show all dice; the doubter or the bidder loses one; roll again, unless one seat is left (R5, R7, R8)."""
    is_true = count_dice(state.dice, state.options[WILD_ONES], bid_face(state.bid)) >= bid_count(state.bid)
    loser = state.to_move if is_true else state.bidder
    remember_round(state, loser)
    state.dice_left[loser] -= 1
    state.lost_dice += 1
    if state.dice_left[loser] == 0:
        state.out_number[loser] = 1 + seats_out(state)
    if seats_out(state) == state.seats - 1:
        state.bid = NO_BID
        state.bidder = NOBODY
        state.to_move = NOBODY
        state.end_reason = EndReason.ONE_LEFT
    else:
        begin_round(state, loser if state.dice_left[loser] > 0 else next_seat_with_dice(state, loser))


@kernel
def count_dice(dice: State, are_ones_wild: int, face: int) -> int:
    """Count the dice with a face; if ones are wild, they count as every face (R5, R6)."""
    count = 0
    for seat in range(MAX_SEATS):
        for index in range(MAX_DICE):
            die = dice[seat, index]
            if die == face or (die == 1 and are_ones_wild == 1):
                count += 1
    return count


@kernel
def remember_round(state: State, loser: Seat) -> None:
    """Keep what is shown at the end of a round, and take the dice away."""
    state.last_bid = state.bid
    state.last_bidder = state.bidder
    state.last_doubter = state.to_move
    state.last_loser = loser
    for seat in range(MAX_SEATS):
        for index in range(MAX_DICE):
            state.last_dice[seat, index] = state.dice[seat, index]
            state.dice[seat, index] = NO_DIE


@kernel
def seats_out(state: State) -> int:
    """Count the seats that have lost all their dice (R7)."""
    count = 0
    for seat in range(state.seats):
        count += state.out_number[seat] > 0
    return count


# The result (R8)


@kernel
def scores(state: State, out: Points) -> None:
    """Write the dice that each seat has left."""
    for seat in range(state.seats):
        out[seat] = state.dice_left[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats by their dice, those without any by how long they had some (R8)."""
    for seat in range(state.seats):
        out[seat] = 1
        for other in range(state.seats):
            out[seat] += standing(state, other) > standing(state, seat)


@kernel
def standing(state: State, seat: Seat) -> int:
    """Return a number that is higher for a seat that is doing better."""
    return state.out_number[seat] if state.dice_left[seat] == 0 else MAX_SEATS + state.dice_left[seat]


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rounds have ended: each costs one die."""
    return state.lost_dice
