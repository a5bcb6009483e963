"""The rules, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import shuffle
from tablee.core.state import NOBODY
from tablee.core.types import Index, Move, Moves, Points, Seat, State

from .moves import CARDS
from .state import HAND, LOW_WINS, MAX_HAND, NO_CARD, cards_in_trick, hand_size


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R5"
    NOT_IN_HAND = "R2"


class EndReason(EndReasonCode):
    """Why the game ended."""

    HANDS_EMPTY = 1


# Setting up (R1)


@kernel
def deal(state: State) -> None:
    """Shuffle and deal a hand to each seat (R1)."""
    for card in range(CARDS):
        state.new_game_stock[card] = card + 1
    shuffle(state.generator, state.new_game_stock, CARDS)
    left = CARDS
    for seat in range(state.seats):
        for index in range(state.options[HAND]):
            left -= 1
            state.hands[seat, index] = state.new_game_stock[left]
            state.new_game_stock[left] = NO_CARD
        sort_hand(state, seat)


@kernel
def sort_hand(state: State, seat: Seat) -> None:
    """Put a hand in ascending order."""
    for last in range(1, hand_size(state, seat)):
        card = state.hands[seat, last]
        index = last
        while index > 0 and state.hands[seat, index - 1] > card:
            state.hands[seat, index] = state.hands[seat, index - 1]
            index -= 1
        state.hands[seat, index] = card


# A turn (R2)


@kernel
def legal_moves(state: State, out: Moves) -> int:
    """List the legal moves of the seat on turn, ascending: any card in hand."""
    if state.end_reason != 0:
        return 0
    count = hand_size(state, state.to_move)
    for index in range(count):
        out[index] = state.hands[state.to_move, index] - 1
    return count


@kernel
def refusal(state: State, move: Move) -> int:
    """Return 0 for a legal move, else why it is refused, a `Refusal`."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    for index in range(MAX_HAND):
        if state.hands[state.to_move, index] == move + 1:
            return 0
    return Refusal.NOT_IN_HAND


@kernel
def play(state: State, move: Move) -> None:
    """Play a card; the last card of a trick ends it (R2, R3)."""
    remove_from_hand(state, state.to_move, move + 1)
    state.played[state.played_count] = move + 1
    state.played_count += 1
    state.to_move = (state.to_move + 1) % state.seats
    if cards_in_trick(state) == 0:
        finish_trick(state)


@kernel
def remove_from_hand(state: State, seat: Seat, card: int) -> None:
    """Take a card out of a hand and close the gap."""
    gap = 0
    while state.hands[seat, gap] != card:
        gap += 1
    for index in range(gap, MAX_HAND - 1):
        state.hands[seat, index] = state.hands[seat, index + 1]
    state.hands[seat, MAX_HAND - 1] = NO_CARD


# The trick and the end (R3 to R5)


@kernel
def finish_trick(state: State) -> None:
    """Give the trick to the seat with the best card, which leads next; without cards the game ends (R3, R5)."""
    winner = (state.leader + best_card_index(state, state.played_count - state.seats)) % state.seats
    state.points[winner] += 1
    state.leader = winner
    state.to_move = winner
    if hand_size(state, winner) == 0:
        state.to_move = NOBODY
        state.end_reason = EndReason.HANDS_EMPTY


@kernel
def best_card_index(state: State, first: Index) -> Index:
    """Return which card wins the trick that begins at `first`: the highest, with `low_wins` the lowest (R3, R4)."""
    best = first
    for index in range(first + 1, first + state.seats):
        is_higher = state.played[index] > state.played[best]
        if is_higher != (state.options[LOW_WINS] == 1):
            best = index
    return best - first


@kernel
def scores(state: State, out: Points) -> None:
    """Write the tricks taken."""
    for seat in range(state.seats):
        out[seat] = state.points[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: most tricks first, equal numbers share a rank (R5)."""
    rank_by_score(state.points, state.seats, False, out)


@kernel
def finished_rounds(state: State) -> int:
    """Return how many tricks have been taken: each is a round, which scores a point."""
    return state.played_count // state.seats
