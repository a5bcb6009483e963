"""Policies inside compiled code: how the seats that nobody is asked for choose their moves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tablee.core.compilation import inlined_kernel
from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game
from tablee.core.kernels import rate
from tablee.core.randomness import below, uniform
from tablee.core.types import Generator, Index, Moves, Ratings, State
from tablee.simulation.rewards import game_step

ASKED = -1  # no policy: the caller chooses the moves of a seat
RANDOM, RATED, GREEDY = range(3)
# By name: all moves with the same probability; by softmax of the game's ratings; as the bot `greedy` of the roster.
POLICIES = {"random": RANDOM, "policy": RATED, "greedy": GREEDY}


def policy_code(name: Any) -> int:
    """Return the code of a policy; raise BadSetup if there is none of that name."""
    if name not in POLICIES:
        raise BadSetup(f"there is no policy {name!r}; {did_you_mean(str(name), POLICIES)}")
    return POLICIES[name]


class MixedMoves(NamedTuple):
    """The moves that a game's policy asks to be mixed: from `first` up to `stop`, which is not one of them."""

    first: int
    stop: int


def mixed_moves(game: Game) -> MixedMoves:
    """Return the moves that a game's policy asks to be mixed, by `SEARCH` in its policy.py."""
    if not (game.folder / "policy.py").exists():
        return MixedMoves(0, 0)
    chosen: range = getattr(game.module("policy"), "SEARCH", {}).get("mixed_moves", range(0))
    return MixedMoves(chosen.start, chosen.stop)


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
def choose_greedily(
    state: State, generator: Generator, choices: Moves, ratings: Ratings, count: int, mixed: MixedMoves
) -> Index:
    """Draw an index into `choices` as the bot `greedy` does: one of the best rated, each with the same probability.

    If the best is at least `mixed.first` and below `mixed.stop`, those of such moves by softmax of their ratings.
    """
    rate(state, choices, count, ratings)
    best = 0
    for index in range(1, count):
        if ratings[index] > ratings[best]:
            best = index
    highest, mixes = ratings[best], mixed.first <= choices[best] < mixed.stop
    total = 0.0
    for index in range(count):
        weight = 1.0 if ratings[index] == highest else 0.0
        if mixes and mixed.first <= choices[index] < mixed.stop:
            weight = math.exp(ratings[index] - highest)
        ratings[index] = weight
        total += weight
    rest = uniform(generator) * total
    chosen = best
    for index in range(count):
        if ratings[index] > 0.0 and rest >= 0.0:
            chosen = index
            rest -= ratings[index]
    return chosen


@game_step
@inlined_kernel
def choose_by_policy(
    state: State, generator: Generator, choices: Moves, ratings: Ratings, count: int, policy: int, mixed: MixedMoves
) -> Index:
    """Draw an index into `choices` by RANDOM, RATED or GREEDY."""
    if policy == RANDOM:
        return below(generator, count)
    if policy == RATED:
        return choose_by_rating(state, generator, choices, ratings, count)
    return choose_greedily(state, generator, choices, ratings, count, mixed)
