"""Moves as text both ways, and how many there are."""

from dataclasses import replace

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadMove
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import (
    DISCARD_FIRST,
    HAND_FIRST,
    PASS,
    PILE_FIRST,
    STOCK_FIRST,
    MoveParts,
    move_text,
    parse_move,
    parts_of,
)
from tablee.games.skip_bo.tests.positions import PLAIN, played, position
from tablee.testing import BUDGETS, assert_uniform, count_moves, drawn_moves
from tablee.testing.move_checks import random_moves_are_listed

DRAWS_PER_MOVE = 10 if is_interpreted() else 200


def test_every_move_has_one_text():
    texts = [move_text(move) for move in range(GAME.moves)]
    assert [parse_move(text) for text in texts] == list(range(GAME.moves))
    assert len(set(texts)) == GAME.moves == PASS + 1
    assert all(text == text.lower() for text in texts)


@pytest.mark.parametrize(
    ("move", "text", "parts"),
    [
        (STOCK_FIRST + 1, "play stock 2", MoveParts("stock", series=1)),
        (HAND_FIRST, "play 1 1", MoveParts("hand", card=1)),
        (HAND_FIRST + 6 * 4 + 1, "play 7 2", MoveParts("hand", card=7, series=1)),
        (HAND_FIRST + 12 * 4 + 3, "play w 4", MoveParts("hand", card=13, series=3)),
        (PILE_FIRST + 2 * 4 + 1, "play c 2", MoveParts("pile", pile=2, series=1)),
        (DISCARD_FIRST + 6 * 4, "discard 7 a", MoveParts("discard", card=7)),
        (DISCARD_FIRST + 12 * 4 + 3, "discard w d", MoveParts("discard", card=13, pile=3)),
        (PASS, "pass", MoveParts("pass")),
    ],
)
def test_a_move_has_a_text_and_parts(move, text, parts):
    assert move_text(move) == text
    assert parts_of(move) == parts


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("PLAY W 2", "play w 2"),
        ("  play   stock 2 ", "play stock 2"),
        ("play skip-bo 2", "play w 2"),
        ("Discard SkipBo on pile c", "discard w c"),
        ("play hand 7 on series 2", "play 7 2"),
        ("play pile c 2", "play c 2"),
        ("play wild to 4", "play w 4"),
    ],
)
def test_parsing_accepts_other_spellings(text, meant):
    assert move_text(parse_move(text)) == meant


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("play stok 1", "did you mean 'play stock 1'?"),
        ("pas", "did you mean 'pass'?"),
        ("play 13 1", "did you mean 'play "),
        ("play 7 5", "did you mean 'play "),
        ("discard 7 1", "did you mean 'discard 7 a'?"),
        ("", "known are: "),
        ("draw", "known are: "),
    ],
)
def test_an_unknown_move_is_refused_with_a_hint(text, hint):
    with pytest.raises(BadMove) as refused:
        parse_move(text)
    assert repr(text) in str(refused.value)
    assert hint in str(refused.value)


# Move counts; the first ones can be worked out by hand.


def test_move_counts_where_nothing_fits():
    """Three different cards on four piles; the other seat likewise; then again with another 6."""
    state = position(PLAIN, {"stock": "9 9", "hand": "8 9 10"}, draw="6 6 6 6 6 6")
    with_a_six = 8 + 12 + 8  # of 6 7, 5 7 or 5 6 with another 6: two, three or two different cards
    assert [count_moves(GAME, state, depth) for depth in range(4)] == [1, 12, 12 * 12, 4 * 12 * with_a_six]


def test_move_counts_of_a_start():
    """A 1 on any of four series, or one of two cards on any of four piles."""
    state = position({"stock": "9 9", "hand": "1 5"}, PLAIN)
    after_play = 4  # only the 5 is left, and it fits nowhere
    after_discard = 12
    assert [count_moves(GAME, state, depth) for depth in range(3)] == [1, 4 + 8, 4 * after_play + 8 * after_discard]


def test_equal_cards_are_one_move():
    state = position({"stock": "9 9", "hand": "5 5 5"}, PLAIN)
    assert [count_moves(GAME, state, depth) for depth in range(3)] == [1, 4, 4 * 12]


def test_the_largest_number_of_legal_moves():
    """A wild on the stock and on every pile, five different cards in hand, each number with a series of its own."""
    me = {"stock": "9 w", "hand": "1 2 3 4 w", "a": "w", "b": "w", "c": "w", "d": "w"}
    state = position(me, PLAIN, series=("", "1", "1 2", "1 2 3"), options={"hand_size": "five"})
    assert len(played(state).legal_moves()) == GAME.max_legal_moves == 48


def test_move_counts_of_a_small_deal():
    me = {"stock": "7 1", "hand": "2 w 5", "a": "3"}
    other = {"stock": "2 1", "hand": "1 2 w", "b": "4"}
    state = position(me, other, series=("1", "", "", ""), draw="1 2 3 4 5 6")
    counts = [1, 3 + 1 + 4 + 12, 394, 7243, 128316]
    depths = range(4 if is_interpreted() else 5)
    assert [count_moves(GAME, state, depth) for depth in depths] == counts[: len(depths)]


# Random moves


def test_a_random_move_is_the_one_that_a_random_number_selects_in_the_list():
    """In a part of a game: interpreted, a whole game takes long."""
    random_moves_are_listed(GAME, replace(BUDGETS["brief"], setup=GAME.setup(3), view_moves=400))


@pytest.mark.parametrize(
    "state",
    [
        position({"stock": "9 1", "hand": "1 5 w", "a": "2", "d": "1"}, PLAIN, series=("1", "", "1 2", "")),
        position(PLAIN, {"stock": "9 9", "hand": "8 9 10"}),
        position({"stock": "9 1", "a": "1"}, PLAIN, whole_deck=False),
    ],
    ids=["from everywhere", "only discards", "with a pass"],
)
def test_every_legal_move_is_drawn_equally_often(state):
    moves = played(state).legal_moves()
    assert_uniform(drawn_moves(GAME, state, DRAWS_PER_MOVE * len(moves)), moves)
