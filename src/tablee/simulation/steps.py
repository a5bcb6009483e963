"""One step of one game in a batch, for any game, on the CPU and inside CUDA kernels alike.

On the CPU the stubs find a game's kernels; for CUDA, `simulation/cuda.py` binds GAME_STEPS to one game's kernels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tablee.core.compilation import Kernel, inlined_kernel, lean_kernel
from tablee.core.kernels import deal, glimpse, legal_moves, observe, play, ranks, rate, refusal, scores
from tablee.core.randomness import below, start, uniform
from tablee.core.state import NOBODY
from tablee.core.types import Generator, Index, Move, Moves, Numbers, Points, Ratings, Seat, SightState, State, States

BY_RANKS, BY_POINTS, BY_NEGATIVE_POINTS = 0, 1, -1  # `utility`: what rewards are computed from
RANDOM, RATED = 0, 1  # `policy`: all moves with the same probability, or by softmax of the game's ratings

GAME_STEPS: list[Kernel] = []  # in order of definition, which is after the steps that each one calls


class BatchArrays(NamedTuple):
    """The memory of a batch: one row per game; `mask` and `observations` have no rows if they are not wanted."""

    states: Any  # (size,) states
    blank: Any  # (1,) state: the start of a deal
    keys: Any  # (size, 8) uint32: key of each game's generator
    streams: Any  # (size,) int64: stream of the key from which the game is dealt
    to_move: Any  # (size,) int32: the seat on turn, -1 when the game is over
    counts: Any  # (size,) int32: number of legal moves
    legal: Any  # (size, max_legal_moves) int32: the legal moves, ascending; entries from `counts` on are undefined
    mask: Any  # (size, moves) bool: True for legal moves
    observations: Any  # (size, numbers) float32: observation of the seat on turn
    points: Any  # (size, seats) int64: scores of the game that ended last
    ranks: Any  # (size, seats) int64: ranks in the game that ended last
    rewards: Any  # (size, seats) float32: zero unless the last step ended the game
    ended: Any  # (size,) bool: whether the last step ended the game
    returns: Any  # (size, seats) float32: sum of the rewards of all games that ended in rollouts
    finished: Any  # (size,) int32: number of games that ended in rollouts
    utility: int  # BY_RANKS, BY_POINTS or BY_NEGATIVE_POINTS
    stride: int  # added to a game's stream for the next deal


class Scratch(NamedTuple):
    """The working memory of one thread."""

    sights: Any  # (1,) state
    choices: Any  # (max_legal_moves,) int32
    ratings: Any  # (max_legal_moves,) float64


def game_step(step: Kernel) -> Kernel:
    """Register a step for CUDA, which compiles it again for each game."""
    GAME_STEPS.append(step)
    return step


# One game. `slot` is an array of one state: the game's own, in the batch or in shared memory.


@game_step
@inlined_kernel
def deal_game(slot: States, blank: States, key: Any, stream: int) -> None:
    """Deal into `slot[0]` as a match with this key and stream would."""
    slot[0] = blank[0]
    state = slot[0]
    for word in range(8):
        state.generator.key[word] = key[word]
    start(state.generator, stream)
    deal(state)


@game_step
@inlined_kernel
def list_moves(state: State, arrays: BatchArrays, game: Index) -> None:
    """Write the legal moves, and set them in the mask."""
    listed = arrays.legal[game]
    count = legal_moves(state, listed)
    arrays.counts[game] = count
    arrays.to_move[game] = state.to_move
    if len(arrays.mask) > 0:
        for index in range(count):
            arrays.mask[game, listed[index]] = True


@game_step
@inlined_kernel
def unmark_moves(arrays: BatchArrays, game: Index) -> None:
    """Clear the listed moves in the mask; far fewer bytes than the whole row."""
    if len(arrays.mask) > 0:
        for index in range(arrays.counts[game]):
            arrays.mask[game, arrays.legal[game, index]] = False


@game_step
@lean_kernel
def rank_reward(ranks: Points, seat: Seat, seats: int) -> float:
    """Return the share of the other seats behind minus the share ahead: -1 to 1, summing to 0 over all seats."""
    ahead = 0
    for other in range(seats):
        if ranks[other] > ranks[seat]:
            ahead -= 1
        elif ranks[other] < ranks[seat]:
            ahead += 1
    return -ahead / (seats - 1)


@game_step
@inlined_kernel
def write_result(state: State, arrays: BatchArrays, game: Index) -> None:
    """Write the points, ranks and rewards of a finished game."""
    scores(state, arrays.points[game])
    ranks(state, arrays.ranks[game])
    for seat in range(state.seats):
        if arrays.utility == BY_RANKS:
            arrays.rewards[game, seat] = rank_reward(arrays.ranks[game], seat, state.seats)
        else:
            arrays.rewards[game, seat] = arrays.utility * arrays.points[game, seat]


@game_step
@inlined_kernel
def deal_next_game(slot: States, arrays: BatchArrays, game: Index) -> None:
    """Deal from the next of the game's streams."""
    arrays.streams[game] += arrays.stride
    deal_game(slot, arrays.blank, arrays.keys[game], arrays.streams[game])


@game_step
@inlined_kernel
def reset_game(slot: States, arrays: BatchArrays, game: Index, only_ended: bool) -> None:
    """Deal from the game's stream; with `only_ended`, deal a finished game from its next stream and keep others."""
    if only_ended and arrays.to_move[game] != NOBODY:
        return
    unmark_moves(arrays, game)
    if only_ended:
        deal_next_game(slot, arrays, game)
    else:
        deal_game(slot, arrays.blank, arrays.keys[game], arrays.streams[game])
    for seat in range(arrays.rewards.shape[1]):
        arrays.rewards[game, seat] = 0.0
    arrays.ended[game] = False
    list_moves(slot[0], arrays, game)


@game_step
@inlined_kernel
def step_game(slot: States, arrays: BatchArrays, game: Index, move: Move, auto_reset: bool) -> None:
    """Play a move unless the game is over; with `auto_reset`, a finished game is dealt again in the same step."""
    unmark_moves(arrays, game)
    state = slot[0]
    was_over = state.to_move == NOBODY
    if not was_over:
        play(state, int(move))
    arrays.ended[game] = state.to_move == NOBODY and not was_over
    for seat in range(state.seats):
        arrays.rewards[game, seat] = 0.0
    if arrays.ended[game]:
        write_result(state, arrays, game)
    if auto_reset and state.to_move == NOBODY:
        deal_next_game(slot, arrays, game)
    list_moves(state, arrays, game)


# Moves chosen inside kernels


@game_step
@inlined_kernel
def draw_move(arrays: BatchArrays, game: Index, generator: Generator) -> Move:
    """Return a random legal move, -1 when the game is over."""
    count = arrays.counts[game]
    return arrays.legal[game, below(generator, count)] if count > 0 else -1


@game_step
@inlined_kernel
def choose_by_rating(state: State, generator: Generator, choices: Moves, ratings: Ratings, count: int) -> Index:
    """Draw an index into `choices`: a move rated 1 higher is e times as likely.

    Not `softmax_draw`: its approximate powers would change the games that a seed gives.
    """
    rate(state, choices, count, ratings)
    best = ratings[0]
    for index in range(1, count):
        best = max(best, ratings[index])
    total = 0.0
    for index in range(count):
        ratings[index] = math.exp(ratings[index] - best)
        total += ratings[index]
    rest = uniform(generator) * total
    for index in range(count - 1):
        rest -= ratings[index]
        if rest < 0.0:
            return index
    return count - 1


@game_step
@inlined_kernel
def play_by_policy(state: State, generator: Generator, choices: Moves, ratings: Ratings, policy: int) -> None:
    """Play a move for the seat on turn, chosen by RANDOM or RATED."""
    count = legal_moves(state, choices)
    if policy == RANDOM:
        chosen = below(generator, count)
    else:
        chosen = choose_by_rating(state, generator, choices, ratings, count)
    play(state, int(choices[chosen]))


@game_step
@inlined_kernel
def play_game_until(
    slot: States,
    arrays: BatchArrays,
    game: Index,
    seat: Seat,
    generator: Generator,
    choices: Moves,
    ratings: Ratings,
    policy: int,
    auto_reset: bool,
) -> None:
    """Play for the other seats until `seat` is on turn; a finished game ends it, or is dealt again by `auto_reset`."""
    unmark_moves(arrays, game)
    while slot[0].to_move != seat:
        state = slot[0]
        if state.to_move != NOBODY:
            play_by_policy(state, generator, choices, ratings, policy)
            if state.to_move == NOBODY:
                arrays.ended[game] = True
                write_result(state, arrays, game)
        elif auto_reset:
            deal_next_game(slot, arrays, game)
        else:
            break
    list_moves(slot[0], arrays, game)


@game_step
@inlined_kernel
def roll_out_game(
    slot: States,
    arrays: BatchArrays,
    game: Index,
    generator: Generator,
    choices: Moves,
    ratings: Ratings,
    moves: int,
    policy: int,
) -> None:
    """Play `moves` moves by a policy; a finished game is dealt again before the next move."""
    for _ in range(moves):
        if slot[0].to_move == NOBODY:
            deal_next_game(slot, arrays, game)
        state = slot[0]
        play_by_policy(state, generator, choices, ratings, policy)
        if state.to_move == NOBODY:
            write_result(state, arrays, game)
            arrays.finished[game] += 1
            for seat in range(state.seats):
                arrays.returns[game, seat] += arrays.rewards[game, seat]


# A range of games, on one core of the CPU


@inlined_kernel
def write_observation(state: State, seat: Seat, sight: SightState, out: Numbers) -> None:
    """Write what a seat observes (-1: a spectator), from its sight alone."""
    glimpse(state, seat, sight)
    out[:] = 0.0
    observe(sight, seat, out)


@inlined_kernel
def observe_mover(arrays: BatchArrays, scratch: Scratch, game: Index) -> None:
    """Write the observation of the seat on turn, if observations are wanted."""
    if len(arrays.observations) > 0:
        write_observation(arrays.states[game], int(arrays.to_move[game]), scratch.sights[0], arrays.observations[game])


@lean_kernel
def reset_games(arrays: BatchArrays, scratch: Scratch, only_ended: bool, first: Index, last: Index) -> None:
    """Reset games `first` to `last - 1`."""
    for game in range(first, last):
        reset_game(arrays.states[game : game + 1], arrays, game, only_ended)
        observe_mover(arrays, scratch, game)


@lean_kernel
def step_games(
    arrays: BatchArrays, scratch: Scratch, moves: Moves, auto_reset: bool, first: Index, last: Index
) -> None:
    """Play a move in each game."""
    for game in range(first, last):
        step_game(arrays.states[game : game + 1], arrays, game, moves[game], auto_reset)
        observe_mover(arrays, scratch, game)


@lean_kernel
def observe_games(arrays: BatchArrays, scratch: Scratch, seats: Any, out: Any, first: Index, last: Index) -> None:
    """Write what one seat of each game observes."""
    for game in range(first, last):
        write_observation(arrays.states[game], int(seats[game]), scratch.sights[0], out[game])


@lean_kernel
def refuse_moves(arrays: BatchArrays, scratch: Scratch, moves: Moves, out: Any, first: Index, last: Index) -> None:
    """Write the refusal code of a move in each game, 0 for a legal one."""
    for game in range(first, last):
        out[game] = refusal(arrays.states[game], int(moves[game]))


@lean_kernel
def draw_moves(arrays: BatchArrays, scratch: Scratch, generators: Any, out: Any, first: Index, last: Index) -> None:
    """Draw a legal move for each game."""
    for game in range(first, last):
        out[game] = draw_move(arrays, game, generators[game])


@lean_kernel
def play_games_until(
    arrays: BatchArrays,
    scratch: Scratch,
    generators: Any,
    seat: Seat,
    policy: int,
    auto_reset: bool,
    first: Index,
    last: Index,
) -> None:
    """Play for the other seats of each game until `seat` is on turn."""
    for game in range(first, last):
        slot = arrays.states[game : game + 1]
        play_game_until(
            slot, arrays, game, seat, generators[game], scratch.choices, scratch.ratings, policy, auto_reset
        )
        observe_mover(arrays, scratch, game)


@lean_kernel
def roll_out_games(
    arrays: BatchArrays, scratch: Scratch, generators: Any, moves: int, policy: int, first: Index, last: Index
) -> None:
    """Play `moves` moves in each game, then list the legal moves."""
    for game in range(first, last):
        unmark_moves(arrays, game)
        slot = arrays.states[game : game + 1]
        roll_out_game(slot, arrays, game, generators[game], scratch.choices, scratch.ratings, moves, policy)
        arrays.ended[game] = slot[0].to_move == NOBODY
        list_moves(slot[0], arrays, game)
