"""Cards, series and discard piles: R9 to R15, D8, D10."""

import pytest

from tablee.core.errors import BadMove, IllegalMove
from tablee.games.skip_bo.moves import TEXTS
from tablee.games.skip_bo.tests.positions import (
    PLAIN,
    completed_cards,
    dealt,
    heights,
    pile,
    played,
    position,
    texts,
    top,
)

ONE_TO_NINE = "1 2 3 4 5 6 7 8 9"


def refused(match, move):
    """Return why a move is refused: name and clause."""
    with pytest.raises(IllegalMove) as error:
        match.play(move)
    return error.value.code, error.value.clause


def test_r9_r13_a_wild_starts_a_series_and_stands_for_any_number():
    for height in range(10):
        numbers = " ".join(str(number) for number in range(1, height + 1))
        match = played(position({"stock": "9", "hand": "w 5"}, PLAIN, series=(numbers, "", "", "")), "play w 1")
        assert heights(match.state)[0] == (height + 1) % 10


def test_r10_only_the_top_of_the_stock_is_played_and_the_next_is_turned_up():
    match = played(position({"stock": "1 7 2", "hand": "5 6"}, PLAIN, series=("1", "", "", "")))
    assert texts(match, "play") == ["play stock 1"]
    match.play("play stock 1")
    assert top(match.state, 0) == "7"
    assert refused(match, "play stock 2") == ("must_start_with_one", "R11")


def test_r11_a_series_starts_with_a_one_or_a_wild():
    match = played(position({"stock": "9", "hand": "1 2 w"}, PLAIN))
    assert texts(match, "play") == [f"play {card} {series}" for card in ("1", "w") for series in (1, 2, 3, 4)]
    for series in (1, 2, 3, 4):
        assert refused(match, f"play 2 {series}") == ("must_start_with_one", "R11")


@pytest.mark.parametrize("height", range(1, 10))
def test_r12_only_the_next_number_follows(height):
    numbers = " ".join(str(number) for number in range(1, height + 1))
    for card in range(1, 11):
        match = played(position({"stock": "9", "hand": f"{card} {card}"}, PLAIN, series=("", numbers, "", "")))
        if card == height + 1:
            assert f"play {card} 2" in texts(match)
        else:
            assert refused(match, f"play {card} 2") == ("not_next", "R12")


def test_r13_a_number_follows_a_wild_as_if_it_were_the_number():
    match = played(position({"stock": "9", "hand": "2 3 w"}, PLAIN), "play w 1", "play 2 1", "play 3 1")
    assert heights(match.state) == [3, 0, 0, 0]
    assert [int(bits) for bits in match.state.series_wilds] == [1, 0, 0, 0]


@pytest.mark.parametrize(("last", "set_aside"), [("10", "1 2 3 5 6 7 8 9 10 w"), ("w", "1 2 3 5 6 7 8 9 w w")])
def test_r14_a_complete_series_is_set_aside_and_a_new_one_may_start(last, set_aside):
    with_wild = ONE_TO_NINE.replace("4", "w")
    match = played(position({"stock": "9", "hand": f"{last} 1"}, PLAIN, series=("", with_wild, "", "")))
    match.play(f"play {last} 2")
    assert heights(match.state) == [0, 0, 0, 0]
    assert completed_cards(match.state) == set_aside
    assert "play 1 2" in texts(match)


@pytest.mark.parametrize(("edition", "length"), [("rulebook", 10), ("pocket", 11), ("classic", 12)])
def test_r14_the_edition_sets_the_length_of_a_series(edition, length):
    almost = " ".join(str(number) for number in range(1, length))
    state = position(
        {"stock": "9", "hand": f"{length} 1"}, PLAIN, series=(almost, "", "", ""), options={"edition": edition}
    )
    match = played(state, f"play {length} 1")
    assert heights(match.state)[0] == 0
    assert match.state.completed.sum() == length


def test_r15_piles_take_any_card_and_give_only_their_top():
    me = {"stock": "9", "hand": "5 w", "a": "2 1", "b": "1 2"}
    match = played(position(me, PLAIN, series=("1", "", "", "")))
    assert texts(match, "play a") == ["play a 2", "play a 3", "play a 4"]
    assert texts(match, "play b") == ["play b 1"]
    assert texts(match, "discard") == [f"discard {card} {name}" for card in ("5", "w") for name in "abcd"]
    assert refused(match, "play c 1") == ("pile_is_empty", "R15")
    match.play("play a 2")
    assert pile(match.state, 0, "a") == "2"
    assert pile(match.state, 0, "b") == "1 2"
    match.play("play a 1")
    assert pile(match.state, 0, "a") == ""
    assert refused(match, "play a 1") == ("pile_is_empty", "R15")


def test_r15_a_turn_does_not_change_the_others_piles():
    me = {"stock": "9", "hand": "5 6", "a": "4 1", "c": "3"}
    other = {"stock": "9", "hand": "5", "a": "8", "b": "7 6", "d": "1"}
    match = played(position(me, other, other), "play a 1", "discard 5 b")
    assert [pile(match.state, 0, name) for name in "abcd"] == ["4", "5", "3", ""]
    for seat in (1, 2):
        assert [pile(match.state, seat, name) for name in "abcd"] == ["8", "7 6", "", "1"]


def test_d8_wilds_may_be_played_anywhere():
    match = played(position({"stock": "w", "hand": "w w", "a": "w"}, PLAIN, series=(f"{ONE_TO_NINE}", "w", "", "")))
    for move in ("play w 1", "play w 2", "play a 2", "play stock 2", "discard w a"):
        assert move in texts(match)


def test_d8_with_the_option_no_wild_lies_on_a_wild():
    state = position(
        {"stock": "w 9 w", "hand": "w 2 3", "a": "w"},
        PLAIN,
        series=("w", "w 2", "1 w", ""),
        options={"no_double_wild": True},
    )
    match = played(state)
    for source in ("w", "stock", "a"):
        assert texts(match, f"play {source} ") == [f"play {source} 2", f"play {source} 4"]
        assert refused(match, f"play {source} 1") == ("wild_on_wild", "D8")
        assert refused(match, f"play {source} 3") == ("wild_on_wild", "D8")
    assert "play 2 1" in texts(match)
    assert "discard w a" in texts(match)
    match.play("play stock 4")
    assert refused(match, "play w 4") == ("wild_on_wild", "D8")


@pytest.mark.parametrize("text", ["move a b", "discard a b", "discard stock a", "play a b", "discard stock 1"])
def test_d10_there_are_no_other_moves(text):
    with pytest.raises(BadMove):
        dealt(2).parse(text)
    assert text not in TEXTS
