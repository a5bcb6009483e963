"""The record of a Xe Queo! table: pawns, ring, the two secret discs, what was seen of the round, the rings won."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, TRUTH, state_type
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import BIT, FIELDS
from tablee.games.xe_queo.moves import PAWNS

SEATS = 2
RINGS = 7
RINGS_TO_WIN = 4

NO_PAWN = -1
UNKNOWN = -2  # a disc that lies there, but the viewer cannot tell which
NO_FIELD = -1

# Phases
PLACE_PAWNS, PLACE_RING, CHOOSE, TURN = range(4)

# How a round ended
NOT_ENDED, ENTERED, SAME_PAWN, OWNER_WON, ACCUSED_RIGHT, ACCUSED_WRONG = range(6)

# Places of the options
ALLOW_PASS = GAME.option_index("allow_pass")
METRIC = GAME.option_index("metric")
FOREIGN_RING = GAME.option_index("foreign_ring")
PLACEMENT = GAME.option_index("placement")
REVEAL = GAME.option_index("reveal")
FORBID = GAME.option("foreign_ring").code("forbid")
OWNER_WINS = GAME.option("foreign_ring").code("owner_wins")
MANUAL = GAME.option("placement").code("manual")
REVEAL_ALL = GAME.option("reveal").code("all")

STATE = state_type(
    GAME,
    [
        ("phase", "i4"),
        ("ring", "i4"),  # its field, NO_FIELD while none lies on the board
        ("starter", "i4"),  # who makes the first turn of the round; the other places the ring
        ("passes", "i4"),  # in a row, just before this turn
        ("rounds_played", "i4"),
        ("rings", "i1", (SEATS,)),  # won
        ("chosen", "i1", (SEATS,)),  # secret disc of this round, NO_PAWN before it is chosen
        ("excluded", "i1", (SEATS,)),  # bit per pawn that all can tell is not the seat's: it stands on the ring
        ("declined", "i1", (SEATS,)),  # bit per pawn that could have entered the ring on a turn of the seat, this round
        ("pawns", "i1", (PAWNS,)),  # field of each, NO_FIELD before it is placed
        ("moved", "i1", (SEATS, PAWNS)),  # how often the seat has moved the pawn this round
        ("winners", "i1", (RINGS,)),  # per round: who got the ring, NOBODY so far
        ("endings", "i1", (RINGS,)),  # per round: how it ended
        ("named", "i1", (RINGS,)),  # per round: the pawn that entered the ring or was named, else NO_PAWN
        ("shown", "i1", (RINGS, SEATS)),  # per round: the discs that were shown, else NO_PAWN
    ],
)

PROBLEMS = (
    "the pawns are not on seven different fields",
    "the rings won are not those of the rounds played",
    "the seat on turn does not fit the end of the game",
    "the ring does not fit the phase",
    "the secret discs do not fit the phase",
    "a secret disc is one that all can tell it is not",
    "a pawn stands on the ring where that is forbidden (C6)",
)


@kernel
def pawn_on(state, field):
    """Return the pawn on a field, or NO_PAWN."""
    for pawn in range(PAWNS):
        if state.pawns[pawn] == field:
            return pawn
    return NO_PAWN


@kernel
def occupied_fields(state):
    """Return the set of the fields with a pawn."""
    fields = 0
    for pawn in range(PAWNS):
        if state.pawns[pawn] != NO_FIELD:
            fields |= BIT[state.pawns[pawn]]
    return fields


@kernel
def pawns_placed(state):
    """Count the pawns on the board; they are placed in the order of their numbers."""
    count = 0
    while count < PAWNS and state.pawns[count] != NO_FIELD:
        count += 1
    return count


@kernel
def problems(state):
    """Return a bit per broken invariant."""
    bits = 0
    if not pawns_stand_well(state):
        bits |= 1
    if not rings_add_up(state):
        bits |= 2
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= SEATS or state.viewer != TRUTH:
        bits |= 4
    if (state.ring != NO_FIELD) != (state.phase >= CHOOSE) or state.ring >= FIELDS:
        bits |= 8
    for seat in range(SEATS):
        has_chosen = state.phase == TURN or (state.phase == CHOOSE and seat < state.to_move)
        if has_chosen != (0 <= state.chosen[seat] < PAWNS):
            bits |= 16
        elif has_chosen and (state.excluded[seat] >> state.chosen[seat]) & 1 == 1:
            bits |= 32
    if state.ring != NO_FIELD and state.options[FOREIGN_RING] == FORBID and pawn_on(state, state.ring) != NO_PAWN:
        bits |= 64
    return bits


@kernel
def pawns_stand_well(state):
    """Say whether no two pawns share a field, and all are on the board once they have been placed."""
    placed = pawns_placed(state)
    if placed < PAWNS and state.phase != PLACE_PAWNS:
        return False
    for pawn in range(PAWNS):
        field = state.pawns[pawn]
        if field >= FIELDS or (pawn >= placed and field != NO_FIELD):
            return False
        if pawn < placed and pawn_on(state, field) != pawn:
            return False
    return True


@kernel
def rings_add_up(state):
    """Say whether each finished round gave one ring to its winner, and nobody has more than it takes to win."""
    for seat in range(SEATS):
        won = 0
        for number in range(RINGS):
            if state.winners[number] == seat:
                won += 1
        if won != state.rings[seat] or won > RINGS_TO_WIN:
            return False
    for number in range(RINGS):
        is_played = number < state.rounds_played
        if is_played != (state.winners[number] != NOBODY) or is_played != (state.endings[number] != NOT_ENDED):
            return False
    return True
