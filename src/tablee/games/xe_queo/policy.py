"""How a sensible player judges a Xe Queo! table: whom to suspect, what to move, what a lead in rings is worth."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.games.xe_queo.board import BIT, DISTANCE, FIELDS, NEIGHBOURS
from tablee.games.xe_queo.moves import ACCUSE_FIRST, PASS, PAWN_FIRST, PAWNS, RING_FIRST
from tablee.games.xe_queo.state import METRIC, RINGS_TO_WIN, SEATS, TURN

ENTERING = 6.0  # nats for taking the ring: only the other's having chosen the same pawn speaks against it
CERTAINTY = 12.0  # nats between an accusation that must be wrong and one that must be right
OPENING_THE_WAY = 4.0  # nats lost by putting a pawn beside the ring that is surely the other's
BESIDE_THE_RING = 2.0  # nats for standing where only an accusation can stop one's own pawn
PROGRESS = 3.0  # nats for bringing one's own pawn all the way
SUSPICION_PER_MOVE = 1.0  # nats by which each move of a pawn makes it likelier the mover's: right if 3 in 10 are
SUSPICION_IF_DECLINED = 0.1  # factor for a pawn that could have entered the ring and did not
SUSPICIONS = np.array([math.exp(SUSPICION_PER_MOVE * moves) for moves in range(128)])  # by moves of a pawn

# Who always moves what is best gives his pawn away: rings, discs and pawns are drawn, accusations are not.
SEARCH = {"mixed_moves": range(RING_FIRST, ACCUSE_FIRST)}


def _win_chances() -> np.ndarray:
    """Chance to win the game where either player wins a round as often: by rings still needed, one's own first."""
    chances = np.zeros((RINGS_TO_WIN + 1, RINGS_TO_WIN + 1))
    chances[0, 1:] = 1.0
    for mine in range(1, RINGS_TO_WIN + 1):
        for others in range(1, RINGS_TO_WIN + 1):
            chances[mine, others] = (chances[mine - 1, others] + chances[mine, others - 1]) / 2
    return chances


WIN_CHANCES = _win_chances()


@lean_kernel
def rate(state, moves, count, out):
    """Rate a turn; placing and choosing are best done at random."""
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
def suspicion(state, seat, pawn):
    """Weigh how likely a pawn is the one that a seat has chosen, by what all have seen of the round."""
    if (state.excluded[seat] >> pawn) & 1 == 1:
        return 0.0
    weight = SUSPICIONS[state.moved[seat, pawn]]
    return weight * SUSPICION_IF_DECLINED if (state.declined[seat] >> pawn) & 1 == 1 else weight


@kernel
def believe(state, viewer):
    """Weigh a world by how suspicious the pawns are that others have chosen in it, beside the most suspicious ones."""
    chance = 1.0
    for seat in range(SEATS):
        if seat != viewer and state.chosen[seat] >= 0:
            most = 0.0
            for pawn in range(PAWNS):
                most = max(most, suspicion(state, seat, pawn))
            chance *= suspicion(state, seat, int(state.chosen[seat])) / most
    return chance


@lean_kernel
def rate_pawn(state, pawn, field, share):
    """Rate moving a pawn that is the opponent's with the chance `share`."""
    is_own = state.chosen[state.to_move] == pawn
    if field == state.ring:
        return ENTERING if is_own else -OPENING_THE_WAY * share
    to_ring = DISTANCE[state.options[METRIC], state.ring]
    progress = 1.0 - to_ring[field] / to_ring[state.pawns[pawn]]
    rating = PROGRESS * progress if is_own else -PROGRESS * progress * share
    if NEIGHBOURS[state.ring] & BIT[field] != 0:
        rating += BESIDE_THE_RING if is_own else -OPENING_THE_WAY * share
    return rating


@kernel
def evaluate(state, out):
    """Take the rings: the chance to win the game if every round to come is even."""
    for seat in range(SEATS):
        mine, others = int(state.rings[seat]), int(state.rings[1 - seat])
        out[seat] = WIN_CHANCES[RINGS_TO_WIN - mine, RINGS_TO_WIN - others]


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
