"""A record that breaks an invariant says so."""

import pytest

from tablee.games.skyjo import GAME
from tablee.games.skyjo.state import PROBLEMS
from tablee.games.skyjo.tests.positions import ALL_HIDDEN, OPEN_TWO, broken, position


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (("deck", 3), 11, 0),
        (("gone", 0), 1, 1),
        (("draw_count",), -1, 2),
        (("to_move",), 2, 3),
        (("held",), 4, 4),
        (("phase",), 3, 4),
        (("opened", 0), 0b1111_1111_1111, 6),
        (("grid", (7, 3)), 5, 7),
    ],
)
def test_a_broken_record_is_noticed(field, value, problem):
    state = position(OPEN_TWO, ALL_HIDDEN)
    if len(field) == 1:
        state[field[0]] = value
    else:
        state[field[0]][field[1]] = value
    assert PROBLEMS[problem] in broken(state)


@pytest.mark.parametrize(
    ("rows", "tableau", "is_broken"),
    [
        (False, "7 (4) (5) (6) / 7 (8) (9) (10) / (7) (1) (2) (0)", True),
        (False, "7 7 7 (7) / (4) (8) (9) (10) / (3) (1) (2) (0)", False),
        (True, "7 7 7 (7) / (4) (8) (9) (10) / (3) (1) (2) (0)", True),
    ],
)
def test_equal_open_cards_that_stayed_are_noticed(rows, tableau, is_broken):
    state = position(tableau, OPEN_TWO, options={"rows": rows})
    state.opened[0] |= 1 << 3 | 1 << 8
    assert any("equal open cards" in problem for problem in broken(state)) == is_broken
    assert GAME.kernels.problems(position(tableau, OPEN_TWO)) == 0


def test_a_card_left_between_the_piles_is_noticed():
    state = position(OPEN_TWO, ALL_HIDDEN, discard=(5, 6), draw=(7,), whole_deck=False)
    state.piles[1] = 7
    assert broken(state) == ["a place without a card is not marked as such"]
