"""Who sits with whom: line-ups in which every bot plays equally often, and from every seat."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from tablee.core.errors import BadSetup

Lineup: TypeAlias = tuple[str, ...]  # a bot per seat


def balanced(bots: Sequence[str], seats: int) -> tuple[Lineup, ...]:
    """Return line-ups that together seat each bot equally often and each two bots together equally often.

    More bots than seats: every choice of as many as there are seats (with two seats, every pair). Fewer: each bot
    sits once or more, and the seats that are left over go to every choice of bots in turn.
    """
    _demand_different(bots)
    times, left_over = divmod(seats, len(bots))
    return tuple(tuple(bots) * times + extra for extra in combinations(bots, left_over))


def one_against_the_rest(one: str, rest: str, seats: int) -> tuple[Lineup, ...]:
    """Return the line-up of one bot among copies of another."""
    return ((one, *[rest] * (seats - 1)),)


def seatings(lineups: Sequence[Lineup], seed: int, deal: int) -> tuple[Lineup, ...]:
    """Return how one deal is played: line-ups take turns, and each sits down in an order that the deal decides.

    It is played once for every rotation of that order: the bots' neighbours change from deal to deal, and within a
    deal each bot has each hand of cards once.
    """
    order = list(lineups[deal % len(lineups)])
    random.Random(f"{seed} {deal}").shuffle(order)
    return tuple(dict.fromkeys(tuple(order[turn:] + order[:turn]) for turn in range(len(order))))


def _demand_different(bots: Sequence[str]) -> None:
    if len(bots) < 2:
        raise BadSetup(f"an arena needs two bots or more, not {len(bots)}")
    for name in bots:
        if bots.count(name) > 1:
            raise BadSetup(f"the bot {name!r} is named twice")
