"""Policies inside compiled code: how the seats that nobody is asked for choose their moves."""

from __future__ import annotations

import math
from typing import Any

from tablee.core.compilation import inlined_kernel
from tablee.core.errors import BadSetup, did_you_mean
from tablee.core.game import Game
from tablee.core.kernels import rate
from tablee.core.randomness import below, uniform
from tablee.core.types import Generator, Index, Moves, Ratings, State
from tablee.simulation.steps import RANDOM, RATED, choose_by_rating

ASKED = -1  # no policy: the caller chooses the moves of a seat
GREEDY = 2
# By name: all moves with the same probability; by softmax of the game's ratings; as the bot `greedy` of the roster.
POLICIES = {"random": RANDOM, "policy": RATED, "greedy": GREEDY}


def policy_code(name: Any) -> int:
    """Return the code of a policy; raise BadSetup if there is none of that name."""
    if name not in POLICIES:
        raise BadSetup(f"there is no policy {name!r}; {did_you_mean(str(name), POLICIES)}")
    return POLICIES[name]


def mixed_moves(game: Game) -> range:
    """Return the moves that a game's policy asks to be mixed, by `SEARCH` in its policy.py."""
    if not (game.folder / "policy.py").exists():
        return range(0)
    chosen: range = getattr(game.module("policy"), "SEARCH", {}).get("mixed_moves", range(0))
    return chosen


@inlined_kernel
def choose_greedily(
    state: State, generator: Generator, choices: Moves, ratings: Ratings, count: int, mixed: Any
) -> Index:
    """Draw an index into `choices` as the bot `greedy` does: one of the best rated, each with the same probability.

    If the best is at least `mixed[0]` and below `mixed[1]`, those of such moves by softmax of their ratings.
    """
    rate(state, choices, count, ratings)
    best = 0
    for index in range(1, count):
        if ratings[index] > ratings[best]:
            best = index
    highest, mixes = ratings[best], mixed[0] <= choices[best] < mixed[1]
    total = 0.0
    for index in range(count):
        weight = 1.0 if ratings[index] == highest else 0.0
        if mixes and mixed[0] <= choices[index] < mixed[1]:
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


@inlined_kernel
def choose_by_policy(
    state: State, generator: Generator, choices: Moves, ratings: Ratings, count: int, policy: int, mixed: Any
) -> Index:
    """Draw an index into `choices` by RANDOM, RATED or GREEDY."""
    if policy == RANDOM:
        return below(generator, count)
    if policy == RATED:
        chosen: Index = choose_by_rating(state, generator, choices, ratings, count)
        return chosen
    return choose_greedily(state, generator, choices, ratings, count, mixed)
