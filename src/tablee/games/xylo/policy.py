"""A heuristic for Xylo: estimates the values of unseen cards, and whether the next trick is needed."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of, highest_bit, lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.local_arrays import local_float_array
from tablee.core.types import Bits, Index, Moves, Ratings, State
from tablee.games.xylo.moves import BID_LEFT, MAX_ROW, PASS, PEEK_FIRST, PLAY_FIRST
from tablee.games.xylo.rules import ROUNDS, finished_rounds
from tablee.games.xylo.state import (
    ARRANGE,
    BID,
    HIGHEST,
    NO_CARD,
    NOWHERE,
    PLAY,
    Card,
    Row,
    card_at,
    colour_of,
    has_bid,
    row_count,
    row_of,
    value_of,
)

ESTIMATE_ERROR = 1.2  # typical error of an estimated value
NEEDED_TRICK = 3.0  # nats for a trick that is needed, or lost for one too many
FREE_TRICK = 1.0  # nats for a trick before the announcement, or after it has failed
LOW_FIRST = 0.1  # nats per value: of cards that do not win, the lowest first
MISSED_TRICK = 1.2  # nats per trick that an announcement is off
PATIENCE = 0.7  # nats per card above LATEST: it can still be looked at later
LATEST = 5  # cards face down with which it is time to announce
NOT_TRUMPED = 0.75  # probability that a card of another colour is not beaten by a trump
POINTS_PER_ROUND = 4.0  # how much one round changes a lead

# Measured at 400 worlds: more exploration wins 0.4 ± 0.6 points more per game. The first worlds help most: from 100 to
# 400 a bot gains 1.4 points per game, from 400 to 2000 another 0.4.
SEARCH = {"exploration": 3.0}
BUDGETS = {"novice": 30, "club": 100, "expert": 5000}
MASTER_BUDGET = 18_000  # worlds in a quarter of a second

# [no known card on the left, steps from the left one, steps between both]: how far down a card is between two known
# cards. The highest values are rare: without a known card on the left, values fall steeply at first.
STEPS = np.arange(MAX_ROW + 2)
EVEN_SHARES = STEPS[:, np.newaxis] / np.maximum(STEPS, 1)
SHARES = np.array([EVEN_SHARES, np.sqrt(EVEN_SHARES)])


@lean_kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate each move by the phase; equal cards are kept as they are."""
    if state.phase == ARRANGE:
        for index in range(count):
            out[index] = 1.0 if index == 0 else 0.0
    elif state.phase == PLAY:
        rate_cards(state, moves, count, out)
    else:
        rate_window(state, moves, count, out)


# Estimates of the seat's own cards


@lean_kernel
def known_cards(state: State, row: Row) -> Bits:
    """Return the cards of a row that its owner knows, a bit each: played, announced or looked at.

    The bits beyond the right end of the row are set as well.
    """
    known = ~int(state.down[row])
    for side in range(2):
        if state.peeks[row, side] != NOWHERE:
            known |= 1 << int(state.peeks[row, side])
    return known


@lean_kernel
def estimate_value(state: State, row: Row, position: Index, known: Bits) -> float:
    """Estimate the value of a card in the seat's row: values fall evenly between known cards, within its colour."""
    if (known >> position) & 1:
        return float(value_of(card_at(state, row, position)))
    left = highest_bit(known & ((1 << position) - 1))  # -1 if there is none
    right = lowest_bit(known & (-2 << position))
    left_value = value_of(card_at(state, row, max(left, 0)))
    right_value = value_of(card_at(state, row, min(right, state.row_size - 1)))
    high = HIGHEST + 0.5 if left < 0 else float(left_value)
    low = -0.5 if right == state.row_size else float(right_value)
    share = SHARES[int(left < 0), position - left, right - left]
    highest = float(state.sizes[colour_of(card_at(state, row, position))] - 1)
    return max(0.0, min(highest, high + (low - high) * share))


@lean_kernel
def chance_in_colour(state: State, card_colour: int, value: float) -> float:
    """Return the probability that a card wins a trick that it leads, or follows in its colour."""
    share = relative_height(state, card_colour, value)
    if card_colour == state.trump:
        return 0.3 + 0.7 * share
    chance = NOT_TRUMPED
    for _ in range(row_count(state) - 1):
        chance *= share
    return chance


@lean_kernel
def relative_height(state: State, card_colour: int, value: float) -> float:
    """Return how high a value is in its colour, from 0 to 1."""
    return min(1.0, (value + 0.5) / int(state.sizes[card_colour]))


@lean_kernel
def estimate_row(state: State, row: Row, values: Ratings) -> None:
    """Write the estimated values of the cards that lie face down in a row, by position."""
    down, known = int(state.down[row]), known_cards(state, row)
    while down:
        position = lowest_bit(down)
        values[position] = estimate_value(state, row, position, known)
        down &= down - 1


@lean_kernel
def expected_tricks(state: State, row: Row, values: Ratings) -> float:
    """Estimate how many tricks a row will have won at the end of the round, from its estimated values."""
    chances, down = 0.0, int(state.down[row])
    cards = count_of(down)
    while down:
        position = lowest_bit(down)
        chances += chance_in_colour(state, colour_of(card_at(state, row, position)), values[position])
        down &= down - 1
    tricks = cards if has_bid(state, row) else max(0, cards - 1)
    return int(state.won[row]) + 0.5 * tricks * (chances / max(1, cards) + 1 / row_count(state))


# Announcing


@lean_kernel
def rate_window(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate announcements, cards to look at, and the cards that may be led instead."""
    row = row_of(state, state.to_move)
    values = local_float_array(MAX_ROW)
    estimate_row(state, row, values)
    expected = expected_tricks(state, row, values)
    if state.phase == BID:
        for index in range(count):
            position = int(state.peeks[row, moves[index] - BID_LEFT])
            out[index] = -MISSED_TRICK * abs(values[position] - expected)
        return
    leads = 0
    while leads < count and moves[leads] < PEEK_FIRST:
        leads += 1
    if leads > 0:
        rate_cards(state, moves, leads, out)
    rate_peeks(state, row, moves, leads, count, values, expected, out)


@lean_kernel
def rate_peeks(
    state: State, row: Row, moves: Moves, first: Index, count: int, values: Ratings, expected: float, out: Ratings
) -> None:
    """Rate looking at a card and its right neighbour: the better one would be announced, unless there is time."""
    down = int(state.down[row])
    patience = PATIENCE * (count_of(down) - LATEST)
    for index in range(first, count):
        if moves[index] == PASS:
            out[index] = 0.0
            continue
        position = int(moves[index]) - PEEK_FIRST
        right = lowest_bit(down & (-2 << position))
        off = min(abs(values[position] - expected), abs(values[right] - expected))
        out[index] = MISSED_TRICK - MISSED_TRICK * off - patience


# Playing a card


@lean_kernel
def rate_cards(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate cards by the probability of winning the trick and whether that is needed."""
    row = row_of(state, state.to_move)
    known = known_cards(state, row)
    trick_value = value_of_trick(state, row)
    best = strongest_in_trick(state)
    for index in range(count):
        position = int(moves[index]) - PLAY_FIRST
        colour = colour_of(card_at(state, row, position))
        value = estimate_value(state, row, position, known)
        if best == NO_CARD:
            chance = chance_in_colour(state, colour, value)
        else:
            chance = chance_to_win(state, colour, value, best)
        out[index] = trick_value * chance + (LOW_FIRST if trick_value < 0 else -LOW_FIRST) * value


@lean_kernel
def value_of_trick(state: State, row: Row) -> float:
    """Return the value of winning a trick, in nats: needed, one too many, or just a point."""
    if not has_bid(state, row):
        return FREE_TRICK
    need = value_of(card_at(state, row, int(state.bid_at[row]))) - int(state.won[row])
    if need < 0 or need > count_of(int(state.down[row])):
        return FREE_TRICK
    return NEEDED_TRICK if need > 0 else -NEEDED_TRICK


@lean_kernel
def strongest_in_trick(state: State) -> Card:
    """Return the card that is winning the trick: the highest trump, else the highest of the colour led."""
    best = int(state.trick[state.leader])
    for other in range(row_count(state)):
        card = int(state.trick[other])
        if card != NO_CARD:
            is_higher = colour_of(card) == colour_of(best) and value_of(card) > value_of(best)
            is_first_trump = colour_of(card) == state.trump and colour_of(best) != state.trump
            best = card if is_higher or is_first_trump else best
    return best


@lean_kernel
def chance_to_win(state: State, colour: int, value: float, best: Card) -> float:
    """Return the probability that a card wins the trick, given the cards played so far."""
    if colour != colour_of(best) and colour != state.trump:
        return 0.0
    later = chance_to_hold(state, colour, value)
    if colour != colour_of(best):
        return later
    return later / (1.0 + math.exp((value_of(best) - value) / ESTIMATE_ERROR))


@lean_kernel
def chance_to_hold(state: State, colour: int, value: float) -> float:
    """Return the probability that a card is not beaten by the rows that have yet to play."""
    later = -1  # without the seat itself
    for other in range(row_count(state)):
        later += 1 if state.trick[other] == NO_CARD else 0
    return chance_in_colour(state, colour, value) ** (later / max(1, row_count(state) - 1))


# The value of a position


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Evaluate by the ranks at the end; before it, by what a lead in points is worth with the rounds left."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    left = max(1, ROUNDS - state.rounds_played)
    evaluate_lead(state.totals, state.seats, POINTS_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state: State) -> int:
    """Return the number of finished rounds: a simulated game may stop where a round ends."""
    return finished_rounds(state)
