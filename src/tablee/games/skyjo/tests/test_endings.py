"""The end of a round and of the game: R15 to R22, and the rulings on last turns, doubling, stalling and ties."""

import pytest

from tablee.core.state import NOBODY
from tablee.games.skyjo import GAME
from tablee.games.skyjo.rules import MAX_ROUNDS, EndReason
from tablee.games.skyjo.state import LOWEST, NO_CARD, OPEN_SECOND
from tablee.games.skyjo.tests.positions import (
    ALL_HIDDEN,
    ONE_HIDDEN,
    OPEN_TWO,
    discard_pile,
    hidden_cells,
    narrow,
    played,
    position,
)
from tablee.testing import random_positions

LOW = "(0) 0 1 1 / 1 -1 0 0 / -1 1 2 0"  # a1 is its last hidden card; the others sum up to 4
ONE_LEFT = "(0) 1 2 3 / 4 5 6 7 / 8 9 10 11"
FLIP_A1 = ("draw", "discard", "flip a1")


def totals(*points):
    """Return the score sheet as the state holds it."""
    return [*points, *[0] * (8 - len(points))]


def test_r15_opening_the_last_hidden_card_ends_the_round():
    match = played(position(ONE_HIDDEN, OPEN_TWO), "take", "swap a1")
    assert match.state.ender == 0
    assert match.state.rounds_played == 0
    assert match.events(1)[-1].text == "Player 1 has no hidden card left: everyone else has one more turn."


def test_r15_a_round_goes_on_while_a_card_is_hidden():
    match = played(position("(3) (4) 5 6 / 7 8 9 10 / 11 1 2 0", OPEN_TWO), "take", "swap a1")
    assert match.state.ender == NOBODY


def test_r15_only_the_first_seat_to_finish_is_the_ender():
    match = played(position(LOW, ONE_LEFT, OPEN_TWO), *FLIP_A1, *FLIP_A1)
    assert match.state.ender == 0
    match = played(match.state, "take", "swap c1")
    assert match.state.last_ender == 0


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("ender", [0, 1])
def test_r16_b5_every_other_seat_has_exactly_one_more_turn(seats, ender):
    tableaux = ["(7) (8) 9 10 / 11 12 1 2 / 3 4 5 6"] * seats
    tableaux[ender] = narrow("(0) 4 6")
    match = played(position(*tableaux, to_move=ender), "draw", "discard", "flip d1")
    order = []
    while match.state.rounds_played == 0:
        order.append(match.to_move)
        match.play("take")
        match.play("swap c1")
    assert order == [(ender + step) % seats for step in range(1, seats)]


def test_b5_the_last_turn_is_announced():
    match = played(position(LOW, OPEN_TWO), *FLIP_A1)
    assert match.view(1).prompt.startswith("Your last turn! ")
    assert played(position(LOW, OPEN_TWO)).view(0).prompt.startswith("Take the 5")


def test_r17_hidden_cards_are_turned_up_and_count():
    match = played(position(LOW, ALL_HIDDEN), *FLIP_A1, "take", "swap a1")
    assert list(match.state.final_grid[1]) == [12, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2, 0]
    assert match.state.round_scores[1] == 12 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 1 + 2
    assert list(match.sight(0).state.final_grid[1]) == list(match.state.final_grid[1]), "everybody sees them"


def test_r18_the_special_rule_applies_once_more():
    hidden_sevens = "(7) (4) (5) (6) / (7) (8) (9) (10) / (7) (1) (2) 3"
    match = played(position(LOW, hidden_sevens), *FLIP_A1, "take", "swap d3")
    assert match.state.round_scores[1] == 4 + 5 + 6 + 8 + 9 + 10 + 1 + 2 + 12
    assert list(match.state.final_grid[1, ::4]) == [7, 7, 7], "they were turned up before they were cleared"
    sentences = [event.text for event in match.events(0)]
    assert "Player 2 clears a1, a2 and a3." in sentences


def test_r18_several_columns_may_leave_at_once():
    columns = "(7) (8) (5) (6) / (7) (8) (9) (10) / (7) (8) (2) 3"
    match = played(position(LOW, columns), *FLIP_A1, "take", "swap d3")
    assert match.state.round_scores[1] == 5 + 6 + 9 + 10 + 2 + 12


def test_r19_points_are_added_with_their_sign():
    below_zero = "(0) -2 -2 -1 / -1 -1 0 0 / 0 0 0 1"
    state = position(below_zero, OPEN_TWO, totals=totals(10, 20))
    match = played(state, *FLIP_A1, "take", "swap a1")
    assert list(match.state.round_scores[:2]) == [-6, 12 + 63]
    assert list(match.state.totals[:2]) == [10 - 6, 20 + 75]
    assert match.scores() == [4, 95]


def ended(*columns, **fields):
    """Return the match after seat 0 has opened its last card, d1, and the others have opened theirs."""
    state = position(*(narrow(cards) for cards in columns), **fields)
    return played(state, *("draw", "discard", "flip d1") * len(columns))


def test_r20_the_ender_is_doubled_unless_strictly_lowest():
    match = ended("(0) 4 6", "(1) 2 0", "(12) 11 1")
    assert list(match.state.round_scores[:3]) == [20, 3, 24]
    assert match.state.doubled == 0
    sentences = [event.text for event in match.events(1)]
    assert "Player 1 ended the round without being strictly lowest: 10 points doubled to 20, 20 in all." in sentences


def test_r20_the_strictly_lowest_ender_is_not_doubled():
    match = ended("(0) 4 1", "(6) 0 4", "(12) 11 1")
    assert list(match.state.round_scores[:3]) == [5, 10, 24]
    assert match.state.doubled == NOBODY


def test_r20_nobody_else_is_doubled():
    match = ended("(0) 4 1", "(0) 12 1", "(12) 11 1")
    assert list(match.state.round_scores[:3]) == [5, 13, 24]


def test_b4_a_tie_for_the_lowest_is_doubled():
    match = ended("(0) 4 6", "(12) 11 1", "(3) 4 3")
    assert list(match.state.round_scores[:3]) == [20, 24, 10]


@pytest.mark.parametrize(("is_on", "points"), [(False, -2), (True, -4)])
def test_b3_negative_points_are_doubled_only_with_the_option(is_on, points):
    match = ended("(0) -1 -1", "(-2) -1 0", options={"double_negative": is_on})
    assert list(match.state.round_scores[:2]) == [points, -3]
    assert match.state.doubled == (0 if is_on else NOBODY)


def test_r20_a_single_point_is_doubled():
    match = ended("(0) 0 1", "(0) 1 0")
    assert list(match.state.round_scores[:2]) == [2, 1]
    assert match.state.doubled == 0


def test_b3_zero_stays_zero():
    match = ended("(0) 1 -1", "(-2) -1 0")
    assert match.state.round_scores[0] == 0
    assert match.state.doubled == NOBODY


def test_r21_the_game_ends_when_a_player_has_100_points():
    match = ended("(0) 4 1", "(6) 0 4", totals=totals(30, 90))
    assert match.is_over
    assert match.outcome.reason == "target"
    assert match.outcome.scores == (35, 100)
    assert match.to_move == NOBODY
    assert match.legal_moves() == []
    assert match.why_not("draw") == "the game is over (R21)"


def test_r21_the_game_goes_on_with_99_points():
    match = ended("(0) 4 1", "(6) 0 4", totals=totals(30, 89))
    assert not match.is_over
    assert match.scores() == [35, 99]


def test_r21_doubled_points_count():
    assert ended("(0) 4 6", "(1) 2 0", totals=totals(80, 5)).is_over


def test_r22_the_fewest_points_win():
    match = ended("(0) 4 1", "(6) 0 4", "(12) 11 1", totals=totals(50, 90, 10))
    assert match.outcome.scores == (55, 100, 34)
    assert match.outcome.ranks == (2, 3, 1)
    assert match.outcome.winners == match.view(-1).winners == (2,)
    assert match.events(-1)[-1].text == "Player 3 wins with the fewest points."


def test_b15_equal_points_share_the_victory():
    match = ended("(0) 4 1", "(6) 0 4", "(12) 11 1", totals=totals(29, 90, 10))
    assert match.outcome.scores == (34, 100, 34)
    assert match.outcome.ranks == (1, 3, 1)
    assert match.outcome.winners == match.view(-1).winners == (0, 2)
    assert match.events(-1)[-1].text == "Player 1 and Player 3 share the victory with the fewest points."


def test_b9_columns_leave_before_the_end_is_checked():
    state = position("7 . . 3 / 7 . . 4 / (7) . . 5", OPEN_TWO)
    match = played(state, "draw", "discard", "flip a3")
    assert match.state.ender == 0
    assert list(match.state.grid[0, ::4]) == [NO_CARD] * 3
    match.play("take")
    assert match.state.held == 7, "the three cards are on the discard pile"


def test_b9_an_empty_tableau_has_finished_and_is_worth_nothing():
    match = ended("(7) 7 7", "(6) 0 4")
    assert list(match.state.round_scores[:2]) == [0, 10]
    assert match.state.last_ender == 0


@pytest.mark.parametrize("seats", [2, 5, 8])
def test_b10_the_seat_on_turn_has_a_hidden_card(seats):
    turns = 0
    for match in random_positions(GAME, GAME.setup(seats), seed=seats, max_moves=1500):
        if match.state.phase > OPEN_SECOND and not match.is_over:
            turns += 1
            assert hidden_cells(match.state, match.to_move)
    assert turns > 100


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("turns", GAME.option("stall_turns").choices)
def test_b14_a_round_without_new_cards_ends(seats, turns):
    match = played(position(*[OPEN_TWO] * seats, options={"stall_turns": turns}))
    for _ in range(turns * seats):
        assert match.state.rounds_played == 0
        match.play("take")
        match.play("swap a1")
    assert match.state.rounds_played == 1
    assert match.state.doubled == match.state.last_ender == NOBODY
    assert "stalled" in [event.code for event in match.events(0)]


def test_b14_a_new_card_starts_the_count_again():
    match = played(position(OPEN_TWO, OPEN_TWO, options={"stall_turns": 1}), "take", "swap a1")
    assert match.state.stalled == 1
    match = played(match.state, "take", "swap c1")
    assert match.state.stalled == 0
    match = played(match.state, "take", "swap a1", "draw", "discard", "flip d1")
    assert (match.state.stalled, match.state.rounds_played) == (0, 0)


def test_b11_b14_a_new_round_counts_from_nothing():
    """Neither the turns without a new card nor what was reshuffled carry over."""
    state = position(narrow("(0) 4 1"), narrow("(6) 0 4"), discard=(1, 2, 9, 9), stalled=3)
    state.recycled[:] = [int(value == 9 - LOWEST) for value in range(len(state.recycled))]
    match = played(state, *("draw", "discard", "flip d1") * 2)
    assert match.finished_rounds() == 1
    assert match.state.stalled == 0
    assert not match.state.recycled.any()


def test_b14_the_next_round_starts_as_the_first_one_did():
    for seed in range(4):
        state = position(OPEN_TWO, OPEN_TWO, options={"stall_turns": 1}, last_ender=1, rounds_played=1)
        state.generator["stream"] = seed
        match = played(state, "take", "swap a1", "take", "swap a1", "flip a1", "flip b1", "flip a1", "flip b1")
        sums = [int(match.state.grid[seat, 0]) + int(match.state.grid[seat, 1]) for seat in range(2)]
        assert sums[match.to_move] == max(sums)


def test_b14_a_game_ends_after_a_hundred_rounds():
    match = ended("(0) 4 1", "(6) 0 4", rounds_played=MAX_ROUNDS - 1)
    assert match.outcome.reason == "round_limit"
    assert match.outcome.winners == (0,)
    assert not ended("(0) 4 1", "(6) 0 4", rounds_played=MAX_ROUNDS - 2).is_over
    assert MAX_ROUNDS == 100


def test_the_last_discard_of_a_finished_game_is_still_there():
    match = ended("(0) 4 1", "(6) 0 4", totals=totals(30, 90))
    assert discard_pile(match.state) == [5, 12, 12]


def test_reasons_keep_their_numbers_in_stored_states():
    assert {reason.name: int(reason) for reason in EndReason} == {"TARGET": 1, "ROUND_LIMIT": 2}
