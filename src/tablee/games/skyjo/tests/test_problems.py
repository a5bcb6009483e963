"""Broken invariants are reported."""

import pytest

from tablee.games.skyjo import GAME
from tablee.games.skyjo.state import Problem
from tablee.games.skyjo.tests.positions import ALL_HIDDEN, OPEN_TWO, broken, position


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (("deck", 3), 11, Problem.WRONG_DECK),
        (("gone", 0), 1, Problem.OPEN_AND_GONE),
        (("draw_count",), -1, Problem.PILES_OVERLAP),
        (("to_move",), 2, Problem.WRONG_TURN),
        (("held",), 4, Problem.WRONG_HAND),
        (("phase",), 3, Problem.WRONG_HAND),
        (("opened", 0), 0b1111_1111_1111, Problem.NO_HIDDEN_CARD),
        (("grid", (7, 3)), 5, Problem.UNMARKED_GAP),
    ],
)
def test_a_broken_invariant_is_reported(field, value, problem):
    state = position(OPEN_TWO, ALL_HIDDEN)
    if len(field) == 1:
        state[field[0]] = value
    else:
        state[field[0]][field[1]] = value
    assert GAME.kernels.problems(state) & problem


@pytest.mark.parametrize(
    ("rows", "tableau", "is_broken"),
    [
        (False, "7 (4) (5) (6) / 7 (8) (9) (10) / (7) (1) (2) (0)", True),
        (False, "7 7 7 (7) / (4) (8) (9) (10) / (3) (1) (2) (0)", False),
        (True, "7 7 7 (7) / (4) (8) (9) (10) / (3) (1) (2) (0)", True),
    ],
)
def test_an_equal_line_that_was_not_cleared_is_reported(rows, tableau, is_broken):
    state = position(tableau, OPEN_TWO, options={"rows": rows})
    state.opened[0] |= 1 << 3 | 1 << 8
    assert bool(GAME.kernels.problems(state) & Problem.EQUAL_LINE) == is_broken
    assert GAME.kernels.problems(position(tableau, OPEN_TWO)) == 0


def test_a_card_left_between_the_piles_is_reported():
    state = position(OPEN_TWO, ALL_HIDDEN, discard=(5, 6), draw=(7,), whole_deck=False)
    state.piles[1] = 7
    assert broken(state) == [Problem.UNMARKED_GAP.sentence]
