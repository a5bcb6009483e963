"""Random games, checked at every move, for any game.

`buffers.py` has the arrays that a walk works on, `walk_checks.py` the checks that start walks.
"""

from __future__ import annotations

import math

import numpy as np

from tablee.core.compilation import inlined_kernel, kernel
from tablee.core.kernels import (
    disguise,
    finished_rounds,
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
from tablee.core.randomness import below
from tablee.core.state import NOBODY, SPECTATOR, TRUTH
from tablee.core.types import Index, Seat, State
from tablee.testing.buffers import GUARD, MAX_CODES, SENTINEL, WalkBuffers
from tablee.testing.faults import Fault

# Indices of the states in `WalkBuffers.states`
STATE, SIGHT, WORLD, WORLD_SIGHT = range(4)

VIEWER, DETAIL, MOVE = range(3)  # indices of `WalkBuffers.found`
SCORES, RANKS, EARLIER_SCORES = range(3)  # indices of `WalkBuffers.points`
# Indices of `WalkBuffers.limits`
MOVES, MAX_LEGAL, MAX_LENGTH, LOWEST_SCORE, HIGHEST_SCORE, REFUSAL_STRIDE, LOW_SCORE_WINS, FIRST_POSITIONS = range(8)

# What a walk can check at each position: of the state itself, and of what each viewer gets
LENGTH, PROBLEMS, LEGAL_MOVES, REFUSALS, TURN, SCORE_BOUNDS, MOVER, ROUNDS, SCORE_CHANGES, RANKING = range(10)
SIGHTS, LEAK, REACH, IMAGINE, OBSERVE, PUBLIC_ROUNDS = VIEWER_LAWS = range(10, 16)
WORLD_LAWS = (LEAK, REACH, IMAGINE, PUBLIC_ROUNDS)  # of these, the ones that imagine or disguise states


# Two walks. The checks are inlined: Numba would optimise everything they call again at each level of calls.


@kernel
def walk_positions(buffers: WalkBuffers, law: int, stride: int, max_moves: int) -> tuple[int, int]:
    """Play a dealt state at random, to its end or for `max_moves` moves; check the first positions and one in `stride`.

    Returns the fault found, 0 for none, and the number of moves played.
    """
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    buffers.found[VIEWER] = TRUTH
    buffers.rounds[0] = -1
    number = 0
    while True:
        buffers.found[MOVE] = number
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == max_moves
        fault = 0
        if not is_last and not is_checked(buffers, number, stride):
            pass
        elif law == LENGTH:
            fault = fault_of_length(buffers, number)
        elif law == PROBLEMS:
            fault = fault_of_problems(buffers)
        elif law == LEGAL_MOVES:
            fault = fault_of_moves(buffers, count)
        elif law == REFUSALS:
            fault = fault_of_refusals(buffers, count, number)
        elif law == TURN:
            fault = fault_of_turn(buffers)
        elif law == SCORE_BOUNDS:
            fault = fault_of_scores(buffers)
        elif law == MOVER:
            fault = fault_of_mover(buffers, count)
        elif law == ROUNDS:
            fault = fault_of_rounds(buffers)
        elif law == SCORE_CHANGES:
            fault = fault_of_score_change(buffers)
        elif law == RANKING:
            fault = fault_of_ranking(buffers)
        if fault != 0 or is_last:
            return fault, number
        play(state, moves[below(buffers.chance[0], count)])
        number += 1


@kernel
def walk_viewers(buffers: WalkBuffers, law: int, stride: int, max_moves: int) -> tuple[int, int]:
    """Walk like `walk_positions`, and check what each seat and a spectator get."""
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    number = 0
    while True:
        buffers.found[MOVE] = number
        count = legal_moves(state, moves)
        is_last = count == 0 or state.end_reason != 0 or number == max_moves
        viewers = state.seats if is_last or is_checked(buffers, number, stride) else SPECTATOR
        for seat in range(SPECTATOR, viewers):
            buffers.found[VIEWER] = seat
            write_sight(buffers, STATE, seat, SIGHT)
            fault = 0
            if law == SIGHTS:
                fault = fault_of_sight(buffers, seat)
            elif law == LEAK or law == REACH:
                fault = fault_of_leak(buffers, law, seat, count)
            elif law == IMAGINE:
                fault = fault_of_imagination(buffers, seat, count)
            elif law == OBSERVE:
                fault = fault_of_observation(buffers, seat)
            elif law == PUBLIC_ROUNDS:
                fault = fault_of_public_rounds(buffers, seat)
            if fault != 0:
                return fault, number
        if is_last:
            return 0, number
        play(state, moves[below(buffers.chance[0], count)])
        number += 1


@inlined_kernel
def is_checked(buffers: WalkBuffers, number: int, stride: int) -> bool:
    """Whether the position after so many moves is checked."""
    return number % stride == 0 or number < buffers.limits[FIRST_POSITIONS]


@inlined_kernel
def write_sight(buffers: WalkBuffers, state: Index, seat: Seat, sight: Index) -> None:
    """Write what a viewer knows of a state over zeros: bytes that `see` leaves out have a check of their own."""
    buffers.raw[sight] = 0
    see(buffers.states[state], seat, buffers.states[sight])


@inlined_kernel
def fault_of_length(buffers: WalkBuffers, number: int) -> int:
    """Check that the game is over within `max_game_length` moves."""
    buffers.found[DETAIL] = number
    is_too_long = number >= buffers.limits[MAX_LENGTH] and buffers.states[STATE].end_reason == 0
    return Fault.GOES_ON if is_too_long else 0


@inlined_kernel
def fault_of_problems(buffers: WalkBuffers) -> int:
    """Check that no invariant is broken."""
    buffers.found[DETAIL] = problems(buffers.states[STATE])
    return Fault.HAS_PROBLEMS if buffers.found[DETAIL] != 0 else 0


@inlined_kernel
def fault_of_moves(buffers: WalkBuffers, count: int) -> int:
    """Check that moves are ascending, in range, not too many, and none exactly when the game is over."""
    moves = buffers.listed[0]
    is_over = buffers.states[STATE].end_reason != 0
    buffers.found[DETAIL] = count
    if count > buffers.limits[MAX_LEGAL]:
        return Fault.TOO_MANY
    if count == 0 and not is_over:
        return Fault.STUCK
    if count != 0 and is_over:
        return Fault.MOVES_AFTER_END
    for index in range(count):
        if moves[index] < 0 or moves[index] >= buffers.limits[MOVES]:
            buffers.found[DETAIL] = moves[index]
            return Fault.NOT_A_MOVE
        if index > 0 and moves[index] <= moves[index - 1]:
            buffers.found[DETAIL] = index
            return Fault.NOT_ASCENDING
    return 0


@inlined_kernel
def fault_of_refusals(buffers: WalkBuffers, count: int, number: int) -> int:
    """Check that the code is 0 exactly for the listed moves, and else one of `Refusal`."""
    state = buffers.states[STATE]
    moves = buffers.listed[0]
    is_listed = np.zeros(buffers.limits[MOVES], np.bool_)
    for index in range(count):
        is_listed[moves[index]] = True
        buffers.found[DETAIL] = moves[index]
        if refusal(state, moves[index]) != 0:
            return Fault.REFUSES_LISTED
    if number % buffers.limits[REFUSAL_STRIDE] != 0:
        return 0
    for move in range(buffers.limits[MOVES]):
        code = refusal(state, move)
        buffers.found[DETAIL] = move
        if code == 0 and not is_listed[move]:
            return Fault.ALLOWS_UNLISTED
        buffers.found[DETAIL] = code
        if code != 0 and (code < 0 or code >= MAX_CODES or not buffers.is_code[code]):
            return Fault.UNKNOWN_CODE
    return 0


@inlined_kernel
def fault_of_turn(buffers: WalkBuffers) -> int:
    """Check that a seat is on turn exactly until the game is over, and `viewer` stays TRUTH."""
    state = buffers.states[STATE]
    buffers.found[DETAIL] = state.to_move
    if state.end_reason == 0 and (state.to_move < 0 or state.to_move >= state.seats):
        return Fault.NO_SEAT
    if state.end_reason != 0 and state.to_move != NOBODY:
        return Fault.SEAT_AFTER_END
    buffers.found[DETAIL] = state.viewer
    return Fault.NOT_TRUE if state.viewer != TRUTH else 0


@inlined_kernel
def fault_of_scores(buffers: WalkBuffers) -> int:
    """Check that scores are within bounds, and final ranks are one more than the number of better seats."""
    state = buffers.states[STATE]
    points, placing = buffers.points[SCORES], buffers.points[RANKS]
    scores(state, points)
    for seat in range(state.seats):
        buffers.found[DETAIL] = points[seat]
        if points[seat] < buffers.limits[LOWEST_SCORE] or points[seat] > buffers.limits[HIGHEST_SCORE]:
            return Fault.SCORE_OUTSIDE
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
            return Fault.WRONG_RANK
    return 0


@inlined_kernel
def fault_of_ranking(buffers: WalkBuffers) -> int:
    """Check that no seat is ranked better than one with a better score."""
    state = buffers.states[STATE]
    points, placing = buffers.points[SCORES], buffers.points[RANKS]
    if state.end_reason == 0:
        return 0
    scores(state, points)
    ranks(state, placing)
    sign = -1 if buffers.limits[LOW_SCORE_WINS] != 0 else 1
    for seat in range(state.seats):
        for other in range(state.seats):
            buffers.found[DETAIL] = seat
            if placing[seat] < placing[other] and sign * points[seat] < sign * points[other]:
                return Fault.RANKED_AGAINST_SCORES
    return 0


@inlined_kernel
def fault_of_rounds(buffers: WalkBuffers) -> int:
    """Check that `finished_rounds` is 0 at the deal, not 0 at the end, and never decreases."""
    state = buffers.states[STATE]
    rounds = finished_rounds(state)
    earlier = buffers.rounds[0]
    buffers.rounds[0] = rounds
    buffers.found[DETAIL] = rounds
    if earlier < 0:
        return Fault.ROUNDS_AT_DEAL if rounds != 0 else 0
    if state.end_reason != 0 and rounds == 0:
        return Fault.NO_ROUND_AT_END
    return Fault.ROUNDS_DECREASE if rounds < earlier else 0


@inlined_kernel
def fault_of_score_change(buffers: WalkBuffers) -> int:
    """Check that scores are those of the previous checked position if no round has ended since."""
    state = buffers.states[STATE]
    points, earlier_points = buffers.points[SCORES], buffers.points[EARLIER_SCORES]
    rounds = finished_rounds(state)
    scores(state, points)
    changed = -1
    for seat in range(state.seats):
        if points[seat] != earlier_points[seat]:
            changed = seat
        earlier_points[seat] = points[seat]
    is_fault = changed >= 0 and rounds == buffers.rounds[0]
    buffers.rounds[0] = rounds
    buffers.found[DETAIL] = changed
    return Fault.SCORES_WITHOUT_ROUND if is_fault else 0


@inlined_kernel
def fault_of_sight(buffers: WalkBuffers, seat: Seat) -> int:
    """Check that a sight names its viewer, hides the generator, and is written completely."""
    buffers.found[DETAIL] = buffers.states[SIGHT].viewer
    if buffers.found[DETAIL] != seat:
        return Fault.WRONG_VIEWER
    for byte in range(len(buffers.is_generator)):
        if buffers.is_generator[byte] and buffers.raw[SIGHT, byte] != 0:
            buffers.found[DETAIL] = byte
            return Fault.GENERATOR_SHOWN
    buffers.raw[WORLD_SIGHT] = buffers.garbage
    see(buffers.states[STATE], seat, buffers.states[WORLD_SIGHT])
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    return Fault.NOT_WRITTEN if buffers.found[DETAIL] >= 0 else 0


@inlined_kernel
def fault_of_mover(buffers: WalkBuffers, count: int) -> int:
    """Check that the seat that makes a move may know it."""
    state = buffers.states[STATE]
    buffers.found[VIEWER] = state.to_move
    for index in range(count):
        buffers.found[DETAIL] = buffers.listed[0][index]
        if not sees_move(state, buffers.listed[0][index], state.to_move):
            return Fault.HIDDEN_FROM_MOVER
    return 0


@inlined_kernel
def fault_of_leak(buffers: WalkBuffers, law: int, seat: Seat, count: int) -> int:
    """Check that a disguised state gives its viewer the same sight and moves, or mark what `disguise` reaches."""
    state, world = buffers.states[STATE], buffers.states[WORLD]
    buffers.raw[WORLD] = buffers.raw[STATE]
    disguise(world, seat, buffers.chance[1])
    if law == REACH:
        mark_reach(buffers)
        return 0
    buffers.found[DETAIL] = problems(world)
    if buffers.found[DETAIL] != 0:
        return Fault.DISGUISE_PROBLEMS
    write_sight(buffers, WORLD, seat, WORLD_SIGHT)
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    if buffers.found[DETAIL] >= 0:
        return Fault.SIGHT_LEAKS
    if state.to_move == seat and not has_same_moves(buffers, world, count):
        return Fault.MOVES_LEAK
    for index in range(count):
        move = buffers.listed[0][index]
        buffers.found[DETAIL] = move
        if refusal(world, move) == 0 and sees_move(state, move, seat) != sees_move(world, move, seat):
            return Fault.MOVE_LEAKS
    return 0


@inlined_kernel
def mark_reach(buffers: WalkBuffers) -> None:
    """Mark the bytes that are hidden from the viewer, and those of them that `disguise` has changed."""
    for byte in range(len(buffers.is_viewer)):
        if buffers.raw[STATE, byte] != buffers.raw[SIGHT, byte] and not buffers.is_viewer[byte]:
            buffers.hidden[byte] = True
            if buffers.raw[WORLD, byte] != buffers.raw[STATE, byte]:
                buffers.reached[byte] = True


@inlined_kernel
def fault_of_imagination(buffers: WalkBuffers, seat: Seat, count: int) -> int:
    """Check that an imagined world is a valid state with a key, and gives its viewer the same sight and moves."""
    world = buffers.states[WORLD]
    buffers.raw[WORLD] = buffers.raw[SIGHT]
    imagine(world, seat, buffers.chance[1])
    buffers.found[DETAIL] = world.viewer
    if world.viewer != TRUTH:
        return Fault.WORLD_NOT_TRUE
    if not has_key(world):
        return Fault.WORLD_WITHOUT_KEY
    buffers.found[DETAIL] = problems(world)
    if buffers.found[DETAIL] != 0:
        return Fault.WORLD_PROBLEMS
    write_sight(buffers, WORLD, seat, WORLD_SIGHT)
    buffers.found[DETAIL] = first_difference(buffers, SIGHT, WORLD_SIGHT)
    if buffers.found[DETAIL] >= 0:
        return Fault.WORLD_DIFFERS
    if buffers.states[STATE].to_move == seat and not has_same_moves(buffers, world, count):
        return Fault.WORLD_MOVES_DIFFER
    return 0


@inlined_kernel
def fault_of_observation(buffers: WalkBuffers, seat: Seat) -> int:
    """Check that every number of the layout is finite, and nothing is written behind them."""
    numbers = buffers.numbers
    size = len(numbers) - GUARD
    numbers[:size] = 0.0
    numbers[size:] = SENTINEL
    observe(buffers.states[SIGHT], seat, numbers)
    for index in range(size):
        if not math.isfinite(numbers[index]):
            buffers.found[DETAIL] = index
            return Fault.NOT_FINITE
    for index in range(size, len(numbers)):
        if numbers[index] != SENTINEL:
            return Fault.BEYOND_LAYOUT
    return 0


@inlined_kernel
def fault_of_public_rounds(buffers: WalkBuffers, seat: Seat) -> int:
    """Check that the viewer knows `finished_rounds`, and that `disguise` and `imagine` keep it."""
    world = buffers.states[WORLD]
    rounds = finished_rounds(buffers.states[STATE])
    buffers.found[DETAIL] = finished_rounds(buffers.states[SIGHT])
    if buffers.found[DETAIL] != rounds:
        return Fault.ROUNDS_IN_SIGHT
    buffers.raw[WORLD] = buffers.raw[STATE]
    disguise(world, seat, buffers.chance[1])
    buffers.found[DETAIL] = finished_rounds(world)
    if buffers.found[DETAIL] != rounds:
        return Fault.ROUNDS_IN_DISGUISE
    buffers.raw[WORLD] = buffers.raw[SIGHT]
    imagine(world, seat, buffers.chance[1])
    buffers.found[DETAIL] = finished_rounds(world)
    return Fault.ROUNDS_IN_WORLD if buffers.found[DETAIL] != rounds else 0


@inlined_kernel
def has_same_moves(buffers: WalkBuffers, world: State, count: int) -> bool:
    """Whether a world has the same legal moves as the state."""
    if legal_moves(world, buffers.listed[1]) != count:
        return False
    for index in range(count):
        if buffers.listed[0][index] != buffers.listed[1][index]:
            return False
    return True


@inlined_kernel
def has_key(state: State) -> bool:
    """Whether a state's generator has a key."""
    for word in range(8):
        if state.generator.key[word] != 0:
            return True
    return False


@inlined_kernel
def first_difference(buffers: WalkBuffers, one: Index, other: Index) -> Index:
    """Return the first byte in which two of the states differ, -1 if they are equal."""
    for word in range(buffers.words.shape[1]):
        if buffers.words[one, word] != buffers.words[other, word]:
            byte = 8 * word
            while buffers.raw[one, byte] == buffers.raw[other, byte]:
                byte += 1
            return byte
    return -1
