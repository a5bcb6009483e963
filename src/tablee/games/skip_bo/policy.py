"""How a sensible player judges a Skip-Bo turn: the own stock first, no presents for the next player, tidy piles."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compiling import kernel
from tablee.core.kernels import evaluate_lead, evaluate_places
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

CARDS_PER_NAT = 2.5  # in the stock: with so many fewer a round is e times as likely to be won
POINTS_PER_ROUND = 45.0  # how far one round moves a lead
TARGET_SHARE = 0.6  # of the others' cards that will still be there when the round is won

SEARCH = {"rollout_moves": 40}  # rounds are long, and the stocks tell how one stands


@kernel
def rate(record, moves, count, out):
    """Rate each move by itself; what the hand and the piles can do for the stock is looked at together."""
    seat = record.to_move
    ready = ready_cards(record, seat)
    ways = find_ways(record, stock_top(record, seat), ready)
    for index in range(count):
        move = int(moves[index])
        if move == PASS:
            out[index] = 0.0
        elif move >= DISCARD_FIRST:
            card, pile = (move - DISCARD_FIRST) // PILES + 1, (move - DISCARD_FIRST) % PILES
            out[index] = rate_discard(record, seat, card, pile, ready)
        elif move >= HAND_FIRST:
            out[index] = rate_play(record, seat, move, ready, ways)
        else:
            out[index] = FROM_STOCK + presents(record, seat, move)


# What lies ready: cards of the hand and the tops of the piles


@kernel
def ready_cards(record, seat):
    """Count each card that lies ready, four bits per card."""
    ready = 0
    for slot in range(record.hand_counts[seat]):
        ready += 1 << (4 * int(record.hands[seat, slot]))
    for pile in range(PILES):
        if record.pile_tops[seat, pile] != NO_CARD:
            ready += 1 << (4 * int(record.pile_tops[seat, pile]))
    return ready


@kernel
def count_ready(ready, card):
    """Return how often a card lies ready."""
    return (ready >> (4 * card)) & 15


@kernel
def find_ways(record, target, ready):
    """Return how many wilds each series needs to come to the stock card, eight bits each; NO_WAY if it cannot."""
    ways = 0
    for series in range(SERIES):
        ways |= wilds_needed(record, series, target, ready) << (8 * series)
    return ways


@kernel
def wilds_needed(record, series, target, ready):
    """Return how many wilds a series needs to come to the stock card, NO_WAY if there are not so many."""
    if target == WILD:
        return NO_WAY
    wilds, needed = count_ready(ready, WILD), 0
    number = int(record.series[series]) + 1
    while number != target:
        if count_ready(ready, number) == 0:
            needed += 1
            if needed > wilds:
                return NO_WAY
        number = number + 1 if number < record.series_length else 1
    return needed


@kernel
def fewest_wilds(ways):
    """Return what the best of the ways needs."""
    fewest = NO_WAY
    for series in range(SERIES):
        fewest = min(fewest, (ways >> (8 * series)) & 255)
    return fewest


# Playing a card


@kernel
def rate_play(record, seat, move, ready, ways):
    """Rate laying a card of the hand or of a pile on a series."""
    is_of_hand = move < PILE_FIRST
    series = (move - HAND_FIRST) % SERIES
    card = (move - HAND_FIRST) // SERIES + 1
    if not is_of_hand:
        card = int(record.pile_tops[seat, (move - PILE_FIRST) // SERIES])
    needed = (ways >> (8 * series)) & 255
    rating = presents(record, seat, series) + (FROM_HAND if is_of_hand else FROM_PILE)
    if is_of_hand and record.hand_counts[seat] == 1:
        rating += LAST_OF_HAND
    if needed != NO_WAY and needed == fewest_wilds(ways):
        is_called_for = card != WILD or count_ready(ready, int(record.series[series]) + 1) == 0
        if is_called_for:
            return rating + ON_THE_WAY - PER_WILD * needed
    return rating - WASTED_WILD if card == WILD else rating


@kernel
def presents(record, seat, series):
    """Return what it means for the others that a series grows by one: an opened way costs, a closed one pays."""
    closed = int(record.series[series]) + 1
    opened = closed + 1 if closed < record.series_length else 1
    rating = 0.0
    for step in range(1, record.seats):
        top = stock_top(record, (seat + step) % record.seats)
        weight = 1.0 if step == 1 else 0.5
        if top == opened:
            rating -= PRESENT * weight
        elif top == closed:
            rating += DENIAL * weight
    return rating


# Ending the turn


@kernel
def rate_discard(record, seat, card, pile, ready):
    """Rate laying a card on a discard pile: equal or falling piles stay useful."""
    if card == WILD:
        return -WASTED_WILD
    rating = HIGH * card + rate_pile(int(record.pile_tops[seat, pile]), card)
    if count_ready(ready, card) > 1:
        rating += SPARE
    if is_needed(record, seat, card):
        rating -= NEEDED
    return rating


@kernel
def rate_pile(top, card):
    """Rate what a card covers."""
    if top == NO_CARD:
        return ON_EMPTY
    if top == card:
        return ON_EQUAL
    if top == card + 1:
        return ON_NEXT_HIGHER
    return ON_LOWER if top < card else ON_LOWER / 2 - 0.05 * (top - card)


@kernel
def is_needed(record, seat, card):
    """Say whether a card lies on the shortest way from some series to the stock card."""
    target = stock_top(record, seat)
    length = int(record.series_length)
    nearest, begin = length, 0
    for series in range(SERIES):
        gap = (target - 1 - int(record.series[series])) % length
        if gap < nearest:
            nearest, begin = gap, int(record.series[series])
    return target != WILD and (card - 1 - begin) % length < nearest


# What a position is worth


@kernel
def evaluate(state, out):
    """Take the score sheet, and the stocks for what this round will bring; at the end the places."""
    if state.end_reason != 0:
        evaluate_places(state, out)
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
