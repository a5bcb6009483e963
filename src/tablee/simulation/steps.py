"""One step of one game of a batch, for any game, on the CPU and inside CUDA kernels alike.

The CPU finds a game's kernels through the stubs; `simulation/cuda.py` binds the same functions to one game's kernels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tablee.core.compilation import inlined_kernel, lean_kernel
from tablee.core.kernels import deal, glimpse, legal_moves, observe, play, ranks, rate, refusal, scores
from tablee.core.randomness import below, start, uniform
from tablee.core.state import NOBODY

BY_PLACES, MOST_POINTS, FEWEST_POINTS = 0, 1, -1  # `utility`: what rewards are made from
RANDOM, RATED = 0, 1  # how a rollout chooses: each move alike, or as the game's own policy rates them


class Arrays(NamedTuple):
    """The memory of a batch: a row per game; a part that is not wanted has no rows."""

    states: Any  # (size,) slots: the truth
    blank: Any  # (1,) slot: what a deal starts from
    keys: Any  # (size, 8) uint32: the generator's key of each game
    streams: Any  # (size,) int64: which of the key's sequences the game is dealt from
    to_move: Any  # (size,) int32: the seat on turn, -1 when over
    counts: Any  # (size,) int32: how many legal moves
    legal: Any  # (size, max_legal_moves) int32: the moves, ascending; what follows them means nothing
    mask: Any  # (size, moves) bool: True for legal moves
    observations: Any  # (size, numbers) float32: what the seat on turn observes
    points: Any  # (size, seats) int64: of the game that ended last
    ranks: Any  # (size, seats) int64: ranks in the game that ended last
    rewards: Any  # (size, seats) float32: zero unless the game has just ended
    ended: Any  # (size,) bool: whether the last step ended the game
    returns: Any  # (size, seats) float32: the rewards of all games that ended in rollouts
    finished: Any  # (size,) int32: how many games ended in rollouts
    utility: int  # BY_PLACES, MOST_POINTS or FEWEST_POINTS
    stride: int  # from the stream of one deal to that of the next


# One game


@inlined_kernel
def deal_game(slot, blank, key, stream):
    """Deal into `slot[0]` what a match with that key and stream would be dealt."""
    slot[0] = blank[0]
    state = slot[0]
    for word in range(8):
        state.generator.key[word] = key[word]
    start(state.generator, stream)
    deal(state)


@inlined_kernel
def list_game(state, arrays, game):
    """Write the legal moves, and mark them in the mask."""
    listed = arrays.legal[game]
    count = legal_moves(state, listed)
    arrays.counts[game] = count
    arrays.to_move[game] = state.to_move
    if len(arrays.mask) > 0:
        for index in range(count):
            arrays.mask[game, listed[index]] = True


@inlined_kernel
def unmark_game(arrays, game):
    """Take the listed moves out of the mask: far fewer bytes than to clear its row."""
    if len(arrays.mask) > 0:
        for index in range(arrays.counts[game]):
            arrays.mask[game, arrays.legal[game, index]] = False


@inlined_kernel
def end_game(state, arrays, game):
    """Write the points, ranks and rewards of a game that is over."""
    scores(state, arrays.points[game])
    ranks(state, arrays.ranks[game])
    for seat in range(state.seats):
        if arrays.utility == BY_PLACES:
            arrays.rewards[game, seat] = lead(arrays.ranks[game], seat, state.seats)
        else:
            arrays.rewards[game, seat] = arrays.utility * arrays.points[game, seat]


@lean_kernel
def lead(ranks, seat, seats):
    """Return the share of the others that are behind, less the share that is ahead: from -1 to 1, and 0 in all."""
    ahead = 0
    for other in range(seats):
        if ranks[other] > ranks[seat]:
            ahead -= 1
        elif ranks[other] < ranks[seat]:
            ahead += 1
    return -ahead / (seats - 1)


@inlined_kernel
def redeal_game(slot, arrays, game):
    """Deal anew, from the next of the game's streams."""
    arrays.streams[game] += arrays.stride
    deal_game(slot, arrays.blank, arrays.keys[game], arrays.streams[game])


@inlined_kernel
def step_game(slot, arrays, game, move, auto_reset):
    """Play a move in `slot[0]`; a game that is over stays so, unless `auto_reset` deals it anew in the same step."""
    unmark_game(arrays, game)
    state = slot[0]
    was_over = state.to_move == NOBODY
    if not was_over:
        play(state, int(move))
    arrays.ended[game] = state.to_move == NOBODY and not was_over
    for seat in range(state.seats):
        arrays.rewards[game, seat] = 0.0
    if arrays.ended[game]:
        end_game(state, arrays, game)
    if auto_reset and state.to_move == NOBODY:
        redeal_game(slot, arrays, game)
    list_game(state, arrays, game)


@inlined_kernel
def reset_game(slot, arrays, game, auto_reset):
    """Deal the game of its stream into `slot[0]`; with `auto_reset`, the next one, and only where the game is over."""
    if auto_reset and arrays.to_move[game] != NOBODY:
        return
    unmark_game(arrays, game)
    if auto_reset:
        redeal_game(slot, arrays, game)
    else:
        deal_game(slot, arrays.blank, arrays.keys[game], arrays.streams[game])
    for seat in range(arrays.rewards.shape[1]):
        arrays.rewards[game, seat] = 0.0
    arrays.ended[game] = False
    list_game(slot[0], arrays, game)


@inlined_kernel
def look(state, seat, sight, out):
    """Write what a seat observes (-1: a spectator), from its sight alone."""
    glimpse(state, seat, sight)
    out[:] = 0.0
    observe(sight, seat, out)


# Whole games


@inlined_kernel
def roll_game(slot, arrays, game, generator, choices, ratings, moves, policy):
    """Play so many moves in `slot[0]`, as `way` says; a game that is over is dealt anew when a move is due."""
    for _ in range(moves):
        if slot[0].to_move == NOBODY:
            redeal_game(slot, arrays, game)
        state = slot[0]
        play_as(state, generator, choices, ratings, policy)
        if state.to_move == NOBODY:
            end_game(state, arrays, game)
            arrays.finished[game] += 1
            for seat in range(state.seats):
                arrays.returns[game, seat] += arrays.rewards[game, seat]


@inlined_kernel
def play_as(state, generator, choices, ratings, policy):
    """Play a move for the seat on turn, chosen as `way` says."""
    count = legal_moves(state, choices)
    chosen = below(generator, count) if policy == RANDOM else choose(state, generator, choices, ratings, count)
    play(state, int(choices[chosen]))


@inlined_kernel
def play_game_until(slot, arrays, game, seat, generator, choices, ratings, policy, auto_reset):
    """Play for all but one seat until that one is on turn; with `auto_reset`, a finished game is dealt again."""
    unmark_game(arrays, game)
    while slot[0].to_move != seat:
        state = slot[0]
        if state.to_move != NOBODY:
            play_as(state, generator, choices, ratings, policy)
            if state.to_move == NOBODY:
                arrays.ended[game] = True
                end_game(state, arrays, game)
        elif auto_reset:
            redeal_game(slot, arrays, game)
        else:
            break
    list_game(slot[0], arrays, game)


@inlined_kernel
def draw_move(arrays, game, generator):
    """Return one of the listed moves, each with the same chance; -1 when the game is over."""
    count = arrays.counts[game]
    return arrays.legal[game, below(generator, count)] if count > 0 else -1


@inlined_kernel
def choose(state, generator, choices, ratings, count):
    """Draw an index into the list: a move rated 1 higher is e times as likely.

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


# A run of games, on one core of the CPU


@lean_kernel
def reset_games(arrays, sights, auto_reset, first, last):
    """Deal games."""
    for game in range(first, last):
        reset_game(arrays.states[game : game + 1], arrays, game, auto_reset)
        if len(arrays.observations) > 0:
            look(arrays.states[game], int(arrays.to_move[game]), sights[0], arrays.observations[game])


@lean_kernel
def step_games(arrays, sights, moves, auto_reset, first, last):
    """Play a move in each game."""
    for game in range(first, last):
        step_game(arrays.states[game : game + 1], arrays, game, moves[game], auto_reset)
        if len(arrays.observations) > 0:
            look(arrays.states[game], int(arrays.to_move[game]), sights[0], arrays.observations[game])


@lean_kernel
def observe_games(arrays, sights, seats, out, first, last):
    """Write what one seat of each game observes."""
    for game in range(first, last):
        look(arrays.states[game], int(seats[game]), sights[0], out[game])


@lean_kernel
def refuse_games(arrays, moves, out, first, last):
    """Write what speaks against each move: 0 for a legal one."""
    for game in range(first, last):
        out[game] = refusal(arrays.states[game], int(moves[game]))


@lean_kernel
def draw_games(arrays, generators, out, first, last):
    """Draw a legal move for each game."""
    for game in range(first, last):
        out[game] = draw_move(arrays, game, generators[game])


@lean_kernel
def play_games_until(arrays, sights, generators, choices, ratings, seat, policy, auto_reset, first, last):
    """Let the others play until one seat is on turn."""
    for game in range(first, last):
        slot = arrays.states[game : game + 1]
        play_game_until(slot, arrays, game, seat, generators[game], choices, ratings, policy, auto_reset)
        if len(arrays.observations) > 0:
            look(arrays.states[game], int(arrays.to_move[game]), sights[0], arrays.observations[game])


@lean_kernel
def roll_games(arrays, generators, choices, ratings, moves, policy, first, last):
    """Play so many moves in each game, and list what is legal then."""
    for game in range(first, last):
        unmark_game(arrays, game)
        slot = arrays.states[game : game + 1]
        roll_game(slot, arrays, game, generators[game], choices, ratings, moves, policy)
        arrays.ended[game] = slot[0].to_move == NOBODY
        list_game(slot[0], arrays, game)
