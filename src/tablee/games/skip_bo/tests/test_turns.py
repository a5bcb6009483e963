"""A turn: R16 to R24, R26, D1, D3 to D6, and the irregularities that cannot happen: R29 to R31, D13."""

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadMove, IllegalMove
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.state import first_size, refill_size
from tablee.games.skip_bo.tests.positions import (
    PLAIN,
    completed_cards,
    dealt,
    hand,
    heights,
    pile,
    played,
    position,
    shown,
    texts,
    top,
)
from tablee.testing import random_positions

HAND_SIZES = [
    ("rulebook", "edition", 3, 3),
    ("pocket", "edition", 3, 3),
    ("classic", "edition", 5, 5),
    ("classic", "three", 3, 3),
    ("rulebook", "three", 3, 3),
    ("rulebook", "five", 5, 5),
    ("rulebook", "three_then_five", 3, 5),
    ("classic", "three_then_five", 3, 5),
]


@pytest.mark.parametrize("seed", range(5))
def test_r16_the_player_left_of_the_dealer_begins_and_turns_go_left(seed):
    match = dealt(3, seed)
    order = []
    for _ in range(6):
        order.append(match.to_move)
        match.play(texts(match, "discard")[0])
    first = (int(match.state.dealer) + 1) % 3
    assert order == [(first + turn) % 3 for turn in range(6)]


@pytest.mark.parametrize(("edition", "choice", "first", "later"), HAND_SIZES)
def test_r17_r22_d1_hand_sizes(edition, choice, first, later):
    match = dealt(3, edition=edition, hand_size=choice)
    assert (first_size(match.state), refill_size(match.state)) == (first, later)
    for turn in range(9):
        assert match.state.hand_counts[match.to_move] == (first if turn < 3 else later)
        match.play(texts(match, "discard")[0])


def test_d1_a_redraw_on_the_first_turn_is_a_refill():
    state = position(
        {"stock": "9 9", "hand": "1"},
        {"stock": "9"},
        options={"hand_size": "three_then_five"},
        turns=0,
        draw="5 5 6 6 7",
    )
    match = played(state, "play 1 1")
    assert hand(match.state, 0) == "5 5 6 6 7"
    match.play("discard 5 a")
    assert match.state.hand_counts[1] == 3


def test_r18_a_one_or_a_wild_in_hand_or_on_the_stock_may_start_a_series():
    assert texts(played(position({"stock": "1", "hand": "5"}, PLAIN)), "play") == [
        f"play stock {series}" for series in (1, 2, 3, 4)
    ]
    assert texts(played(position({"stock": "w", "hand": "5"}, PLAIN)), "play stock") != []
    assert texts(played(position({"stock": "9", "hand": "1"}, PLAIN)), "play 1") != []
    assert texts(played(position({"stock": "9", "hand": "w"}, PLAIN)), "play w") != []
    assert texts(played(position({"stock": "9", "hand": "5"}, PLAIN)), "play") == []


def test_r19_stock_cards_are_played_one_after_the_other():
    match = played(position({"stock": "8 4 3 2 1", "hand": "7"}, PLAIN), *["play stock 1"] * 4)
    assert heights(match.state) == [4, 0, 0, 0]
    assert top(match.state, 0) == "8"
    assert match.to_move == 0


def test_r20_d3_a_player_who_has_played_the_whole_hand_draws_another_and_goes_on():
    match = played(position({"stock": "9", "hand": "1 2"}, PLAIN, draw="6 4 3"), "play 1 1")
    assert hand(match.state, 0) == "2"
    match.play("play 2 1")
    assert hand(match.state, 0) == "3 4 6"
    assert match.to_move == 0
    assert "play 3 1" in texts(match)


def test_r20_a_new_hand_can_be_drawn_several_times_in_a_turn():
    match = played(position({"stock": "9", "hand": "1"}, PLAIN, draw="6 6 6 4 3 2"), "play 1 1")
    for move in ("play 2 1", "play 3 1", "play 4 1"):
        match.play(move)
    assert hand(match.state, 0) == "6 6 6"
    assert match.state.plays == 4


def test_r21_the_turn_ends_with_a_discard_on_an_own_pile():
    match = played(position({"stock": "9", "hand": "5 6", "c": "8"}, PLAIN), "discard 5 c")
    assert pile(match.state, 0, "c") == "8 5"
    assert hand(match.state, 0) == "6"
    assert match.to_move == 1


def test_r21_a_player_with_cards_in_hand_cannot_pass():
    with pytest.raises(IllegalMove, match="R21") as refused:
        played(position({"stock": "9", "hand": "5"}, PLAIN), "pass")
    assert refused.value.code == "must_discard"


def test_r22_a_turn_starts_with_refilling_the_hand():
    state = position(PLAIN, {"stock": "9", "hand": "8"}, draw="2 4")
    match = played(state, "discard 5 a")
    assert hand(match.state, 1) == "2 4 8"
    assert hand(match.state, 0) == "6 7"


def test_r23_any_number_of_cards_may_be_played_on_any_series():
    state = position({"stock": "5 4", "hand": "2 3 9", "a": "3"}, PLAIN, series=("1", "1 2", "", ""))
    match = played(state, "play 2 1", "play 3 1", "play a 2", "play stock 2", "discard 9 b")
    assert heights(match.state) == [3, 4, 0, 0]


def test_r24_cards_come_from_three_sources_only():
    me = {"stock": "2 2", "hand": "2 8", "b": "9 2"}
    other = {"stock": "2", "hand": "2 5 6", "a": "2"}
    match = played(position(me, other, series=("1", "", "", "")))
    assert texts(match, "play") == ["play stock 1", "play 2 1", "play b 1"]
    with pytest.raises(IllegalMove, match="R24") as refused:
        match.play("play 5 1")
    assert refused.value.code == "not_in_hand"
    with pytest.raises(IllegalMove, match="R24"):
        match.play("discard 5 a")


def test_the_example_of_the_rulebook():
    """Ana plays a Skip-Bo as 1, a 2 and the 3 from the stock, discards the 5, and draws three on the next turn."""
    match = played(position({"stock": "9 3", "hand": "2 5 w"}, PLAIN), "play w 1", "play 2 1", "play stock 1")
    assert top(match.state, 0) == "9"
    assert texts(match, "play") == []
    match.play("discard 5 a")
    match.play("discard 5 a")
    assert match.to_move == 0
    assert match.state.hand_counts[0] == 3


def test_d4_the_closing_discard_may_empty_the_hand():
    match = played(position({"stock": "9", "hand": "5"}, PLAIN), "discard 5 a")
    assert hand(match.state, 0) == ""
    assert match.to_move == 1


def test_d5_plays_are_optional():
    match = played(position({"stock": "1", "hand": "1 w"}, PLAIN), "discard 1 a")
    assert match.to_move == 1


ALMOST = "1 2 3 w 5 6 7 8 9"


def test_r26_d6_completed_series_become_the_draw_pile_when_a_card_is_needed():
    state = position(
        {"stock": "9", "hand": "10 5"},
        {"stock": "9", "hand": "5"},
        series=(ALMOST, "1 2", "", ""),
        draw="7",
        whole_deck=False,
    )
    match = played(state, "play 10 1")
    assert completed_cards(match.state) == "1 2 3 5 6 7 8 9 10 w"
    match.play("discard 5 a")  # seat 1 needs two cards: the 7, and one of the new pile
    drawn = sorted([*shown(match.state.draw_pile[:9]).split(), *hand(match.state, 1).split()])
    assert drawn == sorted(["1", "2", "3", "5", "6", "7", "8", "9", "10", "w", "7", "5"])
    assert completed_cards(match.state) == ""
    assert match.state.draw_count == 9
    assert heights(match.state) == [0, 2, 0, 0]


def test_d6_an_empty_pile_is_not_replaced_before_a_card_is_needed():
    state = position(PLAIN, PLAIN, completed="1 2 3", whole_deck=False)
    match = played(state, "discard 5 a")
    assert match.state.draw_count == 0
    assert completed_cards(match.state) == "1 2 3"


def test_r29_d13_nobody_ever_holds_too_many_cards():
    most = 150 if is_interpreted() else 3000
    for match in random_positions(GAME, GAME.setup(3), seed=2, max_moves=most):
        assert max(match.state.hand_counts) <= 3
    with pytest.raises(BadMove):
        match.parse("draw")


def test_r30_r31_d13_nobody_plays_out_of_turn():
    match = dealt(3)
    mover = match.to_move
    waiting = [(mover + 1) % 3, (mover + 2) % 3]
    assert [match.view(seat).choices for seat in waiting] == [(), ()]
    match.play(texts(match, "discard")[0])
    assert match.to_move == waiting[0]
    assert hand(match.state, waiting[1]) == ""
