"""Random games, checked law by law at every move, for any game.

All kernels of the suite are in this file, because Numba's cache notices an edit in the file it compiles, and the digest
of `core/compiling.py` leaves this folder out, so that writing a check does not recompile the games.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tablee.core.compiling import inlined_kernel, is_interpreted, kernel
from tablee.core.fields import with_attributes
from tablee.core.game import Game
from tablee.core.kernels import (
    disguise,
    imagine,
    legal_moves,
    observe,
    places,
    play,
    problems,
    refusal,
    scores,
    see,
    sees_move,
)
from tablee.core.randomness import GENERATOR, below
from tablee.core.state import NOBODY, SPECTATOR, TRUTH

# Places of the records on a desk
STATE, SIGHT, WORLD, WORLD_SIGHT, SAVED = range(5)

VIEWER, DETAIL = range(2)  # places of `found`

# What a walk can check at each position: of the record itself, and of what each viewer gets
ENDS, PROBLEMS, MOVES, REFUSALS, TURN, SCORES, MOVER = range(7)
SIGHTS, LEAK, REACH, IMAGINE, OBSERVE = VIEWER_LAWS = range(7, 12)

# What can be found; 0 is nothing. The number kept beside a fault fills its {detail}.
FAULTS = {
    1: "the game goes on after {detail} moves, more than `longest`",
    2: "`problems` has the bits {detail:#b}",
    3: "{detail} moves are listed, more than `most_legal`",
    4: "move {detail} is listed, which is no move",
    5: "the list of legal moves is not strictly ascending at place {detail}",
    6: "no move is legal, and the game is not over",
    7: "moves are still listed, and the game is over",
    8: "`refusal` refuses move {detail}, which is listed",
    9: "`refusal` allows move {detail}, which is not listed",
    10: "`refusal` returns the code {detail}, which is not in REFUSALS",
    11: "`to_move` is {detail} in a game that goes on",
    12: "`to_move` is {detail} in a game that is over",
    13: "`viewer` is {detail} in a true record",
    14: "the score {detail} is outside `score_bounds`",
    15: "the place {detail} does not count the seats that are better",
    16: "a sight's `viewer` is {detail}",
    17: "a sight shows byte {detail} of the generator",
    18: "`see` leaves byte {detail} of `out` as it was",
    19: "the mover may not know his own move {detail}",
    20: "a record disguised from this viewer has the problems {detail:#b}",
    21: "byte {detail} of the sight gives away what is hidden",
    22: "the legal moves give away what is hidden",
    23: "`sees_move` gives away what is hidden, for move {detail}",
    24: "an imagined world has the problems {detail:#b}",
    25: "the imagined world does not look like the sight it was made from, at byte {detail}",
    26: "the viewer on turn has other legal moves in the imagined world",
    27: "the imagined world's `viewer` is {detail}",
    28: "the imagined world has no fresh chance to come",
    29: "number {detail} of the observation is not finite",
    30: "`observe` writes beyond its layout",
}
(
    GOES_ON,
    HAS_PROBLEMS,
    TOO_MANY,
    NO_MOVE,
    NOT_ASCENDING,
    STUCK,
    MOVES_AFTER_END,
    REFUSES_LISTED,
    ALLOWS_UNLISTED,
    UNKNOWN_CODE,
    NO_SEAT,
    SEAT_AFTER_END,
    NOT_TRUE,
    SCORE_OUTSIDE,
    WRONG_PLACE,
    WRONG_VIEWER,
    GENERATOR_SHOWN,
    NOT_WRITTEN,
    MOVER_BLIND,
    DISGUISE_PROBLEMS,
    SIGHT_LEAKS,
    MOVES_LEAK,
    MOVE_LEAKS,
    WORLD_PROBLEMS,
    WORLD_DIFFERS,
    WORLD_MOVES_DIFFER,
    WORLD_NOT_TRUE,
    WORLD_WITHOUT_CHANCE,
    NOT_FINITE,
    BEYOND_LAYOUT,
) = range(1, 31)

GUARD = 8  # numbers behind an observation that must stay as they are
SENTINEL = 77.5
MOST_CODES = 256
# A game with more moves than this has all its refusals looked at in fewer positions.
ALL_REFUSED = 50 if is_interpreted() else 500


class Desk(NamedTuple):
    """The arrays of a walk, made once per game."""

    records: Any  # (5,) records: STATE, SIGHT, WORLD, WORLD_SIGHT, SAVED
    raw: Any  # (5, bytes): the same memory
    words: Any  # (5, bytes / 8) uint64: the same memory, which is compared word by word
    listed: Any  # (2, room) int32: legal moves, of the true record and of another
    numbers: Any  # (layout + GUARD,) float32: an observation
    points: Any  # (2, seats) int64
    is_code: Any  # (MOST_CODES,) bool: the keys of REFUSALS
    generator: Any  # (bytes,) bool: where the record keeps its generator
    stain: Any  # (bytes,) uint8: what `see` must write over; nothing in the padding, which belongs to nobody
    label: Any  # (bytes,) bool: where the record says whose sight it is, which is no secret
    hidden: Any  # (bytes,) bool: was unlike the sight, for some viewer
    reached: Any  # (bytes,) bool: was changed by `disguise` while it was hidden
    chance: Any  # (2,) generators: one chooses the moves, one serves `imagine` and `disguise`
    limits: Any  # (6,) int64: moves, most_legal, longest, lowest score, highest score, and
    # every how many positions all refusals are looked at, not only those of the listed moves
    found: Any  # (2,) int64: viewer and detail of the fault


def new_desk(game: Game) -> Desk:
    """Lay out the arrays for walks through a game."""
    dtype = game.kernels.state_type
    raw = np.zeros((5, dtype.itemsize), np.uint8)
    is_code = np.zeros(MOST_CODES, np.bool_)
    is_code[list(game.kernels.refusals)] = True
    size = game.kernels.observation.size
    return Desk(
        records=raw.reshape(-1).view(with_attributes(dtype)),
        raw=raw,
        words=raw.view(np.uint64),
        listed=np.zeros((2, max(game.moves, game.most_legal) + 1), np.int32),
        numbers=np.zeros(size + GUARD, np.float32),
        points=np.zeros((2, game.seats.stop - 1), np.int64),
        is_code=is_code,
        generator=bytes_of_field(dtype, "generator"),
        stain=np.where(bytes_of_field(dtype, "padding"), 0, 255).astype(np.uint8),
        label=bytes_of_field(dtype, "viewer"),
        hidden=np.zeros(dtype.itemsize, np.bool_),
        reached=np.zeros(dtype.itemsize, np.bool_),
        chance=np.zeros(2, with_attributes(GENERATOR)),
        limits=np.array(
            [game.moves, game.most_legal, game.longest, *game.score_bounds, 1 + game.moves // ALL_REFUSED], np.int64
        ),
        found=np.zeros(2, np.int64),
    )


def bytes_of_field(dtype: np.dtype[Any], name: str) -> np.ndarray:
    """Mark the bytes of a record that hold a field."""
    marked = np.zeros(dtype.itemsize, np.bool_)
    if dtype.fields is not None and name in dtype.fields:
        field, offset = dtype.fields[name][:2]
        marked[offset : offset + field.itemsize] = True
    return marked


def say_fault(fault: int, detail: int) -> str:
    """Put a fault into words."""
    return FAULTS[fault].format(detail=detail)


# Two walks, into which the laws are written: Numba optimises all that a kernel calls again at every level.


@kernel
def walk_positions(desk, law, stride, most):
    """Play a dealt record at random, to its end or for `most` moves; look for a fault in every `stride`-th position.

    Returns the fault, 0 if there is none, and after how many moves it stopped.
    """
    state = desk.records[STATE]
    moves = desk.listed[0]
    desk.found[VIEWER] = TRUTH
    number = 0
    while True:
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == most
        fault = 0
        if not is_last and number % stride != 0:
            pass
        elif law == ENDS:
            fault = fault_of_length(desk, number)
        elif law == PROBLEMS:
            fault = fault_of_problems(desk)
        elif law == MOVES:
            fault = fault_of_moves(desk, count)
        elif law == REFUSALS:
            fault = fault_of_refusals(desk, count, number)
        elif law == TURN:
            fault = fault_of_turn(desk)
        elif law == SCORES:
            fault = fault_of_scores(desk)
        elif law == MOVER:
            fault = fault_of_mover(desk, count)
        if fault != 0 or is_last:
            return fault, number
        play(state, moves[below(desk.chance[0], count)])
        number += 1


@kernel
def walk_viewers(desk, law, stride, most):
    """Walk like `walk_positions`, and look for a fault in what each seat and a spectator get."""
    state = desk.records[STATE]
    moves = desk.listed[0]
    number = 0
    while True:
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == most
        viewers = state.seats if is_last or number % stride == 0 else SPECTATOR
        for seat in range(SPECTATOR, viewers):
            desk.found[VIEWER] = seat
            look(desk, STATE, seat, SIGHT)
            fault = 0
            if law == SIGHTS:
                fault = fault_of_sight(desk, seat)
            elif law == LEAK or law == REACH:
                fault = fault_of_leak(desk, law, seat, count)
            elif law == IMAGINE:
                fault = fault_of_imagination(desk, seat, count)
            elif law == OBSERVE:
                fault = fault_of_observation(desk, seat)
            if fault != 0:
                return fault, number
        if is_last:
            return 0, number
        play(state, moves[below(desk.chance[0], count)])
        number += 1


@inlined_kernel
def look(desk, record, seat, sight):
    """Write what a viewer knows of a record over nothing: what `see` leaves out has a check of its own."""
    desk.raw[sight] = 0
    see(desk.records[record], seat, desk.records[sight])


@inlined_kernel
def fault_of_length(desk, number):
    """See whether the game is over within `longest` moves."""
    desk.found[DETAIL] = number
    return GOES_ON if number >= desk.limits[2] and desk.records[STATE].end_reason == 0 else 0


@inlined_kernel
def fault_of_problems(desk):
    """See whether nothing is broken."""
    desk.found[DETAIL] = problems(desk.records[STATE])
    return HAS_PROBLEMS if desk.found[DETAIL] != 0 else 0


@inlined_kernel
def fault_of_moves(desk, count):
    """See whether moves are ascending, in range, not too many; none exactly when the game is over."""
    moves = desk.listed[0]
    is_over = desk.records[STATE].end_reason != 0
    desk.found[DETAIL] = count
    if count > desk.limits[1]:
        return TOO_MANY
    if count == 0 and not is_over:
        return STUCK
    if count != 0 and is_over:
        return MOVES_AFTER_END
    for place in range(count):
        if moves[place] < 0 or moves[place] >= desk.limits[0]:
            desk.found[DETAIL] = moves[place]
            return NO_MOVE
        if place > 0 and moves[place] <= moves[place - 1]:
            desk.found[DETAIL] = place
            return NOT_ASCENDING
    return 0


@inlined_kernel
def fault_of_refusals(desk, count, number):
    """See whether the code is 0 exactly for the listed moves, and else a key of REFUSALS."""
    state = desk.records[STATE]
    moves = desk.listed[0]
    is_listed = np.zeros(desk.limits[0], np.bool_)
    for place in range(count):
        is_listed[moves[place]] = True
        desk.found[DETAIL] = moves[place]
        if refusal(state, moves[place]) != 0:
            return REFUSES_LISTED
    if number % desk.limits[5] != 0:
        return 0
    for move in range(desk.limits[0]):
        code = refusal(state, move)
        desk.found[DETAIL] = move
        if code == 0 and not is_listed[move]:
            return ALLOWS_UNLISTED
        desk.found[DETAIL] = code
        if code != 0 and (code < 0 or code >= MOST_CODES or not desk.is_code[code]):
            return UNKNOWN_CODE
    return 0


@inlined_kernel
def fault_of_turn(desk):
    """See whether a seat is on turn exactly until the game is over, and the record stays a true one."""
    state = desk.records[STATE]
    desk.found[DETAIL] = state.to_move
    if state.end_reason == 0 and (state.to_move < 0 or state.to_move >= state.seats):
        return NO_SEAT
    if state.end_reason != 0 and state.to_move != NOBODY:
        return SEAT_AFTER_END
    desk.found[DETAIL] = state.viewer
    return NOT_TRUE if state.viewer != TRUTH else 0


@inlined_kernel
def fault_of_scores(desk):
    """See whether scores are within bounds, and at the end each place is one more than the seats in better ones."""
    state = desk.records[STATE]
    points, ranks = desk.points[0], desk.points[1]
    scores(state, points)
    for seat in range(state.seats):
        desk.found[DETAIL] = points[seat]
        if points[seat] < desk.limits[3] or points[seat] > desk.limits[4]:
            return SCORE_OUTSIDE
    if state.end_reason == 0:
        return 0
    places(state, ranks)
    for seat in range(state.seats):
        better = 0
        for other in range(state.seats):
            if ranks[other] < ranks[seat]:
                better += 1
        desk.found[DETAIL] = ranks[seat]
        if ranks[seat] != better + 1:
            return WRONG_PLACE
    return 0


@inlined_kernel
def fault_of_sight(desk, seat):
    """See whether a sight says whose it is, shows no generator, and is written whatever was there before."""
    desk.found[DETAIL] = desk.records[SIGHT].viewer
    if desk.found[DETAIL] != seat:
        return WRONG_VIEWER
    for byte in range(len(desk.generator)):
        if desk.generator[byte] and desk.raw[SIGHT, byte] != 0:
            desk.found[DETAIL] = byte
            return GENERATOR_SHOWN
    desk.raw[WORLD_SIGHT] = desk.stain
    see(desk.records[STATE], seat, desk.records[WORLD_SIGHT])
    desk.found[DETAIL] = first_difference(desk, SIGHT, WORLD_SIGHT)
    return NOT_WRITTEN if desk.found[DETAIL] >= 0 else 0


@inlined_kernel
def fault_of_mover(desk, count):
    """See whether who makes a move may know it."""
    state = desk.records[STATE]
    desk.found[VIEWER] = state.to_move
    for place in range(count):
        desk.found[DETAIL] = desk.listed[0][place]
        if not sees_move(state, desk.listed[0][place], state.to_move):
            return MOVER_BLIND
    return 0


@inlined_kernel
def fault_of_leak(desk, law, seat, count):
    """See whether a disguised record gives its viewer the same sight and moves, or mark its reach."""
    state, world = desk.records[STATE], desk.records[WORLD]
    desk.raw[WORLD] = desk.raw[STATE]
    disguise(world, seat, desk.chance[1])
    if law == REACH:
        mark_reach(desk)
        return 0
    desk.found[DETAIL] = problems(world)
    if desk.found[DETAIL] != 0:
        return DISGUISE_PROBLEMS
    look(desk, WORLD, seat, WORLD_SIGHT)
    desk.found[DETAIL] = first_difference(desk, SIGHT, WORLD_SIGHT)
    if desk.found[DETAIL] >= 0:
        return SIGHT_LEAKS
    if state.to_move == seat and not has_same_moves(desk, world, count):
        return MOVES_LEAK
    for place in range(count):
        move = desk.listed[0][place]
        desk.found[DETAIL] = move
        if refusal(world, move) == 0 and sees_move(state, move, seat) != sees_move(world, move, seat):
            return MOVE_LEAKS
    return 0


@inlined_kernel
def mark_reach(desk):
    """Mark the bytes that are hidden in the sight, and those of them that `disguise` has changed."""
    for byte in range(len(desk.label)):
        if desk.raw[STATE, byte] != desk.raw[SIGHT, byte] and not desk.label[byte]:
            desk.hidden[byte] = True
            if desk.raw[WORLD, byte] != desk.raw[STATE, byte]:
                desk.reached[byte] = True


@inlined_kernel
def fault_of_imagination(desk, seat, count):
    """See whether an imagined world is true, whole and fresh, and the same to its viewer in sight and moves."""
    world = desk.records[WORLD]
    desk.raw[WORLD] = desk.raw[SIGHT]
    imagine(world, seat, desk.chance[1])
    desk.found[DETAIL] = world.viewer
    if world.viewer != TRUTH:
        return WORLD_NOT_TRUE
    if not has_key(world):
        return WORLD_WITHOUT_CHANCE
    desk.found[DETAIL] = problems(world)
    if desk.found[DETAIL] != 0:
        return WORLD_PROBLEMS
    look(desk, WORLD, seat, WORLD_SIGHT)
    desk.found[DETAIL] = first_difference(desk, SIGHT, WORLD_SIGHT)
    if desk.found[DETAIL] >= 0:
        return WORLD_DIFFERS
    if desk.records[STATE].to_move == seat and not has_same_moves(desk, world, count):
        return WORLD_MOVES_DIFFER
    return 0


@inlined_kernel
def fault_of_observation(desk, seat):
    """See whether every number of the layout is finite, and nothing is written behind them."""
    numbers = desk.numbers
    size = len(numbers) - GUARD
    numbers[:size] = 0.0
    numbers[size:] = SENTINEL
    observe(desk.records[SIGHT], seat, numbers)
    for place in range(size):
        if not math.isfinite(numbers[place]):
            desk.found[DETAIL] = place
            return NOT_FINITE
    for place in range(size, len(numbers)):
        if numbers[place] != SENTINEL:
            return BEYOND_LAYOUT
    return 0


@inlined_kernel
def has_same_moves(desk, world, count):
    """Say whether another record lists the same moves as the one on the desk."""
    if legal_moves(world, desk.listed[1]) != count:
        return False
    for place in range(count):
        if desk.listed[0][place] != desk.listed[1][place]:
            return False
    return True


@inlined_kernel
def has_key(state):
    """Say whether a record's generator has a key."""
    for word in range(8):
        if state.generator.key[word] != 0:
            return True
    return False


@inlined_kernel
def first_difference(desk, one, other):
    """Return the first byte in which two of the records differ, -1 if they are equal."""
    for word in range(desk.words.shape[1]):
        if desk.words[one, word] != desk.words[other, word]:
            byte = 8 * word
            while desk.raw[one, byte] == desk.raw[other, byte]:
                byte += 1
            return byte
    return -1


@kernel
def count_leaves(records, listed, counts, tried, depth):
    """Count the sequences of `depth` moves from records[0]; the arrays have a row per depth."""
    leaves = 0
    level = 0
    counts[0] = legal_moves(records[0], listed[0])
    tried[0] = 0
    while level >= 0:
        if level == depth - 1:
            leaves += counts[level]
            level -= 1
        elif tried[level] == counts[level]:
            level -= 1
        else:
            records[level + 1] = records[level]
            play(records[level + 1], listed[level][tried[level]])
            tried[level] += 1
            level += 1
            counts[level] = legal_moves(records[level], listed[level])
            tried[level] = 0
    return leaves
