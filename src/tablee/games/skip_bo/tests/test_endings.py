"""The end of a round and of a match: R25, R27, R28, D7, D9, D14, D16, D17, D19."""

from dataclasses import replace

import numpy as np
import pytest

from tablee import Record
from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadRecord, IllegalMove
from tablee.core.state import NOBODY
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.hands import complete_hand
from tablee.games.skip_bo.rules import EndReason, finish_round
from tablee.games.skip_bo.tests.positions import (
    PLAIN,
    completed_cards,
    hand,
    heights,
    pile,
    played,
    position,
    texts,
)
from tablee.testing import random_match

LAST_CARD = {"stock": "1", "hand": "5 6", "a": "9 9"}
SINGLE = {"single_round": True}


def test_r25_d9_the_last_stock_card_wins_at_once():
    match = played(position(LAST_CARD, PLAIN, options=SINGLE), "play stock 2")
    assert match.is_over
    assert match.outcome.reason == "emptied"
    assert match.outcome.winners == (0,)
    assert hand(match.state, 0) == "5 6"
    assert pile(match.state, 0, "a") == "9 9"
    assert match.legal_moves() == []
    with pytest.raises(IllegalMove, match="R28"):
        match.play("discard 5 a")


def test_r25_the_last_stock_card_wins_also_when_it_completes_a_series():
    state = position({"stock": "10", "hand": "5"}, PLAIN, series=("1 2 3 4 5 6 7 8 9", "", "", ""), options=SINGLE)
    match = played(state, "play stock 1")
    assert match.outcome.winners == (0,)


@pytest.mark.parametrize(("others", "points"), [(["9"], 30), (["9 9 9 9", "8 8 8 8 8 8 8"], 80), (["w w", "1"], 40)])
def test_r27_twenty_five_points_and_five_per_card_left(others, points):
    """Includes the rulebook's example: 4 and 7 cards left score 25 + 5 * 11 = 80, whatever their numbers."""
    state = position(LAST_CARD, *({"stock": stock, "hand": "5"} for stock in others))
    match = played(state, "play stock 1")
    assert match.scores() == [points, *[0] * len(others)]
    assert match.state.last_points == points
    assert match.state.last_winner == 0
    assert not match.is_over


def test_r27_points_add_up_over_rounds():
    match = played(position(LAST_CARD, PLAIN, PLAIN, totals=[10, 20, 30, 0, 0, 0]), "play stock 1")
    assert match.scores() == [10 + 25 + 20, 20, 30]
    assert match.state.rounds_played == 1
    assert [int(count) for count in match.state.last_left[:3]] == [0, 2, 2]
    assert [int(count) for count in match.state.stock_counts[:3]] == [10, 10, 10]


def test_a_round_counts_as_finished_when_it_has_been_scored():
    match = played(position(LAST_CARD, PLAIN))
    assert match.finished_rounds() == 0
    match.play("play stock 1")
    assert match.finished_rounds() == 1


def test_r27_a_single_round_ends_the_game():
    match = played(position(LAST_CARD, PLAIN, PLAIN, options=SINGLE), "play stock 1")
    assert match.outcome.scores == (45, 0, 0)
    assert match.outcome.ranks == (1, 2, 2)


@pytest.mark.parametrize(("before", "is_over"), [(464, False), (465, True), (495, True)])
def test_r28_the_first_with_five_hundred_points_wins(before, is_over):
    match = played(position(LAST_CARD, PLAIN, totals=[before, 495, 0, 0, 0, 0]), "play stock 1")
    assert match.is_over == is_over
    if is_over:
        assert match.outcome.reason == "target"
        assert match.outcome.ranks == (1, 2)


# Nothing left to draw (D7)

BARE = {"stock": "8 8"}


def test_d7_players_draw_what_there_is():
    match = played(position(PLAIN, {"stock": "9"}, draw="4", whole_deck=False), "discard 5 a")
    assert hand(match.state, 1) == "4"
    assert "pass" not in texts(match)


def test_d7_passing_needs_an_empty_hand_and_no_card_to_draw():
    match = played(position({"stock": "8 1", "a": "1"}, PLAIN, whole_deck=False))
    assert texts(match)[-1] == "pass"
    assert texts(match, "play stock") != []
    assert texts(match, "play a") != []
    assert texts(match, "discard") == []


def test_d7_an_empty_hand_is_refilled_as_soon_as_a_play_brings_cards():
    state = position({"stock": "8 9", "b": "10"}, PLAIN, series=("1 2 3 4 5 6 7 8", "", "", ""), whole_deck=False)
    match = played(state, "play stock 1")
    assert hand(match.state, 0) == ""
    match.play("play b 1")
    assert match.state.hand_counts[0] == 3
    assert match.state.draw_count == 7
    assert "pass" not in texts(match)


def test_d7_all_passing_in_a_row_ends_the_round():
    state = position(BARE, {"stock": "8"}, {"stock": "8 8 8"}, whole_deck=False, options=SINGLE)
    match = played(state, "pass", "pass")
    assert not match.is_over
    match.play("pass")
    assert match.outcome.reason == "all_passed"
    assert match.outcome.scores == (0, 25 + 5 * 5, 0)


def test_d7_a_play_between_passes_restarts_their_count():
    state = position(BARE, {"stock": "8 8", "a": "1"}, whole_deck=False, options=SINGLE)
    match = played(state, "pass", "play a 1", "pass", "pass")
    assert match.outcome.reason == "all_passed"
    match = played(state, "pass", "play a 1", "pass")
    assert not match.is_over


def test_d7_a_shared_smallest_stock_scores_nothing():
    state = position(BARE, BARE, {"stock": "8 8 8"}, whole_deck=False, options=SINGLE)
    match = played(state, "pass", "pass", "pass")
    assert match.outcome.scores == (0, 0, 0)
    assert match.state.last_points == 0
    assert match.state.last_winner == NOBODY


@pytest.mark.parametrize(
    ("stocks", "ranks"),
    [
        ([5, 5, 10], (1, 1, 3)),
        ([10, 5, 5], (3, 1, 1)),
        ([7, 3, 5, 3], (3, 1, 3, 1)),
        ([1, 4, 1], (1, 3, 1)),
        ([2, 2], (1, 1)),
    ],
)
def test_d19_the_smallest_stocks_share_the_victory_of_a_single_round(stocks, ranks):
    seats = [{"stock": "8 " * size} for size in stocks]
    match = played(position(*seats, whole_deck=False, options=SINGLE), *["pass"] * len(seats))
    assert match.outcome.scores == (0,) * len(seats)
    assert match.outcome.ranks == ranks
    assert match.state.last_winner == NOBODY


def test_d19_a_turn_without_end_is_ranked_by_stocks_too():
    state = position(*[{"stock": "9 9", "hand": "w w"}] * 2, {"stock": "9 9 9"}, plays=199, options=SINGLE)
    match = played(state, "play w 1")
    assert match.outcome.reason == "endless_turn"
    assert match.outcome.ranks == (1, 1, 3)


def test_d19_a_round_that_is_won_is_ranked_by_points():
    match = played(position({"stock": "8"}, {"stock": "8 8 8"}, BARE, whole_deck=False, options=SINGLE), *["pass"] * 3)
    assert match.outcome.scores == (25 + 5 * 5, 0, 0)
    assert match.outcome.ranks == (1, 2, 2)


def test_d19_records_of_the_first_version_keep_their_ranks():
    """Version 1 of the rules gave all seats the first rank when nobody scored."""
    state = position(BARE, BARE, {"stock": "8 8 8"}, whole_deck=False, options=SINGLE)
    record = played(state, "pass", "pass", "pass").record()
    all_first = replace(record, outcome=replace(record.outcome, ranks=(1, 1, 1)))
    with pytest.raises(BadRecord, match="the outcome is"):
        all_first.verify(trust_start=True)
    older = replace(all_first, header=replace(record.header, game_version=1))
    assert Record.parse(older.text()) == older
    older.verify(trust_start=True)
    with pytest.raises(BadRecord, match="the outcome is"):
        replace(older, outcome=replace(older.outcome, scores=(25, 0, 0))).verify(trust_start=True)


def test_d19_does_not_apply_to_a_match():
    state = position(*[BARE] * 2, {"stock": "8 8 8"}, whole_deck=False, totals=[30, 60, 60, 0, 0, 0], rounds_played=99)
    match = played(state, "pass", "pass", "pass")
    assert match.outcome.reason == "round_limit"
    assert match.outcome.ranks == (3, 1, 1)


@pytest.mark.parametrize("seats", [2, 3])
def test_d7_a_hundred_turns_per_player_without_a_stock_card_end_the_round(seats):
    state = position({"stock": "9", "hand": "5 6 7"}, *[PLAIN] * (seats - 1), stalled=100 * seats - 2, options=SINGLE)
    match = played(state, "discard 5 a")
    assert not match.is_over
    match.play("discard 5 a")
    assert match.outcome.reason == "stalled"
    assert match.outcome.scores == (25 + 10 * (seats - 1), *[0] * (seats - 1))


def test_d7_a_stock_card_restarts_the_count():
    state = position({"stock": "9 1", "hand": "5 6 7"}, PLAIN, stalled=199)
    match = played(state, "play stock 1", "discard 5 a")
    assert match.state.stalled == 1
    assert match.state.last_end == 0


@pytest.mark.parametrize("seats", [2, 4])
def test_d14_only_one_seat_scores_in_a_round(seats):
    totals = np.zeros(6, np.int64)
    for seed in range(2 if is_interpreted() else 20):
        match = random_match(GAME, GAME.setup(seats, SINGLE), seed)
        assert sum(score > 0 for score in match.scores()) == (match.state.last_winner != NOBODY)
        totals[:seats] += match.scores()
    assert totals.sum() > 0


def test_d16_a_turn_of_two_hundred_cards_ends_the_round():
    """Twelve wilds in circulation, and a stock card that is never played: completed series are reshuffled again."""
    state = position(
        {"stock": "7", "hand": "w w w"}, {"stock": "7 7", "hand": "5"}, draw="w " * 9, whole_deck=False, options=SINGLE
    )
    match = played(state)
    while not match.is_over:
        match.play(next(text for text in texts(match, "play w")))
    assert len(match.moves) == 200
    assert match.outcome.reason == "endless_turn"
    assert match.outcome.scores == (35, 0)


def test_d16_the_count_restarts_with_each_turn():
    match = played(position(PLAIN, PLAIN, plays=199), "discard 5 a", "discard 5 a")
    assert match.state.plays == 0


@pytest.mark.parametrize(("totals", "ranks"), [([100, 200], (2, 1)), ([100, 100], (1, 1))])
def test_d17_a_match_ends_after_a_hundred_rounds(totals, ranks):
    state = position(PLAIN, PLAIN, rounds_played=99, totals=[*totals, 0, 0, 0, 0])
    finish_round(state, EndReason.STALLED)
    match = played(state)
    assert match.outcome.reason == "round_limit"
    assert match.outcome.ranks == ranks
    state = position(PLAIN, PLAIN, rounds_played=98)
    finish_round(state, EndReason.ENDLESS_TURN)
    assert not played(state).is_over


@pytest.mark.parametrize("reason", [EndReason.EMPTIED, EndReason.ALL_PASSED, EndReason.STALLED, EndReason.ENDLESS_TURN])
def test_a_new_round_starts_with_a_cleared_table(reason):
    state = position(
        {"stock": "8", "hand": "5 6", "a": "9 9"},
        {"stock": "8 8", "hand": "1", "d": "3 w"},
        series=("1 w", "", "1", ""),
        completed="1 2 3",
        stalled=7,
        passes=1,
        plays=5,
    )
    finish_round(state, reason)
    complete_hand(state)
    match = played(state)
    assert heights(match.state) == [0, 0, 0, 0]
    assert completed_cards(match.state) == ""
    assert [int(count) for count in match.state.stock_counts[:2]] == [15, 15]
    assert match.state.draw_count == 96 - 30 - 3
    assert (match.state.stalled, match.state.passes, match.state.plays, match.state.turns) == (0, 0, 0, 0)
    assert match.state.last_end == reason


def test_r8_nothing_of_the_last_round_is_left_in_the_next():
    """Every field of a new round, after one with cards everywhere, is as in a deal of the same cards."""
    state = position(
        {"stock": "8 8", "hand": "5 6 w", "piles": "0 1 2", "a": "9 9", "d": "w"},
        {"stock": "8", "hand": "1 w", "piles": "1 2", "d": "3 w"},
        series=("1 w", "", "1", "w w"),
        completed="1 2 3 w",
        pile_number=2,
    )
    finish_round(state, EndReason.STALLED)
    table = ("discards", "completed", "unseen_in_pile", "unseen_held", "series", "series_wilds")
    seats = ("hand_counts", "hands", "hand_piles", "pile_counts", "pile_tops")
    for name in (*table, *seats):
        assert not state[name].any(), name
    assert not state.draw_pile[state.draw_count :].any()
    assert not state.stocks[2 * 15 :].any()
    assert (state.discard_count, state.pile_number, state.draw_count) == (0, 0, 96 - 30)


def test_reasons_keep_their_numbers_in_stored_states():
    names = ["TARGET", "ROUND_LIMIT", "EMPTIED", "ALL_PASSED", "STALLED", "ENDLESS_TURN"]
    assert {reason.name: int(reason) for reason in EndReason} == dict(zip(names, range(1, 7), strict=True))
