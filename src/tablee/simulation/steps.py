"""One step of one game in a batch, for any game, on the CPU and inside CUDA kernels alike.

On the CPU the stubs find a game's kernels; for CUDA, `simulation/cuda_steps.py` binds GAME_STEPS to one game's kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tablee.core.compilation import inlined_kernel, lean_kernel
from tablee.core.kernels import deal, glimpse, legal_moves, observe, play, refusal
from tablee.core.randomness import below, start
from tablee.core.state import NOBODY
from tablee.core.types import Generator, Index, Move, Moves, Numbers, Points, Ratings, Seat, SightState, State, States
from tablee.simulation.policies import MixedMoves, choose_by_policy
from tablee.simulation.rewards import RewardRule, game_step, start_rewards, uses_baseline, write_rewards

NO_MOVE = -(2**31)  # in place of a move: none is played in that game
MAX_DEALS = 100  # in a row, in which a seat is not on turn


class BatchArrays(NamedTuple):
    """The memory of a batch: one row per game; arrays that are not wanted have no rows."""

    states: Any  # (size,) states
    blank: Any  # (1,) state: the start of a deal
    deals: Any  # (deals,) states: of a reduction, else none
    keys: Any  # (size, 8) uint32: key of each game's generator
    streams: Any  # (size,) int64: stream of the key from which the game is dealt
    played: Any  # (size,) int64: moves of the episode so far
    to_move: Any  # (size,) int32: the seat on turn, -1 when the game is over or cut off
    counts: Any  # (size,) int32: number of legal moves
    legal: Any  # (size, max_legal_moves) int32: the legal moves, ascending; entries from `counts` on are undefined
    mask: Any  # (size, moves) bool: True for legal moves
    observations: Any  # (size, numbers) float32: observation of the seat on turn
    points: Any  # (size, seats) int64: scores of the episode that ended last
    ranks: Any  # (size, seats) int64: ranks in the episode that ended last
    rewards: Any  # (size, seats) float64: of the last step
    ended: Any  # (size,) bool: whether the last step ended the episode
    truncated: Any  # (size,) bool: whether the last step cut the episode off
    final_states: Any  # (size,) states: in which the episode ended that ended last
    baseline: Any  # (size, 2 * seats + 1) int64: what rewards are measured from (simulation/rewards.py)
    returns: Any  # (size, seats) float64: sum of the rewards in rollouts
    finished: Any  # (size,) int32: number of episodes that ended in rollouts
    rule: RewardRule
    mixed_moves: MixedMoves
    stride: int  # added to a game's stream for the next deal
    max_moves: int  # of an episode, after which it is cut off; 0: it never is


class RolloutTally(NamedTuple):
    """What one thread remembers of a rollout until it ends: on a CUDA device, the arrays of the batch are far away."""

    rewards: Any  # (seats,) float64: of the last move
    returns: Any  # (seats,) float64: sum of the rewards
    points: Any  # (seats,) int64: scores of the episode that ended last
    ranks: Any  # (seats,) int64: ranks in the episode that ended last


class Scratch(NamedTuple):
    """The working memory of one thread."""

    sights: Any  # (1,) state
    choices: Any  # (max_legal_moves,) int32
    ratings: Any  # (max_legal_moves,) float64
    gains: Any  # (seats,) float64
    tally: RolloutTally


# One game. `slot` is an array of one state: the game's own, in the batch or in shared memory.


@game_step
@inlined_kernel
def rule_of(arrays: BatchArrays) -> RewardRule:
    """Return what the seats are rewarded for."""
    return arrays.rule


@game_step
@inlined_kernel
def is_limited(arrays: BatchArrays) -> bool:
    """Return whether episodes are cut off after a number of moves."""
    return arrays.max_moves > 0


@game_step
@inlined_kernel
def draw_deal(slot: States, deals: States) -> None:
    """Put one of a reduction's deals into `slot[0]`, drawn by the generator there."""
    slot[0] = deals[below(slot[0].generator, len(deals))]


@game_step
@inlined_kernel
def copy_state(slot: States, source: State) -> None:
    """Copy a state into `slot[0]`."""
    slot[0] = source


@game_step
@inlined_kernel
def deal_game(slot: States, arrays: BatchArrays, game: Index, gains: Ratings) -> None:
    """Deal into `slot[0]` as a match with this key and stream would; rewards are measured from there."""
    copy_state(slot, arrays.blank[0])
    state = slot[0]
    for word in range(8):
        state.generator.key[word] = arrays.keys[game, word]
    start(state.generator, arrays.streams[game])
    if len(arrays.deals) > 0:
        draw_deal(slot, arrays.deals)
    else:
        deal(state)
    arrays.played[game] = 0
    start_rewards(state, rule_of(arrays), arrays.baseline[game], gains)


@game_step
@inlined_kernel
def list_moves(state: State, arrays: BatchArrays, game: Index, is_over: bool) -> None:
    """Write the legal moves and the seat on turn, and mark the moves in the mask; none if the game is over."""
    listed = arrays.legal[game]
    count = 0 if is_over else legal_moves(state, listed)
    arrays.counts[game] = count
    arrays.to_move[game] = NOBODY if is_over else state.to_move
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
@inlined_kernel
def deal_next_game(slot: States, arrays: BatchArrays, game: Index, gains: Ratings) -> None:
    """Deal from the next of the game's streams."""
    arrays.streams[game] += arrays.stride
    deal_game(slot, arrays, game, gains)


@game_step
@inlined_kernel
def clear_result(arrays: BatchArrays, game: Index) -> None:
    """Set what a step reports to nothing."""
    for seat in range(arrays.rewards.shape[1]):
        arrays.rewards[game, seat] = 0.0
    arrays.ended[game] = False
    arrays.truncated[game] = False


@game_step
@inlined_kernel
def reset_game(slot: States, arrays: BatchArrays, game: Index, only_ended: bool, gains: Ratings) -> None:
    """Deal from the game's stream; with `only_ended`, deal a finished game from its next stream and keep others."""
    if only_ended and arrays.to_move[game] != NOBODY:
        return
    unmark_moves(arrays, game)
    if only_ended:
        arrays.streams[game] += arrays.stride
    deal_game(slot, arrays, game, gains)
    clear_result(arrays, game)
    list_moves(slot[0], arrays, game, slot[0].to_move == NOBODY)


@game_step
@inlined_kernel
def finish_move(
    state: State, arrays: BatchArrays, game: Index, points: Points, ranks: Points, out: Ratings
) -> tuple[bool, bool]:
    """Write the rewards of the move just played; return whether the game is over, and whether the episode ended.

    A game that is cut off is over. `points` and `ranks` are set when an episode ends.
    """
    is_over: bool = state.to_move == NOBODY
    arrays.played[game] += 1
    if is_limited(arrays):
        arrays.truncated[game] = not is_over and arrays.played[game] == arrays.max_moves
        is_over |= bool(arrays.truncated[game])
    ended = write_rewards(state, rule_of(arrays), is_over, arrays.baseline[game], points, ranks, out)
    if ended:
        arrays.played[game] = 0
    return is_over, ended


@game_step
@inlined_kernel
def report_move(state: State, arrays: BatchArrays, game: Index, keeps_final: bool, out: Ratings) -> bool:
    """Write what a step reports about the move just played; return whether the game is over.

    With `keeps_final`, the last state of an episode is kept.
    """
    is_over, ended = finish_move(state, arrays, game, arrays.points[game], arrays.ranks[game], out)
    arrays.ended[game] = ended
    if ended and keeps_final and len(arrays.final_states) > 0:
        copy_state(arrays.final_states[game : game + 1], state)
    return is_over


@game_step
@inlined_kernel
def step_game(slot: States, arrays: BatchArrays, game: Index, move: Move, auto_reset: bool, gains: Ratings) -> None:
    """Play a move unless the game is over; with `auto_reset`, a finished game is dealt again in the same step.

    With NO_MOVE nothing is played or dealt.
    """
    unmark_moves(arrays, game)
    state = slot[0]
    is_over = arrays.to_move[game] == NOBODY
    if is_over or move == NO_MOVE:
        clear_result(arrays, game)
    else:
        play(state, int(move))
        is_over = report_move(state, arrays, game, True, arrays.rewards[game])
    if auto_reset and is_over and move != NO_MOVE:
        deal_next_game(slot, arrays, game, gains)
        is_over = False
    list_moves(state, arrays, game, is_over)


# Moves chosen inside kernels


@inlined_kernel
def draw_move(arrays: BatchArrays, game: Index, generator: Generator) -> Move:
    """Return a random legal move, -1 when the game is over."""
    count = arrays.counts[game]
    return arrays.legal[game, below(generator, count)] if count > 0 else -1


@game_step
@inlined_kernel
def play_by_policy(
    state: State, generator: Generator, choices: Moves, ratings: Ratings, policy: int, mixed: MixedMoves
) -> None:
    """Play a move for the seat on turn, chosen by a policy."""
    count = legal_moves(state, choices)
    chosen = choose_by_policy(state, generator, choices, ratings, count, policy, mixed)
    play(state, int(choices[chosen]))


@game_step
@inlined_kernel
def play_game_until(
    slot: States,
    arrays: BatchArrays,
    game: Index,
    seat: Seat,
    next_seat: Seat,
    generator: Generator,
    choices: Moves,
    ratings: Ratings,
    gains: Ratings,
    policy: int,
    auto_reset: bool,
) -> None:
    """Play for the other seats until `seat` is on turn; a finished game ends it, or is dealt again by `auto_reset`.

    Rewards are added to those of the step before, until an episode ends: what follows is before the first turn of
    `next_seat` in the next one. If MAX_DEALS games in a row end before that turn, another seat remains on turn.
    """
    unmark_moves(arrays, game)
    is_over = arrays.to_move[game] == NOBODY
    ended, truncated, deals = arrays.ended[game], arrays.truncated[game], 0
    while (is_over and auto_reset) or (not is_over and slot[0].to_move != (next_seat if ended else seat)):
        state = slot[0]
        if is_over:
            deal_next_game(slot, arrays, game, gains)
            is_over = False
            deals += 1
            if deals > MAX_DEALS:
                break
            continue
        play_by_policy(state, generator, choices, ratings, policy, arrays.mixed_moves)
        is_over = report_move(state, arrays, game, not ended, gains)
        if not ended:
            for other in range(arrays.rewards.shape[1]):
                arrays.rewards[game, other] += gains[other]
            ended, truncated = arrays.ended[game], arrays.truncated[game]
    arrays.ended[game], arrays.truncated[game] = ended, truncated
    list_moves(slot[0], arrays, game, is_over)


@game_step
@inlined_kernel
def report_rollout(arrays: BatchArrays, game: Index, tally: RolloutTally, finished: int) -> None:
    """Write the results of a rollout in which so many episodes ended."""
    arrays.finished[game] += finished
    for seat in range(arrays.rewards.shape[1]):
        arrays.rewards[game, seat] = tally.rewards[seat]
        arrays.returns[game, seat] += tally.returns[seat]
        if finished > 0:
            arrays.points[game, seat] = tally.points[seat]
            arrays.ranks[game, seat] = tally.ranks[seat]


@game_step
@inlined_kernel
def roll_out_game(
    slot: States,
    arrays: BatchArrays,
    game: Index,
    generator: Generator,
    choices: Moves,
    ratings: Ratings,
    gains: Ratings,
    tally: RolloutTally,
    moves: int,
    policy: int,
) -> None:
    """Play `moves` moves by a policy; a finished game is dealt again before the next move."""
    unmark_moves(arrays, game)
    seats, ended, finished = arrays.rewards.shape[1], False, 0
    for seat in range(seats):
        tally.rewards[seat] = tally.returns[seat] = 0.0
    is_told_each_move = is_limited(arrays) or uses_baseline(rule_of(arrays))
    is_cut_off = is_limited(arrays) and arrays.to_move[game] == NOBODY
    for _ in range(moves):
        state = slot[0]
        if is_cut_off or state.to_move == NOBODY:
            deal_next_game(slot, arrays, game, gains)
            is_cut_off = False
        play_by_policy(state, generator, choices, ratings, policy, arrays.mixed_moves)
        if is_told_each_move or state.to_move == NOBODY:
            _, ended = finish_move(state, arrays, game, tally.points, tally.ranks, tally.rewards)
            is_cut_off = is_limited(arrays) and arrays.truncated[game]
            finished += ended
            for seat in range(seats):
                tally.returns[seat] += tally.rewards[seat]
    is_over = is_cut_off or slot[0].to_move == NOBODY
    report_rollout(arrays, game, tally, finished)
    if is_over or is_told_each_move:
        arrays.ended[game] = ended
        arrays.truncated[game] = is_cut_off
    else:  # the last move was not told
        clear_result(arrays, game)
    list_moves(slot[0], arrays, game, is_over)


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
        reset_game(arrays.states[game : game + 1], arrays, game, only_ended, scratch.gains)
        observe_mover(arrays, scratch, game)


@lean_kernel
def step_games(
    arrays: BatchArrays, scratch: Scratch, moves: Moves, auto_reset: bool, first: Index, last: Index
) -> None:
    """Play a move in each game."""
    for game in range(first, last):
        step_game(arrays.states[game : game + 1], arrays, game, moves[game], auto_reset, scratch.gains)
        observe_mover(arrays, scratch, game)


@lean_kernel
def observe_games(arrays: BatchArrays, scratch: Scratch, seats: Any, out: Any, first: Index, last: Index) -> None:
    """Write what one seat of each game observes."""
    for game in range(first, last):
        write_observation(arrays.states[game], int(seats[game]), scratch.sights[0], out[game])


@lean_kernel
def observe_final_states(
    arrays: BatchArrays, scratch: Scratch, seats: Any, out: Any, first: Index, last: Index
) -> None:
    """Write what one seat observes in the last position of each episode that has just ended."""
    for game in range(first, last):
        if arrays.ended[game]:
            write_observation(arrays.final_states[game], int(seats[game]), scratch.sights[0], out[game])


@lean_kernel
def list_final_moves(arrays: BatchArrays, scratch: Scratch, legal: Any, counts: Any, first: Index, last: Index) -> None:
    """Write the legal moves in the last position of each episode that has just ended."""
    for game in range(first, last):
        if arrays.ended[game]:
            counts[game] = legal_moves(arrays.final_states[game], legal[game])


@lean_kernel
def refuse_moves(arrays: BatchArrays, scratch: Scratch, moves: Moves, out: Any, first: Index, last: Index) -> None:
    """Write the refusal code of a move in each game, 0 for a legal one, and for NO_MOVE."""
    for game in range(first, last):
        out[game] = 0 if moves[game] == NO_MOVE else refusal(arrays.states[game], max(0, int(moves[game])))


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
    seats: Any,
    policy: int,
    auto_reset: bool,
    first: Index,
    last: Index,
) -> None:
    """Play for the other seats of each game until its seat is on turn; `seats` are of this episode and the next."""
    choices, ratings, gains = scratch.choices, scratch.ratings, scratch.gains
    for game in range(first, last):
        slot, generator = arrays.states[game : game + 1], generators[game]
        seat, next_seat = int(seats[0, game]), int(seats[1, game])
        play_game_until(slot, arrays, game, seat, next_seat, generator, choices, ratings, gains, policy, auto_reset)
        observe_mover(arrays, scratch, game)


@lean_kernel
def roll_out_games(
    arrays: BatchArrays, scratch: Scratch, generators: Any, moves: int, policy: int, first: Index, last: Index
) -> None:
    """Play `moves` moves in each game, then list the legal moves."""
    choices, ratings, gains, tally = scratch.choices, scratch.ratings, scratch.gains, scratch.tally
    for game in range(first, last):
        slot = arrays.states[game : game + 1]
        roll_out_game(slot, arrays, game, generators[game], choices, ratings, gains, tally, moves, policy)


@lean_kernel
def pack_moves(arrays: BatchArrays, scratch: Scratch, offsets: Any, out: Any, first: Index, last: Index) -> None:
    """Write the legal moves of all games one after another, those of each game from its offset on."""
    for game in range(first, last):
        for index in range(arrays.counts[game]):
            out[offsets[game] + index] = arrays.legal[game, index]


@lean_kernel
def first_bad_move(moves: Any, to_move: Any, limit: int) -> Index:
    """Return the first game with a number that is no move, -1 if there is none; where no move is due, -1 is one."""
    for game in range(len(moves)):
        is_move = 0 <= moves[game] < limit or moves[game] == NO_MOVE
        if not is_move and (moves[game] != -1 or to_move[game] != NOBODY):
            return game
    return -1
