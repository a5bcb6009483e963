"""A heuristic for Lexio: how many turns a hand still needs, and when another player is about to go out."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of, highest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.types import Moves, Ratings, State
from tablee.games.lexio.catalogue import RANK_OF_TWO, SUITS, TILES, Tiles, ranks_in, size_of, tiles_of
from tablee.games.lexio.rules import finished_rounds
from tablee.games.lexio.state import ROUNDS, played_tiles
from tablee.games.lexio.strength import holds_five

# The cost of a rank in hand, in turns: weak ranks need a turn of their own, strong ones win the lead.
RANK_COSTS = [1.0, 0.97, 0.94, 0.91, 0.88, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.1, -0.3]
NATS_PER_TURN = 2.0
PER_TILE = 0.25  # turns that each tile played is worth
BROKEN_FIVE = 1.2  # turns lost by breaking up the last combination of five tiles
LEAD = 0.5  # turns that a certain lead is worth
STRONGER_TILES = 2.0  # so many unseen stronger tiles make winning the lead e times less likely
GOING_OUT = 20.0  # turns that playing the last tile is worth
LAST_TILE = 2.0  # turns lost by a weak single tile when an opponent has one tile left
LATE_TWO = 1.5  # turns that a 2 in hand costs when an opponent is about to go out (R19)
FEW_TILES = 3  # with so many tiles or fewer, an opponent is about to go out
CHIPS_PER_ROUND = 14.0  # how much one round changes a lead

# Measured: with less rollout noise and more exploration, a search of 400 worlds wins 2.5 points more per game.
SEARCH = {"exploration": 3.0, "rollout_noise": 0.1}
MASTER_BUDGET = 15_000  # worlds in 25 ms; more of them do not find out what the policy misjudges in rollouts
MASTER_TRUST = 0.01  # of 0, 0.005, 0.01, 0.02 and 0.04 (docs/decisions/0068-a-network-at-the-root.md)

# The cost of a set of ranks, indexed by its bits: the weak half of the ranks, and the strong half
HALF = 8
WEAK_COSTS, STRONG_COSTS = (
    np.array([sum(cost for rank, cost in enumerate(half) if ranks >> rank & 1) for ranks in range(1 << HALF)])
    for half in (RANK_COSTS[:HALF], RANK_COSTS[HALF:])
)
# [size, unseen stronger tiles]: the probability that nobody beats a combination. There are fewer pairs, triples and
# combinations of five than single tiles.
LEAD_CHANCES = np.array(
    [[math.exp(-above / max(1, size) / STRONGER_TILES) for above in range(TILES)] for size in range(6)]
)


@lean_kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate each move by the turns that the hand still needs afterwards."""
    seat = state.to_move
    hand = state.hands[seat]
    unseen = state.deck & ~(hand | played_tiles(state))
    smallest = smallest_rival_hand(state)
    late_two = LATE_TWO if smallest <= FEW_TILES else 0.0
    now = turns_needed(hand, late_two)
    has_five = holds_five(state, hand)
    for index in range(count):
        move = int(moves[index])
        tiles, size = tiles_of(move), size_of(move)
        if tiles == 0:
            out[index] = 0.0
            continue
        left = hand & ~tiles
        turns = now - turns_needed(left, late_two) + PER_TILE * size
        turns += rate_lead(tiles, unseen, size, smallest)
        if left == 0:
            turns += GOING_OUT
        elif has_five and size < 5 and not holds_five(state, left):
            turns -= BROKEN_FIVE
        out[index] = turns * NATS_PER_TURN


@lean_kernel
def smallest_rival_hand(state: State) -> int:
    """Return the number of tiles in the smallest hand of the other seats."""
    smallest = 99
    for seat in range(state.seats):
        if seat != state.to_move:
            smallest = min(smallest, int(state.hand_counts[seat]))
    return smallest


@lean_kernel
def turns_needed(hand: Tiles, late_two: float) -> float:
    """Estimate how many turns a hand needs: one per number, fewer for strong numbers."""
    ranks = ranks_in(hand)
    twos = count_of((hand >> (RANK_OF_TWO * SUITS)) & 0b1111)
    return late_two * twos + WEAK_COSTS[ranks & ((1 << HALF) - 1)] + STRONG_COSTS[ranks >> HALF]


@lean_kernel
def rate_lead(tiles: Tiles, unseen: Tiles, size: int, smallest: int) -> float:
    """Return the value of possibly winning the lead, in turns, less what a weak single tile may lose."""
    above = unseen & (-2 << highest_bit(tiles))
    chance = LEAD_CHANCES[size, count_of(above)]
    turns = LEAD * chance
    if size == 1 and smallest == 1:
        turns -= LAST_TILE * (1.0 - chance)
    return turns


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Evaluate by the ranks at the end; before it, by what a lead in chips is worth with the rounds left."""
    if state.end_reason != 0:
        evaluate_ranks(state, out)
        return
    left = state.options[ROUNDS] - state.rounds_played
    evaluate_lead(state.balances, state.seats, CHIPS_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state: State) -> int:
    """Return the number of finished rounds: a simulated game may stop where a round ends."""
    return finished_rounds(state)
