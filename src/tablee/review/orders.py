"""Moves compared with the best one in both orders: each alone, and each followed by the other.

After a move the policy plays on, and it is weak at some decisions again and again. A move after which the better one
can still be made then seems to lose what the policy fails to do. Here it loses no more than it does if its player makes
the better one as soon as it is legal again; after the better one, the other may follow as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablee.core.sight import Sight
from tablee.core.types import Generator
from tablee.review.evaluation import NEVER, Evaluator


class Order(NamedTuple):
    """Which moves follow the best one and another one when both are compared; NEVER: the policy alone plays on."""

    after_best: int = NEVER
    after_other: int = NEVER


ALONE = Order()


class Losses(NamedTuple):
    """What each move loses against the best one, and the standard errors of that."""

    losses: NDArray[np.float64]  # (moves,)
    errors: NDArray[np.float64]  # (moves,)


def choose_orders(
    evaluator: Evaluator, sight: Sight, best: int, others: Sequence[int], worlds: int, generator: Generator
) -> list[Order]:
    """Return for each of the other moves the order in which it loses least."""
    count = len(others)
    moves = [best, *others, *others, *[best] * count]
    followers = [NEVER, *[NEVER] * count, *[best] * count, *others]
    gains = evaluator.compare(sight, moves, worlds, generator, followers).gains
    alone, second, first = np.split(gains[1:], 3)  # the best move second, and first
    return [
        ALONE
        if alone[index] >= second[index] - max(0.0, first[index])
        else Order(other if first[index] > 0 else NEVER, best)
        for index, other in enumerate(others)
    ]


def judge_orders(
    evaluator: Evaluator,
    sight: Sight,
    best: int,
    others: Sequence[int],
    orders: Sequence[Order],
    worlds: int,
    generator: Callable[[], Generator],
) -> Losses:
    """Return what each of the other moves loses; its order was chosen in other worlds than those of `generator`."""
    losses, errors = np.zeros(len(others)), np.zeros(len(others))
    for after_best in dict.fromkeys(order.after_best for order in orders):
        rows = [index for index, order in enumerate(orders) if order.after_best == after_best]
        moves = [best, *(others[index] for index in rows)]
        followers = [after_best, *(orders[index].after_other for index in rows)]
        compared = evaluator.compare(sight, moves, worlds, generator(), followers)
        losses[rows], errors[rows] = -compared.gains[1:], compared.errors[1:]
    return Losses(losses, errors)
