"""Looking at two cards and announcing one (R21 to R31, A2, A3, A7, A15)."""

import pytest

from tablee.core.errors import IllegalMove
from tablee.core.state import SPECTATOR
from tablee.games.xylo.state import BID, NOWHERE, PLAY, UNKNOWN_VALUE, WINDOW, card_at, value_of
from tablee.games.xylo.tests.positions import (
    announce,
    card,
    cards_down,
    endgame,
    index_of,
    lay,
    playable,
    row,
    table,
    texts,
)

FIVE = ("R9 O5 Y3 B1", "R8 O4 Y2 B2", "R7 O3 Y1 B3", "R6 O2 Y0 B4")  # four cards each, nobody has announced


def after_a_card():
    """Return a match in which seat 0 has just led G5."""
    match = table("G5", "G4", "G3", "G2")
    match.play(f"play {index_of(match.state, 0, 'G5') + 1}")
    return match


def test_r21_a_player_may_announce_after_playing_and_before_the_next_player():
    match = after_a_card()
    assert match.to_move == 0
    assert {move.split()[0] for move in texts(match)} == {"peek", "pass"}
    match.play("pass")
    assert match.to_move == 1
    with pytest.raises(IllegalMove, match=r"\(R21\)"):
        match.play("peek 1")
    with pytest.raises(IllegalMove, match=r"\(R21\)"):
        match.play("pass")


def test_r21_a_player_may_announce_after_every_card():
    match = endgame(*FIVE, won=(11, 0, 0, 0))
    lay(match, "O5", "O4", "O3")
    match.play(f"play {index_of(match.state, 3, 'O2') + 1}")
    assert match.state.phase == WINDOW
    assert "pass" in texts(match)


def test_r22_only_the_announcer_sees_the_two_cards():
    match = after_a_card()
    match.play("peek 3")
    assert match.state.phase == BID
    for seat in (SPECTATOR, 1, 2):
        assert card_at(match.sight(seat).state, 0, 2) & 15 == UNKNOWN_VALUE
        assert card_at(match.sight(seat).state, 0, 3) & 15 == UNKNOWN_VALUE
    own = match.sight(0).state
    assert [card_at(own, 0, p) == card_at(match.state, 0, p) for p in range(5)] == [False, False, True, True, False]


def test_r22_the_last_card_has_no_neighbour_to_its_right():
    match = after_a_card()
    assert texts(match)[-2:] == ["peek 14", "pass"]
    match = endgame("R9 O5 Y3 B1", *FIVE[1:], won=(11, 0, 0, 0))
    lay_own(match, "O5")
    with pytest.raises(IllegalMove, match=r"\(R22\)"):
        match.play(f"peek {index_of(match.state, 0, 'B1') + 1}")


def lay_own(match, text):
    match.play(f"play {index_of(match.state, match.to_move, text) + 1}")


def test_r23_cards_on_both_sides_of_a_gap_are_neighbours():
    match = endgame(*FIVE, won=(11, 0, 0, 0))
    lay_own(match, "O5")
    red, yellow = index_of(match.state, 0, "R9"), index_of(match.state, 0, "Y3")
    match.play(f"peek {red + 1}")
    assert list(match.state.peeks[0]) == [red, yellow]
    assert yellow > red + 1


def test_r24_nobody_else_plays_before_the_announcement_is_finished():
    match = after_a_card()
    with pytest.raises(IllegalMove, match=r"\(R24\)"):
        match.play("play 1")
    match.play("peek 3")
    assert match.to_move == 0
    match.play("bid left")
    assert (match.to_move, match.state.phase) == (1, PLAY)


def test_r25_one_of_the_two_must_be_chosen():
    match = after_a_card()
    for refused in ("bid left", "bid right"):
        with pytest.raises(IllegalMove, match=r"first look at two neighbouring cards \(R22\)"):
            match.play(refused)
    match.play("peek 3")
    assert texts(match) == ["bid left", "bid right"]
    for refused in ("pass", "peek 1", "play 1"):
        with pytest.raises(IllegalMove, match=r"\(R25\)"):
            match.play(refused)


@pytest.mark.parametrize(("side", "position"), [("left", 2), ("right", 3)])
def test_r26_r28_the_chosen_card_is_shown_and_its_value_is_the_bet(side, position):
    match = after_a_card()
    match.play("peek 3")
    match.play(f"bid {side}")
    assert match.state.bid_at[0] == position
    bet = value_of(card_at(match.state, 0, position))
    for seat in (SPECTATOR, 1, 2, 3):
        assert card_at(match.sight(seat).state, 0, position) & 15 == bet
        shown = next(zone for zone in match.view(seat).zones if zone.id == "seat0.bid")
        assert [piece.face for piece in shown.pieces] == [str(bet)]


def test_r27_the_other_card_stays_face_down_at_its_position():
    match = after_a_card()
    before = row(match.state, 0)
    match.play("peek 3")
    match.play("bid left")
    assert row(match.state, 0) == before
    assert match.state.down[0] >> 3 & 1
    assert card_at(match.sight(0).state, 0, 3) == card_at(match.state, 0, 3)
    assert card_at(match.sight(2).state, 0, 3) & 15 == UNKNOWN_VALUE


def test_r29_nobody_ends_a_round_without_an_announcement():
    match = endgame("R9 O5", "R8 O4", "R7 O3", "R6 O2", won=(13, 0, 0, 0), rounds_played=1)
    lay(match, "O5", "O4", "O3", "O2")
    assert [int(number) for number in match.state.last_bids[:4]] == [card(text) for text in ("R9", "R8", "R7", "R6")]


def test_r30_with_two_cards_left_one_is_played_unseen_and_the_other_announced():
    match = endgame("R9 *B0", "R8 O4", "R7 *B1", "R6 *B2", won=(13, 0, 0, 0))
    lay(match, "R9")
    with pytest.raises(IllegalMove, match=r"\(R30\)"):
        match.play("peek 1")
    match = endgame("O5 *B0", "R8 O4", "R7 *B1", "R6 *B2", won=(13, 0, 0, 0))
    lay(match, "O5")
    assert playable(match) == "O4"
    lay_own(match, "O4")
    assert match.to_move == 2
    assert card_at(match.state, 1, int(match.state.bid_at[1])) == card("R8")
    assert cards_down(match.state, 1) == ""


def test_a2_three_cards_must_be_left_to_announce():
    match = endgame(*FIVE, won=(11, 0, 0, 0))
    lay_own(match, "O5")
    assert match.state.phase == WINDOW  # three are left
    match = endgame("R9 O5 Y3", "R8 O4 Y2", "R7 O3 Y1", "R6 O2 Y0", won=(12, 0, 0, 0))
    lay_own(match, "O5")
    assert match.to_move == 1  # two were left


def test_a3_the_last_player_announces_before_the_next_trick():
    match = lay(endgame(*FIVE, won=(11, 0, 0, 0)), "O5", "O4", "O3")
    lay_own(match, "O2")
    assert list(match.state.won[:4]) == [12, 0, 0, 0]
    assert (match.to_move, match.state.leader) == (3, 0)
    announce(match, "R6")
    assert (match.to_move, match.state.phase) == (0, PLAY)


def test_a3_the_leader_of_the_next_trick_may_announce_or_lead():
    match = lay(endgame(*FIVE, won=(11, 0, 0, 0), leader=1), "O4", "O3", "O2")
    lay_own(match, "O5")
    assert (match.to_move, match.state.phase) == (0, WINDOW)
    assert playable(match) == "Y3 B1"
    assert len([move for move in texts(match) if move.startswith("peek")]) == 2
    with pytest.raises(IllegalMove, match=r"\(A3\)"):
        match.play("pass")
    with pytest.raises(IllegalMove, match=r"\(R10\)"):
        lay_own(match, "R9")
    lay_own(match, "Y3")
    assert match.state.bid_at[0] == NOWHERE
    assert match.to_move == 1


def test_a3_the_leader_of_the_next_trick_leads_after_announcing():
    match = lay(endgame(*FIVE, won=(11, 0, 0, 0), leader=1), "O4", "O3", "O2")
    lay_own(match, "O5")
    announce(match, "R9")
    assert (match.to_move, match.state.phase) == (0, PLAY)
    assert playable(match) == "B1"


def test_a7_there_is_one_announcement_per_round():
    match = after_a_card()
    announce(match, row(match.state, 0).split()[0])
    lay(match, "G4", "G3", "G2")
    assert match.to_move == 0
    with pytest.raises(IllegalMove, match=r"\(A7\)"):
        match.play("peek 3")
    match.play(match.legal_moves()[0])
    assert match.to_move == 1


def test_a15_which_cards_were_looked_at_is_public():
    match = after_a_card()
    match.play("peek 3")
    for seat in (SPECTATOR, 1, 3):
        assert list(match.sight(seat).state.peeks[0]) == [2, 3]
        assert [event.code for event in match.events(seat)] == (["peeked", "saw"] if seat == 3 else ["peeked"])
        assert match.view(seat).facts["peeks"][0] == [3, 4]
