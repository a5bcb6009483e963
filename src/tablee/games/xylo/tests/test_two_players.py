"""Two players with two automata (R41 to R47, A10 to A12, A18, A20)."""

import pytest

from tablee.games.xylo.state import WINDOW, card_at
from tablee.games.xylo.tests.positions import (
    broken,
    card,
    cards_down,
    dealt,
    decline,
    endgame,
    index_of,
    keep_all,
    lay,
    rows,
    table,
)


def test_r41_a11_four_rows_lie_on_the_table():
    match = keep_all(dealt(2))
    assert list(rows(match.state)) == [0, 1, 2, 3]
    assert match.view(0).facts["rows"] == ["seat0", "automaton0", "seat1", "automaton1"]
    assert match.to_move == 0


def test_r42_each_player_sorts_the_opponents_row_and_then_the_one_to_their_left():
    match = dealt(2)
    for seat, known in ((0, (2, 1)), (1, (0, 3))):
        for number in known:
            assert match.to_move == seat
            zone = match.view(seat).facts["rows"][number]
            assert match.view(seat).choices[0].targets == (zone,)
            match.play("keep")
        state = match.sight(seat).state
        assert [card_at(state, number, 0) == card_at(match.state, number, 0) for number in range(4)] == [
            number in known for number in range(4)
        ]


def test_r42_the_second_row_follows_also_if_every_equal_card_of_the_first_was_ordered():
    match = dealt(2)
    for number in (2, 1):
        zone, moves = match.view(0).facts["rows"][number], 0
        while match.to_move == 0 and match.view(0).choices[0].targets == (zone,):
            match.play(match.legal_moves()[-1])
            moves += 1
        assert moves > 1
    assert match.to_move == 1


def test_r43_the_middle_card_is_the_automatons_announcement():
    match = keep_all(dealt(2))
    assert list(match.state.bid_at[:4]) == [-1, 7, -1, 7]
    for number in (1, 3):
        assert card_at(match.sight(-1).state, number, 7) == card_at(match.state, number, 7)
        assert not match.state.down[number] >> 7 & 1


def test_r44_an_automaton_follows_with_its_lowest_card():
    match = table("G5", "G7 G4 G1 R0", "", "", seats=2)
    lay(match, "G5")
    assert match.state.trick[1] == card("G1")


def test_r44_an_automaton_that_cannot_follow_plays_its_lowest_trump():
    match = table("G5", "R9 R3 K0", "", "", seats=2, voids=("", "G"))
    assert "R" in cards_down(match.state, 1)
    lowest = [text for text in cards_down(match.state, 1).split() if text.startswith("R")][-1]
    lay(match, "G5")
    assert match.state.trick[1] == card(lowest)


def test_a10_an_automaton_without_colour_and_trump_plays_its_rightmost_card():
    match = table("G5", "K0", "", "", seats=2, voids=("", "GR"))
    lowest = cards_down(match.state, 1).split()[-1]
    lay(match, "G5")
    assert match.state.trick[1] == card(lowest)


def test_a10_an_automaton_leads_its_rightmost_card():
    match = endgame("G1 O1 *B1", "G7 Y3 *B2", "G2 O2 *B0", "G0 O0 *B3", won=(12, 0, 0, 0), seats=2)
    lay(match, "O1")
    assert list(match.state.trick[:2]) == [card("O1"), card("Y3")]
    match = endgame("G1 O1 *B1", "R7 Y3 *B2", "G2 O2 *B0", "G0 O0 *B3", won=(12, 0, 0, 0), seats=2)
    lay(match, "O1", "O2")
    assert match.state.leader == 1  # its only trump took the trick
    assert match.state.trick[1] == card("Y3")
    assert match.to_move == 1


def test_a20_an_automaton_waits_for_the_announcement():
    match = table("G5", "G4", "G3", "G2", seats=2)
    match.play(f"play {index_of(match.state, 0, 'G5') + 1}")
    assert (match.to_move, match.state.phase) == (0, WINDOW)
    assert match.state.trick[1] < 0
    decline(match)
    assert match.state.trick[1] >= 0
    assert match.to_move == 1


def after_the_last_trick(bids, won, **fields):
    """Return a match of two in which seat 0 has just taken the last trick."""
    rest = [f"{text} *{bid}" for text, bid in zip(("R9", "R8", "R7", "R6"), bids, strict=True)]
    match = lay(endgame(*rest, won=won, seats=2, **fields), "R9", "R7")
    assert broken(match.state) == []
    return match


@pytest.mark.parametrize(
    ("bids", "won", "points"),
    [
        (("G5", "O0", "Y3", "B0"), (4, 3, 3, 3), [10, 8]),  # no automaton
        (("G5", "O3", "Y0", "B0"), (4, 3, 3, 3), [5, 0]),  # the first one
        (("G0", "O0", "Y3", "B3"), (4, 3, 3, 3), [0, 5]),  # the other one
        (("G5", "O3", "Y3", "B3"), (4, 3, 3, 3), [0, 0]),  # both
    ],
)
def test_r45_r46_automata_that_meet_their_announcements_take_points_away(bids, won, points):
    match = after_the_last_trick(bids, won)
    assert [int(number) for number in match.state.round_scores[:2]] == points


def test_a12_automata_score_nothing():
    match = after_the_last_trick(("G5", "O3", "Y0", "B0"), (4, 3, 3, 3))
    assert match.scores() == [5, 0]
    assert list(match.state.totals) == [5, 0, 0, 0, 0]


def test_r47_the_higher_total_wins_after_three_rounds():
    match = after_the_last_trick(("G5", "O0", "Y3", "B0"), (4, 3, 3, 3), totals=(0, 5), rounds_played=2)
    assert match.outcome.scores == (10, 13)
    assert match.outcome.ranks == (2, 1)


def test_a18_an_announcement_that_scored_nothing_still_counts_as_met():
    match = after_the_last_trick(("G5", "O3", "Y3", "B3"), (4, 3, 3, 3), totals=(9, 9), rounds_played=2)
    assert match.outcome.scores == (9, 9)
    assert match.outcome.reason == "tie_break"
    assert match.outcome.winners == (1,)


def test_r37_a11_the_lower_score_leads_the_next_round():
    match = keep_all(after_the_last_trick(("G5", "O0", "Y3", "B0"), (4, 3, 3, 3), totals=(0, 2)))
    assert match.scores() == [10, 10]
    assert match.to_move == 1  # tied: the one who did not lead
    match = keep_all(after_the_last_trick(("G5", "O0", "Y3", "B0"), (4, 3, 3, 3)))
    assert match.to_move == 1
