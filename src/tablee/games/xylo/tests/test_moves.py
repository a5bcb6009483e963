"""Moves as text, and the number of move sequences from small deals."""

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadMove
from tablee.games.xylo import GAME
from tablee.games.xylo.moves import colour_of_move, move_text, parse_move, position_of_move
from tablee.games.xylo.tests.positions import dealt, lay, small
from tablee.testing import BUDGETS, assert_uniform, count_moves, drawn_moves
from tablee.testing.move_checks import random_moves_are_listed

DRAWS_PER_MOVE = 10 if is_interpreted() else 200

NINE = ("R2 O1 Y0", "O2 Y1 R0", "Y2 R1 O0")
TWELVE = ("R2 O2 Y1 Y0", "Y3 O1 R1 R0", "R3 O3 Y2 O0")
TWINS = ("R2 O2 R1 O1", "Y2 G2 Y1 G1", "B2 R0 O0 B0", "B1 P0 G0 Y0")


def test_the_texts_of_the_first_and_last_moves_of_each_kind():
    ends = ["keep", "next red", "next pink", "play 1", "play 15", "peek 1", "peek 14", "bid left", "bid right", "pass"]
    assert [move_text(move) for move in (0, 1, 8, 9, 23, 24, 37, 38, 39, 40)] == ends
    assert parse_move("  Next   RED ") == 1
    assert GAME.moves == 41


def test_colours_and_positions_of_moves():
    assert [colour_of_move(move) for move in (0, 1, 8, 9)] == [None, 0, 7, None]
    assert [position_of_move(move) for move in (8, 9, 23, 24, 37, 38)] == [None, 0, 14, 0, 13, None]


def test_an_unknown_move_is_refused_with_a_hint():
    with pytest.raises(BadMove, match="did you mean 'bid left'"):
        parse_move("bid lefft")
    with pytest.raises(BadMove):
        parse_move("play 16")


@pytest.mark.parametrize(
    ("rows", "options", "counts"),
    [
        (NINE, {}, [2, 2, 2, 2, 2, 2]),
        (TWELVE, {}, [3, 9, 15, 21, 52, 93, 195, 450]),
        (TWINS, {}, [3, 9, 24, 84, 204, 324]),
        (TWINS, {"ties": "choose"}, [3, 10, 37, 126, 432, 1296]),
        (TWINS, {"seats": 2}, [3, 9, 15, 21, 54]),
        (TWINS, {"seats": 2, "ties": "choose"}, [4, 12, 36, 109, 348, 1188]),
    ],
)
def test_move_counts_of_small_deals(rows, options, counts):
    state = small(*rows, **options).state
    assert [count_moves(GAME, state, depth) for depth in range(1, 1 + len(counts))] == counts


@pytest.mark.parametrize(
    ("seats", "options", "counts"),
    [
        (2, {}, [3, 9, 27, 97]),
        (3, {"removed": "pink"}, [3, 11, 37, 174]),
        (4, {}, [3, 9, 31, 93]),
        (5, {"ties": "auto"}, [11, 121, 269, 1519]),
    ],
)
def test_move_counts_from_the_deal(seats, options, counts):
    state = dealt(seats, **options).state
    assert [count_moves(GAME, state, depth) for depth in range(1, 1 + len(counts))] == counts


# Random moves


def test_a_random_move_is_the_one_that_a_random_number_selects_in_the_list():
    random_moves_are_listed(GAME, BUDGETS["brief"])


@pytest.mark.parametrize(
    "match",
    [dealt(4), small(*TWINS, ties="choose"), small(*TWELVE), lay(small(*TWINS), "O2")],
    ids=["arranging", "equal cards", "leading", "following"],
)
def test_every_legal_move_is_drawn_equally_often(match):
    moves = match.legal_moves()
    assert_uniform(drawn_moves(GAME, match.state, DRAWS_PER_MOVE * len(moves)), moves)
