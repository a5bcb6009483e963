"""What a game is tested with: the conformance suite, random positions, move counts, golden texts, fair chance."""

from tablee.testing.chance import assert_follows, assert_uniform
from tablee.testing.counting import count_moves
from tablee.testing.playthrough import playthrough
from tablee.testing.positions import random_match, random_positions

__all__ = [
    "assert_follows",
    "assert_uniform",
    "count_moves",
    "playthrough",
    "random_match",
    "random_positions",
]
