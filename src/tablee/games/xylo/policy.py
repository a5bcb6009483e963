"""How a sensible player judges a Xylo row that he cannot see: guesses by place and colour, tricks wanted or not."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of, highest_bit, lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.games.xylo.moves import BID_LEFT, MAX_ROW, PASS, PEEK_FIRST, PLAY_FIRST
from tablee.games.xylo.rules import ROUNDS
from tablee.games.xylo.state import (
    ARRANGE,
    BID,
    HIGHEST,
    NO_CARD,
    NOWHERE,
    PLAY,
    card_at,
    colour_of,
    has_bid,
    row_count,
    row_of,
    value_of,
)

SURE = 1.2  # how far a guess is off, in values
WANTED = 3.0  # nats for a trick that is needed, or lost for one that is not
FREE_TRICK = 1.0  # nats for a trick before the announcement, or when it has failed
LOW_FIRST = 0.1  # nats per value: what cannot win goes lowest first
EXACT = 1.2  # nats per trick that an announcement is off
PATIENCE = 0.7  # nats per card that will still be there to look at later
LATEST = 5  # cards face down with which it is time to announce
RUFFED = 0.75  # chance that a card which is high in its colour is not beaten by a trump
POINTS_PER_ROUND = 4.0  # how far one round moves a lead

# Tried at 400 worlds: with more moves tried 0.4 points more in a game (give or take 0.6). The first worlds teach most:
# from 100 to 400 a bot gains 1.4 points, from 400 to 2000 another 0.4.
SEARCH = {"exploration": 3.0}
BUDGETS = {"novice": 30, "club": 100, "expert": 5000}

# How far down a card is between two known ones: by steps from the one on its left, and by steps between the two. The
# highest values are rare: where none is known on the left (the second table), a row falls steeply at first.
STEPS = np.arange(MAX_ROW + 2)
EVEN_SHARES = STEPS[:, np.newaxis] / np.maximum(STEPS, 1)
SHARES = np.array([EVEN_SHARES, np.sqrt(EVEN_SHARES)])


@lean_kernel
def rate(state, moves, count, out):
    """Rate by phase; the order of equal cards is left as it is."""
    if state.phase == ARRANGE:
        for index in range(count):
            out[index] = 1.0 if index == 0 else 0.0
    elif state.phase == PLAY:
        rate_cards(state, moves, count, out)
    else:
        rate_window(state, moves, count, out)


# Guesses at one's own cards


@lean_kernel
def known_cards(state, row):
    """Return a bit per card of a row that its owner knows: it was laid open, or he has looked at it.

    The bits on the right of the row are set as well.
    """
    known = ~int(state.down[row])
    for side in range(2):
        if state.peeks[row, side] != NOWHERE:
            known |= 1 << int(state.peeks[row, side])
    return known


@lean_kernel
def guess(state, row, position, known):
    """Return what a card of one's own row is about worth: it falls evenly between known ones, within its colour."""
    if (known >> position) & 1:
        return float(value_of(card_at(state, row, position)))
    left = highest_bit(known & ((1 << position) - 1))  # -1 where there is none
    right = lowest_bit(known & (-2 << position))
    left_value = value_of(card_at(state, row, max(left, 0)))
    right_value = value_of(card_at(state, row, min(right, state.row_size - 1)))
    high = HIGHEST + 0.5 if left < 0 else float(left_value)
    low = -0.5 if right == state.row_size else float(right_value)
    share = SHARES[int(left < 0), position - left, right - left]
    most = float(state.sizes[colour_of(card_at(state, row, position))] - 1)
    return max(0.0, min(most, high + (low - high) * share))


@lean_kernel
def hope(state, card_colour, worth):
    """Return the chance that a card wins a trick that it leads, or follows in its colour."""
    share = height(state, card_colour, worth)
    if card_colour == state.trump:
        return 0.3 + 0.7 * share
    chance = RUFFED
    for _ in range(row_count(state) - 1):
        chance *= share
    return chance


@lean_kernel
def height(state, card_colour, worth):
    """Return how high a card is in its colour, from 0 to 1."""
    return min(1.0, (worth + 0.5) / int(state.sizes[card_colour]))


@lean_kernel
def expected_tricks(state, row, known):
    """Return how many tricks a row will have won at the end of the round."""
    hopes, down = 0.0, int(state.down[row])
    cards = count_of(down)
    while down:
        position = lowest_bit(down)
        hopes += hope(state, colour_of(card_at(state, row, position)), guess(state, row, position, known))
        down &= down - 1
    tricks = cards if has_bid(state, row) else max(0, cards - 1)
    return int(state.won[row]) + 0.5 * tricks * (hopes / max(1, cards) + 1 / row_count(state))


# Announcing


@lean_kernel
def rate_window(state, moves, count, out):
    """Rate what can be announced or looked at, and the cards one may lead instead."""
    row = row_of(state, state.to_move)
    known = known_cards(state, row)
    expected = expected_tricks(state, row, known)
    if state.phase == BID:
        for index in range(count):
            position = int(state.peeks[row, moves[index] - BID_LEFT])
            out[index] = -EXACT * off_by(state, row, position, known, expected)
        return
    leads = 0
    while leads < count and moves[leads] < PEEK_FIRST:
        leads += 1
    if leads > 0:
        rate_cards(state, moves, leads, out)
    rate_peeks(state, row, moves, leads, count, known, expected, out)


@lean_kernel
def rate_peeks(state, row, moves, first, count, known, expected, out):
    """Rate looking at a card and its right neighbour: the better one would be announced, unless there is time."""
    down = int(state.down[row])
    patience = PATIENCE * (count_of(down) - LATEST)
    looked_at, off = NOWHERE, 0.0
    for index in range(count - 1, first - 1, -1):  # from the right: a card is the next one's neighbour
        if moves[index] == PASS:
            out[index] = 0.0
            continue
        position = int(moves[index]) - PEEK_FIRST
        right = lowest_bit(down & (-2 << position))
        off_right = off if right == looked_at else off_by(state, row, right, known, expected)
        looked_at, off = position, off_by(state, row, position, known, expected)
        out[index] = EXACT - EXACT * min(off, off_right) - patience


@lean_kernel
def off_by(state, row, position, known, expected):
    """Return how far a card is from the tricks that are expected."""
    return abs(guess(state, row, position, known) - expected)


# Playing a card


@lean_kernel
def rate_cards(state, moves, count, out):
    """Rate cards by whether they win the trick and whether that is wanted."""
    row = row_of(state, state.to_move)
    known = known_cards(state, row)
    want = wanted(state, row)
    best = strongest_in_trick(state)
    for index in range(count):
        position = int(moves[index]) - PLAY_FIRST
        colour = colour_of(card_at(state, row, position))
        worth = guess(state, row, position, known)
        chance = hope(state, colour, worth) if best == NO_CARD else chance_to_win(state, row, colour, worth, best)
        out[index] = want * chance + (LOW_FIRST if want < 0 else -LOW_FIRST) * worth


@lean_kernel
def wanted(state, row):
    """Return how much a trick is wanted: needed, too many, or just a point."""
    if not has_bid(state, row):
        return FREE_TRICK
    need = value_of(card_at(state, row, int(state.bid_at[row]))) - int(state.won[row])
    if need < 0 or need > count_of(int(state.down[row])):
        return FREE_TRICK
    return WANTED if need > 0 else -WANTED


@lean_kernel
def strongest_in_trick(state):
    """Return the card that wins the trick as it lies: the highest trump, else the highest of the colour led."""
    best = int(state.trick[state.leader])
    for other in range(row_count(state)):
        card = int(state.trick[other])
        if card != NO_CARD:
            is_higher = colour_of(card) == colour_of(best) and value_of(card) > value_of(best)
            is_ruffed = colour_of(card) == state.trump and colour_of(best) != state.trump
            best = card if is_higher or is_ruffed else best
    return best


@lean_kernel
def chance_to_win(state, row, colour, worth, best):
    """Return the chance that a card wins the trick as it lies, with the others still to play."""
    if colour != colour_of(best) and colour != state.trump:
        return 0.0
    later = hope_for_later(state, row, colour, worth)
    if colour != colour_of(best):
        return later
    return later / (1.0 + math.exp((value_of(best) - worth) / SURE))


@lean_kernel
def hope_for_later(state, row, colour, worth):
    """Return the chance that a card is not beaten by those who have still to play, a part of the others."""
    to_come = -1  # without oneself
    for other in range(row_count(state)):
        to_come += 1 if state.trick[other] == NO_CARD else 0
    return hope(state, colour, worth) ** (to_come / max(1, row_count(state) - 1))


# What a position is worth


@kernel
def evaluate(state, out):
    """Take the score sheet: at the end the places, before it what a lead is worth with the rounds to come."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    left = max(1, ROUNDS - state.rounds_played)
    evaluate_lead(state.totals, state.seats, POINTS_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
