"""Random games, checked law by law at every move, for any game.

All kernels of the suite are in this file, because Numba's cache notices an edit in the file it compiles, and the digest
of `core/compilation.py` leaves this folder out, so that writing a check does not recompile the games.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tablee.core.compilation import inlined_kernel, is_interpreted, kernel
from tablee.core.fields import with_attributes
from tablee.core.game import Game
from tablee.core.kernels import (
    disguise,
    imagine,
    legal_moves,
    observe,
    play,
    problems,
    ranks,
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
    3: "{detail} moves are listed, more than `max_legal_moves`",
    4: "move {detail} is listed, which is no move",
    5: "the list of legal moves is not strictly ascending at place {detail}",
    6: "no move is legal, and the game is not over",
    7: "moves are still listed, and the game is over",
    8: "`refusal` refuses move {detail}, which is listed",
    9: "`refusal` allows move {detail}, which is not listed",
    10: "`refusal` returns the code {detail}, which `Refusal` does not declare",
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
MAX_CODES = 256
# A game with more moves than this has all its refusals looked at in fewer positions.
ALL_REFUSED = 50 if is_interpreted() else 500


class WalkBuffers(NamedTuple):
    """The arrays of a walk, made once per game."""

    states: Any  # (5,) records: STATE, SIGHT, WORLD, WORLD_SIGHT, SAVED
    raw: Any  # (5, bytes): the same memory
    words: Any  # (5, bytes / 8) uint64: the same memory, which is compared word by word
    listed: Any  # (2, room) int32: legal moves, of the true record and of another
    numbers: Any  # (layout + GUARD,) float32: an observation
    points: Any  # (2, seats) int64
    is_code: Any  # (MAX_CODES,) bool: the codes of `Refusal`
    generator: Any  # (bytes,) bool: where the record keeps its generator
    stain: Any  # (bytes,) uint8: what `see` must write over; nothing in the padding, which belongs to nobody
    label: Any  # (bytes,) bool: where the record says whose sight it is, which is no secret
    hidden: Any  # (bytes,) bool: was unlike the sight, for some viewer
    reached: Any  # (bytes,) bool: was changed by `disguise` while it was hidden
    chance: Any  # (2,) generators: one chooses the moves, one serves `imagine` and `disguise`
    limits: Any  # (6,) int64: moves, max_legal_moves, longest, lowest score, highest score, and
    # every how many positions all refusals are looked at, not only those of the listed moves
    found: Any  # (2,) int64: viewer and detail of the fault


def new_buffers(game: Game) -> WalkBuffers:
    """Lay out the arrays for walks through a game."""
    dtype = game.kernels.state_type
    raw = np.zeros((5, dtype.itemsize), np.uint8)
    is_code = np.zeros(MAX_CODES, np.bool_)
    is_code[list(game.kernels.refusal_codes)] = True
    size = game.kernels.observation.size
    return WalkBuffers(
        states=raw.reshape(-1).view(with_attributes(dtype)),
        raw=raw,
        words=raw.view(np.uint64),
        listed=np.zeros((2, max(game.moves, game.max_legal_moves) + 1), np.int32),
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
            [game.moves, game.max_legal_moves, game.max_game_length, *game.score_bounds, 1 + game.moves // ALL_REFUSED],
            np.int64,
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
def walk_positions(buffers, law, stride, most):
    """Play a dealt record at random, to its end or for `most` moves; look for a fault in every `stride`-th position.

    Returns the fault, 0 if there is none, and after how many moves it stopped.
    """
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    buffers.found[VIEWER] = TRUTH
    number = 0
    while True:
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == most
        fault = 0
        if not is_last and number % stride != 0:
            pass
        elif law == ENDS:
            fault = fault_of_length(buffers, number)
        elif law == PROBLEMS:
            fault = fault_of_problems(buffers)
        elif law == MOVES:
            fault = fault_of_moves(buffers, count)
        elif law == REFUSALS:
            fault = fault_of_refusals(buffers, count, number)
        elif law == TURN:
            fault = fault_of_turn(buffers)
        elif law == SCORES:
            fault = fault_of_scores(buffers)
        elif law == MOVER:
            fault = fault_of_mover(buffers, count)
        if fault != 0 or is_last:
            return fault, number
        play(state, moves[below(buffers.chance[0], count)])
        number += 1


@kernel
def walk_viewers(buffers, law, stride, most):
    """Walk like `walk_positions`, and look for a fault in what each seat and a spectator get."""
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    number = 0
    while True:
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == most
        viewers = state.seats if is_last or number % stride == 0 else SPECTATOR
        for seat in range(SPECTATOR, viewers):
            buffers.found[VIEWER] = seat
            look(buffers, STATE, seat, SIGHT)
            fault = 0
            if law == SIGHTS:
                fault = fault_of_sight(buffers, seat)
            elif law == LEAK or law == REACH:
                fault = fault_of_leak(buffers, law, seat, count)
            elif law == IMAGINE:
                fault = fault_of_imagination(buffers, seat, count)
            elif law == OBSERVE:
                fault = fault_of_observation(buffers, seat)
            if fault != 0:
                return fault, number
        if is_last:
            return 0, number
        play(state, moves[below(buffers.chance[0], count)])
        number += 1


@inlined_kernel
def look(buffers, state, seat, sight):
    """Write what a viewer knows of a record over nothing: what `see` leaves out has a check of its own."""
    buffers.raw[sight] = 0
    see(buffers.states[state], seat, buffers.states[sight])


@inlined_kernel
def fault_of_length(buffers, number):
    """See whether the game is over within `longest` moves."""
    buffers.found[DETAIL] = number
    return GOES_ON if number >= buffers.limits[2] and buffers.states[STATE].end_reason == 0 else 0


@inlined_kernel
def fault_of_problems(buffers):
    """See whether nothing is broken."""
    buffers.found[DETAIL] = problems(buffers.states[STATE])
    return HAS_PROBLEMS if buffers.found[DETAIL] != 0 else 0


@inlined_kernel
def fault_of_moves(buffers, count):
    """See whether moves are ascending, in range, not too many; none exactly when the game is over."""
    moves = buffers.listed[0]
    is_over = buffers.states[STATE].end_reason != 0
    buffers.found[DETAIL] = count
    if count > buffers.limits[1]:
        return TOO_MANY
    if count == 0 and not is_over:
        return STUCK
    if count != 0 and is_over:
        return MOVES_AFTER_END
    for index in range(count):
        if moves[index] < 0 or moves[index] >= buffers.limits[0]:
            buffers.found[DETAIL] = moves[index]
            return NO_MOVE
        if index > 0 and moves[index] <= moves[index - 1]:
            buffers.found[DETAIL] = index
            return NOT_ASCENDING
    return 0


@inlined_kernel
def fault_of_refusals(buffers, count, number):
    """See whether the code is 0 exactly for the listed moves, and else one of `Refusal`."""
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    is_listed = np.zeros(buffers.limits[0], np.bool_)
    for index in range(count):
        is_listed[moves[index]] = True
        buffers.found[DETAIL] = moves[index]
        if refusal(state, moves[index]) != 0:
            return REFUSES_LISTED
    if number % buffers.limits[5] != 0:
        return 0
    for move in range(buffers.limits[0]):
        code = refusal(state, move)
        buffers.found[DETAIL] = move
        if code == 0 and not is_listed[move]:
            return ALLOWS_UNLISTED
        buffers.found[DETAIL] = code
        if code != 0 and (code < 0 or code >= MAX_CODES or not buffers.is_code[code]):
            return UNKNOWN_CODE
    return 0


@inlined_kernel
def fault_of_turn(buffers):
    """See whether a seat is on turn exactly until the game is over, and the record stays a true one."""
    state = buffers.states[STATE]
    buffers.found[DETAIL] = state.to_move
    if state.end_reason == 0 and (state.to_move < 0 or state.to_move >= state.seats):
        return NO_SEAT
    if state.end_reason != 0 and state.to_move != NOBODY:
        return SEAT_AFTER_END
    buffers.found[DETAIL] = state.viewer
    return NOT_TRUE if state.viewer != TRUTH else 0


@inlined_kernel
def fault_of_scores(buffers):
    """See whether scores are within bounds, and at the end each place is one more than the seats in better ones."""
    state = buffers.states[STATE]
    points, placing = buffers.points[0], buffers.points[1]
    scores(state, points)
    for seat in range(state.seats):
        buffers.found[DETAIL] = points[seat]
        if points[seat] < buffers.limits[3] or points[seat] > buffers.limits[4]:
            return SCORE_OUTSIDE
    if state.end_reason == 0:
        return 0
    ranks(state, placing)
    for seat in range(state.seats):
        better = 0
        for other in range(state.seats):
            if placing[other] < placing[seat]:
                better += 1
        buffers.found[DETAIL] = placing[seat]
        if placing[seat] != better + 1:
            return WRONG_PLACE
    return 0


@inlined_kernel
def fault_of_sight(buffers, seat):
    """See whether a sight says whose it is, shows no generator, and is written whatever was there before."""
    buffers.found[DETAIL] = buffers.states[SIGHT].viewer
    if buffers.found[DETAIL] != seat:
        return WRONG_VIEWER
    for byte in range(len(buffers.generator)):
        if buffers.generator[byte] and buffers.raw[SIGHT, byte] != 0:
            buffers.found[DETAIL] = byte
            return GENERATOR_SHOWN
    buffers.raw[WORLD_SIGHT] = buffers.stain
    see(buffers.states[STATE], seat, buffers.states[WORLD_SIGHT])
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    return NOT_WRITTEN if buffers.found[DETAIL] >= 0 else 0


@inlined_kernel
def fault_of_mover(buffers, count):
    """See whether who makes a move may know it."""
    state = buffers.states[STATE]
    buffers.found[VIEWER] = state.to_move
    for index in range(count):
        buffers.found[DETAIL] = buffers.listed[0][index]
        if not sees_move(state, buffers.listed[0][index], state.to_move):
            return MOVER_BLIND
    return 0


@inlined_kernel
def fault_of_leak(buffers, law, seat, count):
    """See whether a disguised record gives its viewer the same sight and moves, or mark its reach."""
    state, world = buffers.states[STATE], buffers.states[WORLD]
    buffers.raw[WORLD] = buffers.raw[STATE]
    disguise(world, seat, buffers.chance[1])
    if law == REACH:
        mark_reach(buffers)
        return 0
    buffers.found[DETAIL] = problems(world)
    if buffers.found[DETAIL] != 0:
        return DISGUISE_PROBLEMS
    look(buffers, WORLD, seat, WORLD_SIGHT)
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    if buffers.found[DETAIL] >= 0:
        return SIGHT_LEAKS
    if state.to_move == seat and not has_same_moves(buffers, world, count):
        return MOVES_LEAK
    for index in range(count):
        move = buffers.listed[0][index]
        buffers.found[DETAIL] = move
        if refusal(world, move) == 0 and sees_move(state, move, seat) != sees_move(world, move, seat):
            return MOVE_LEAKS
    return 0


@inlined_kernel
def mark_reach(buffers):
    """Mark the bytes that are hidden in the sight, and those of them that `disguise` has changed."""
    for byte in range(len(buffers.label)):
        if buffers.raw[STATE, byte] != buffers.raw[SIGHT, byte] and not buffers.label[byte]:
            buffers.hidden[byte] = True
            if buffers.raw[WORLD, byte] != buffers.raw[STATE, byte]:
                buffers.reached[byte] = True


@inlined_kernel
def fault_of_imagination(buffers, seat, count):
    """See whether an imagined world is true, whole and fresh, and the same to its viewer in sight and moves."""
    world = buffers.states[WORLD]
    buffers.raw[WORLD] = buffers.raw[SIGHT]
    imagine(world, seat, buffers.chance[1])
    buffers.found[DETAIL] = world.viewer
    if world.viewer != TRUTH:
        return WORLD_NOT_TRUE
    if not has_key(world):
        return WORLD_WITHOUT_CHANCE
    buffers.found[DETAIL] = problems(world)
    if buffers.found[DETAIL] != 0:
        return WORLD_PROBLEMS
    look(buffers, WORLD, seat, WORLD_SIGHT)
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    if buffers.found[DETAIL] >= 0:
        return WORLD_DIFFERS
    if buffers.states[STATE].to_move == seat and not has_same_moves(buffers, world, count):
        return WORLD_MOVES_DIFFER
    return 0


@inlined_kernel
def fault_of_observation(buffers, seat):
    """See whether every number of the layout is finite, and nothing is written behind them."""
    numbers = buffers.numbers
    size = len(numbers) - GUARD
    numbers[:size] = 0.0
    numbers[size:] = SENTINEL
    observe(buffers.states[SIGHT], seat, numbers)
    for index in range(size):
        if not math.isfinite(numbers[index]):
            buffers.found[DETAIL] = index
            return NOT_FINITE
    for index in range(size, len(numbers)):
        if numbers[index] != SENTINEL:
            return BEYOND_LAYOUT
    return 0


@inlined_kernel
def has_same_moves(buffers, world, count):
    """Say whether another record lists the same moves as the one on the desk."""
    if legal_moves(world, buffers.listed[1]) != count:
        return False
    for index in range(count):
        if buffers.listed[0][index] != buffers.listed[1][index]:
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
def first_difference(buffers, one, other):
    """Return the first byte in which two of the records differ, -1 if they are equal."""
    for word in range(buffers.words.shape[1]):
        if buffers.words[one, word] != buffers.words[other, word]:
            byte = 8 * word
            while buffers.raw[one, byte] == buffers.raw[other, byte]:
                byte += 1
            return byte
    return -1


@kernel
def count_leaves(states, listed, counts, tried, depth):
    """Count the sequences of `depth` moves from records[0]; the arrays have a row per depth."""
    leaves = 0
    level = 0
    counts[0] = legal_moves(states[0], listed[0])
    tried[0] = 0
    while level >= 0:
        if level == depth - 1:
            leaves += counts[level]
            level -= 1
        elif tried[level] == counts[level]:
            level -= 1
        else:
            states[level + 1] = states[level]
            play(states[level + 1], listed[level][tried[level]])
            tried[level] += 1
            level += 1
            counts[level] = legal_moves(states[level], listed[level])
            tried[level] = 0
    return leaves
