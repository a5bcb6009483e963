"""Heuristics for Xe Queo!: which pawn to suspect, what to move, what a lead in rings is worth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.types import Index, Moves, Ratings, Seat, State
from tablee.games.xe_queo.board import BIT, DISTANCE, FIELDS, NEIGHBOURS
from tablee.games.xe_queo.moves import ACCUSE_FIRST, PASS, PAWN_FIRST, PAWNS, RING_FIRST
from tablee.games.xe_queo.state import METRIC, RINGS_TO_WIN, SEATS, TURN

# Ratings are in nats: a move rated 1 higher is e times as likely to be tried.
ENTERING = 6.0  # for taking the ring; it fails only if both chose the pawn
CERTAINTY = 12.0  # between an accusation that must be wrong and one that must be right
HELPING_OPPONENT = 4.0  # lost by putting a pawn beside the ring that is surely the opponent's
BESIDE_THE_RING = 2.0  # for the own pawn beside the ring, where only an accusation can stop it
PROGRESS = 3.0  # for moving the own pawn the whole distance
SUSPICION_PER_MOVE = 1.0  # per move of a pawn, that it is the mover's: right if 3 in 10 of the moves are of own pawns
SUSPICION_IF_DECLINED = 0.1  # factor for a pawn that could have entered the ring and did not
SUSPICIONS = np.array([math.exp(SUSPICION_PER_MOVE * moves) for moves in range(128)])  # by moves of a pawn

# A player who always makes the best move reveals the own pawn: these moves are drawn by rating, accusations are not.
SEARCH = {"mixed_moves": range(RING_FIRST, ACCUSE_FIRST)}
MASTER_BUDGET = 50_000  # worlds in a quarter of a second


def _win_probabilities() -> npt.NDArray[np.float64]:
    """Return the probability to win a game of even rounds, by the rings that the seat and its opponent still need."""
    found = np.zeros((RINGS_TO_WIN + 1, RINGS_TO_WIN + 1))
    found[0, 1:] = 1.0
    for own in range(1, RINGS_TO_WIN + 1):
        for other in range(1, RINGS_TO_WIN + 1):
            found[own, other] = (found[own - 1, other] + found[own, other - 1]) / 2
    return found


WIN_PROBABILITIES = _win_probabilities()


@lean_kernel
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate the moves of a turn; placing and choosing are done at random."""
    if state.phase != TURN:
        for index in range(count):
            out[index] = 0.0
        return
    opponent = 1 - state.to_move
    total = 0.0
    for pawn in range(PAWNS):
        total += suspicion(state, opponent, pawn)
    for index in range(count):
        move = int(moves[index])
        if move == PASS:
            out[index] = 0.0
        elif move >= ACCUSE_FIRST:
            out[index] = CERTAINTY * (suspicion(state, opponent, move - ACCUSE_FIRST) / total - 0.5)
        else:
            pawn, field = (move - PAWN_FIRST) // FIELDS, (move - PAWN_FIRST) % FIELDS
            out[index] = rate_pawn(state, pawn, field, suspicion(state, opponent, pawn) / total)


@lean_kernel
def suspicion(state: State, seat: Seat, pawn: Index) -> float:
    """Return a weight for how likely a pawn is a seat's secret one, by what is publicly known of the round."""
    if (state.excluded[seat] >> pawn) & 1 == 1:
        return 0.0
    weight = SUSPICIONS[state.moved[seat, pawn]]
    return weight * SUSPICION_IF_DECLINED if (state.declined[seat] >> pawn) & 1 == 1 else weight


@kernel
def believe(state: State, viewer: Seat) -> float:
    """Return how suspicious the pawns are that the others have chosen in a world, relative to the most suspicious."""
    probability = 1.0
    for seat in range(SEATS):
        if seat != viewer and state.chosen[seat] >= 0:
            highest = 0.0
            for pawn in range(PAWNS):
                highest = max(highest, suspicion(state, seat, pawn))
            probability *= suspicion(state, seat, int(state.chosen[seat])) / highest
    return probability


@lean_kernel
def rate_pawn(state: State, pawn: Index, field: Index, probability: float) -> float:
    """Rate moving a pawn that is the opponent's with a probability."""
    is_own = state.chosen[state.to_move] == pawn
    if field == state.ring:
        return ENTERING if is_own else -HELPING_OPPONENT * probability
    to_ring = DISTANCE[state.options[METRIC], state.ring]
    progress = 1.0 - to_ring[field] / to_ring[state.pawns[pawn]]
    rating = PROGRESS * progress if is_own else -PROGRESS * progress * probability
    if NEIGHBOURS[state.ring] & BIT[field] != 0:
        rating += BESIDE_THE_RING if is_own else -HELPING_OPPONENT * probability
    return rating


@kernel
def evaluate(state: State, out: Ratings) -> None:
    """Evaluate the rings: the probability to win the game if every further round is even."""
    for seat in range(SEATS):
        own, other = int(state.rings[seat]), int(state.rings[1 - seat])
        out[seat] = WIN_PROBABILITIES[RINGS_TO_WIN - own, RINGS_TO_WIN - other]


@kernel
def stage(state: State) -> int:
    """Return the number of finished rounds: a playout may stop at the end of a round."""
    return state.rounds_played
