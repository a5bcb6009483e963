"""How a sensible player judges a Xylo row that he cannot see: guesses by place and colour, tricks wanted or not."""

from __future__ import annotations

import math

from tablee.core.compiling import kernel
from tablee.core.kernels import evaluate_lead, evaluate_places
from tablee.games.xylo.moves import BID_LEFT, PASS, PEEK_FIRST, PLAY_FIRST
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
    is_down,
    is_trick_empty,
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


@kernel
def rate(record, moves, count, out):
    """Rate by phase; the order of equal cards is left as it is."""
    if record.phase == ARRANGE:
        for index in range(count):
            out[index] = 1.0 if index == 0 else 0.0
        return
    row = row_of(record, record.to_move)
    known = known_cards(record, row)
    want = wanted(record, row)
    expected = 0.0 if record.phase == PLAY else expected_tricks(record, row, known)
    for index in range(count):
        move = int(moves[index])
        if record.phase == BID:
            out[index] = -EXACT * abs(guess(record, row, int(record.peeks[row, move - BID_LEFT]), known) - expected)
        elif move == PASS:
            out[index] = 0.0
        elif move >= PEEK_FIRST:
            out[index] = rate_peek(record, row, move - PEEK_FIRST, known, expected)
        else:
            out[index] = rate_card(record, row, move - PLAY_FIRST, known, want)


# Guesses at one's own cards


@kernel
def known_cards(record, row):
    """Return a bit per card of a row that its owner knows: it was laid open, or he has looked at it."""
    known = ~int(record.down[row])
    for side in range(2):
        if record.peeks[row, side] != NOWHERE:
            known |= 1 << int(record.peeks[row, side])
    return known


@kernel
def guess(record, row, position, known):
    """Return what a card of one's own row is about worth: it falls evenly between known ones, within its colour."""
    if (known >> position) & 1:
        return float(value_of(card_at(record, row, position)))
    left, right = position - 1, position + 1
    while left >= 0 and not (known >> left) & 1:
        left -= 1
    while right < record.row_size and not (known >> right) & 1:
        right += 1
    high = HIGHEST + 0.5 if left < 0 else float(value_of(card_at(record, row, left)))
    low = -0.5 if right == record.row_size else float(value_of(card_at(record, row, right)))
    share = (position - left) / (right - left)
    if left < 0:  # the highest values are rare: a row falls steeply at first
        share = math.sqrt(share)
    most = float(record.sizes[colour_of(card_at(record, row, position))] - 1)
    return max(0.0, min(most, high + (low - high) * share))


@kernel
def hope(record, card_colour, worth):
    """Return the chance that a card wins a trick that it leads, or follows in its colour."""
    most = float(record.sizes[card_colour] - 1)
    share = min(1.0, (worth + 0.5) / (most + 1.0))
    if card_colour == record.trump:
        return 0.3 + 0.7 * share
    return RUFFED * share ** (row_count(record) - 1)


@kernel
def expected_tricks(record, row, known):
    """Return how many tricks a row will have won at the end of the round."""
    hopes, cards = 0.0, count_down(record, row)
    for position in range(record.row_size):
        if is_down(record, row, position):
            hopes += hope(record, colour_of(card_at(record, row, position)), guess(record, row, position, known))
    tricks = cards if has_bid(record, row) else max(0, cards - 1)
    return int(record.won[row]) + 0.5 * tricks * (hopes / max(1, cards) + 1 / row_count(record))


@kernel
def count_down(record, row):
    """Count the cards of a row that lie face down."""
    cards, down = 0, int(record.down[row])
    while down:
        down &= down - 1
        cards += 1
    return cards


# Announcing


@kernel
def rate_peek(record, row, position, known, expected):
    """Rate looking at a card and its right neighbour: the better one would be announced, unless there is time."""
    right = position + 1
    while not is_down(record, row, right):
        right += 1
    off = abs(guess(record, row, position, known) - expected)
    off = min(off, abs(guess(record, row, right, known) - expected))
    return EXACT - EXACT * off - PATIENCE * (count_down(record, row) - LATEST)


# Playing a card


@kernel
def rate_card(record, row, position, known, want):
    """Rate a card by whether it wins the trick and whether that is wanted."""
    colour = colour_of(card_at(record, row, position))
    worth = guess(record, row, position, known)
    chance = hope(record, colour, worth) if is_trick_empty(record) else chance_to_win(record, row, colour, worth)
    return want * chance + (LOW_FIRST if want < 0 else -LOW_FIRST) * worth


@kernel
def wanted(record, row):
    """Return how much a trick is wanted: needed, too many, or just a point."""
    if not has_bid(record, row):
        return FREE_TRICK
    need = value_of(card_at(record, row, int(record.bid_at[row]))) - int(record.won[row])
    if need < 0 or need > count_down(record, row):
        return FREE_TRICK
    return WANTED if need > 0 else -WANTED


@kernel
def chance_to_win(record, row, colour, worth):
    """Return the chance that a card wins the trick as it lies, with the others still to play."""
    led = colour_of(int(record.trick[record.leader]))
    if colour != led and colour != record.trump:
        return 0.0
    best, is_trumped, to_come = -1, False, 0
    for other in range(row_count(record)):
        card = int(record.trick[other])
        if card == NO_CARD:
            to_come += 1 if other != row else 0
        elif colour_of(card) == record.trump and (not is_trumped or value_of(card) > best):
            best, is_trumped = value_of(card), True
        elif colour_of(card) == led and not is_trumped and value_of(card) > best:
            best = value_of(card)
    later = hope(record, colour, worth) ** (to_come / max(1, row_count(record) - 1))
    if colour == record.trump and not (is_trumped or led == record.trump):
        return later
    if is_trumped and colour != record.trump:
        return 0.0
    return later / (1.0 + math.exp((best - worth) / SURE))


# What a position is worth


@kernel
def evaluate(state, out):
    """Take the score sheet: at the end the places, before it what a lead is worth with the rounds to come."""
    if state.end_reason != 0:
        evaluate_places(state, out)
        return
    left = max(1, ROUNDS - state.rounds_played)
    evaluate_lead(state.totals, state.seats, POINTS_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
