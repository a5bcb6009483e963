"""Exact methods on the tree of a reduction: values, best responses, and CFR+ towards an equilibrium.

A policy is an array with the probability of every choice of the tree, those of an information state summing to 1.
"""

from __future__ import annotations

import numpy as np

from tablee.simulation.trees import Array, GameTree


def values(tree: GameTree, policy: Array) -> Array:
    """Return the expected reward of each seat, shape (seats,), if all follow a policy."""
    level_values = tree.levels[-1].rewards
    for depth in range(tree.depth, 0, -1):
        below = tree.levels[depth]
        weighted = level_values * policy[below.choices, None]
        above = tree.levels[depth - 1]
        level_values = above.rewards + np.stack(
            [_sum_by(below.parents, column, len(above.seats)) for column in weighted.T], axis=1
        )
    mean: Array = level_values.mean(axis=0)
    return mean


def nash_conv(tree: GameTree, policy: Array) -> float:
    """Return how much all seats together could gain if each alone left the policy: 0 in an equilibrium."""
    gains = [best_response_value(tree, policy, seat) for seat in range(tree.setup.seats)] - values(tree, policy)
    return float(gains.sum())


def exploitability(tree: GameTree, policy: Array) -> float:
    """Return the mean gain per seat of leaving the policy, as OpenSpiel defines it."""
    return nash_conv(tree, policy) / tree.setup.seats


def best_response_value(tree: GameTree, policy: Array, seat: int) -> float:
    """Return the expected reward of a seat that plays its best against the policy of the others."""
    others = _reaches(tree, policy, seat)[1]
    gains = tree.levels[-1].rewards[:, seat] * others[-1]  # weighted by how likely chance and the others lead here
    for depth in range(tree.depth, 0, -1):
        above, below = tree.levels[depth - 1], tree.levels[depth]
        is_own = above.seats[below.parents] == seat
        own_choices = below.choices[is_own]
        worth = _sum_by(own_choices, gains[is_own], len(policy))
        best = np.zeros(len(policy), bool)
        best[_best_choices(tree, worth, np.unique(own_choices))] = True
        kept = np.where(is_own, best[below.choices], True)
        sums = _sum_by(below.parents[kept], gains[kept], len(above.seats))
        gains = above.rewards[:, seat] * others[depth - 1] + sums
    return float(gains.sum())


def _best_choices(tree: GameTree, worth: Array, choices: Array) -> Array:
    """Return the best of the listed choices in each information state: the first one of highest worth."""
    owner = np.searchsorted(tree.first_choices, choices, side="right")
    order = np.lexsort((choices, -worth[choices], owner))
    is_first = np.diff(owner[order], prepend=-1) != 0
    best: Array = choices[order][is_first]
    return best


def _reaches(tree: GameTree, policy: Array, seat: int) -> tuple[list[Array], list[Array]]:
    """Return per level the probability that a seat's own choices lead to each history, and that of all others."""
    own, others = [np.ones(tree.deals)], [np.full(tree.deals, 1.0 / tree.deals)]
    for above, below in zip(tree.levels, tree.levels[1:], strict=False):
        is_own = above.seats[below.parents] == seat
        chosen = policy[below.choices]
        own.append(own[-1][below.parents] * np.where(is_own, chosen, 1.0))
        others.append(others[-1][below.parents] * np.where(is_own, 1.0, chosen))
    return own, others


def _sum_by(index: Array, weights: Array, size: int) -> Array:
    sums: Array = np.bincount(index, weights, minlength=size)
    return sums


class RegretSolver:
    """CFR+ (Tammelin 2014): regrets never below zero, seats updated in turns, averages weighted by the iteration.

    With two seats the average policy approaches an equilibrium; with more there is no guarantee.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.iterations = 0
        self._regrets = np.zeros(len(tree.moves))
        self._sums = np.zeros(len(tree.moves))
        self._counts = np.diff(tree.first_choices)

    def run(self, iterations: int) -> None:
        """Update every seat this many times."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in range(self.tree.setup.seats):
                self._update(seat)

    def average_policy(self) -> Array:
        """Return the policy that approaches an equilibrium."""
        return self._normalised(self._sums)

    def _normalised(self, weights: Array) -> Array:
        """Return the weights as probabilities; uniform where all are zero."""
        totals = np.repeat(np.add.reduceat(weights, self.tree.first_choices[:-1]), self._counts)
        uniform = np.repeat(1.0 / self._counts, self._counts)
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), uniform)

    def _update(self, seat: int) -> None:
        """Add the regrets of a seat in every information state, and its policy to the average."""
        tree, policy = self.tree, self._normalised(self._regrets)
        own, others = _reaches(tree, policy, seat)
        gains = np.zeros(len(policy))
        worth = tree.levels[-1].rewards[:, seat]
        for depth in range(tree.depth, 0, -1):
            above, below = tree.levels[depth - 1], tree.levels[depth]
            mean = above.rewards[:, seat] + _sum_by(below.parents, worth * policy[below.choices], len(above.seats))
            is_own = above.seats[below.parents] == seat
            parents = below.parents[is_own]
            choices = below.choices[is_own]
            np.add.at(gains, choices, others[depth - 1][parents] * (worth[is_own] - mean[parents]))
            # All histories of an information state have the same own probability: recall is perfect.
            self._sums[choices[_first_of_each(choices)]] += (
                self.iterations * (own[depth - 1][parents] * policy[choices])[_first_of_each(choices)]
            )
            worth = mean
        self._regrets = np.maximum(self._regrets + gains, 0.0)


def _first_of_each(choices: Array) -> Array:
    first: Array = np.unique(choices, return_index=True)[1]
    return first
