"""Leading, following, winning tricks (R10 to R20, A4 to A6)."""

import pytest

from tablee.core.errors import IllegalMove
from tablee.core.state import SPECTATOR
from tablee.games.xylo.state import card_at
from tablee.games.xylo.tests.positions import (
    announce,
    card,
    cards_down,
    dealt,
    endgame,
    finish_round,
    index_of,
    lay,
    playable,
    row,
    table,
    texts,
)


def test_r10_the_leftmost_card_cannot_be_led():
    match = table("", "", "", "")
    assert texts(match) == [f"play {number}" for number in range(2, 16)]
    with pytest.raises(IllegalMove, match=r"\(R10\)"):
        match.play("play 1")


def test_r10_a5_the_leftmost_card_is_the_leftmost_one_left():
    match = endgame("R9 O5 Y3 *G1", "R8 O4 Y2 *G2", "R7 O3 Y1 *G3", "R6 O2 Y0 *G4", won=(11, 0, 0, 0))
    assert playable(match) == "O5 Y3"


def test_r11_a_played_card_is_seen_by_all():
    match = table("G5", "", "", "")
    position = index_of(match.state, 0, "G5")
    match.play(f"play {position + 1}")
    for seat in (SPECTATOR, 0, 1, 2, 3):
        assert card_at(match.sight(seat).state, 0, position) == card("G5")
    assert [name for name in cards_down(match.state, 0).split() if name == "G5"] == []


def test_r12_r13_all_play_a_card_clockwise_and_these_are_the_trick():
    match = table("G5", "G4", "G3", "G2")
    movers = []
    for text in ("G5", "G4", "G3"):
        movers.append(match.to_move)
        lay(match, text)
    assert movers == [0, 1, 2]
    assert [int(number) for number in match.state.trick[:4]] == [card("G5"), card("G4"), card("G3"), -2]
    lay(match, "G2")
    assert [int(number) for number in match.state.last_trick[:4]] == [card(text) for text in ("G5", "G4", "G3", "G2")]
    assert list(match.state.won[:4]) == [1, 0, 0, 0]


def test_r12_followers_may_play_their_leftmost_card():
    match = table("R5", "R10", "", "")
    lay(match, "R5")
    assert row(match.state, 1).startswith("R10")
    assert playable(match).startswith("R10")


def test_r14_the_colour_led_must_be_followed():
    match = table("G5", "G4 G2 R1", "", "", voids=("", "", "", "R"))
    lay(match, "G5")
    assert {text[0] for text in playable(match).split()} == {"G"}
    with pytest.raises(IllegalMove, match=r"\(R14\)"):
        match.play(f"play {index_of(match.state, 1, 'R1') + 1}")


def test_r15_without_that_colour_any_card_may_be_played():
    match = table("G5", "R1", "", "", voids=("", "G"))
    lay(match, "G5")
    assert playable(match) == row(match.state, 1)
    assert len(texts(match)) == 15


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        (("G2", "G5", "G3", "G4"), 1),  # the highest of the colour led
        (("G2", "O9", "Y8", "G3"), 3),  # other colours do not count
        (("G7", "O9", "Y8", "K0"), 0),
    ],
)
def test_r16_the_highest_of_the_colour_led_wins(cards, winner):
    voids = ["" if text.startswith("G") else "G" for text in cards]
    match = lay(table(f"R10 {cards[0]}", *cards[1:], voids=voids), *cards)
    assert match.to_move == winner
    assert match.state.won[winner] == 1


@pytest.mark.parametrize(
    ("cards", "winner"),
    [(("G7", "R0", "G6", "G5"), 1), (("G7", "R0", "R4", "R2"), 2), (("R3", "R4", "R9", "R5"), 2)],
)
def test_r17_the_highest_trump_wins(cards, winner):
    voids = ["" if text.startswith("G") or cards[0].startswith("R") else "G" for text in cards]
    match = lay(table(f"R10 {cards[0]}", *cards[1:], voids=voids), *cards)
    assert match.to_move == winner


def test_r17_with_three_players_yellow_is_trump():
    match = lay(table("Y8 G7", "G6", "Y0", voids=("", "", "G")), "G7", "G6", "Y0")
    assert match.to_move == 2


def test_r16_r17_r18_the_example_of_the_rulebook():
    match = table("K2", "K3", "R7", "K0", voids=("", "", "K"))
    lay(match, "K2", "K3", "R7", "K0")
    assert match.to_move == 2
    assert list(match.state.won[:4]) == [0, 0, 1, 0]


def test_r18_the_winner_leads_and_all_can_count_the_tricks():
    match = lay(table("G2", "G3", "G5", "G4"), "G2", "G3", "G5", "G4")
    assert match.to_move == match.state.leader == 2
    for seat in (SPECTATOR, 0, 3):
        assert list(match.sight(seat).state.won[:4]) == [0, 0, 1, 0]


@pytest.mark.parametrize(("seats", "tricks"), [(2, 14), (3, 12), (4, 14), (5, 11)])
def test_r19_a_round_lasts_until_all_cards_but_the_announcements_are_played(seats, tricks):
    match = finish_round(dealt(seats, ties="auto"))
    assert sum(match.state.last_won) == tricks


def test_r20_the_last_card_may_be_led():
    match = endgame("R9 *G1", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0))
    assert playable(match) == "R9"


def test_a4_with_two_cards_and_no_announcement_the_right_one_is_led():
    match = endgame("R9 O5", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0), rounds_played=1)
    assert playable(match) == "O5"
    match.play(match.legal_moves()[0])
    assert card_at(match.state, 0, int(match.state.bid_at[0])) == card("R9")


def test_a6_the_announced_card_does_not_follow():
    match = endgame("G5 G2 O1", "*G4 O4 R0", "G3 Y1 *S0", "G1 Y0 *S1", won=(12, 0, 0, 0))
    lay(match, "G2")
    assert playable(match) == "O4 R0"


def test_r31_a_card_once_announced_is_never_played():
    match = table("G5", "G4", "G3", "G2")
    own = index_of(match.state, 0, "G5")
    match.play(f"play {own + 1}")
    announce(match, row(match.state, 0).split()[0])
    bid = int(match.state.bid_at[0])
    lay(match, "G4", "G3", "G2")
    assert match.to_move == 0
    assert f"play {bid + 1}" not in texts(match)
    with pytest.raises(IllegalMove, match=r"\(R31\)"):
        match.play(f"play {bid + 1}")
    with pytest.raises(IllegalMove, match=r"\(R19\)"):
        match.play(f"play {own + 1}")
