"""How a sensible player judges a Skyjo table: for greedy play, for simulated games, and at the end of a round."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.games.skyjo.moves import DRAW, FLIP_FIRST, SWAP_FIRST, TAKE
from tablee.games.skyjo.rules import TARGET
from tablee.games.skyjo.state import (
    CELLS,
    COLUMNS,
    HIGHEST,
    LOWEST,
    NO_CARD,
    top_discard,
)

HIDDEN_WORTH = 5.07  # mean of the deck: 760 / 150
POINTS_PER_ROUND = 20.0  # of the worst player: how many rounds are still to come
LEAD_PER_ROUND = 9.0  # how far one round moves a lead
POINTS_PER_NAT = 1.5  # a move that is so many points better is e times as likely

# Tried at 300 worlds: with more moves tried 5 points more in a game (give or take 6). The first hundreds of worlds
# teach little here: from 40 to 200 a bot gains 7 points, from 200 to 800 another 9.
SEARCH = {"exploration": 3.0}
BUDGETS = {"club": 800}

# The other two cells of a column, by cell
BELOW = (np.arange(CELLS) + COLUMNS) % CELLS
ABOVE = (np.arange(CELLS) - COLUMNS) % CELLS

# By card, from NO_CARD on, which stands for a hidden one: what it costs where it lies, and what it adds to a column of
# which none, one or both of the others equal it. Tables, because a processor would guess an answer wrong half the time.
CODED = np.arange(NO_CARD, HIGHEST + 1)
WORTHS = np.where(CODED < LOWEST, HIDDEN_WORTH, CODED)
COLUMN_HOPES = np.where(CODED < LOWEST, 0.0, [0.0 * CODED, 0.5 * CODED + 0.5, 3.0 * CODED])


@lean_kernel
def rate(state, moves, count, out):
    """Rate by the points a move is expected to save."""
    cards, opened, gone = state.grid[state.to_move], state.opened[state.to_move], state.gone[state.to_move]
    for index in range(count):
        move = int(moves[index])
        if move >= SWAP_FIRST:
            points = swap_gain(cards, opened, move - SWAP_FIRST, state.held)
        elif move >= FLIP_FIRST:
            points = flip_gain(opened | gone, move - FLIP_FIRST)
        elif move == TAKE:
            points = best_swap_gain(cards, opened, gone, top_discard(state)) - 1.2
        elif move == DRAW:
            points = 0.8
        else:
            points = 0.0
        out[index] = points / POINTS_PER_NAT


@lean_kernel
def best_swap_gain(cards, opened, gone, card):
    """Return what the best place for a card saves."""
    best = -100.0
    for cell in range(CELLS):
        gain = swap_gain(cards, opened, cell, card)
        best = max(best, -100.0 if (gone >> cell) & 1 else gain)
    return best


@lean_kernel
def swap_gain(cards, opened, cell, card):
    """Return the points saved by laying a card in a cell: what leaves, what comes, and the hope of a column."""
    old = open_card(cards, opened, cell)
    first, second = open_card(cards, opened, BELOW[cell]), open_card(cards, opened, ABOVE[cell])
    hope, lost_hope = column_hope(first, second, card), column_hope(first, second, old)
    return WORTHS[old - NO_CARD] - card + hope - lost_hope


@lean_kernel
def open_card(cards, opened, cell):
    """Return the card of a cell that lies open, else NO_CARD."""
    card = int(cards[cell])
    return card if (opened >> cell) & 1 else NO_CARD


@lean_kernel
def column_hope(first, second, card):
    """Return what a card adds as part of a column of equals: all of it when the column goes, some of it on the way."""
    return COLUMN_HOPES[int(first == card) + int(second == card), card - NO_CARD]


@lean_kernel
def flip_gain(shown, cell):
    """Rate opening a card: where the column is still hidden more is learnt."""
    return 0.1 * (2 - ((shown >> BELOW[cell]) & 1) - ((shown >> ABOVE[cell]) & 1))


@kernel
def evaluate(state, out):
    """Look at the score sheet: at the end the places, before it what a lead is worth with the rounds to come."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
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
