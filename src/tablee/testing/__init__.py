"""Tools for testing games: the conformance suite, random positions, move counts, golden texts, statistics."""

from tablee.testing.budget import BUDGETS, Budget, Coverage
from tablee.testing.chance import assert_follows, assert_uniform
from tablee.testing.conformance import CHECKS, Check, assert_conforms, failures
from tablee.testing.move_counts import count_moves, drawn_moves
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.playthrough import playthrough
from tablee.testing.positions import random_match, random_positions
from tablee.testing.sights import assert_seen, observed

__all__ = [
    "BUDGETS",
    "CHECKS",
    "Budget",
    "Check",
    "Coverage",
    "Nonconformity",
    "assert_conforms",
    "assert_follows",
    "assert_seen",
    "assert_uniform",
    "count_moves",
    "drawn_moves",
    "failures",
    "observed",
    "playthrough",
    "random_match",
    "random_positions",
]
