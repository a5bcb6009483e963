"""How a sensible player judges a Skyjo table: for greedy play, for simulated games, and at the end of a round."""

from __future__ import annotations

import math

from tablee.core.compiling import kernel
from tablee.core.kernels import evaluate_lead, evaluate_places
from tablee.games.skyjo.moves import DRAW, FLIP_FIRST, SWAP_FIRST, TAKE
from tablee.games.skyjo.rules import TARGET
from tablee.games.skyjo.state import (
    CELLS,
    COLUMNS,
    is_gone,
    is_hidden,
    is_open,
    top_discard,
)

HIDDEN_WORTH = 5.07  # mean of the deck: 760 / 150
POINTS_PER_ROUND = 20.0  # of the worst player: how many rounds are still to come
LEAD_PER_ROUND = 9.0  # how far one round moves a lead
POINTS_PER_NAT = 1.5  # a move that is so many points better is e times as likely


@kernel
def rate(record, moves, count, out):
    """Rate by the points a move is expected to save."""
    seat = record.to_move
    for index in range(count):
        move = moves[index]
        if move >= SWAP_FIRST:
            points = swap_gain(record, seat, move - SWAP_FIRST, record.held)
        elif move >= FLIP_FIRST:
            points = flip_gain(record, seat, move - FLIP_FIRST)
        elif move == TAKE:
            points = best_swap_gain(record, seat, top_discard(record)) - 1.2
        elif move == DRAW:
            points = 0.8
        else:
            points = 0.0
        out[index] = points / POINTS_PER_NAT


@kernel
def best_swap_gain(record, seat, card):
    """Return what the best place for a card saves."""
    best = -100.0
    for cell in range(CELLS):
        if not is_gone(record, seat, cell):
            best = max(best, swap_gain(record, seat, cell, card))
    return best


@kernel
def swap_gain(record, seat, cell, card):
    """Return the points saved by laying a card in a cell: what leaves, what comes, and the hope of a column."""
    old = HIDDEN_WORTH if is_hidden(record, seat, cell) else float(record.grid[seat, cell])
    gain = old - card
    gain += column_hope(record, seat, cell, card)
    if is_open(record, seat, cell):
        gain -= column_hope(record, seat, cell, int(record.grid[seat, cell]))
    return gain


@kernel
def column_hope(record, seat, cell, card):
    """Return what a card adds as part of a column of equals: all of it when the column goes, some of it on the way."""
    equals = 0
    for step in range(1, 3):
        other = (cell + step * COLUMNS) % CELLS
        if is_open(record, seat, other) and record.grid[seat, other] == card:
            equals += 1
    if equals == 2:
        return 3.0 * card
    if equals == 1:
        return 0.5 * card + 0.5
    return 0.0


@kernel
def flip_gain(record, seat, cell):
    """Rate opening a card: where the column is still hidden more is learnt."""
    hidden = 0
    for step in range(1, 3):
        hidden += 1 if is_hidden(record, seat, (cell + step * COLUMNS) % CELLS) else 0
    return 0.1 * hidden


@kernel
def evaluate(state, out):
    """Look at the score sheet: at the end the places, before it what a lead is worth with the rounds to come."""
    if state.end_reason != 0:
        evaluate_places(state, out)
        return
    highest = 0
    for seat in range(state.seats):
        highest = max(highest, int(state.totals[seat]))
    left = max(1.0, (TARGET - highest) / POINTS_PER_ROUND)
    evaluate_lead(state.totals, state.seats, -LEAD_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
