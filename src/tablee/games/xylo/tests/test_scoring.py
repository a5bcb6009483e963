"""Points, who leads the next round, the end of the game (R32 to R40, A8, A9, A17, A21, A22)."""

import pytest

from tablee.core.errors import IllegalMove
from tablee.games.xylo.rules import EndReason, end_of_game
from tablee.games.xylo.tests.positions import broken, card, dealt, endgame, keep_all, lay

LAST = ("R9 *G{}", "R8 *O{}", "R7 *Y{}", "R6 *B{}")  # seat 0 will take the last trick


def after_the_last_trick(bids, won, **fields):
    """Return a match of four in which the last trick of a round has just gone to seat 0."""
    rows = [row.format(bid) for row, bid in zip(LAST, bids, strict=True)]
    match = lay(endgame(*rows, won=won, **fields), "R9", "R8", "R7", "R6")
    assert broken(match.state) == []
    return match


def test_r32_each_trick_scores_a_point_even_if_the_announcement_is_missed():
    match = after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0))
    assert list(match.state.round_scores[:4]) == [5, 6, 3, 0]


def test_r33_r34_a_met_announcement_adds_five():
    match = after_the_last_trick((5, 2, 0, 1), won=(4, 2, 4, 3))
    assert list(match.state.round_scores[:4]) == [10, 2 + 5, 4, 3]  # the rulebook's example: 2 tricks, bid 2


def test_r33_zero_tricks_can_be_announced_and_met():
    match = after_the_last_trick((7, 8, 0, 0), won=(6, 7, 0, 0))
    assert list(match.state.round_scores[:4]) == [12, 7, 5, 5]


def test_r35_points_add_up_over_the_rounds():
    match = after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0), totals=(10, 0, 1, 2), rounds_played=1)
    assert match.scores() == [15, 6, 4, 2]
    assert match.finished_rounds() == 2


@pytest.mark.parametrize(("rounds_played", "is_over"), [(0, False), (1, False), (2, True)])
def test_r36_the_game_ends_after_the_third_round(rounds_played, is_over):
    match = after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0), rounds_played=rounds_played)
    assert match.is_over == is_over
    if is_over:
        with pytest.raises(IllegalMove, match=r"\(R36\)"):
            match.play("pass")


@pytest.mark.parametrize(
    ("totals", "first", "leader"),
    [
        ((0, 0, 0, 9), 0, 2),  # 5, 6, 3, 9
        ((9, 9, 9, 0), 1, 3),
        ((0, 9, 9, 5), 2, 3),  # 5, 15, 12, 5: clockwise after seat 2
        ((0, 9, 9, 5), 3, 0),
    ],
)
def test_r37_the_lowest_total_leads_the_next_round(totals, first, leader):
    match = keep_all(after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0), totals=totals, first=first))
    assert match.to_move == match.state.first == leader


@pytest.mark.parametrize(
    ("tie", "first", "leader"),
    [
        ("others_first", 0, 3),
        ("leader_first", 0, 0),
        ("others_first", 3, 0),
        ("leader_first", 3, 3),
        ("leader_first", 1, 3),
    ],
)
def test_a8_the_leader_of_the_previous_round_comes_last_or_first(tie, first, leader):
    match = after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0), totals=(0, 9, 9, 5), first=first, lead_tie=tie)
    assert match.to_move == leader


def test_r38_the_highest_total_wins():
    match = after_the_last_trick((0, 0, 0, 1), won=(4, 6, 3, 0), totals=(10, 0, 1, 2), rounds_played=2)
    assert match.outcome.reason == "rounds"
    assert match.outcome.ranks == (1, 2, 3, 4)


def test_r39_a_tie_goes_to_the_announcement_met_with_fewer_tricks():
    match = after_the_last_trick((5, 4, 0, 1), won=(4, 4, 3, 2), totals=(10, 11, 1, 2), rounds_played=2)
    assert match.scores()[:2] == [20, 20]
    assert match.outcome.reason == "tie_break"
    assert match.outcome.winners == (1,)


def test_a9_a_player_who_missed_the_announcement_loses_the_tie():
    match = after_the_last_trick((5, 0, 0, 1), won=(4, 4, 3, 2), totals=(10, 16, 1, 2), rounds_played=2)
    assert match.scores()[:2] == [20, 20]
    assert match.outcome.winners == (0,)


def test_a9_only_those_with_the_highest_total_count():
    match = after_the_last_trick((6, 6, 3, 1), won=(4, 4, 3, 2), totals=(15, 16, 1, 2), rounds_played=2)
    assert match.scores() == [20, 20, 9, 4]  # seat 2 has met its announcement, and does not matter
    assert not match.is_over


@pytest.mark.parametrize(
    ("bids", "won", "totals"),
    [
        ((0, 0, 0, 1), (4, 4, 3, 2), (15, 16, 0, 0)),  # nobody met
        ((5, 5, 0, 1), (4, 5, 3, 1), (10, 10, 0, 0)),  # both met with five tricks
    ],
)
def test_r40_an_undecided_tie_leads_to_another_round_for_all(bids, won, totals):
    match = after_the_last_trick(bids, won, totals=totals, rounds_played=2)
    assert match.scores()[:2] == [20, 20]
    assert not match.is_over
    assert match.state.rounds_played == 3
    assert list(match.state.down[:4]) == [2**15 - 1] * 4


def test_r40_points_of_extra_rounds_are_added_until_one_player_wins():
    match = after_the_last_trick((0, 0, 0, 1), (4, 6, 3, 0), totals=(20, 20, 0, 0), rounds_played=3)
    assert match.outcome.reason == "extra_round"
    assert match.scores() == [25, 26, 3, 0]
    match = after_the_last_trick((0, 0, 0, 1), (4, 5, 3, 1), totals=(20, 20, 0, 0), rounds_played=30)
    assert not match.is_over


def test_a17_the_lowest_total_leads_an_extra_round():
    match = after_the_last_trick((0, 0, 0, 1), (4, 5, 3, 1), totals=(20, 20, 0, 9), rounds_played=3, first=1)
    assert match.to_move == match.state.first == 2


def test_a21_after_a_hundred_rounds_the_victory_is_shared():
    match = after_the_last_trick((0, 0, 0, 1), (4, 5, 3, 1), totals=(20, 20, 0, 9), rounds_played=99)
    assert match.outcome.reason == "round_limit"
    assert match.outcome.ranks == (1, 1, 4, 3)


def test_a22_lower_ranks_are_separated_in_the_same_way():
    match = after_the_last_trick((0, 3, 2, 0), (9, 2, 2, 0), totals=(20, 5, 0, 0), rounds_played=2)
    assert match.scores() == [30, 7, 7, 5]
    assert match.outcome.ranks == (1, 3, 2, 4)


def test_reasons_keep_their_numbers_in_stored_states():
    names = ["ROUNDS", "TIE_BREAK", "EXTRA_ROUND", "ROUND_LIMIT"]
    assert {reason.name: int(reason) for reason in EndReason} == dict(zip(names, range(1, 5), strict=True))


@pytest.mark.parametrize(("won", "reason"), [((0, 3), EndReason.TIE_BREAK), ((3, 3), 0)])
def test_r38_a_tie_without_any_points_is_broken_too(won, reason):
    """Both automata met their announcements in every round, so that nobody has points (R46)."""
    state = dealt(2, ties="auto").state
    state.rounds_played = 3
    state.last_bids[:4] = [card("K0"), card("R1"), card("Y1"), card("O1")]
    state.last_won[:4] = [won[0], 1, won[1], 1]
    assert end_of_game(state) == reason
