"""Line-ups and seatings in which every bot plays equally often, and from every seat."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from tablee.core.errors import BadSetup

Lineup: TypeAlias = tuple[str, ...]  # bot names by seat


def balanced_lineups(bots: Sequence[str], seats: int) -> tuple[Lineup, ...]:
    """Return line-ups in which each bot appears equally often, and each pair of bots meets equally often.

    With more bots than seats: every combination that fills the seats (with two seats, every pair). With fewer: each
    bot takes the same number of seats, and the remaining seats go to every combination of bots.
    """
    _require_distinct(bots)
    copies, remaining = divmod(seats, len(bots))
    return tuple(tuple(bots) * copies + extra for extra in combinations(bots, remaining))


def one_against_the_rest(one: str, rest: str, seats: int) -> tuple[Lineup, ...]:
    """Return the line-up of one bot among copies of another."""
    return ((one, *[rest] * (seats - 1)),)


def seatings(lineups: Sequence[Lineup], seed: int, deal: int) -> tuple[Lineup, ...]:
    """Return the seatings of one deal: the next line-up in turn, shuffled, once for every rotation of the seats.

    So each bot plays each hand of a deal once, and its neighbours change from deal to deal.
    """
    order = list(lineups[deal % len(lineups)])
    random.Random(f"{seed} {deal}").shuffle(order)
    rotations = (tuple(order[shift:] + order[:shift]) for shift in range(len(order)))
    return tuple(dict.fromkeys(rotations))  # equal seatings are played once


def _require_distinct(bots: Sequence[str]) -> None:
    if len(bots) < 2:
        raise BadSetup(f"an arena needs at least two bots, not {len(bots)}")
    for name in bots:
        if bots.count(name) > 1:
            raise BadSetup(f"the bot {name!r} is listed twice")
