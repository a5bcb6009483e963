"""Moves as text in both directions, and move counts."""

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadMove
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.moves import move_text, parse_move
from tablee.games.xe_queo.tests.positions import APART, STUCK, dealt, played, position
from tablee.testing import BUDGETS, assert_uniform, count_moves, drawn_moves
from tablee.testing.move_checks import random_moves_are_listed

DRAWS_PER_MOVE = 10 if is_interpreted() else 200

CROWD = """
    . . . . . . .
    . R . . . . .
    . . O . Y . .
    . . . * . . .
    . . G . B . .
    . . P . . . .
    . . . . . . K
"""


def test_moves_have_these_texts():
    ends = ["ring a1", "ring g7", "choose red", "choose pink", "red a1", "pink g7", "accuse red", "accuse pink", "pass"]
    assert [move_text(move) for move in (0, 48, 49, 55, 56, 398, 399, 405, 406)] == ends
    assert parse_move("  Accuse   RED ") == 399
    assert GAME.moves == 407


def test_an_unknown_move_is_refused_with_a_hint():
    with pytest.raises(BadMove, match="did you mean 'purple d4'"):
        parse_move("purpel d4")
    with pytest.raises(BadMove):
        parse_move("red h8")


@pytest.mark.parametrize(
    ("drawing", "chosen", "options", "counts"),
    [
        (APART, "red orange", {}, [30, 843, 19784]),
        (APART, "red orange", {"allow_pass": True}, [31, 897, 21883]),
        (CROWD, "red orange", {}, [24, 462, 7005]),
        (CROWD, "red red", {"foreign_ring": "block"}, [28, 613, 10954]),
        (CROWD, "red blue", {"foreign_ring": "owner_wins", "metric": "manhattan"}, [28, 606, 10562]),
        (STUCK, "blue red", {}, [7, 238, 1666]),
    ],
)
def test_move_counts_of_positions(drawing, chosen, options, counts):
    state = position(drawing, chosen=chosen, options=options)
    assert [count_moves(GAME, state, depth) for depth in range(1, 1 + len(counts))] == counts


@pytest.mark.parametrize(
    ("options", "counts"), [({}, [18, 126, 882, 25578]), ({"placement": "manual"}, [49, 2352, 110544])]
)
def test_move_counts_from_the_deal(options, counts):
    state = dealt(1, **options).state
    assert [count_moves(GAME, state, depth) for depth in range(1, 1 + len(counts))] == counts


# Random moves


def test_a_random_move_is_the_one_that_a_random_number_selects_in_the_list():
    random_moves_are_listed(GAME, BUDGETS["brief"])


@pytest.mark.parametrize(
    "state",
    [
        position(CROWD),
        position(CROWD, "red blue", {"allow_pass": True}),
        position(STUCK, "blue red"),
        position(STUCK, "blue red", {"allow_pass": True}, passes=2),
        position(CROWD.replace("*", ".")),
    ],
    ids=["jumps", "with a pass", "only accusations", "after two passes", "placing the ring"],
)
def test_every_legal_move_is_drawn_equally_often(state):
    moves = played(state).legal_moves()
    assert_uniform(drawn_moves(GAME, state, DRAWS_PER_MOVE * len(moves)), moves)
