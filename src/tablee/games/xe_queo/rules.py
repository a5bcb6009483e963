"""The rules of Xe Queo!, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from typing import Any

from tablee.core.bits import count_of, lowest_bit, nth_bit
from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.local_arrays import local_array
from tablee.core.randomness import below
from tablee.core.state import NOBODY
from tablee.core.targets import is_on_cuda
from tablee.core.types import Bits, Generator, Index, Move, Moves, Points, Seat, State
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

MAX_PASSES = 2  # in a row; then the next player must accuse (C19)
LANES = 8  # the pawns and one that does not exist: the processor handles four or eight at a time
USUAL_FIELDS = 4  # most pawns can reach no more fields than this


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R20"
    PLACE_THE_PAWNS_FIRST = "C11"
    NOT_THIS_PAWN_YET = "C11"
    PLACE_THE_RING_FIRST = "R5"
    RING_ON_A_PAWN = "R5"
    RING_BESIDE_A_PAWN = "C10"
    CHOOSE_A_PAWN_FIRST = "R6"
    RING_IS_PLACED = "R5"
    PAWN_IS_CHOSEN = "R6"
    FIELD_IS_TAKEN = "R12"
    OUT_OF_REACH = "R13"
    NOT_NEARER = "R15"
    NOT_YOUR_PAWN = "C6"
    MUST_ACCUSE = "C19"
    NO_PASS = "C1"


class EndReason(EndReasonCode):
    """Why the game ended."""

    FOUR_RINGS = 1


@lean_kernel
def legal_moves(state: State, out: Moves) -> int:
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


@lean_kernel
def random_move(state: State, generator: Generator, memory: Moves) -> Move:
    """Draw a legal move; those of a turn, which are many, are not listed."""
    if state.phase == TURN and state.passes < MAX_PASSES:
        return random_move_in_turn(state, generator)
    return int(memory[below(generator, legal_moves(state, memory))])


@kernel
def refusal(state: State, move: Move) -> int:
    """Return 0 for a legal move, else why it is refused, a `Refusal`."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    if state.phase == TURN:
        return refusal_in_turn(state, move)
    if state.phase == CHOOSE:
        return 0 if CHOOSE_FIRST <= move < PAWN_FIRST else Refusal.CHOOSE_A_PAWN_FIRST
    if state.phase == PLACE_RING:
        return refusal_in_ring_placement(state, move)
    return refusal_in_pawn_placement(state, move)


@kernel
def play(state: State, move: Move) -> None:
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
def deal(state: State) -> None:
    """Draw the seat that places the ring (C20) and, unless a player places them, the fields of the pawns (R4, C11)."""
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
def scatter_pawns(state: State) -> None:
    """Put the pawns on seven different fields, each arrangement with the same probability (R4)."""
    occupied = 0
    for pawn in range(PAWNS):
        field: Index = below(state.generator, FIELDS)
        while occupied & BIT[field] != 0:
            field = below(state.generator, FIELDS)
        occupied |= BIT[field]
        state.pawns[pawn] = field


@kernel
def legal_in_pawn_placement(state: State, out: Moves) -> int:
    """List the free fields for the next pawn (C11)."""
    first = PAWN_FIRST + pawns_placed(state) * FIELDS
    return list_fields(ALL_FIELDS & ~occupied_fields(state), first, out, 0)


@kernel
def refusal_in_pawn_placement(state: State, move: Move) -> int:
    """Return why a move is refused while pawns are placed, or 0."""
    if move < PAWN_FIRST or move >= ACCUSE_FIRST:
        return Refusal.PLACE_THE_PAWNS_FIRST
    if (move - PAWN_FIRST) // FIELDS != pawns_placed(state):
        return Refusal.NOT_THIS_PAWN_YET
    return Refusal.FIELD_IS_TAKEN if occupied_fields(state) & BIT[(move - PAWN_FIRST) % FIELDS] != 0 else 0


@kernel
def play_pawn_placement(state: State, pawn: Index, field: Index) -> None:
    """Put a pawn on the board; after the last one the other player places the ring (C11)."""
    state.pawns[pawn] = field
    if pawn == PAWNS - 1:
        start_round(state)


@kernel
def start_round(state: State) -> None:
    """Begin the placing of the ring, by the seat that does not make the first turn (R5, R8, R10, R11)."""
    state.phase = PLACE_RING
    state.to_move = 1 - state.starter


@kernel
def clear_round(state: State) -> None:
    """Remove the ring and the secret discs; the pawns stay (R7, C12)."""
    state.ring = NO_FIELD
    state.passes = 0
    for seat in range(SEATS):
        state.chosen[seat] = NO_PAWN
        state.excluded[seat] = 0
        state.declined[seat] = 0
        for pawn in range(PAWNS):
            state.moved[seat, pawn] = 0


@kernel
def legal_in_ring_placement(state: State, out: Moves) -> int:
    """List the fields with no pawn on them or beside them (R5); there are always at least two (C10)."""
    closed = occupied_fields(state)
    for pawn in range(PAWNS):
        closed |= NEIGHBOURS[state.pawns[pawn]]
    return list_fields(ALL_FIELDS & ~closed, RING_FIRST, out, 0)


@kernel
def refusal_in_ring_placement(state: State, move: Move) -> int:
    """Return why a move is refused while the ring is placed, or 0."""
    if move >= CHOOSE_FIRST:
        return Refusal.PLACE_THE_RING_FIRST
    occupied = occupied_fields(state)
    if occupied & BIT[move - RING_FIRST] != 0:
        return Refusal.RING_ON_A_PAWN
    return Refusal.RING_BESIDE_A_PAWN if occupied & NEIGHBOURS[move - RING_FIRST] != 0 else 0


@kernel
def play_ring_placement(state: State, field: Index) -> None:
    """Put the ring on the board; then both seats choose secretly, in seat order (R5, R6, R9)."""
    state.ring = field
    state.phase = CHOOSE
    state.to_move = 0


@kernel
def legal_in_choice(out: Moves) -> int:
    """List the seven pawns, whatever was chosen before (R6, C9, C15)."""
    for pawn in range(PAWNS):
        out[pawn] = CHOOSE_FIRST + pawn
    return PAWNS


@kernel
def play_choice(state: State, pawn: Index) -> None:
    """Choose a secret pawn (R6); after the second choice the turns begin (R10, R11)."""
    state.chosen[state.to_move] = pawn
    if state.to_move + 1 < SEATS:
        state.to_move += 1
    else:
        state.phase = TURN
        state.to_move = state.starter


# A turn: move a pawn or accuse (R12 to R19)


@kernel
def legal_in_turn(state: State, out: Moves) -> int:
    """List pawn moves, accusations and, with the option `allow_pass`, the pass (C1, C2, C8, C19)."""
    may_move = state.passes < MAX_PASSES
    count = list_pawn_moves(state, out) if may_move else 0
    for pawn in range(PAWNS):
        out[count] = ACCUSE_FIRST + pawn
        count += 1
    if may_move and state.options[ALLOW_PASS] == 1:
        out[count] = PASS
        count += 1
    return count


@lean_kernel
def list_pawn_moves(state: State, out: Moves) -> int:
    """List the moves of all pawns; return how many there are."""
    if is_on_cuda():
        return list_pawn_by_pawn(state, out)
    reach = local_array(LANES)
    find_reach(state, reach)
    count = 0
    for pawn in range(PAWNS):
        count = list_fields(reach[pawn], PAWN_FIRST + pawn * FIELDS, out, count)
    return count


@kernel
def list_pawn_by_pawn(state: State, out: Moves) -> int:
    """List the moves as `list_pawn_moves` does; a thread on a CUDA device needs half the registers for this."""
    count = 0
    occupied = occupied_fields(state)
    for pawn in range(PAWNS):
        fields = fields_in_reach(state, pawn, occupied) & fields_nearer(state, pawn)
        count = list_fields(fields, PAWN_FIRST + pawn * FIELDS, out, count)
    return count


@lean_kernel
def random_move_in_turn(state: State, generator: Generator) -> Move:
    """Draw one of the moves of `legal_in_turn`, before there are too many passes."""
    reach = local_array(LANES)
    find_reach(state, reach)
    pawn_moves = 0
    for pawn in range(PAWNS):
        pawn_moves += count_of(reach[pawn])
    index = below(generator, pawn_moves + PAWNS + state.options[ALLOW_PASS])
    if index >= pawn_moves:
        return ACCUSE_FIRST + index - pawn_moves  # the pass follows the accusations
    chosen, before, end = 0, 0, 0
    for pawn in range(PAWNS - 1):
        end += count_of(reach[pawn])
        if end <= index:
            chosen, before = pawn + 1, end
    return PAWN_FIRST + chosen * FIELDS + field_of_bit(nth_bit(reach[chosen], index - before))


@lean_kernel
def find_reach(state: State, reach: Any) -> None:
    """Write the fields that each pawn may move to, of all pawns at once: by a step or jumps, nearer (R12 to R15).

    As `fields_in_reach`, but in one loop for all pawns, which the processor runs through a few pawns at a time.
    """
    occupied = occupied_fields(state)
    ring = BIT[state.ring]
    starts, fronts, free = local_array(LANES), local_array(LANES), local_array(LANES)
    for pawn in range(PAWNS):
        starts[pawn] = BIT[state.pawns[pawn]]
        free[pawn] = ALL_FIELDS & ~occupied & ~(0 if may_enter(state, pawn) else ring)
    starts[PAWNS], free[PAWNS] = 0, 0
    for pawn in range(LANES):
        fronts[pawn], reach[pawn] = starts[pawn], 0
    is_jumping = 1
    while is_jumping != 0:
        is_jumping = 0
        for pawn in range(len(reach)):  # LLVM unrolls a constant range and does not vectorise it
            landed = jump(fronts[pawn], occupied ^ starts[pawn]) & free[pawn] & ~reach[pawn]
            reach[pawn] |= landed
            fronts[pawn] = landed & ~ring
            is_jumping |= fronts[pawn]
    for pawn in range(PAWNS):
        reach[pawn] = (reach[pawn] | (NEIGHBOURS[state.pawns[pawn]] & free[pawn])) & fields_nearer(state, pawn)


@kernel
def list_fields(fields: Bits, first: Move, out: Moves, count: int) -> int:
    """Append the move `first` + field for each field of a set; return the new count.

    The first few entries are written unconditionally and overwritten by what follows: branches would often be
    mispredicted. There is always room, because accusations follow.
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
def lowest_field(fields: Bits) -> Index:
    """Return the lowest field of a set."""
    return field_of_bit(lowest_bit(fields))


@kernel
def field_of_bit(bit: Index) -> Index:
    """Return the field that a bit stands for: a row has eight bits, but seven fields."""
    return bit - (bit >> 3)


@kernel
def refusal_in_turn(state: State, move: Move) -> int:
    """Return why a move is refused in a turn, or 0."""
    if move < CHOOSE_FIRST:
        return Refusal.RING_IS_PLACED
    if move < PAWN_FIRST:
        return Refusal.PAWN_IS_CHOSEN
    if ACCUSE_FIRST <= move < PASS:
        return 0
    if move == PASS and state.options[ALLOW_PASS] == 0:
        return Refusal.NO_PASS
    if state.passes >= MAX_PASSES:
        return Refusal.MUST_ACCUSE
    if move == PASS:
        return 0
    return refusal_of_pawn(state, (move - PAWN_FIRST) // FIELDS, (move - PAWN_FIRST) % FIELDS)


@kernel
def refusal_of_pawn(state: State, pawn: Index, field: Index) -> int:
    """Return why moving a pawn to a field is refused, or 0."""
    occupied = occupied_fields(state)
    if occupied & BIT[field] != 0:
        return Refusal.FIELD_IS_TAKEN
    if field == state.ring and not may_enter(state, pawn):
        return Refusal.NOT_YOUR_PAWN
    if fields_nearer(state, pawn) & BIT[field] == 0:
        return Refusal.NOT_NEARER
    return 0 if fields_in_reach(state, pawn, occupied) & BIT[field] != 0 else Refusal.OUT_OF_REACH


@kernel
def may_enter(state: State, pawn: Index) -> bool:
    """Whether the seat on turn may move a pawn onto the ring: its own, or with the option `foreign_ring` any (C6)."""
    return state.chosen[state.to_move] == pawn or state.options[FOREIGN_RING] != FORBID


@kernel
def fields_nearer(state: State, pawn: Index) -> Bits:
    """Return the fields nearer to the ring than a pawn's field (R15, R16, C3, C4)."""
    return NEARER[state.options[METRIC], state.ring, state.pawns[pawn]]


@kernel
def fields_in_reach(state: State, pawn: Index, occupied: Bits) -> Bits:
    """Return the fields a pawn can reach by a step or jumps (R12 to R14); the ring only if it may enter (C6, C18)."""
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
def fields_by_jumps(start: Bits, others: Bits, free: Bits, ring: Bits) -> Bits:
    """Return the fields a pawn can reach from the field `start` by jumping over other pawns (R13, R14, C5).

    Nothing is captured, so each field is visited once. The ring ends a chain (C7).
    """
    reached = 0
    front = start
    while front != 0:
        landed = jump(front, others) & free & ~reached
        reached |= landed
        front = landed & ~ring
    return reached


@kernel
def jump(front: Bits, others: Bits) -> Bits:
    """Return the fields behind the pawns `others`, seen from the fields `front` beside them."""
    landed = 0
    for shift in (1, 7, 8, 9):
        landed |= ((front << shift) & others) << shift
        landed |= ((front >> shift) & others) >> shift
    return landed


@kernel
def play_pawn(state: State, pawn: Index, field: Index) -> None:
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
def play_pass(state: State) -> None:
    """Pass, with the option `allow_pass` (C1)."""
    note_declined(state, NO_PAWN)
    state.passes += 1
    state.to_move = 1 - state.to_move


@kernel
def note_declined(state: State, entering: Index) -> None:
    """Note the pawns that could enter the ring now but do not: public evidence that they are not the seat's."""
    ring = BIT[state.ring]
    occupied = occupied_fields(state)
    if occupied & ring != 0 or occupied & NEIGHBOURS[state.ring] == 0:
        return
    free = ALL_FIELDS & ~occupied
    # Backwards from the ring; never over the field that the pawn has left, as jumps go two rows or columns on
    could_enter = jump(fields_by_jumps(ring, occupied, free, ring) | ring, occupied) | NEIGHBOURS[state.ring]
    for pawn in range(PAWNS):
        if pawn != entering and BIT[state.pawns[pawn]] & could_enter != 0:
            state.declined[state.to_move] |= 1 << pawn


# Getting a ring (R17 to R19)


@kernel
def enter_ring(state: State, pawn: Index) -> None:
    """Win the ring with the own pawn (R17), for the opponent if both chose it (R18); another blocks it (C6, C17)."""
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
def play_accusation(state: State, pawn: Index) -> None:
    """Name the opponent's pawn: if right, the accuser gets the ring, else the opponent does (R19, C8, C9)."""
    seat, opponent = state.to_move, 1 - state.to_move
    if state.chosen[opponent] == pawn:
        finish_round(state, seat, ACCUSED_RIGHT, pawn)
    else:
        finish_round(state, opponent, ACCUSED_WRONG, pawn)


@kernel
def finish_round(state: State, winner: Seat, ending: int, pawn: Index) -> None:
    """Show discs, give the ring to the winner, then start the next round or end the game (R2, R7, R8, R11, R20)."""
    number = state.rounds_played
    state.winners[number] = winner
    state.endings[number] = ending
    state.named[number] = pawn
    for seat in range(SEATS):
        if state.options[REVEAL] == REVEAL_ALL or proves_ending(seat, winner, ending):
            state.shown[number, seat] = state.chosen[seat]
    state.rounds_played += 1
    state.rings[winner] += 1
    state.starter = winner
    clear_round(state)
    start_round(state)
    if state.rings[winner] == RINGS_TO_WIN:
        state.end_reason = EndReason.FOUR_RINGS
        state.to_move = NOBODY


@kernel
def proves_ending(seat: Seat, winner: Seat, ending: int) -> bool:
    """Whether a seat's disc proves how the round ended (C16)."""
    if ending == SAME_PAWN:
        return True
    if ending == ACCUSED_RIGHT:
        return seat != winner
    return seat == winner


@kernel
def scores(state: State, out: Points) -> None:
    """Write the rings won."""
    for seat in range(SEATS):
        out[seat] = state.rings[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: most rings first (R2)."""
    rank_by_score(state.rings, SEATS, False, out)


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rings have been won."""
    return state.rounds_played
