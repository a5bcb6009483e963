"""A heuristic for Skip-Bo: play from the stock first, open no series for the next player, keep piles useful."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.state import next_seat
from tablee.core.types import Bits, Move, Moves, Ratings, Seat, State
from tablee.games.skip_bo.moves import DISCARD_FIRST, HAND_FIRST, PASS, PILE_FIRST, PILES, SERIES
from tablee.games.skip_bo.rules import POINTS_PER_CARD, WIN_POINTS, finished_rounds
from tablee.games.skip_bo.state import MAX_SEATS, NO_CARD, WILD, Card, stock_top

# All ratings are in nats; a discard is rated about 0.
FROM_STOCK = 8.0
TOWARDS_STOCK = 5.0  # a card that a series needs before the stock card, where all of them are available
PER_WILD = 0.8  # less, for each wild that it takes
FROM_PILE = 1.5
FROM_HAND = 0.8
LAST_OF_HAND = 1.5  # a new hand is drawn at once (R20)
WASTED_WILD = 4.0
HELP = 2.0  # a series now needs the next player's stock card; half of it for the other players
DENIAL = 0.8  # a series no longer needs it
ON_EQUAL, ON_NEXT_HIGHER, ON_EMPTY, ON_LOWER = 1.0, 1.2, 0.6, -0.6
SPARE = 0.6  # an equal card remains available
NEEDED = 0.8  # a card that leads to the stock card
HIGH = 0.06  # per number: low cards are needed sooner

UNREACHABLE = 99  # instead of a number of wilds
ALL_UNREACHABLE = UNREACHABLE * 0x01010101  # for all series, eight bits each

CARDS_PER_NAT = 2.5  # stock cards: with so many fewer, a seat is e times as likely to win the round
POINTS_PER_ROUND = 45.0  # how much one round changes a lead
POTENTIAL_POINTS = 750.0  # a total with so many points has the potential 1
REMAINING_SHARE = 0.6  # of the others' stock cards that will be left when the round is won

SEARCH = {"rollout_moves": 40}  # rounds are long, and the stocks show who is ahead
BUDGETS = {"novice": 60, "club": 500}  # each doubling of the worlds adds about the same strength
MASTER_BUDGET = 17_000  # worlds in a quarter of a second


@lean_kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate each move on its own, given what hand and piles together can do for the stock card."""
    seat = state.to_move
    available = available_cards(state, seat)
    wilds_by_series = wilds_needed(state, stock_top(state, seat), available)
    rivals = rival_tops(state, seat)
    needed = needed_cards(state, stock_top(state, seat))
    for index in range(count):
        move = int(moves[index])
        if move == PASS:
            out[index] = 0.0
        elif move >= DISCARD_FIRST:
            card, pile = (move - DISCARD_FIRST) // PILES + 1, (move - DISCARD_FIRST) % PILES
            out[index] = rate_discard(card, int(state.pile_tops[seat, pile]), available, needed)
        elif move >= HAND_FIRST:
            out[index] = rate_play(state, seat, move, available, wilds_by_series, rivals)
        else:
            out[index] = FROM_STOCK + rate_for_others(state, move, rivals)


# Available cards: those of the hand and the tops of the piles


@lean_kernel
def available_cards(state: State, seat: Seat) -> int:
    """Count each available card, four bits per card."""
    available = 0
    for slot in range(state.hand_counts[seat]):
        available += 1 << (4 * int(state.hands[seat, slot]))
    for pile in range(PILES):
        if state.pile_tops[seat, pile] != NO_CARD:
            available += 1 << (4 * int(state.pile_tops[seat, pile]))
    return available


@lean_kernel
def count_available(available: int, card: Card) -> int:
    """Return how many of a card are available."""
    return (available >> (4 * card)) & 15


# The numbers that lead to the stock card


@lean_kernel
def cards_between(state: State, series: int, target: Card) -> Bits:
    """Return the numbers a series needs before the stock card, a bit each; after completion it starts again at 1."""
    height = int(state.series[series])
    if height < target:
        return (1 << target) - (2 << height)
    return (2 << state.series_length) - (2 << height) + (1 << target) - 2


@lean_kernel
def wilds_needed(state: State, target: Card, available: int) -> int:
    """Return how many wilds it takes to bring each series to the stock card, or UNREACHABLE; eight bits each."""
    if target == WILD:
        return ALL_UNREACHABLE
    missing = 0
    for number in range(1, state.series_length + 1):
        missing |= int(count_available(available, number) == 0) << number
    wilds_by_series = 0
    for series in range(SERIES):
        wilds = count_of(cards_between(state, series, target) & missing)
        wilds_by_series |= (wilds if wilds <= count_available(available, WILD) else UNREACHABLE) << (8 * series)
    return wilds_by_series


@lean_kernel
def least_wilds(wilds_by_series: int) -> int:
    """Return the smallest number of wilds of `wilds_needed`."""
    least = UNREACHABLE
    for series in range(SERIES):
        least = min(least, (wilds_by_series >> (8 * series)) & 255)
    return least


@lean_kernel
def needed_cards(state: State, target: Card) -> Bits:
    """Return the numbers that the series closest to the stock card needs, a bit each."""
    if target == WILD:
        return 0
    needed = cards_between(state, 0, target)
    for series in range(1, SERIES):
        others = cards_between(state, series, target)
        needed = others if count_of(others) < count_of(needed) else needed
    return needed


# Playing a card


@lean_kernel
def rate_play(state: State, seat: Seat, move: Move, available: int, wilds_by_series: int, rivals: int) -> float:
    """Rate laying a card from the hand or a discard pile on a series."""
    is_of_hand = move < PILE_FIRST
    series = (move - HAND_FIRST) % SERIES
    card = (move - HAND_FIRST) // SERIES + 1
    if not is_of_hand:
        card = int(state.pile_tops[seat, (move - PILE_FIRST) // SERIES])
    wilds = (wilds_by_series >> (8 * series)) & 255
    rating = rate_for_others(state, series, rivals) + (FROM_HAND if is_of_hand else FROM_PILE)
    if is_of_hand and state.hand_counts[seat] == 1:
        rating += LAST_OF_HAND
    if wilds != UNREACHABLE and wilds == least_wilds(wilds_by_series):
        is_needed = card != WILD or count_available(available, int(state.series[series]) + 1) == 0
        if is_needed:
            return rating + TOWARDS_STOCK - PER_WILD * wilds
    return rating - WASTED_WILD if card == WILD else rating


@lean_kernel
def rival_tops(state: State, seat: Seat) -> int:
    """Return a weight per card, four bits each: 2 for the top of the next player's stock, 1 for another player's."""
    tops = 0
    for other in range(state.seats):
        weight = 0 if other == seat else 2 if other == next_seat(state, seat) else 1
        tops += weight << (4 * stock_top(state, other))
    return tops


@lean_kernel
def rate_for_others(state: State, series: int, rivals: int) -> float:
    """Rate what a card on a series means for the others: it may take their stock card next, or no longer."""
    closed = int(state.series[series]) + 1
    opened = closed + 1 if closed < state.series_length else 1
    return DENIAL / 2 * ((rivals >> (4 * closed)) & 15) - HELP / 2 * ((rivals >> (4 * opened)) & 15)


# Ending the turn


@lean_kernel
def rate_discard(card: Card, top: Card, available: int, needed: Bits) -> float:
    """Rate a discard: equal and descending piles stay useful."""
    if card == WILD:
        return -WASTED_WILD
    rating = HIGH * card + rate_pile(top, card)
    if count_available(available, card) > 1:
        rating += SPARE
    if (needed >> card) & 1:
        rating -= NEEDED
    return rating


@lean_kernel
def rate_pile(top: Card, card: Card) -> float:
    """Rate which card a discard covers."""
    if top == NO_CARD:
        return ON_EMPTY
    if top == card:
        return ON_EQUAL
    if top == card + 1:
        return ON_NEXT_HIGHER
    return ON_LOWER if top < card else ON_LOWER / 2 - 0.05 * (top - card)


# The value of a position


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Evaluate by the totals and the expected points of this round, given the stocks; at the end by the ranks."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    points = np.empty(MAX_SEATS)
    expect_points(state, points)
    evaluate_lead(points, state.seats, POINTS_PER_ROUND, out)


@kernel
def potential(state: State, out: Ratings) -> None:
    """Evaluate the totals with the expected points of this round; at the end the totals alone."""
    if state.end_reason != 0:
        for seat in range(state.seats):
            out[seat] = state.totals[seat]
    else:
        expect_points(state, out)
    for seat in range(state.seats):
        out[seat] = min(1.0, out[seat] / POTENTIAL_POINTS)


@kernel
def expect_points(state: State, out: Ratings) -> None:
    """Write the totals with the expected points of this round, given the stocks."""
    total, left = 0.0, 0
    for seat in range(state.seats):
        out[seat] = math.exp(-int(state.stock_counts[seat]) / CARDS_PER_NAT)
        total += out[seat]
        left += int(state.stock_counts[seat])
    for seat in range(state.seats):
        others = left - int(state.stock_counts[seat])
        out[seat] *= (WIN_POINTS + POINTS_PER_CARD * REMAINING_SHARE * others) / total
        out[seat] += state.totals[seat]


@kernel
def stage(state: State) -> int:
    """Return the number of finished rounds: a simulated game may stop where a round ends."""
    return finished_rounds(state)
