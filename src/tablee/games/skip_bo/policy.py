"""How a sensible player judges a Skip-Bo turn: the own stock first, no presents for the next player, tidy piles."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.state import next_seat
from tablee.games.skip_bo.moves import DISCARD_FIRST, HAND_FIRST, PASS, PILE_FIRST, PILES, SERIES
from tablee.games.skip_bo.rules import POINTS_PER_CARD, WIN_POINTS
from tablee.games.skip_bo.state import MAX_SEATS, NO_CARD, WILD, stock_top

# All ratings are in nats; discarding the first card at hand is about 0.
FROM_STOCK = 8.0
ON_THE_WAY = 5.0  # to the stock card, where all that is needed lies ready
PER_WILD = 0.8  # less, for each wild that the way needs
FROM_PILE = 1.5
FROM_HAND = 0.8
LAST_OF_HAND = 1.5  # a new hand is drawn at once (R20)
WASTED_WILD = 4.0
PRESENT = 2.0  # for the next player's stock; half of it for the others'
DENIAL = 0.8
ON_EQUAL, ON_NEXT_HIGHER, ON_EMPTY, ON_LOWER = 1.0, 1.2, 0.6, -0.6
SPARE = 0.6  # an equal card stays in the hand
NEEDED = 0.8  # a card on the way to the stock card
HIGH = 0.06  # per number: low cards are wanted sooner

NO_WAY = 99
NO_WAYS = NO_WAY * 0x01010101  # for all series

CARDS_PER_NAT = 2.5  # in the stock: with so many fewer a round is e times as likely to be won
POINTS_PER_ROUND = 45.0  # how far one round moves a lead
TARGET_SHARE = 0.6  # of the others' cards that will still be there when the round is won

SEARCH = {"rollout_moves": 40}  # rounds are long, and the stocks tell how one stands
BUDGETS = {"novice": 60, "club": 500}  # twice as many worlds are always worth about the same


@lean_kernel
def rate(state, moves, count, out):
    """Rate each move by itself; what the hand and the piles can do for the stock is looked at together."""
    seat = state.to_move
    ready = ready_cards(state, seat)
    ways = find_ways(state, stock_top(state, seat), ready)
    rivals = rival_tops(state, seat)
    needed = needed_cards(state, stock_top(state, seat))
    for index in range(count):
        move = int(moves[index])
        if move == PASS:
            out[index] = 0.0
        elif move >= DISCARD_FIRST:
            card, pile = (move - DISCARD_FIRST) // PILES + 1, (move - DISCARD_FIRST) % PILES
            out[index] = rate_discard(card, int(state.pile_tops[seat, pile]), ready, needed)
        elif move >= HAND_FIRST:
            out[index] = rate_play(state, seat, move, ready, ways, rivals)
        else:
            out[index] = FROM_STOCK + presents(state, move, rivals)


# What lies ready: cards of the hand and the tops of the piles


@lean_kernel
def ready_cards(state, seat):
    """Count each card that lies ready, four bits per card."""
    ready = 0
    for slot in range(state.hand_counts[seat]):
        ready += 1 << (4 * int(state.hands[seat, slot]))
    for pile in range(PILES):
        if state.pile_tops[seat, pile] != NO_CARD:
            ready += 1 << (4 * int(state.pile_tops[seat, pile]))
    return ready


@lean_kernel
def count_ready(ready, card):
    """Return how often a card lies ready."""
    return (ready >> (4 * card)) & 15


# The way to the stock card


@lean_kernel
def cards_between(state, series, target):
    """Return a bit per number that a series needs before the stock card; a complete one begins anew."""
    height = int(state.series[series])
    if height < target:
        return (1 << target) - (2 << height)
    return (2 << state.series_length) - (2 << height) + (1 << target) - 2


@lean_kernel
def find_ways(state, target, ready):
    """Return how many wilds each series needs to come to the stock card, eight bits each; NO_WAY if it cannot."""
    if target == WILD:
        return NO_WAYS
    missing = 0
    for number in range(1, state.series_length + 1):
        missing |= int(count_ready(ready, number) == 0) << number
    ways = 0
    for series in range(SERIES):
        wilds = count_of(cards_between(state, series, target) & missing)
        ways |= (wilds if wilds <= count_ready(ready, WILD) else NO_WAY) << (8 * series)
    return ways


@lean_kernel
def fewest_wilds(ways):
    """Return what the best of the ways needs."""
    fewest = NO_WAY
    for series in range(SERIES):
        fewest = min(fewest, (ways >> (8 * series)) & 255)
    return fewest


@lean_kernel
def needed_cards(state, target):
    """Return a bit per number on the shortest way from some series to the stock card."""
    if target == WILD:
        return 0
    needed = cards_between(state, 0, target)
    for series in range(1, SERIES):
        others = cards_between(state, series, target)
        needed = others if count_of(others) < count_of(needed) else needed
    return needed


# Playing a card


@lean_kernel
def rate_play(state, seat, move, ready, ways, rivals):
    """Rate laying a card of the hand or of a pile on a series."""
    is_of_hand = move < PILE_FIRST
    series = (move - HAND_FIRST) % SERIES
    card = (move - HAND_FIRST) // SERIES + 1
    if not is_of_hand:
        card = int(state.pile_tops[seat, (move - PILE_FIRST) // SERIES])
    wilds = (ways >> (8 * series)) & 255
    rating = presents(state, series, rivals) + (FROM_HAND if is_of_hand else FROM_PILE)
    if is_of_hand and state.hand_counts[seat] == 1:
        rating += LAST_OF_HAND
    if wilds != NO_WAY and wilds == fewest_wilds(ways):
        is_called_for = card != WILD or count_ready(ready, int(state.series[series]) + 1) == 0
        if is_called_for:
            return rating + ON_THE_WAY - PER_WILD * wilds
    return rating - WASTED_WILD if card == WILD else rating


@lean_kernel
def rival_tops(state, seat):
    """Weigh the open cards of the others' stocks, four bits per card: 2 for the next player's, 1 for another's."""
    tops = 0
    for other in range(state.seats):
        weight = 0 if other == seat else 2 if other == next_seat(state, seat) else 1
        tops += weight << (4 * stock_top(state, other))
    return tops


@lean_kernel
def presents(state, series, rivals):
    """Return what it means for the others that a series grows by one: an opened way costs, a closed one pays."""
    closed = int(state.series[series]) + 1
    opened = closed + 1 if closed < state.series_length else 1
    return DENIAL / 2 * ((rivals >> (4 * closed)) & 15) - PRESENT / 2 * ((rivals >> (4 * opened)) & 15)


# Ending the turn


@lean_kernel
def rate_discard(card, top, ready, needed):
    """Rate laying a card on a discard pile: equal or falling piles stay useful."""
    if card == WILD:
        return -WASTED_WILD
    rating = HIGH * card + rate_pile(top, card)
    if count_ready(ready, card) > 1:
        rating += SPARE
    if (needed >> card) & 1:
        rating -= NEEDED
    return rating


@lean_kernel
def rate_pile(top, card):
    """Rate what a card covers."""
    if top == NO_CARD:
        return ON_EMPTY
    if top == card:
        return ON_EQUAL
    if top == card + 1:
        return ON_NEXT_HIGHER
    return ON_LOWER if top < card else ON_LOWER / 2 - 0.05 * (top - card)


# What a position is worth


@kernel
def evaluate(state, out):
    """Take the score sheet, and the stocks for what this round will bring; at the end the places."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    points = np.empty(MAX_SEATS)
    total, left = 0.0, 0
    for seat in range(state.seats):
        points[seat] = math.exp(-int(state.stock_counts[seat]) / CARDS_PER_NAT)
        total += points[seat]
        left += int(state.stock_counts[seat])
    for seat in range(state.seats):
        others = left - int(state.stock_counts[seat])
        points[seat] *= (WIN_POINTS + POINTS_PER_CARD * TARGET_SHARE * others) / total
        points[seat] += state.totals[seat]
    evaluate_lead(points, state.seats, POINTS_PER_ROUND, out)


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
