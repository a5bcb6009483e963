"""Heuristics for Skyjo: move ratings for greedy play and playouts, evaluations of a round's end and of a position."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.local_arrays import local_array
from tablee.core.types import Bits, Index, Moves, Ratings, State
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

Cards: TypeAlias = npt.NDArray[np.int8]  # (CELLS,) card values of a tableau
Shown: TypeAlias = npt.NDArray[np.int64]  # (SHOWN_CELLS,) open cards of a tableau, NO_CARD where one is hidden or gone

HIDDEN_VALUE = 5.07  # mean of the deck: 760 / 150
POINTS_PER_ROUND = 20.0  # of the seat with the most points, to estimate how many rounds are left
LEAD_PER_ROUND = 9.0  # standard change of a lead in one round
POTENTIAL_POINTS = (-50.0, 150.0)  # totals with the cards on the table: their potential is 1 and 0
POINTS_PER_NAT = 1.5  # a move better by this many points is e times as likely

# Measured at 300 worlds: wider exploration gains 5 points per game (± 6). The first hundreds of worlds gain little:
# 7 points from 40 to 200 worlds, another 9 from 200 to 800.
SEARCH = {"exploration": 3.0}
BUDGETS = {"club": 800}
MASTER_BUDGET = 20_000  # worlds in a quarter of a second

SHOWN_CELLS = CELLS + 2 * COLUMNS  # the first two rows once more after the last: a column goes on at the top

# The other two cells of a cell's column
BELOW = (np.arange(CELLS) + COLUMNS) % CELLS
ABOVE = (np.arange(CELLS) - COLUMNS) % CELLS

# Tables indexed by card - NO_CARD, where NO_CARD means a hidden card: its expected points, and the points that clearing
# its column is expected to save if none, one or both of the other cards equal it. Tables, because the processor would
# mispredict branches half of the time.
CARD_CODES = np.arange(NO_CARD, HIGHEST + 1)
EXPECTED_POINTS = np.where(CARD_CODES < LOWEST, HIDDEN_VALUE, CARD_CODES)
COLUMN_SAVINGS = np.where(CARD_CODES < LOWEST, 0.0, [0.0 * CARD_CODES, 0.5 * CARD_CODES + 0.5, 3.0 * CARD_CODES])


@lean_kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate moves by the points they are expected to save."""
    opened, gone = state.opened[state.to_move], state.gone[state.to_move]
    shown = local_array(SHOWN_CELLS)
    show_cards(state.grid[state.to_move], opened, shown)
    for index in range(count):
        move = int(moves[index])
        if move >= SWAP_FIRST:
            points = swap_gain(shown, move - SWAP_FIRST, state.held)
        elif move >= FLIP_FIRST:
            points = flip_gain(opened | gone, move - FLIP_FIRST)
        elif move == TAKE:
            points = best_swap_gain(shown, gone, top_discard(state)) - 1.2
        elif move == DRAW:
            points = 0.8
        else:
            points = 0.0
        out[index] = points / POINTS_PER_NAT


@lean_kernel
def show_cards(cards: Cards, opened: Bits, shown: Shown) -> None:
    """Write the open cards of a tableau, NO_CARD where one is hidden or gone."""
    for cell in range(CELLS):
        shown[cell] = open_card(cards, opened, cell)
    for cell in range(CELLS, SHOWN_CELLS):
        shown[cell] = shown[cell - CELLS]


@lean_kernel
def best_swap_gain(shown: Shown, gone: Bits, card: int) -> float:
    """Return the points saved by putting a card into the best cell."""
    best = -100.0
    for cell in range(CELLS):
        gain = swap_gain(shown, cell, card)
        best = max(best, -100.0 if (gone >> cell) & 1 else gain)
    return best


@lean_kernel
def swap_gain(shown: Shown, cell: Index, card: int) -> float:
    """Return the points saved by putting a card into a cell: of the old card, the new one and their column."""
    old, first, second = shown[cell], shown[cell + COLUMNS], shown[cell + 2 * COLUMNS]
    saving, lost_saving = column_saving(first, second, card), column_saving(first, second, old)
    return EXPECTED_POINTS[old - NO_CARD] - card + saving - lost_saving


@lean_kernel
def open_card(cards: Cards, opened: Bits, cell: Index) -> int:
    """Return the open card of a cell, NO_CARD if it is hidden or gone."""
    card = int(cards[cell])
    return card if (opened >> cell) & 1 else NO_CARD


@lean_kernel
def column_saving(first: int, second: int, card: int) -> float:
    """Return the points a card is expected to save as one of a column of equal cards."""
    return COLUMN_SAVINGS[int(first == card) + int(second == card), card - NO_CARD]


@lean_kernel
def flip_gain(shown: Bits, cell: Index) -> float:
    """Rate turning up a card: more where the rest of its column is still hidden."""
    return 0.1 * (2 - ((shown >> BELOW[cell]) & 1) - ((shown >> ABOVE[cell]) & 1))


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Evaluate the final ranks, or before the end the leads, by the number of rounds expected to follow."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    highest = 0
    for seat in range(state.seats):
        highest = max(highest, int(state.totals[seat]))
    rounds_left = max(1.0, (TARGET - highest) / POINTS_PER_ROUND)
    evaluate_lead(state.totals, state.seats, -LEAD_PER_ROUND * math.sqrt(rounds_left), out)


@kernel
def stage(state: State) -> int:
    """Return the number of finished rounds: a playout may stop at the end of a round."""
    return state.rounds_played


@kernel
def potential(state: State, out: Ratings) -> None:
    """Evaluate the totals with the cards that lie in front of each seat: open ones as they are, hidden ones by mean."""
    best, worst = POTENTIAL_POINTS
    for seat in range(state.seats):
        points = float(state.totals[seat])
        for cell in range(CELLS):
            if not (int(state.gone[seat]) >> cell) & 1:
                points += EXPECTED_POINTS[open_card(state.grid[seat], int(state.opened[seat]), cell) - NO_CARD]
        out[seat] = max(0.0, min(1.0, (worst - points) / (worst - best)))
