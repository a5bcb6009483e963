"""The kernels of `simulation/chance.py`: apply a move or an outcome, and find out what has to be drawn next."""

from __future__ import annotations

from typing import Any

from tablee.core.compilation import lean_kernel
from tablee.core.kernels import (
    MANY,
    arrange_draw,
    deal,
    glimpse,
    legal_moves,
    list_draws,
    observe,
    play,
    see,
    shuffle_unknown,
)
from tablee.core.randomness import start
from tablee.core.state import NOBODY
from tablee.core.types import Numbers, Points, Ratings, Seat, States
from tablee.simulation.rewards import RewardRule, start_rewards, write_rewards

CHANCE, OVER = -1, -4  # instead of the seat on turn, with OpenSpiel's numbers
REFUSED = -9  # instead of it, for an action that is not listed
DEAL, SHUFFLE, DRAW = range(3)  # what is drawn at a chance node

# Indices into `numbers`, an int32 array: first what changes, then settings, then what is listed
(TO_MOVE, COUNT, DRAWS, PENDING, DRAWN, PLAYED, SHUFFLES, DIGITS, NUMBER, REARRANGES) = range(10)
(LISTS_DRAWS, MAX_MOVES, DEALS, DEAL_NODES, LISTED) = range(10, 15)
(REWARD_KIND, REWARD_SIGN, REWARD_SCALE, REWARD_PER_ROUND) = range(15, 19)
HEAD = 20
# TO_MOVE       the seat on turn, CHANCE or OVER
# COUNT         how many moves, or values of a piece, are listed from HEAD on; weights of values from HEAD + LISTED on
# DRAWS         at a chance node: DEAL, SHUFFLE or DRAW
# PENDING       at a SHUFFLE or DRAW: the move that is played when everything is drawn
# DRAWN         how many pieces that it turns up are drawn
# PLAYED        moves played
# SHUFFLES      deals and shuffles seeded; DIGITS of the next seed are drawn, and make up NUMBER
# REARRANGES    whether the pieces that no seat knows are shuffled, too

Counts = Any  # the array `numbers`


@lean_kernel
def advance(states: States, ledger: Points, gains: Ratings, numbers: Counts, action: int) -> Seat:
    """Apply a move or an outcome; return the seat on turn, CHANCE, OVER, or REFUSED if the action is not listed.

    `states` holds the state and room for another one; `ledger` the baseline of rewards, points and ranks; `gains` the
    last rewards and their sums.
    """
    if not is_listed(numbers, action):
        return REFUSED
    if numbers[TO_MOVE] >= 0:
        numbers[PENDING] = action
        numbers[DRAWN] = 0
        for seat in range(states[0].seats):
            gains[seat] = 0.0
    elif numbers[DRAWS] == DRAW:
        arrange_draw(states[0], numbers[PENDING], numbers[DRAWN], action)
        numbers[DRAWN] += 1
    else:
        numbers[NUMBER] = numbers[NUMBER] * numbers[DEALS] + action
        numbers[DIGITS] += 1
        if numbers[DIGITS] < numbers[DEAL_NODES]:
            return CHANCE
        seed_shuffle(states, numbers)
        if numbers[DRAWS] == DEAL:
            deal(states[0])
            return begin(states, ledger, gains, numbers)
        play(states[0], numbers[PENDING])
        return finish_move(states, ledger, gains, numbers)
    return settle(states, ledger, gains, numbers)


@lean_kernel
def is_listed(numbers: Counts, action: int) -> bool:
    """Whether an action is one of those listed, in ascending order."""
    if numbers[TO_MOVE] == CHANCE and numbers[DRAWS] != DRAW:
        return bool(0 <= action < numbers[DEALS])
    low, high = HEAD, HEAD + numbers[COUNT]
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < action:
            low = middle + 1
        else:
            high = middle
    return bool(low < HEAD + numbers[COUNT] and numbers[low] == action)


@lean_kernel
def begin(states: States, ledger: Points, gains: Ratings, numbers: Counts) -> Seat:
    """Begin after the deal."""
    seats = states[0].seats
    start_rewards(states[0], rule_in(numbers), ledger[: 2 * seats + 1], gains[:seats])
    return list_moves(states, numbers, states[0].to_move == NOBODY)


@lean_kernel
def settle(states: States, ledger: Points, gains: Ratings, numbers: Counts) -> Seat:
    """Play the pending move on trial; keep the result unless there is something to be drawn first."""
    move = int(numbers[PENDING])
    while True:
        states[1] = states[0]
        play(states[1], move)
        if numbers[LISTS_DRAWS] == 0:
            break
        values, weights = numbers[HEAD:], numbers[HEAD + numbers[LISTED] :]
        count = list_draws(states[0], move, states[1], int(numbers[DRAWN]), values, weights)
        if count > 1:
            numbers[TO_MOVE] = CHANCE
            numbers[DRAWS] = DRAW
            numbers[COUNT] = count
            return CHANCE
        if count == MANY or (count == 0 and has_drawn(states)):
            numbers[REARRANGES] = int(count == MANY)
            return ask_number(numbers, SHUFFLE)
        if count == 0:
            break
        numbers[DRAWN] += 1  # a single value is certain
    states[0] = states[1]
    return finish_move(states, ledger, gains, numbers)


@lean_kernel
def has_drawn(states: States) -> bool:
    """Whether the move on trial has drawn random numbers."""
    before, after = states[0].generator, states[1].generator
    return bool(before.counter != after.counter or before.left != after.left)


@lean_kernel
def ask_number(numbers: Counts, draws: int) -> Seat:
    """Ask for the number that seeds a deal or a shuffle."""
    numbers[TO_MOVE] = CHANCE
    numbers[DRAWS] = draws
    numbers[COUNT] = numbers[DEALS]
    numbers[DIGITS] = 0
    numbers[NUMBER] = 0
    return CHANCE


@lean_kernel
def seed_shuffle(states: States, numbers: Counts) -> None:
    """Go to the stream of the number drawn, another one at each shuffle; the first deal has that of its number."""
    streams = 1
    for _ in range(numbers[DEAL_NODES]):
        streams *= int(numbers[DEALS])
    start(states[0].generator, numbers[NUMBER] + streams * int(numbers[SHUFFLES]))
    numbers[SHUFFLES] += 1
    if numbers[DRAWS] == SHUFFLE and numbers[REARRANGES] == 1:
        shuffle_unknown(states[0])


@lean_kernel
def finish_move(states: States, ledger: Points, gains: Ratings, numbers: Counts) -> Seat:
    """Count the move, reward it, and list the next ones."""
    seats = states[0].seats
    numbers[PLAYED] += 1
    is_over = states[0].to_move == NOBODY or numbers[PLAYED] == numbers[MAX_MOVES]
    baseline, points, placing = ledger[: 2 * seats + 1], ledger[2 * seats + 1 : 3 * seats + 1], ledger[3 * seats + 1 :]
    ended = write_rewards(states[0], rule_in(numbers), is_over, baseline, points, placing, gains[:seats])
    for seat in range(seats):
        gains[seats + seat] += gains[seat]
    return list_moves(states, numbers, ended)


@lean_kernel
def rule_in(numbers: Counts) -> RewardRule:
    """Return the rule of rewards."""
    return RewardRule(
        int(numbers[REWARD_KIND]),
        int(numbers[REWARD_SIGN]),
        int(numbers[REWARD_SCALE]),
        int(numbers[REWARD_PER_ROUND]),
    )


@lean_kernel
def list_moves(states: States, numbers: Counts, ended: bool) -> Seat:
    """List the legal moves; return the seat on turn, or OVER."""
    numbers[TO_MOVE] = OVER if ended else states[0].to_move
    numbers[COUNT] = 0 if ended else legal_moves(states[0], numbers[HEAD:])
    return int(numbers[TO_MOVE])


@lean_kernel
def write_observation(states: States, seat: Seat, out: Numbers) -> None:
    """Write what a seat observes (-1: a spectator), from its sight alone."""
    glimpse(states[0], seat, states[1])
    out[:] = 0.0
    observe(states[1], seat, out)


@lean_kernel
def write_sight(states: States, seat: Seat) -> None:
    """Write what a seat knows into the second state."""
    see(states[0], seat, states[1])
