"""Rewards: what learners are told about their moves, the same in batches and in every adapter.

Every reward is a multiple of 2**-36, computed in whole numbers, so that float64 sums below 2**17 are exact in any
order. Rewards by ranks, rounds and potentials sum to exactly 0 over the seats; those by potentials sum over an episode
to exactly the reward by ranks less the first potential. Where a division leaves a remainder, the first of the seats
whose share was rounded down get 2**-36 more.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeVar

from tablee.core.compilation import Kernel, inlined_kernel, lean_kernel
from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game
from tablee.core.kernels import finished_rounds, potential, rank_by_score, ranks, scores
from tablee.core.types import Points, Ratings, State

RANKS, POINTS, ROUND, POTENTIAL = range(4)
KINDS = {"ranks": RANKS, "places": RANKS, "points": POINTS, "round": ROUND, "potential": POTENTIAL}
EPISODES = {"game": 0, "round": 1}
UNITS = 1 << 36  # of which a reward of 1 is made

AnyStep = TypeVar("AnyStep", bound=Kernel)

GAME_STEPS: list[Kernel] = []  # in order of definition, which is after the steps that each one calls


def game_step(step: AnyStep) -> AnyStep:
    """Register a step for CUDA, which compiles it again for each game."""
    GAME_STEPS.append(step)
    return step


class RewardRule(NamedTuple):
    """What the seats of a game are rewarded for, as kernels take it."""

    kind: int  # RANKS, POINTS, ROUND or POTENTIAL
    sign: int  # of points: -1 where the fewest points win, else 1
    scale: int  # points of a round that count as a reward of 1
    per_round: int  # 1 if an episode is a round, 0 if it is a game


def reward_rule(game: Game, reward: str | None = None, episode: str = "game") -> RewardRule:
    """Return the rule of that name; without one, the game's `utility`. Raise BadSetup for an unknown name."""
    if reward is None:
        reward = "ranks" if game.utility == "ranks" else "points"
    sign = -1 if game.fewest_points_win else 1
    return RewardRule(_code("reward", reward, KINDS), sign, game.round_scale, _code("episode", episode, EPISODES))


def _code(what: str, name: Any, codes: dict[str, int]) -> int:
    if not isinstance(name, str) or name not in codes:
        raise BadSetup(f"there is no {what} {name!r}; {did_you_mean(str(name), codes)}")
    return codes[name]


def is_zero_sum(rule: RewardRule) -> bool:
    """Return whether the rewards of all seats sum to exactly 0 after every move."""
    return rule.kind != POINTS


def reward_bounds(game: Game, rule: RewardRule) -> tuple[float, float]:
    """Return the lowest and the highest possible sum of the rewards of a seat over an episode."""
    if rule.kind == RANKS:
        return -1.0, 1.0
    if rule.kind == POTENTIAL:
        return -2.0, 2.0
    low, high = game.score_bounds
    if rule.kind == ROUND or rule.per_round:
        low, high = low - high, high - low
    scale = rule.scale if rule.kind == ROUND else 1
    return (-high / scale, -low / scale) if rule.sign < 0 else (low / scale, high / scale)


# Kernels. `baseline` is what the next rewards are measured from, (2 * seats + 1,) int64: the points at the end of the
# last round, the number of finished rounds, and for POTENTIAL the potentials before the next move, in units. Rewards at
# the end of a game, by its ranks or points, do not use it.


@game_step
@lean_kernel
def uses_baseline(rule: RewardRule) -> bool:
    """Return whether moves before the last one of a game may be rewarded, or end an episode."""
    return rule.kind == ROUND or rule.kind == POTENTIAL or rule.per_round == 1


@game_step
@lean_kernel
def divide_leads(leads: Ratings, seats: int, units: int, divisor: int) -> None:
    """Divide whole numbers that sum to 0, each of so many units, and turn them into rewards that sum to 0.

    Each is rounded down to whole units. What is missing then are fewer units than there are seats that were rounded:
    the first of these get one each. Floats are exact here, since `units * divisor` is below 2**53, and divided faster
    than integers on a CUDA device.
    """
    missing, rounded = 0.0, 0
    for seat in range(seats):
        whole = math.floor(leads[seat] / divisor)
        rest = (leads[seat] - whole * divisor) * units
        part = math.floor(rest / divisor)
        rounded |= (part * divisor != rest) << seat
        leads[seat] = whole * units + part
        missing -= leads[seat]
    for seat in range(seats):
        if missing > 0.0 and (rounded >> seat) & 1:
            leads[seat] += 1.0
            missing -= 1.0
        leads[seat] /= UNITS


@game_step
@lean_kernel
def compare_with_others(numbers: Ratings, seats: int) -> None:
    """Turn whole numbers into their differences from the mean of the others, times the number of other seats."""
    total = 0.0
    for seat in range(seats):
        total += numbers[seat]
    for seat in range(seats):
        numbers[seat] = seats * numbers[seat] - total


@game_step
@inlined_kernel
def write_potentials(state: State, out: Ratings) -> None:
    """Write how far each seat's potential is ahead of the mean of the others'."""
    seats = int(state.seats)
    potential(state, out)
    for seat in range(seats):
        out[seat] = math.floor(out[seat] * UNITS + 0.5)
    compare_with_others(out, seats)
    divide_leads(out, seats, 1, max(1, seats - 1))


@game_step
@lean_kernel
def write_rank_rewards(placing: Points, seats: int, out: Ratings) -> None:
    """Write the share of the other seats behind minus the share ahead: from -1 to 1, and 0 for a tie of all."""
    for seat in range(seats):
        lead = 0
        for other in range(seats):
            if placing[other] > placing[seat]:
                lead += 1
            elif placing[other] < placing[seat]:
                lead -= 1
        out[seat] = lead
    divide_leads(out, seats, UNITS, max(1, seats - 1))


@game_step
@inlined_kernel
def write_round_rewards(state: State, rule: RewardRule, baseline: Points, out: Ratings) -> None:
    """Write how far each seat was ahead of the mean of the others in the round that has ended, by the game's scale."""
    seats = int(state.seats)
    for seat in range(seats):
        out[seat] = -baseline[seat]
    scores(state, baseline)
    for seat in range(seats):
        out[seat] = rule.sign * (out[seat] + baseline[seat])
    compare_with_others(out, seats)
    divide_leads(out, seats, UNITS, max(1, seats - 1) * rule.scale)


@game_step
@inlined_kernel
def write_potential_gains(state: State, ended: bool, baseline: Points, placing: Points, out: Ratings) -> None:
    """Write the change of the potentials; at the end of an episode, the rewards by ranks less the last potentials."""
    seats = int(state.seats)
    potentials = baseline[seats + 1 :]
    if ended:
        write_rank_rewards(placing, seats, out)
        for seat in range(seats):
            potentials[seat] = int(out[seat] * UNITS) - potentials[seat]
    write_potentials(state, out)
    for seat in range(seats):
        reached = int(out[seat] * UNITS)
        out[seat] = (potentials[seat] if ended else reached - potentials[seat]) / UNITS
        potentials[seat] = reached


@game_step
@inlined_kernel
def write_result(state: State, rule: RewardRule, baseline: Points, points: Points, placing: Points) -> None:
    """Write the scores and ranks of a game, or those within the round if an episode is one."""
    scores(state, points)
    if rule.per_round == 0:
        ranks(state, placing)
        return
    for seat in range(state.seats):
        points[seat] -= baseline[seat]
    rank_by_score(points, state.seats, rule.sign < 0, placing)


@game_step
@inlined_kernel
def start_rewards(state: State, rule: RewardRule, baseline: Points, out: Ratings) -> None:
    """Set the baseline after a deal, and the rewards to 0; `out` is (seats,) float64."""
    seats = int(state.seats)
    if uses_baseline(rule):
        scores(state, baseline)
        baseline[seats] = finished_rounds(state)
    if rule.kind == POTENTIAL:
        write_potentials(state, out)
        for seat in range(seats):
            baseline[seats + 1 + seat] = int(out[seat] * UNITS)
    for seat in range(seats):
        out[seat] = 0.0


@game_step
@inlined_kernel
def write_rewards(
    state: State, rule: RewardRule, is_over: bool, baseline: Points, points: Points, placing: Points, out: Ratings
) -> bool:
    """Write the reward of each seat for the move just played; return whether the move ended the episode.

    `is_over` says that the game is over, or cut off: then it is scored as it stands. If the episode ends, `points` and
    `placing`, both (seats,) int64, are set to its scores and ranks. `out` is (seats,) float64.
    """
    seats = int(state.seats)
    has_scored = False
    if uses_baseline(rule):
        has_scored = finished_rounds(state) != baseline[seats]
    ended = is_over or (rule.per_round == 1 and has_scored)
    for seat in range(seats):
        out[seat] = 0.0
    if ended:
        write_result(state, rule, baseline, points, placing)
    if rule.kind == RANKS and ended:
        write_rank_rewards(placing, seats, out)
    elif rule.kind == POINTS and ended:
        for seat in range(seats):
            out[seat] = rule.sign * points[seat]
    elif rule.kind == ROUND and has_scored:
        write_round_rewards(state, rule, baseline, out)
    elif rule.kind == POTENTIAL:
        write_potential_gains(state, ended, baseline, placing, out)
    if has_scored:
        scores(state, baseline)
        baseline[seats] = finished_rounds(state)
    return ended
