"""The rules, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import shuffle
from tablee.core.state import NOBODY

from .moves import CARDS
from .state import HAND, LOW_WINS, MAX_HAND, NO_CARD, cards_in_trick, hand_size

REASONS = {1: "hands_empty"}
HANDS_EMPTY = 1

REFUSALS = {1: ("game_over", "R5"), 2: ("not_in_hand", "R2")}
GAME_OVER, NOT_IN_HAND = 1, 2


# Setting up (R1)


@kernel
def deal(state):
    """Shuffle and give each seat its hand (R1)."""
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
def sort_hand(state, seat):
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
def legal_moves(state, out):
    """List the legal moves of the seat on turn, ascending: any card in hand."""
    if state.end_reason != 0:
        return 0
    count = hand_size(state, state.to_move)
    for index in range(count):
        out[index] = state.hands[state.to_move, index] - 1
    return count


@kernel
def refusal(state, move):
    """Return 0 for a legal move, else the code of what speaks against it."""
    if state.end_reason != 0:
        return GAME_OVER
    for index in range(MAX_HAND):
        if state.hands[state.to_move, index] == move + 1:
            return 0
    return NOT_IN_HAND


@kernel
def play(state, move):
    """Lay a card on the table; the last card of a trick decides it (R2, R3)."""
    remove_from_hand(state, state.to_move, move + 1)
    state.played[state.played_count] = move + 1
    state.played_count += 1
    state.to_move = (state.to_move + 1) % state.seats
    if cards_in_trick(state) == 0:
        finish_trick(state)


@kernel
def remove_from_hand(state, seat, card):
    """Take a card out of a hand and close the gap."""
    gap = 0
    while state.hands[seat, gap] != card:
        gap += 1
    for index in range(gap, MAX_HAND - 1):
        state.hands[seat, index] = state.hands[seat, index + 1]
    state.hands[seat, MAX_HAND - 1] = NO_CARD


# The trick and the end (R3 to R5)


@kernel
def finish_trick(state):
    """Give the trick to the best card, whose player leads next; without cards the game is over (R3, R5)."""
    winner = best_seat(state)
    state.points[winner] += 1
    state.leader = winner
    state.to_move = winner
    if hand_size(state, winner) == 0:
        state.to_move = NOBODY
        state.end_reason = HANDS_EMPTY


@kernel
def best_seat(state):
    """Return who played the highest card of the last trick, with the option the lowest (R3, R4)."""
    first = state.played_count - state.seats
    best = first
    for index in range(first + 1, state.played_count):
        is_higher = state.played[index] > state.played[best]
        if is_higher != (state.options[LOW_WINS] == 1):
            best = index
    return (state.leader + best - first) % state.seats


@kernel
def scores(state, out):
    """Write how many tricks each seat has taken."""
    for seat in range(state.seats):
        out[seat] = state.points[seat]


@kernel
def ranks(state, out):
    """Most tricks first; equals share a place (R5)."""
    rank_by_score(state.points, state.seats, False, out)
