"""A record that breaks an invariant says so."""

import pytest

from tablee.games.skip_bo.state import PROBLEMS
from tablee.games.skip_bo.tests.positions import PLAIN, broken, position


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (("deck", 3), 7, 0),
        (("draw_pile", 0), 2, 0),
        (("completed", 2), 1, 0),
        (("series", 0), 10, 1),
        (("hands", (0, 1)), 1, 2),
        (("hand_piles", (0, 0)), 1, 2),
        (("hand_counts", 0), 4, 2),
        (("to_move",), 2, 3),
        (("end_reason",), 1, 3),
        (("hand_counts", 0), 0, 4),
        (("pile_tops", (0, 0)), 3, 5),
        (("stock_counts", 1), 0, 6),
        (("hand_piles", (0, 0)), 1, 7),
        (("discards", 100), 1, 8),
        (("hand_piles", (1, 4)), 1, 8),
        (("stocks", 5), 1, 8),
        (("unseen_in_pile", 3), 1, 9),
        (("unseen_held", 0), 3, 9),
    ],
)
def test_a_broken_record_is_noticed(field, value, problem):
    state = position(PLAIN | {"a": "4"}, PLAIN)
    if len(field) == 1:
        state[field[0]] = value
    else:
        state[field[0]][field[1]] = value
    assert PROBLEMS[problem] in broken(state)
