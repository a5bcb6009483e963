"""Moves as text in both directions, and move counts."""

import pytest

from tablee.core.errors import BadMove
from tablee.games.skyjo import GAME
from tablee.games.skyjo.moves import (
    CELL_NAMES,
    DISCARD,
    DRAW,
    FLIP_FIRST,
    SWAP_FIRST,
    TAKE,
    cell_of,
    move_text,
    parse_move,
)
from tablee.games.skyjo.tests.positions import after_opening, dealt, narrow, position
from tablee.testing import count_moves


def test_every_move_has_one_text():
    texts = [move_text(move) for move in range(GAME.moves)]
    assert [parse_move(text) for text in texts] == list(range(GAME.moves))
    assert len(set(texts)) == GAME.moves
    assert all(text == text.lower() for text in texts)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (DRAW, "draw"),
        (TAKE, "take"),
        (DISCARD, "discard"),
        (FLIP_FIRST, "flip a1"),
        (FLIP_FIRST + 11, "flip d3"),
        (SWAP_FIRST + 5, "swap b2"),
        (SWAP_FIRST + 9, "swap b3"),
    ],
)
def test_moves_have_these_texts(move, text):
    assert move_text(move) == text


@pytest.mark.parametrize("text", ["SWAP B3", "  swap   b3 ", "Swap\tb3"])
def test_case_and_spaces_do_not_matter(text):
    assert parse_move(text) == SWAP_FIRST + 9


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("darw", "did you mean 'draw'?"),
        ("swap b4", "did you mean 'swap b"),
        ("flp c2", "did you mean 'flip c2'?"),
        ("swap", "did you mean 'swap "),
        ("", "known are: discard, draw, flip a1, "),
        ("xyzzy", "known are: discard, draw, flip a1, "),
        ("swapb3", "did you mean 'swap b3'?"),
    ],
)
def test_an_unknown_move_is_refused_with_a_hint(text, hint):
    with pytest.raises(BadMove) as refused:
        parse_move(text)
    assert repr(text) in str(refused.value)
    assert hint in str(refused.value)


def test_cell_of_returns_the_cell_a_move_names():
    assert [cell_of(move) for move in (DRAW, TAKE, DISCARD)] == [None] * 3
    assert [CELL_NAMES[cell_of(parse_move(f"flip {name}"))] for name in CELL_NAMES] == list(CELL_NAMES)
    assert [CELL_NAMES[cell_of(parse_move(f"swap {name}"))] for name in CELL_NAMES] == list(CELL_NAMES)


# Move counts; each can be checked by hand.


def test_move_counts_of_the_opening():
    """Two seats choose two of twelve cards, one after the other."""
    assert [count_moves(GAME, dealt(2).state, depth) for depth in range(5)] == [1, 12, 12 * 11, 132 * 12, 1584 * 11]


def test_move_counts_of_turns():
    """A turn is draw and swap (12), draw, discard and flip (10), or take and swap (12)."""
    state = after_opening(2).state
    counts = [1, 2, 13 + 12, 12 * 2 + 10 + 12 * 2, 24 * 25 + 10 * 2, 24 * 58 + 10 * 25]
    assert [count_moves(GAME, state, depth) for depth in range(6)] == counts


def test_move_counts_across_the_end_of_a_round():
    """Seat 0 can open its last card, d1, by a swap or a flip; after the last turn a new round begins with 12 moves."""
    state = position(narrow("(0) 4 6"), narrow("(1) (2) 0"))
    after_ending, after_another = 3 * 12 + 2 + 3 * 12, 3 * 2 + 2 + 3 * 2
    fifth = 2 * (after_ending + 2 * after_another) + 7
    counts = [1, 2, 4 + 3, 3 * 2 + 1 + 3 * 2, 3 * 7 + 2 + 3 * 7, fifth]
    assert [count_moves(GAME, state, depth) for depth in range(6)] == counts


def test_move_counts_where_a_column_is_cleared():
    """A seven at a3 leaves seat 0 with three cards: after each of seat 1's six swaps it has 4 + 3 moves, not 7 + 6."""
    tableau = "7 . . (6) / 7 . . 2 / (5) . . 3"
    sevens, eights = (position(tableau, narrow("(1) (2) 0"), discard=(top,), draw=(1, 1, 1)) for top in (7, 8))
    assert [count_moves(GAME, sevens, depth) for depth in range(7)] == [1, 2, 13, 26, 88, 182, 976]
    assert [count_moves(GAME, eights, depth) for depth in range(7)] == [1, 2, 13, 26, 88, 182, 976 + 6 * (13 - 7)]
