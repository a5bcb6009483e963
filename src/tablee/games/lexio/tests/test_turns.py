"""Leading, following, passing (R4, R5, R14 to R17, E6 to E9, E16)."""

import pytest

from tablee.core.errors import IllegalMove
from tablee.games.lexio.moves import move_text, parse_move
from tablee.games.lexio.tests.positions import legal, match_of, played, suit


def test_r4_r14_a_play_has_as_many_tiles_as_the_one_before():
    match = match_of("3N 3S 8N", "4N 4S 4L", "5N 9L 9S")
    played(match, "3N 3S")
    assert legal(match) == ["pass", "4N 4L", "4N 4S", "4L 4S"]
    assert match.why_not("play 4N") == "play as many tiles as the player before you (R4)"
    assert match.why_not("play 4N 4L 4S").endswith("(R4)")


def test_r5_r14_a_play_is_stronger_than_the_one_before():
    match = match_of("3N 5L 9N", "4N 5E 5S", "6N 9L 9S")
    played(match, "5L")
    assert legal(match) == ["pass", "5S"]
    assert match.why_not("play 5E") == "that is not stronger than the combination on the table (R5)"
    with pytest.raises(IllegalMove, match="R5"):
        match.play("play 4N")


def test_r15_a_player_who_cannot_play_passes():
    match = match_of("3N 2S 4N", "2L 5E 5S", "6N 9L 9S")
    played(match, "2S")
    assert legal(match) == ["pass"]


def test_r16_e7_a_pass_is_not_final():
    match = match_of("3N 9N", "4N 9E", "5N 9L")
    played(match, "3N", "-", "5N", "-")
    assert match.to_move == 1
    assert legal(match) == ["pass", "9E"]


def test_r17_e8_when_all_others_have_passed_the_holder_leads():
    match = match_of("3N 3S 9N", "4N 9E 8N", "5N 9L 8S")
    played(match, "3N", "4N", "-", "-")
    assert match.to_move == 1
    assert match.state.table == 0
    assert legal(match) == ["8N", "9E"]
    assert match.why_not("pass") == "you lead, so you must play a combination (R17)"


def test_e8_passes_count_from_the_last_play():
    match = match_of("3N 9N", "4N 9E", "5N 9L", "6N 9S")
    played(match, "3N", "-", "-", "6N", "-", "-")
    assert match.state.table != 0, "two passes before a play and two after it do not make three"
    played(match, "-")
    assert match.to_move == 3
    assert match.state.table == 0


def test_e6_a_player_who_could_play_may_pass():
    match = match_of("3N 9N", "4N 9E", "5N 9L")
    played(match, "3N")
    assert legal(match) == ["pass", "4N", "9E"]


def test_e6_with_the_option_a_player_who_can_must_play():
    match = match_of("3N 9N", "4N 9E", "3E 3L", options={"must_play": True})
    played(match, "3N")
    assert legal(match) == ["4N", "9E"]
    assert match.why_not("pass") == "you hold a stronger combination, so you may not pass (E6)"
    played(match, "4N")
    assert legal(match) == ["pass"]


@pytest.mark.parametrize("size", [2, 3])
def test_e6_must_play_applies_to_pairs_and_triples(size):
    three, four, six = (" ".join(f"{number}{letter}" for letter in "NES"[:size]) for number in (3, 4, 6))
    match = match_of(f"{four} 9N", f"{six} 9E", f"{three} 9L", to_move=0, options={"must_play": True})
    assert legal(played(match, four)) == [six]
    assert legal(played(match, six)) == ["pass"]


@pytest.mark.parametrize(
    ("hand", "can_follow"),
    [
        ("3E 4E 5E 6E 9N", False),
        ("3S 4E 5E 6E 7L", True),  # a straight with the better first tile
        ("3L 5L 6L 8L 11L", True),
        ("3S 3E 3L 4E 4L", True),
        ("5E 8N 8E 8L 8S", True),
        ("6S 7S 8S 9S 10S", True),
    ],
)
def test_e6_must_play_applies_to_all_kinds_of_five_tiles(hand, can_follow):
    lead = "3N 4N 5N 6N 7E"
    match = match_of(f"{lead} 13N", hand, "12N 12E 12L 13L 14N", to_move=0, options={"must_play": True})
    assert legal(played(match, lead)) == ([hand_in_order(hand)] if can_follow else ["pass"])


def hand_in_order(hand):
    """Return a hand of five tiles as the text of its move."""
    return move_text(parse_move(f"play {hand}")).removeprefix("play ")


def test_e9_five_tiles_are_beaten_by_any_stronger_kind():
    match = match_of("3N 4N 5N 6N 7E 15N", "3L 5L 6L 8L 11L 15E", "4S 4E 4L 9N 9E 15L", options={"rounds": 1})
    played(match, "3N 4N 5N 6N 7E", "3L 5L 6L 8L 11L", "4E 4L 4S 9N 9E")
    assert legal(match) == ["pass"]


def test_e16_any_tile_may_be_the_last_one():
    match = match_of("3N 2S", "4N 9E", "5N 9L", options={"rounds": 1})
    played(match, "3N", "-", "-", "2S")
    assert match.is_over
    assert match.state.last_winner == 0


def test_the_largest_number_of_legal_moves():
    hands = [suit(letter, 1, 13) for letter in "NELS"]
    match = match_of(*hands)
    assert len(match.legal_moves()) == match.game.max_legal_moves
