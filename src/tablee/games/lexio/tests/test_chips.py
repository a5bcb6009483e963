"""Chips, the end of a round and of the game (R19 to R22, R41 to R43, E3, E4, E13 to E15, E17, E19)."""

import pytest

from tablee.games.lexio import GAME
from tablee.games.lexio.rules import EndReason
from tablee.games.lexio.state import CHIPS
from tablee.games.lexio.tests.positions import ends_with, match_of, names_of, played
from tablee.testing import random_match, random_positions

THREE = "3N 3E 3L"
EIGHT_WITH_A_TWO = "4N 4E 4L 4S 5N 5E 5L 2N"
FOUR_WITH_TWO_TWOS = "6N 6E 2E 2L"


def changes(match):
    return [score - CHIPS for score in match.scores()]


def test_r19_r41_a_two_doubles_what_the_winner_gets():
    match = ends_with("2S", "4N 4E 4L 2N", "5N 5E 5L 5S", winner=0)
    assert match.state.paid[1, 0] == 8
    assert match.state.paid[2, 0] == 4


def test_e3_each_two_doubles():
    for twos, factor in (("2N", 2), ("2N 2E", 4), ("2N 2E 2L", 8), ("2N 2E 2L 2S", 16)):
        hand = " ".join(["3N", "3E", "3L", "3S"][len(twos.split()) :]) + " " + twos
        assert ends_with("9S", hand, "4N", winner=0).state.paid[1, 0] == 4 * factor
        flat = ends_with("9S", hand, "4N", winner=0, options={"twos": "flat"})
        assert flat.state.paid[1, 0] == 8


def test_r41_everyone_pays_the_winner_for_each_tile():
    match = ends_with("9S", THREE, "4N 4E 4L 4S 5N", winner=0)
    assert [int(amount) for amount in match.state.paid[:3, 0]] == [0, 3, 5]


def test_r42_r43_losers_pay_each_other_the_difference():
    match = ends_with("9S", THREE, "4N 4E 4L 4S 5N 5E 5L 5S", winner=0)
    assert match.state.paid[2, 1] == 5
    assert match.state.paid[1, 2] == 0
    with_a_two = ends_with("9S", THREE, EIGHT_WITH_A_TWO, winner=0)
    assert with_a_two.state.paid[2, 1] == 10


def test_e4_the_settlement_of_the_rulebooks_example():
    match = ends_with("9S", THREE, EIGHT_WITH_A_TWO, FOUR_WITH_TWO_TWOS, winner=0)
    paid = match.state.paid
    assert [int(paid[seat, 0]) for seat in (1, 2, 3)] == [3, 16, 16]
    assert (paid[2, 1], paid[3, 1], paid[2, 3]) == (10, 4, 8)
    assert changes(match) == [35, 11, -34, -12]
    assert match.view(1).facts["last_round"]["changes"] == [35, 11, -34, -12]


def test_e4_equal_counts_pay_nothing_and_the_receivers_twos_do_not_count():
    match = ends_with("9S", "3N 3E", "4N 2E", "5N 5E 5L", winner=0)
    assert match.state.paid[1, 2] == match.state.paid[2, 1] == 0
    assert match.state.paid[3, 2] == match.state.paid[3, 1] == 1


def test_e13_a_balance_may_fall_below_zero():
    hand = "2N 2E 2L 2S 3N 3E 3L 3S 4N 4E 4L 4S 5N"
    match = ends_with("9S", hand, "6N", "7N", winner=0)
    assert match.state.paid[1, 0] == 13 * 16
    assert match.scores()[1] == CHIPS - 13 * 16 - 2 * 12 * 16
    assert sum(match.scores()) == 4 * CHIPS


def test_e13_with_the_option_no_player_pays_more_than_they_had():
    hand = "2N 2E 2L 2S 3N 3E 3L 3S"  # owes 128 to the winner, then 112 to each with one tile
    match = ends_with("9S", hand, "6N", "7N", winner=0, options={"cap_payments": True})
    assert [int(amount) for amount in match.state.paid[1, :4]] == [128, 0, 21, 0]
    assert match.scores()[1] == 0
    fewer_first = ends_with("9S", hand, "6N 6E", "7N", winner=0, options={"cap_payments": True})
    assert [int(amount) for amount in fewer_first.state.paid[1, :4]] == [128, 0, 0, 21]


def test_e13_chips_received_cannot_be_paid_in_the_same_settlement():
    match = match_of("9S", "3N 3E 3L", "4N 4E 4L 4S 5N", to_move=0, options={"rounds": 1, "cap_payments": True})
    match.state.balances[:3] = [CHIPS * 3 - 3, 1, 2]
    match.play("play 9S")
    assert [int(amount) for amount in match.state.paid[1, :3]] == [1, 0, 0]
    assert [int(amount) for amount in match.state.paid[2, :3]] == [2, 0, 0]
    assert match.scores() == [CHIPS * 3, 0, 0]


def test_r20_tiles_are_dealt_again():
    match = match_of("3N 9S", "3E 9N", "3L 9E")
    played(match, "9S", "-", "-", "3N")
    assert match.state.rounds_played == 1
    assert not match.is_over
    assert [int(count) for count in match.state.hand_counts[:3]] == [2, 2, 2]
    assert not match.state.played.any()
    assert not match.state.passed_few.any()


def test_r20_passes_of_the_last_round_are_forgotten():
    """Passes on one, two, three and five tiles, by players who have played before and who have not."""
    match = match_of("3N 3E 3L 4N 5N 6N 7N 8E 9N", "5E 9E 9L 9S 10N 10E 10L 11N 11E", "6E 12N 13E 14N 14E 15N 1N 1E 1L")
    played(match, "3N", "5E", "-", "-", "9E 9L 9S", "-", "-", "10N 10E", "14N 14E", "-", "-", "1N 1E 1L", "-", "-")
    played(match, "6E", "-", "-", "12N", "-", "-", "13E", "-", "-", "15N")
    assert match.finished_rounds() == 1
    assert not match.state.passed_few.any()
    assert not match.state.passed_made.any()
    assert not match.state.plays.any()
    assert not match.state.play_counts.any()


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_r20_e17_the_number_of_rounds_is_an_option(rounds):
    match = random_match(GAME, GAME.setup(4, {"rounds": rounds}), seed=4)
    assert match.finished_rounds() == rounds
    assert match.outcome.reason == "rounds"


def test_e17_five_rounds_are_the_default():
    assert GAME.setup().options["rounds"] == 5
    assert GAME.option("rounds").choices == tuple(range(1, 21))


def test_r21_most_chips_win():
    match = ends_with("9S", THREE, EIGHT_WITH_A_TWO, FOUR_WITH_TWO_TWOS, winner=0)
    assert match.outcome.ranks == (1, 2, 4, 3)
    assert match.outcome.winners == (0,)


@pytest.mark.parametrize("balance", [0, -3])
def test_r22_e14_an_empty_purse_ends_the_game(balance):
    match = match_of("9S", "3N 3E", "4N", to_move=0)
    match.state.balances[:3] = [CHIPS * 3 - 30 - 3 - balance, 3 + balance, 30]
    match.play("play 9S")
    assert match.scores()[1] == balance
    assert match.outcome.reason == "empty_purse"
    assert match.why_not("pass") == "the game is over (R22)"


def test_r22_the_game_goes_on_with_one_chip():
    match = match_of("9S", "3N 3E", "4N", to_move=0)
    match.state.balances[:3] = [CHIPS * 3 - 34, 4, 30]
    match.play("play 9S")
    assert match.scores()[1] == 1
    assert not match.is_over


def test_e15_equal_chips_share_the_victory():
    match = match_of("9S", "3N", "4N", to_move=0, options={"rounds": 1})
    match.state.balances[:3] = [198, 48, 201]
    match.play("play 9S")
    assert match.scores() == [200, 47, 200]
    assert match.outcome.ranks == (1, 3, 1)
    assert match.view(-1).winners == (0, 2)


def test_e19_all_players_show_the_tiles_they_have_left():
    match = match_of("9S", "3N 3E", "4N 5N", to_move=0)
    match.play("play 9S")
    assert not match.is_over
    for seat in (-1, 0, 1, 2):
        sight = match.sight(seat).state
        assert [names_of(hand) for hand in sight.last_hands[:3]] == ["", "3N 3E", "4N 5N"]
        assert [e.text for e in match.events(seat) if e.code == "left"] == [
            "Player 2 still has 2 tiles: 3C 3T.",
            "Player 3 still has 2 tiles: 4C 5C.",
        ]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_sum_of_chips_never_changes(seats):
    for match in random_positions(GAME, GAME.setup(seats), seed=seats):
        assert sum(match.scores()) == seats * CHIPS


def test_the_score_bounds_are_reached():
    rich = "2N 2E 2L 2S 3E 3L 3S 4N 4E 4L 4S 5N"
    match = match_of("9S", rich, "6N", "7N", "8N", to_move=0)
    match.state.balances[:5] = [CHIPS * 5 - 4, 1, 1, 1, 1]
    match.play("play 9S")
    assert match.scores()[1] == GAME.score_bounds[0]
    best = match_of(
        "9S",
        rich,
        *("5E 5L 5S 6N 6E 6L 6S 7N 7E 7L 7S 8N", "9N 9E 9L 10N 10E 10L 10S 11N 11E 11L 11S 12N"),
        "12E 12L 12S 13N 13E 13L 13S 14N 14E 14L 14S 15N",
        to_move=0,
    )
    best.state.balances[:5] = [CHIPS * 5 - 4, 1, 1, 1, 1]
    best.play("play 9S")
    assert best.scores()[0] == GAME.score_bounds[1]


def test_reasons_keep_their_numbers_in_stored_states():
    assert {reason.name: int(reason) for reason in EndReason} == {"ROUNDS": 1, "EMPTY_PURSE": 2}
