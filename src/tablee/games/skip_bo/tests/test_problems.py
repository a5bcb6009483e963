"""`problems` finds broken invariants."""

import pytest

from tablee.games.skip_bo.state import Problem
from tablee.games.skip_bo.tests.positions import PLAIN, broken, position


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (("deck", 3), 7, Problem.WRONG_DECK),
        (("draw_pile", 0), 2, Problem.WRONG_DECK),
        (("completed", 2), 1, Problem.WRONG_DECK),
        (("series", 0), 10, Problem.SERIES_TOO_LONG),
        (("hands", (0, 1)), 1, Problem.HAND_OUT_OF_ORDER),
        (("hand_piles", (0, 0)), 1, Problem.HAND_OUT_OF_ORDER),
        (("hand_counts", 0), 4, Problem.HAND_OUT_OF_ORDER),
        (("to_move",), 2, Problem.WRONG_TURN),
        (("end_reason",), 1, Problem.WRONG_TURN),
        (("hand_counts", 0), 0, Problem.HAND_NOT_REFILLED),
        (("pile_tops", (0, 0)), 3, Problem.WRONG_PILE_TOP),
        (("stock_counts", 1), 0, Problem.EMPTY_STOCK),
        (("hand_piles", (0, 0)), 1, Problem.UNKNOWN_PILE),
        (("discards", 100), 1, Problem.LEFTOVER_CARD),
        (("hand_piles", (1, 4)), 1, Problem.LEFTOVER_CARD),
        (("stocks", 5), 1, Problem.LEFTOVER_CARD),
        (("unseen_in_pile", 3), 1, Problem.WRONG_UNSEEN_CARDS),
        (("unseen_held", 0), 3, Problem.WRONG_UNSEEN_CARDS),
    ],
)
def test_a_broken_invariant_is_reported(field, value, problem):
    state = position(PLAIN | {"a": "4"}, PLAIN)
    if len(field) == 1:
        state[field[0]] = value
    else:
        state[field[0]][field[1]] = value
    assert problem.sentence in broken(state)
