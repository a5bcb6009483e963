"""`problems` finds what cannot be."""

import pytest

from tablee.games.xe_queo.board import FIELD_NAMES
from tablee.games.xe_queo.state import NO_FIELD, NO_PAWN, PROBLEMS
from tablee.games.xe_queo.tests.positions import APART, broken, position


def put(field, value):
    """Return a change of one field of a record."""

    def change(state):
        state[field] = value

    return change


def put_at(field, index, value):
    """Return a change of one entry of a field."""

    def change(state):
        state[field][index] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put_at("pawns", 1, FIELD_NAMES.index("a7")), 0),
        (put_at("pawns", 1, NO_FIELD), 0),
        (put_at("rings", 0, 1), 1),
        (put("rounds_played", 1), 1),
        (put("to_move", -1), 2),
        (put("to_move", 2), 2),
        (put("ring", NO_FIELD), 3),
        (put_at("chosen", 0, NO_PAWN), 4),
        (put_at("excluded", 0, 0b0000001), 5),
        (put("ring", FIELD_NAMES.index("a7")), 6),
    ],
)
def test_each_problem_is_found(change, problem):
    state = position(APART, chosen="red orange")
    change(state)
    assert broken(state) == [PROBLEMS[problem]]
