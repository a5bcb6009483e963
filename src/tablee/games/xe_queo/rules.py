"""The rules of Xe Queo!, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.bits import lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import below
from tablee.core.state import NOBODY
from tablee.games.xe_queo.board import (
    ALL_FIELDS,
    BIT,
    FIELDS,
    NEARER,
    NEIGHBOURS,
)
from tablee.games.xe_queo.moves import ACCUSE_FIRST, CHOOSE_FIRST, PASS, PAWN_FIRST, PAWNS, RING_FIRST
from tablee.games.xe_queo.state import (
    ACCUSED_RIGHT,
    ACCUSED_WRONG,
    ALLOW_PASS,
    CHOOSE,
    ENTERED,
    FORBID,
    FOREIGN_RING,
    MANUAL,
    METRIC,
    NO_FIELD,
    NO_PAWN,
    NOT_ENDED,
    OWNER_WINS,
    OWNER_WON,
    PLACE_PAWNS,
    PLACE_RING,
    PLACEMENT,
    REVEAL,
    REVEAL_ALL,
    RINGS,
    RINGS_TO_WIN,
    SAME_PAWN,
    SEATS,
    TURN,
    occupied_fields,
    pawns_placed,
)

MAX_PASSES = 2  # in a row; then somebody must be accused (C19)
USUAL_FIELDS = 4  # to which a pawn can go; seldom more

REASONS = {1: "four_rings"}
FOUR_RINGS = 1

REFUSALS = {
    1: ("game_over", "R20"),
    2: ("place_the_pawns_first", "C11"),
    3: ("not_this_pawn_yet", "C11"),
    4: ("place_the_ring_first", "R5"),
    5: ("ring_on_a_pawn", "R5"),
    6: ("ring_beside_a_pawn", "C10"),
    7: ("choose_a_pawn_first", "R6"),
    8: ("ring_is_placed", "R5"),
    9: ("pawn_is_chosen", "R6"),
    10: ("field_is_taken", "R12"),
    11: ("out_of_reach", "R13"),
    12: ("not_nearer", "R15"),
    13: ("not_your_pawn", "C6"),
    14: ("must_accuse", "C19"),
    15: ("no_pass", "C1"),
}
(
    GAME_OVER,
    PLACE_THE_PAWNS_FIRST,
    NOT_THIS_PAWN_YET,
    PLACE_THE_RING_FIRST,
    RING_ON_A_PAWN,
    RING_BESIDE_A_PAWN,
    CHOOSE_A_PAWN_FIRST,
    RING_IS_PLACED,
    PAWN_IS_CHOSEN,
    FIELD_IS_TAKEN,
    OUT_OF_REACH,
    NOT_NEARER,
    NOT_YOUR_PAWN,
    MUST_ACCUSE,
    NO_PASS,
) = range(1, 16)


@lean_kernel
def legal_moves(state, out):
    """List the legal moves of the seat on turn, ascending."""
    if state.end_reason != 0:
        return 0
    if state.phase == TURN:
        return legal_in_turn(state, out)
    if state.phase == CHOOSE:
        return legal_in_choice(out)
    if state.phase == PLACE_RING:
        return legal_in_ring_placement(state, out)
    return legal_in_pawn_placement(state, out)


@kernel
def refusal(state, move):
    """Return 0 for a legal move, else the code of what speaks against it."""
    if state.end_reason != 0:
        return GAME_OVER
    if state.phase == TURN:
        return refusal_in_turn(state, move)
    if state.phase == CHOOSE:
        return 0 if CHOOSE_FIRST <= move < PAWN_FIRST else CHOOSE_A_PAWN_FIRST
    if state.phase == PLACE_RING:
        return refusal_in_ring_placement(state, move)
    return refusal_in_pawn_placement(state, move)


@kernel
def play(state, move):
    """Play a legal move."""
    if move == PASS:
        play_pass(state)
    elif move >= ACCUSE_FIRST:
        play_accusation(state, move - ACCUSE_FIRST)
    elif move >= PAWN_FIRST:
        pawn, field = (move - PAWN_FIRST) // FIELDS, (move - PAWN_FIRST) % FIELDS
        if state.phase == TURN:
            play_pawn(state, pawn, field)
        else:
            play_pawn_placement(state, pawn, field)
    elif move >= CHOOSE_FIRST:
        play_choice(state, move - CHOOSE_FIRST)
    else:
        play_ring_placement(state, move - RING_FIRST)


# Setting up (R3 to R6)


@kernel
def deal(state):
    """Draw who places the ring (C20) and, unless players do it, the fields of the pawns (R4, C11)."""
    for number in range(RINGS):
        state.winners[number] = NOBODY
        state.endings[number] = NOT_ENDED
        state.named[number] = NO_PAWN
        for seat in range(SEATS):
            state.shown[number, seat] = NO_PAWN
    for pawn in range(PAWNS):
        state.pawns[pawn] = NO_FIELD
    state.starter = below(state.generator, SEATS)
    clear_round(state)
    if state.options[PLACEMENT] == MANUAL:
        state.phase = PLACE_PAWNS
        state.to_move = state.starter
    else:
        scatter_pawns(state)
        start_round(state)


@kernel
def scatter_pawns(state):
    """Put the pawns on seven different fields, each arrangement with the same chance (R4)."""
    occupied = 0
    for pawn in range(PAWNS):
        field = below(state.generator, FIELDS)
        while occupied & BIT[field] != 0:
            field = below(state.generator, FIELDS)
        occupied |= BIT[field]
        state.pawns[pawn] = field


@kernel
def legal_in_pawn_placement(state, out):
    """List the free fields for the next pawn (C11)."""
    first = PAWN_FIRST + pawns_placed(state) * FIELDS
    return list_fields(ALL_FIELDS & ~occupied_fields(state), first, out, 0)


@kernel
def refusal_in_pawn_placement(state, move):
    """Say what speaks against a move while pawns are placed."""
    if move < PAWN_FIRST or move >= ACCUSE_FIRST:
        return PLACE_THE_PAWNS_FIRST
    if (move - PAWN_FIRST) // FIELDS != pawns_placed(state):
        return NOT_THIS_PAWN_YET
    return FIELD_IS_TAKEN if occupied_fields(state) & BIT[(move - PAWN_FIRST) % FIELDS] != 0 else 0


@kernel
def play_pawn_placement(state, pawn, field):
    """Put a pawn on the board; after the last one the other player places the ring (C11)."""
    state.pawns[pawn] = field
    if pawn == PAWNS - 1:
        start_round(state)


@kernel
def start_round(state):
    """Let the one who will not make the first turn place the ring (R5, R8, R10, R11)."""
    state.phase = PLACE_RING
    state.to_move = 1 - state.starter


@kernel
def clear_round(state):
    """Take the ring off the board and the discs back; the pawns stay (R7, C12)."""
    state.ring = NO_FIELD
    state.passes = 0
    for seat in range(SEATS):
        state.chosen[seat] = NO_PAWN
        state.excluded[seat] = 0
        state.declined[seat] = 0
        for pawn in range(PAWNS):
            state.moved[seat, pawn] = 0


@kernel
def legal_in_ring_placement(state, out):
    """List the fields with no pawn on them or beside them (R5); there are always two at least (C10)."""
    closed = occupied_fields(state)
    for pawn in range(PAWNS):
        closed |= NEIGHBOURS[state.pawns[pawn]]
    return list_fields(ALL_FIELDS & ~closed, RING_FIRST, out, 0)


@kernel
def refusal_in_ring_placement(state, move):
    """Say what speaks against a move while the ring is placed."""
    if move >= CHOOSE_FIRST:
        return PLACE_THE_RING_FIRST
    occupied = occupied_fields(state)
    if occupied & BIT[move - RING_FIRST] != 0:
        return RING_ON_A_PAWN
    return RING_BESIDE_A_PAWN if occupied & NEIGHBOURS[move - RING_FIRST] != 0 else 0


@kernel
def play_ring_placement(state, field):
    """Put the ring on the board; then both choose, in seat order and unseen (R5, R6, R9)."""
    state.ring = field
    state.phase = CHOOSE
    state.to_move = 0


@kernel
def legal_in_choice(out):
    """List the seven pawns, whatever was chosen before (R6, C9, C15)."""
    for pawn in range(PAWNS):
        out[pawn] = CHOOSE_FIRST + pawn
    return PAWNS


@kernel
def play_choice(state, pawn):
    """Put a disc under one's pile (R6); after the second one the turns begin (R10, R11)."""
    state.chosen[state.to_move] = pawn
    if state.to_move + 1 < SEATS:
        state.to_move += 1
    else:
        state.phase = TURN
        state.to_move = state.starter


# A turn: move a pawn or name one (R12 to R19)


@kernel
def legal_in_turn(state, out):
    """List the moves of pawns, the pawns to be named and, with the option, the pass (C1, C2, C8, C19)."""
    may_move = state.passes < MAX_PASSES
    count = list_pawn_moves(state, out) if may_move else 0
    for pawn in range(PAWNS):
        out[count] = ACCUSE_FIRST + pawn
        count += 1
    if may_move and state.options[ALLOW_PASS] == 1:
        out[count] = PASS
        count += 1
    return count


@kernel
def list_pawn_moves(state, out):
    """List where each pawn may go; return how many moves that makes."""
    count = 0
    occupied = occupied_fields(state)
    for pawn in range(PAWNS):
        fields = fields_in_reach(state, pawn, occupied) & fields_nearer(state, pawn)
        count = list_fields(fields, PAWN_FIRST + pawn * FIELDS, out, count)
    return count


@kernel
def list_fields(fields, first, out, count):
    """Append the move `first` + field for each field of a set; return the new count.

    The first few are written whether they are there or not, for what comes next to be written over: a branch would
    often be guessed wrong. There is always room, since pawns can be named besides.
    """
    for _ in range(USUAL_FIELDS):
        out[count] = first + lowest_field(fields)
        count += int(fields != 0)
        fields &= fields - 1
    while fields != 0:
        out[count] = first + lowest_field(fields)
        count += 1
        fields &= fields - 1
    return count


@kernel
def lowest_field(fields):
    """Return the field of the lowest bit of a set; a row has eight bits, but seven fields."""
    index = lowest_bit(fields)
    return index - (index >> 3)


@kernel
def refusal_in_turn(state, move):
    """Say what speaks against a move in a turn."""
    if move < CHOOSE_FIRST:
        return RING_IS_PLACED
    if move < PAWN_FIRST:
        return PAWN_IS_CHOSEN
    if ACCUSE_FIRST <= move < PASS:
        return 0
    if move == PASS and state.options[ALLOW_PASS] == 0:
        return NO_PASS
    if state.passes >= MAX_PASSES:
        return MUST_ACCUSE
    if move == PASS:
        return 0
    return refusal_of_pawn(state, (move - PAWN_FIRST) // FIELDS, (move - PAWN_FIRST) % FIELDS)


@kernel
def refusal_of_pawn(state, pawn, field):
    """Say what speaks against moving a pawn to a field."""
    occupied = occupied_fields(state)
    if occupied & BIT[field] != 0:
        return FIELD_IS_TAKEN
    if field == state.ring and not may_enter(state, pawn):
        return NOT_YOUR_PAWN
    if fields_nearer(state, pawn) & BIT[field] == 0:
        return NOT_NEARER
    return 0 if fields_in_reach(state, pawn, occupied) & BIT[field] != 0 else OUT_OF_REACH


@kernel
def may_enter(state, pawn):
    """Say whether the seat on turn may move a pawn onto the ring: its own, or with the option any (C6)."""
    return state.chosen[state.to_move] == pawn or state.options[FOREIGN_RING] != FORBID


@kernel
def fields_nearer(state, pawn):
    """Return the fields nearer to the ring than where a pawn stands (R15, R16, C3, C4)."""
    return NEARER[state.options[METRIC], state.ring, state.pawns[pawn]]


@kernel
def fields_in_reach(state, pawn, occupied):
    """Return what a pawn can reach by one step or by jumps (R12 to R14); the ring only if it may enter (C6, C18)."""
    start = state.pawns[pawn]
    ring = BIT[state.ring]
    free = ALL_FIELDS & ~occupied
    if not may_enter(state, pawn):
        free &= ~ring
    fields = NEIGHBOURS[start] & free
    if NEIGHBOURS[start] & occupied != 0:
        fields |= fields_by_jumps(BIT[start], occupied ^ BIT[start], free, ring)
    return fields


@kernel
def fields_by_jumps(start, others, free, ring):
    """Return where a pawn can land by one or more jumps over other pawns, from a set of one field (R13, R14, C5).

    Nothing is captured, so a field once reached need not be reached again. The ring ends a chain (C7).
    """
    reached = 0
    front = start
    while front != 0:
        landed = 0
        for shift in (1, 7, 8, 9):
            landed |= ((front << shift) & others) << shift
            landed |= ((front >> shift) & others) >> shift
        landed &= free & ~reached
        reached |= landed
        front = landed & ~ring
    return reached


@kernel
def play_pawn(state, pawn, field):
    """Move a pawn; nothing is captured (R12 to R14)."""
    note_declined(state, pawn if field == state.ring else NO_PAWN)
    state.passes = 0
    state.moved[state.to_move, pawn] += 1
    state.pawns[pawn] = field
    if field == state.ring:
        enter_ring(state, pawn)
    else:
        state.to_move = 1 - state.to_move


@kernel
def play_pass(state):
    """Do nothing, with the option (C1)."""
    note_declined(state, NO_PAWN)
    state.passes += 1
    state.to_move = 1 - state.to_move


@kernel
def note_declined(state, entering):
    """Remember which pawns could enter the ring now: all can see that the seat does so with none or another one."""
    ring = BIT[state.ring]
    occupied = occupied_fields(state)
    if occupied & ring != 0 or occupied & NEIGHBOURS[state.ring] == 0:
        return
    free = ALL_FIELDS & ~occupied
    for pawn in range(PAWNS):
        start = BIT[state.pawns[pawn]]
        if pawn != entering and (
            start & NEIGHBOURS[state.ring] != 0 or fields_by_jumps(start, occupied ^ start, free, ring) & ring != 0
        ):
            state.declined[state.to_move] |= 1 << pawn


# Getting a ring (R17 to R19)


@kernel
def enter_ring(state, pawn):
    """One's own pawn claims the ring (R17), for the opponent if he chose it too (R18); another blocks it (C6, C17)."""
    seat, opponent = state.to_move, 1 - state.to_move
    is_opponents = state.chosen[opponent] == pawn
    owner_wins = state.options[FOREIGN_RING] == OWNER_WINS
    if state.chosen[seat] == pawn:
        finish_round(state, opponent if is_opponents else seat, SAME_PAWN if is_opponents else ENTERED, pawn)
    elif is_opponents and owner_wins:
        finish_round(state, opponent, OWNER_WON, pawn)
    else:
        state.excluded[seat] |= 1 << pawn
        if owner_wins:
            state.excluded[opponent] |= 1 << pawn
        state.to_move = opponent


@kernel
def play_accusation(state, pawn):
    """Name the opponent's pawn: right, and the ring is one's own; wrong, and it is his (R19, C8, C9)."""
    seat, opponent = state.to_move, 1 - state.to_move
    if state.chosen[opponent] == pawn:
        finish_round(state, seat, ACCUSED_RIGHT, pawn)
    else:
        finish_round(state, opponent, ACCUSED_WRONG, pawn)


@kernel
def finish_round(state, winner, ending, pawn):
    """Show discs, give the ring to the winner, and go on to the next round or end the game (R2, R7, R8, R11, R20)."""
    number = state.rounds_played
    state.winners[number] = winner
    state.endings[number] = ending
    state.named[number] = pawn
    for seat in range(SEATS):
        if state.options[REVEAL] == REVEAL_ALL or proves(seat, winner, ending):
            state.shown[number, seat] = state.chosen[seat]
    state.rounds_played += 1
    state.rings[winner] += 1
    state.starter = winner
    clear_round(state)
    start_round(state)
    if state.rings[winner] == RINGS_TO_WIN:
        state.end_reason = FOUR_RINGS
        state.to_move = NOBODY


@kernel
def proves(seat, winner, ending):
    """Say whether a seat's disc proves how the round ended (C16)."""
    if ending == SAME_PAWN:
        return True
    if ending == ACCUSED_RIGHT:
        return seat != winner
    return seat == winner


@kernel
def scores(state, out):
    """Write each seat's rings."""
    for seat in range(SEATS):
        out[seat] = state.rings[seat]


@kernel
def ranks(state, out):
    """Most rings first (R2)."""
    rank_by_score(state.rings, SEATS, False, out)
