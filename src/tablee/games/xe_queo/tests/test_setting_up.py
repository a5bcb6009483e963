"""Setting up and the start of a round: R1 to R11, and the rulings on the first position and the ring."""

from collections import Counter

import numpy as np
import pytest

from tablee.core.errors import IllegalMove
from tablee.core.randomness import start
from tablee.core.state import blank_state, copy_state
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import FIELD_NAMES, FIELDS
from tablee.games.xe_queo.moves import COLOURS
from tablee.games.xe_queo.state import CHOOSE, NO_FIELD, NO_PAWN, PLACE_PAWNS, PLACE_RING, TURN, UNKNOWN
from tablee.games.xe_queo.tests.positions import APART, dealt, drawing, field_of, follow, played, position, texts, won
from tablee.testing import assert_uniform

CHOICES = [f"choose {colour}" for colour in COLOURS]
WITHOUT_RING = APART.replace("*", ".")


def test_r1_one_ring_is_won_in_each_round():
    match = played(position(APART), "accuse orange")
    assert match.scores() == [1, 0]
    assert match.state.rounds_played == 1
    follow(match, "ring d4", "choose red", "choose red", "accuse pink")
    assert sum(match.scores()) == 2


def test_r2_the_first_player_with_four_rings_wins():
    match = played(position(APART, **won(0, 1, 0, 1, 0, 1)))
    follow(match, "accuse orange")
    assert match.is_over
    assert match.outcome is not None
    assert match.outcome.scores == (4, 3)
    assert match.outcome.winners == (0,)


def test_r2_three_rings_do_not_win():
    match = played(position(APART, **won(0, 0)))
    follow(match, "accuse orange")
    assert match.scores() == [3, 0]
    assert not match.is_over


def test_r3_both_players_have_the_same_seven_discs():
    match = follow(dealt(), texts(dealt())[0])
    for seat in range(2):
        assert match.to_move == seat
        assert texts(match) == CHOICES
        match.play("choose pink")
    assert list(match.state.chosen) == [COLOURS.index("pink")] * 2


def test_r4_seven_pawns_stand_on_different_fields():
    for seed in range(50):
        pawns = [int(field) for field in dealt(seed).state.pawns]
        assert len(set(pawns)) == 7
        assert all(0 <= field < FIELDS for field in pawns)


def test_r4_every_field_is_equally_likely_for_every_pawn():
    state = blank_state(GAME, GAME.setup())
    counts = [Counter() for _ in COLOURS]
    for stream in range(350):
        start(state.generator, np.uint64(stream))
        GAME.kernels.deal(state)
        for pawn, field in enumerate(state.pawns):
            counts[pawn][int(field)] += 1
    for found in counts:
        assert_uniform(found, range(FIELDS))
    assert set().union(*counts) == set(range(FIELDS))  # that one corner stays empty, the test of chances may miss


def test_r5_the_ring_is_placed_on_a_field_with_no_pawn_on_it_or_beside_it():
    match = played(
        position(
            """
    R . . O . . .
    . . . . . . .
    . . . . . . .
    Y . . G . . B
    . . . . . . .
    . . . . . . .
    . . . . . P K
"""
        )
    )
    free = "a1 b1 c1 d1 a2 b2 c2 d2 f6 g6 f7 g7"
    assert texts(match) == [f"ring {field}" for field in free.split()]
    assert match.why_not("ring d4") == "there is a pawn on that field (R5)"
    assert match.why_not("choose red") == match.why_not("accuse red") == "first place the ring (R5)"


def test_r5_the_ring_is_placed_once_per_round():
    match = played(position(WITHOUT_RING), "ring d4")
    assert FIELD_NAMES[match.state.ring] == "d4"
    follow(match, "choose red", "choose blue")
    assert match.why_not("ring d3") == "the ring is already placed for this round (R5)"


def test_r6_c24_both_players_choose_a_pawn_in_secret():
    match = played(position(WITHOUT_RING), "ring d4", "choose green")
    assert match.state.phase == CHOOSE
    assert match.to_move == 1
    assert match.why_not("red d4") == match.why_not("accuse red") == "first choose your secret pawn (R6)"
    assert [match.text(move) for move in range(GAME.moves) if GAME.kernels.refusal(match.state, move) == 0] == CHOICES
    follow(match, "choose pink")
    green, pink = COLOURS.index("green"), COLOURS.index("pink")
    assert list(match.state.chosen) == [green, pink]
    assert list(match.sight(0).state.chosen) == [green, UNKNOWN]
    assert list(match.sight(1).state.chosen) == [UNKNOWN, pink]
    assert list(match.sight(-1).state.chosen) == [UNKNOWN, UNKNOWN]


def test_r6_c24_whether_a_player_has_chosen_is_public():
    match = played(position(WITHOUT_RING), "ring d4")
    assert list(match.sight(1).state.chosen) == [NO_PAWN, NO_PAWN]
    before = copy_state(match.state)
    move = match.parse("choose red")
    match.play(move)
    assert [bool(GAME.kernels.sees_move(before, move, seat)) for seat in (-1, 0, 1)] == [False, True, False]
    assert list(match.sight(1).state.chosen) == [UNKNOWN, NO_PAWN]


def test_r6_the_choice_holds_for_the_round():
    match = played(position(APART))
    assert match.why_not("choose pink") == "your secret pawn is already chosen for this round (R6)"


def test_r7_the_pawns_stay_after_a_round():
    match = played(position(APART), "red b6", "accuse pink")
    assert (
        drawing(match.state)
        == """
    . . O . Y . G
    . R . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    B . P . . . K
"""
    )


@pytest.mark.parametrize(("named", "loser"), [("orange", 1), ("pink", 0)])
def test_r8_the_loser_places_the_next_ring(named, loser):
    match = played(position(APART), f"accuse {named}")
    assert match.state.phase == PLACE_RING
    assert match.to_move == loser


def test_r9_both_players_choose_again_in_every_round():
    match = played(position(APART), "accuse orange")
    assert list(match.state.chosen) == [NO_PAWN, NO_PAWN]
    follow(match, "ring d4")
    assert texts(match) == CHOICES
    follow(match, "choose blue")
    assert texts(match) == CHOICES


@pytest.mark.parametrize("seed", range(4))
def test_r10_in_the_first_round_the_player_who_did_not_place_the_ring_begins(seed):
    match = dealt(seed)
    placer = match.to_move
    follow(match, texts(match)[0], "choose red", "choose red")
    assert match.state.phase == TURN
    assert match.to_move == 1 - placer


@pytest.mark.parametrize(("named", "winner"), [("orange", 0), ("pink", 1)])
def test_r11_in_later_rounds_the_previous_winner_begins(named, winner):
    match = played(position(APART), f"accuse {named}", "ring d4", "choose red", "choose red")
    assert match.state.phase == TURN
    assert match.to_move == winner


def test_c10_beside_means_all_eight_neighbours():
    match = played(position(WITHOUT_RING, to_move=1))
    for field in ("a2", "b2", "b1", "b7", "a6", "b6"):
        assert match.why_not(f"ring {field}") == "there must be a field between the ring and every pawn (C10)"
    assert match.why_not("ring a3") is None


def test_c10_seven_pawns_always_leave_two_fields():
    crowded = """
    . . . . . . .
    . R . . O . .
    . . . . . . .
    . . . . . . Y
    . G . . B . .
    . . . . . . .
    . P . . K . .
"""
    assert len(texts(played(position(crowded)))) >= 2
    assert min(len(texts(dealt(seed))) for seed in range(200)) >= 2


def test_c11_the_pawns_are_placed_at_random_or_with_the_option_by_a_player():
    assert dealt().state.phase == PLACE_RING
    assert dealt(placement="manual").state.phase == PLACE_PAWNS


@pytest.mark.parametrize("seed", range(4))
def test_c11_c22_one_player_places_the_pawns_and_the_other_the_ring(seed):
    match = dealt(seed, placement="manual")
    first = match.to_move
    assert list(match.state.pawns) == [NO_FIELD] * 7
    for colour, field in zip(COLOURS, ("a1", "c1", "e1", "g1", "a7", "c7", "e7"), strict=True):
        assert match.to_move == first
        assert texts(match)[0].startswith(f"{colour} ")
        follow(match, f"{colour} {field}")
        assert field_of(match, colour) == field
    assert match.state.phase == PLACE_RING
    assert match.to_move == 1 - first
    follow(match, "ring d4", "choose red", "choose red")
    assert match.to_move == first


def test_c22_pawns_are_placed_on_free_fields_in_order():
    match = follow(dealt(placement="manual"), "red d4")
    assert len(texts(match)) == FIELDS - 1
    assert match.why_not("orange d4") == "there is a pawn on that field (R12)"
    assert match.why_not("red d5") == "the pawns are placed in order; another one is next (C11)"
    with pytest.raises(IllegalMove) as refused:
        match.play("ring a1")
    assert refused.value.clause == "C11"


def test_c15_a_colour_may_be_chosen_again():
    match = played(position(APART, chosen="red orange"), "accuse orange", "ring d4")
    assert texts(match) == CHOICES
    follow(match, "choose red", "choose orange")
    assert list(match.state.chosen) == [0, 1]


def test_c15_c20_the_player_who_places_the_first_ring_is_drawn_at_random():
    counts = Counter(dealt(seed).to_move for seed in range(200))
    assert_uniform(counts, (0, 1))


def test_c11_nothing_else_happens_before_the_pawns_are_placed():
    match = dealt(placement="manual")
    expected = "first place the seven pawns (C11)"
    assert match.why_not("accuse red") == match.why_not("accuse pink") == match.why_not("ring a1") == expected
    assert match.why_not("pass") == match.why_not("choose red") == expected
