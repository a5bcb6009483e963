"""How a sensible player judges a Xe Queo! table: whom to suspect, what to move, what a lead in rings is worth."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compiling import kernel
from tablee.games.xe_queo.board import BIT, DISTANCE, FIELDS, NEIGHBOURS
from tablee.games.xe_queo.moves import ACCUSE_FIRST, PASS, PAWN_FIRST, PAWNS
from tablee.games.xe_queo.state import METRIC, RINGS_TO_WIN, SEATS, TURN

ENTERING = 6.0  # nats for taking the ring: only the other's having chosen the same pawn speaks against it
CERTAINTY = 12.0  # nats between an accusation that must be wrong and one that must be right
OPENING_THE_WAY = 4.0  # nats lost by putting a pawn beside the ring that is surely the other's
PROGRESS = 0.6  # nats for bringing one's own pawn all the way
SUSPICION_PER_MOVE = 0.5  # nats by which each move of a pawn makes it more likely to be the mover's
SUSPICION_IF_DECLINED = 0.1  # factor for a pawn that could have entered the ring and did not


def _win_chances() -> np.ndarray:
    """Chance to win the game where either player wins a round as often: by rings still needed, one's own first."""
    chances = np.zeros((RINGS_TO_WIN + 1, RINGS_TO_WIN + 1))
    chances[0, 1:] = 1.0
    for mine in range(1, RINGS_TO_WIN + 1):
        for others in range(1, RINGS_TO_WIN + 1):
            chances[mine, others] = (chances[mine - 1, others] + chances[mine, others - 1]) / 2
    return chances


WIN_CHANCES = _win_chances()


@kernel
def rate(record, moves, count, out):
    """Rate a turn; placing and choosing are best done at random."""
    if record.phase != TURN:
        for index in range(count):
            out[index] = 0.0
        return
    total = 0.0
    for pawn in range(PAWNS):
        total += suspicion(record, pawn)
    for index in range(count):
        move = moves[index]
        if move == PASS:
            out[index] = 0.0
        elif move >= ACCUSE_FIRST:
            out[index] = CERTAINTY * (suspicion(record, move - ACCUSE_FIRST) / total - 0.5)
        else:
            pawn, field = (move - PAWN_FIRST) // FIELDS, (move - PAWN_FIRST) % FIELDS
            out[index] = rate_pawn(record, pawn, field, suspicion(record, pawn) / total)


@kernel
def suspicion(record, pawn):
    """Weigh how likely a pawn is the opponent's, by what all have seen of the round."""
    opponent = 1 - record.to_move
    if (record.excluded[opponent] >> pawn) & 1 == 1:
        return 0.0
    weight = math.exp(SUSPICION_PER_MOVE * record.moved[opponent, pawn])
    return weight * SUSPICION_IF_DECLINED if (record.declined[opponent] >> pawn) & 1 == 1 else weight


@kernel
def rate_pawn(record, pawn, field, share):
    """Rate moving a pawn that is the opponent's with the chance `share`."""
    is_own = record.chosen[record.to_move] == pawn
    if field == record.ring:
        return ENTERING if is_own else -OPENING_THE_WAY * share
    to_ring = DISTANCE[record.options[METRIC], record.ring]
    progress = 1.0 - to_ring[field] / to_ring[record.pawns[pawn]]
    rating = PROGRESS * progress if is_own else -PROGRESS * progress * share
    if NEIGHBOURS[record.ring] & BIT[field] != 0:
        rating -= OPENING_THE_WAY * share
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
