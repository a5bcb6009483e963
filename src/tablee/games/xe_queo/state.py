"""The state of a Xe Queo! table: pawns, ring, the two secret discs, what was seen of the round, the rings won."""

from __future__ import annotations

from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, TRUTH, state_type
from tablee.core.types import Bits, Index, State
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import BIT, FIELDS
from tablee.games.xe_queo.moves import PAWNS

SEATS = 2
RINGS = 7
RINGS_TO_WIN = 4

NO_PAWN = -1
UNKNOWN = -2  # a chosen disc that the viewer does not know
NO_FIELD = -1

# Phases, by number; their names are keys in the words and facts of views
PHASES = ("place_pawns", "place_ring", "choose", "turn")
PLACE_PAWNS, PLACE_RING, CHOOSE, TURN = range(len(PHASES))

# How a round ended, by number; the names are keys too
ENDINGS = ("not_ended", "entered", "same_pawn", "owner_won", "accused_right", "accused_wrong")
NOT_ENDED, ENTERED, SAME_PAWN, OWNER_WON, ACCUSED_RIGHT, ACCUSED_WRONG = range(len(ENDINGS))

# Indices and codes of the options
ALLOW_PASS = GAME.option_index("allow_pass")
METRIC = GAME.option_index("metric")
FOREIGN_RING = GAME.option_index("foreign_ring")
PLACEMENT = GAME.option_index("placement")
REVEAL = GAME.option_index("reveal")
FORBID = GAME.option("foreign_ring").code("forbid")
BLOCK = GAME.option("foreign_ring").code("block")
OWNER_WINS = GAME.option("foreign_ring").code("owner_wins")
MANUAL = GAME.option("placement").code("manual")
REVEAL_ALL = GAME.option("reveal").code("all")

STATE = state_type(
    GAME,
    [
        ("phase", "i4"),
        ("ring", "i4"),  # its field, NO_FIELD while no ring is on the board
        ("starter", "i4"),  # seat that makes the first turn of the round; the other places the ring
        ("passes", "i4"),  # in a row, just before this turn
        ("rounds_played", "i4"),
        ("rings", "i1", (SEATS,)),  # rings won
        ("chosen", "i1", (SEATS,)),  # secret pawn of this round, NO_PAWN before it is chosen
        ("excluded", "i1", (SEATS,)),  # bit per pawn that is publicly known not to be the seat's: it is on the ring
        ("declined", "i1", (SEATS,)),  # bit per pawn that could have entered the ring on a turn of the seat
        ("pawns", "i1", (PAWNS,)),  # field of each pawn, NO_FIELD before it is placed
        ("moved", "i1", (SEATS, PAWNS)),  # how often the seat has moved the pawn this round
        ("winners", "i1", (RINGS,)),  # per round: seat that got the ring, or NOBODY
        ("endings", "i1", (RINGS,)),  # per round: how it ended, one of ENDINGS
        ("named", "i1", (RINGS,)),  # per round: the pawn that entered the ring or was named, else NO_PAWN
        ("shown", "i1", (RINGS, SEATS)),  # per round and seat: the disc that was shown, else NO_PAWN
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_PAWNS = "the pawns are not on seven different fields"
    WRONG_RINGS = "the rings won are not those of the rounds played"
    WRONG_TURN = "`to_move` does not fit `end_reason`"
    WRONG_RING = "the ring does not fit the phase"
    WRONG_DISCS = "the secret discs do not fit the phase"
    EXCLUDED_DISC = "a secret disc is one that is excluded"
    PAWN_ON_RING = "a pawn stands on the ring where that is forbidden (C6)"


@kernel
def pawn_on(state: State, field: Index) -> Index:
    """Return the pawn on a field, or NO_PAWN."""
    for pawn in range(PAWNS):
        if state.pawns[pawn] == field:
            return pawn
    return NO_PAWN


@kernel
def occupied_fields(state: State) -> Bits:
    """Return the set of fields with a pawn."""
    fields = 0
    for pawn in range(PAWNS):
        if state.pawns[pawn] != NO_FIELD:
            fields |= BIT[state.pawns[pawn]]
    return fields


@kernel
def pawns_placed(state: State) -> int:
    """Count the pawns on the board; they are placed in the order of their numbers."""
    count = 0
    while count < PAWNS and state.pawns[count] != NO_FIELD:
        count += 1
    return count


@kernel
def problems(state: State) -> Bits:
    """Return the flags of `Problem` that are broken."""
    bits = 0
    if not has_valid_pawns(state):
        bits |= Problem.WRONG_PAWNS
    if not has_valid_rings(state):
        bits |= Problem.WRONG_RINGS
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= SEATS or state.viewer != TRUTH:
        bits |= Problem.WRONG_TURN
    if (state.ring != NO_FIELD) != (state.phase >= CHOOSE) or state.ring >= FIELDS:
        bits |= Problem.WRONG_RING
    for seat in range(SEATS):
        has_chosen = state.phase == TURN or (state.phase == CHOOSE and seat < state.to_move)
        if has_chosen != (0 <= state.chosen[seat] < PAWNS):
            bits |= Problem.WRONG_DISCS
        elif has_chosen and (state.excluded[seat] >> state.chosen[seat]) & 1 == 1:
            bits |= Problem.EXCLUDED_DISC
    if state.ring != NO_FIELD and state.options[FOREIGN_RING] == FORBID and pawn_on(state, state.ring) != NO_PAWN:
        bits |= Problem.PAWN_ON_RING
    return bits


@kernel
def has_valid_pawns(state: State) -> bool:
    """Whether no two pawns share a field, and all are on the board once they have been placed."""
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
def has_valid_rings(state: State) -> bool:
    """Whether each finished round gave one ring to its winner, and no seat has more than it takes to win."""
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
