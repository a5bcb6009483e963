"""The game in short, setting up, and who leads (R1 to R3, R6 to R13, E5, E18, E20)."""

import pytest

from tablee import Match
from tablee.core.errors import BadSetup
from tablee.games.lexio import GAME
from tablee.games.lexio.moves import tiles_in
from tablee.games.lexio.state import CHIPS
from tablee.games.lexio.tests.positions import broken, legal, match_of, names_of, played, strength, tiles
from tablee.testing import random_match, random_positions

NUMBERS = {2: 9, 3: 9, 4: 13, 5: 15}


def new_match(seats, seed=1):
    return Match(GAME, seats=seats, seed=seed, options={"two_players": seats == 2})


def numbers_in(hands):
    return sorted({int(names_of(1 << tile)[:-1]) for tile in tiles_in(hands)})


@pytest.mark.parametrize(("seats", "size"), [(2, 13), (3, 12), (4, 13), (5, 12)])
def test_r1_all_players_have_the_same_number_of_tiles(seats, size):
    state = new_match(seats).state
    assert [int(hand).bit_count() for hand in state.hands[:seats]] == [size] * seats
    assert list(state.hand_counts) == [size] * seats + [0] * (5 - seats)


def test_r2_r18_the_round_ends_with_the_last_tile():
    match = match_of("3N 4S", "3E 9N", "3L 9E")
    played(match, "3N", "-", "-")
    assert match.state.rounds_played == 0
    played(match, "4S")
    assert match.state.rounds_played == 1
    assert match.state.last_winner == 0


def test_r3_turns_pass_to_the_next_seat():
    match = match_of("3N 9N", "4N 9E", "5N 9L")
    turns = []
    for text in ("3N", "4N", "5N", "-", "-"):
        turns.append(match.to_move)
        played(match, text)
    assert turns == [0, 1, 2, 0, 1]


def test_r6_r7_tiles_compare_by_number_then_suit():
    names = [f"{number}{letter}" for number in (*range(3, 16), 1, 2) for letter in "NELS"]
    strengths = [strength(name) for name in names]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == 60


def test_r8_each_player_has_chips_worth_149():
    for seats in (2, 3, 4, 5):
        match = new_match(seats)
        assert match.scores() == [4 * 1 + 4 * 5 + 5 * 25] * seats
        assert match.view(0).facts["chips"] == [[5, 4, 4]] * seats


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_r9_r10_r11_the_numbers_depend_on_the_players(seats):
    state = new_match(seats).state
    everything = 0
    for hand in state.hands:
        everything |= int(hand)
    assert everything == state.deck
    assert numbers_in(everything) == list(range(1, NUMBERS[seats] + 1))
    assert everything.bit_count() == 4 * NUMBERS[seats]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_r12_the_holder_of_cloud_3_leads(seats):
    for seed in range(20):
        match = new_match(seats, seed)
        assert int(match.state.hands[match.to_move]) & tiles("3N")


def test_r13_the_cloud_3_need_not_be_played():
    match = match_of("3N 7S 7L", "4N 9E", "5N 9L")
    assert legal(match) == ["3N", "7L", "7S", "7L 7S"]
    played(match, "7L 7S")
    assert match.state.hands[0] == tiles("3N")


def test_r13_only_tiles_in_hand_can_be_played():
    match = match_of("3N 7S 7L", "4N 9E", "5N 9L")
    assert match.why_not("play 9E") == "you do not hold those tiles (R13)"
    assert match.why_not("play 7S 7N").endswith("(R13)")


def test_e5_the_holder_of_cloud_3_leads_every_round():
    rounds, leaders_that_had_not_won = 0, 0
    for match in random_positions(GAME, seed=3):
        if match.state.rounds_played > rounds and not match.is_over:
            rounds = int(match.state.rounds_played)
            assert int(match.state.hands[match.to_move]) & tiles("3N")
            leaders_that_had_not_won += match.to_move != match.state.last_winner
    assert rounds == 4
    assert leaders_that_had_not_won


def test_e18_two_players_need_the_option():
    with pytest.raises(BadSetup, match="two_players"):
        Match(GAME, seats=2)
    with pytest.raises(BadSetup, match="for two players"):
        Match(GAME, seats=3, options={"two_players": True})
    for count in (1, 6):
        with pytest.raises(BadSetup, match="2 to 5"):
            Match(GAME, seats=count, options={"two_players": count == 1})


def test_e18_with_two_players_ten_tiles_are_left_out():
    for seed in range(20):
        state = new_match(2, seed).state
        dealt = int(state.hands[0] | state.hands[1])
        assert numbers_in(state.deck) == list(range(1, 10))
        assert int(state.deck & ~dealt).bit_count() == 10
        assert min(tiles_in(dealt)) in tiles_in(state.hands[state.to_move])


def test_e18_two_players_can_finish_a_game():
    match = random_match(GAME, GAME.setup(2, {"two_players": True}), seed=2)
    assert match.is_over
    assert sum(match.scores()) == 2 * CHIPS


@pytest.mark.parametrize("seats", [2, 4])
def test_e20_the_weakest_tile_dealt_is_known_to_be_the_leaders(seats):
    match = new_match(seats)
    sight = match.sight((match.to_move + 1) % seats).state
    assert sight.leader == match.to_move
    assert int(match.state.hands[sight.leader]) >> int(sight.lead_tile) & 1
    assert match.view(-1, "fr").facts["lead_tile"] == names_of(1 << int(sight.lead_tile))


def test_deals_differ_and_break_no_invariant():
    hands = {new_match(4, seed).state.hands.tobytes() for seed in range(30)}
    assert len(hands) == 30
    assert broken(new_match(5).state) == []
