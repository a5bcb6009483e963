"""Winning rings and the end: R17 to R20, and the rulings on entering, accusing and showing discs."""

import pytest

from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.moves import COLOURS
from tablee.games.xe_queo.rules import EndReason
from tablee.games.xe_queo.state import (
    ACCUSED_RIGHT,
    ACCUSED_WRONG,
    ENTERED,
    NO_FIELD,
    OWNER_WON,
    PLACE_RING,
    SAME_PAWN,
)
from tablee.games.xe_queo.tests.positions import (
    ACCUSATIONS,
    APART,
    dealt,
    field_of,
    follow,
    goals,
    played,
    position,
    shown,
    texts,
    won,
)
from tablee.testing import random_positions

BESIDE = """
    . . . . . . .
    . . . . . . .
    . . . O . . .
    . . . * R . .
    . . . . . . .
    . . . . . . .
    B . P Y G . K
"""


def last(match, field):
    """Return a field of the last finished round."""
    return int(match.state[field][match.state.rounds_played - 1])


def test_r17_the_own_pawn_wins_the_ring_and_the_disc_is_shown():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    assert match.scores() == [1, 0]
    assert last(match, "endings") == ENTERED
    assert shown(match) == ["red", None]


def test_r18_if_both_chose_the_pawn_the_opponent_gets_the_ring():
    match = played(position(BESIDE, chosen="red red"), "red d4")
    assert match.scores() == [0, 1]
    assert last(match, "endings") == SAME_PAWN
    assert match.to_move == 0


@pytest.mark.parametrize(("named", "winner", "ending"), [("blue", 0, ACCUSED_RIGHT), ("pink", 1, ACCUSED_WRONG)])
def test_r19_an_accusation_wins_or_loses_the_ring(named, winner, ending):
    match = played(position(BESIDE, chosen="red blue"), f"accuse {named}")
    assert last(match, "winners") == winner
    assert match.scores()[winner] == 1
    assert last(match, "endings") == ending
    assert COLOURS[last(match, "named")] == named


def test_r20_the_game_ends_with_the_fourth_ring():
    match = played(position(BESIDE, **won(0, 0, 0)))
    follow(match, "red d4")
    assert match.is_over
    assert match.to_move == -1
    assert texts(match) == []
    assert match.why_not("ring a7") == "the game is over (R20)"
    assert match.outcome is not None
    assert match.outcome.reason == "four_rings"


def test_c6_a_pawn_other_than_the_own_may_not_enter():
    match = played(position(BESIDE, chosen="blue red"))
    assert "d4" not in goals(match, "red") + goals(match, "orange")
    assert match.why_not("red d4") == "only your own pawn may enter the ring (C6)"


def test_c6_with_block_another_pawn_stays_and_blocks_the_ring():
    match = played(position(BESIDE, chosen="blue red", options={"foreign_ring": "block"}), "red d4")
    assert match.scores() == [0, 0]
    assert match.to_move == 1
    assert field_of(match, "red") == "d4"
    assert goals(match, "red") == []
    assert match.why_not("orange d4") == "there is a pawn on that field (R12)"
    assert list(match.state.excluded) == [0b0000001, 0]


def test_c6_with_owner_wins_the_owner_gets_the_ring():
    match = played(position(BESIDE, chosen="blue red", options={"foreign_ring": "owner_wins"}), "red d4")
    assert match.scores() == [0, 1]
    assert last(match, "endings") == OWNER_WON
    assert shown(match) == [None, "red"]


@pytest.mark.parametrize("rule", ["forbid", "block", "owner_wins"])
def test_c21_r17_r18_the_own_pawn_always_claims_the_ring(rule):
    options = {"foreign_ring": rule}
    assert played(position(BESIDE, chosen="red blue", options=options), "red d4").scores() == [1, 0]
    assert played(position(BESIDE, chosen="red red", options=options), "red d4").scores() == [0, 1]


def test_c17_with_owner_wins_a_pawn_that_neither_chose_blocks_the_ring():
    match = played(position(BESIDE, chosen="blue pink", options={"foreign_ring": "owner_wins"}), "red d4")
    assert match.scores() == [0, 0]
    assert field_of(match, "red") == "d4"
    assert list(match.state.excluded) == [0b0000001, 0b0000001]
    follow(match, "accuse blue")
    assert match.scores() == [0, 1]


def test_c8_a_player_may_accuse_on_any_turn_instead_of_moving():
    match = played(position(APART, chosen="red orange"))
    assert texts(match)[-7:] == ACCUSATIONS
    follow(match, "pink f2")
    assert texts(match)[-7:] == ACCUSATIONS
    follow(match, "accuse pink")
    assert match.state.phase == PLACE_RING
    assert match.state.rounds_played == 1


def test_c9_the_same_pawn_may_be_chosen_and_named():
    match = dealt()
    follow(match, texts(match)[0], "choose red", "choose red")
    accuser = match.to_move
    follow(match, "accuse red")
    assert last(match, "winners") == accuser
    assert last(match, "endings") == ACCUSED_RIGHT


def test_c12_the_pawn_stays_on_the_field_and_the_ring_is_removed():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    assert field_of(match, "red") == "d4"
    assert match.state.ring == NO_FIELD
    follow(match, "ring a7")
    assert field_of(match, "red") == "d4"


def test_c14_a_game_has_at_most_seven_rounds():
    lengths = []
    for seed in range(30):
        *_, match = random_positions(GAME, GAME.setup(), seed)
        lengths.append(int(match.state.rounds_played))
        assert max(match.scores()) == 4
    assert max(lengths) == 7
    assert min(lengths) >= 4


@pytest.mark.parametrize(
    ("chosen", "move", "proof"),
    [
        ("red blue", "red d4", ["red", None]),
        ("red red", "red d4", ["red", "red"]),
        ("red blue", "accuse blue", [None, "blue"]),
        ("red blue", "accuse pink", [None, "blue"]),
    ],
)
def test_c16_the_proof_is_shown_or_with_the_option_both_discs(chosen, move, proof):
    match = played(position(BESIDE, chosen=chosen), move)
    assert shown(match) == proof
    for seat in (-1, 0, 1):
        assert list(match.sight(seat).state.shown[0]) == list(match.state.shown[0])
    match = played(position(BESIDE, chosen=chosen, options={"reveal": "all"}), move)
    assert shown(match) == chosen.split()


def test_c12_nothing_of_the_last_round_is_left_in_the_next():
    match = played(position(APART, options={"allow_pass": True}), "blue a2", "pass", "accuse orange")
    assert match.finished_rounds() == 1
    state = match.state
    assert (state.passes, state.ring) == (0, NO_FIELD)
    assert not state.moved.any()
    assert not state.declined.any()
    assert not state.excluded.any()


def test_reasons_keep_their_numbers_in_stored_states():
    assert {reason.name: int(reason) for reason in EndReason} == {"FOUR_RINGS": 1}
