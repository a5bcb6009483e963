"""Broken invariants are reported."""

import pytest

from tablee.games.xe_queo.board import FIELD_NAMES
from tablee.games.xe_queo.state import NO_FIELD, NO_PAWN, Problem
from tablee.games.xe_queo.tests.positions import APART, broken, position


def put(field, value):
    """Return a function that sets a field of a state."""

    def change(state):
        state[field] = value

    return change


def put_at(field, index, value):
    """Return a function that sets one entry of a field."""

    def change(state):
        state[field][index] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put_at("pawns", 1, FIELD_NAMES.index("a7")), Problem.WRONG_PAWNS),
        (put_at("pawns", 1, NO_FIELD), Problem.WRONG_PAWNS),
        (put_at("rings", 0, 1), Problem.WRONG_RINGS),
        (put("rounds_played", 1), Problem.WRONG_RINGS),
        (put("to_move", -1), Problem.WRONG_TURN),
        (put("to_move", 2), Problem.WRONG_TURN),
        (put("ring", NO_FIELD), Problem.WRONG_RING),
        (put_at("chosen", 0, NO_PAWN), Problem.WRONG_DISCS),
        (put_at("excluded", 0, 0b0000001), Problem.EXCLUDED_DISC),
        (put("ring", FIELD_NAMES.index("a7")), Problem.PAWN_ON_RING),
    ],
)
def test_a_broken_invariant_is_reported(change, problem):
    state = position(APART, chosen="red orange")
    change(state)
    assert broken(state) == [problem.sentence]
