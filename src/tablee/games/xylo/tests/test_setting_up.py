"""The deck, sorting, the order of equal cards, the layout (R1 to R9, A1, A13, A16, A19, A23, A24)."""

import numpy as np
import pytest

from tablee.core.errors import BadSetup, IllegalMove
from tablee.core.state import SPECTATOR
from tablee.games.xylo.state import ARRANGE, NO_CARD, PLAY, RED, UNKNOWN, UNKNOWN_VALUE, YELLOW, card_at
from tablee.games.xylo.tests.positions import LETTERS, dealt, keep_all, name, row, rows, small, texts, values
from tablee.testing import assert_follows

EVERYTHING = [11, 10, 9, 8, 7, 6, 5, 4]


@pytest.mark.parametrize(
    ("seats", "options", "sizes", "row_size", "trump"),
    [
        (2, {}, EVERYTHING, 15, RED),
        (3, {}, [0, 0, 9, 8, 7, 6, 5, 4], 13, YELLOW),
        (3, {"removed": "sky"}, [0, 10, 9, 8, 0, 6, 5, 4], 14, YELLOW),
        (3, {"removed": "pink"}, [0, 9, 10, 8, 7, 6, 5, 0], 15, YELLOW),
        (4, {}, EVERYTHING, 15, RED),
        (5, {}, EVERYTHING, 12, RED),
    ],
)
def test_a1_the_deck_depends_on_the_number_of_players(seats, options, sizes, row_size, trump):
    state = dealt(seats, **options).state
    cards = sorted(name(int(number)) for number in state.cards if number != NO_CARD)
    assert cards == sorted(f"{LETTERS[colour]}{value}" for colour in range(8) for value in range(sizes[colour]))
    assert list(state.sizes) == sizes
    assert (state.row_size, state.trump) == (row_size, trump)


def test_a1_only_three_players_choose_the_removed_colour():
    with pytest.raises(BadSetup, match="three players"):
        dealt(4, removed="pink")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_r1_r6_every_row_is_sorted_from_high_to_low(seats):
    for seed in range(5):
        state = keep_all(dealt(seats, seed)).state
        for number in rows(state):
            assert values(state, number) == sorted(values(state, number), reverse=True)


def test_r3_the_high_note_is_never_played():
    match = dealt(4, ties="auto")
    assert sum(len(zone.pieces) for zone in match.view(0).zones if zone.id in match.view(0).facts["rows"]) == 60
    assert texts(match) == [f"play {number}" for number in range(2, 16)]


def test_r2_a13_the_sorter_chooses_card_by_card_among_equals():
    match = small("Y2 Y1 Y0", "R2 O2 G2", "R1 O1 R0", "G1 O0 G0", seats=4, ties="choose")
    assert texts(match) == ["keep", "next red", "next orange", "next green"]
    match.play("next green")
    assert row(match.state, 1) == "G2 R2 O2"
    assert texts(match) == ["keep", "next red", "next orange"]
    match.play("next orange")
    assert row(match.state, 1) == "G2 O2 R2"
    assert match.to_move == 1


def test_r2_only_equal_cards_are_reordered():
    match = small("Y2 Y1 Y0", "R2 O2 G2", "R1 O1 R0", "G1 O0 G0", seats=4, ties="choose")
    with pytest.raises(IllegalMove, match=r"\(R2\)"):
        match.play("next yellow")
    with pytest.raises(IllegalMove, match=r"\(R2\)"):
        match.play("play 2")


def test_r2_every_order_of_equals_can_be_made():
    found = set()
    for first in ("red", "orange", "green"):
        for second in ("red", "orange", "green"):
            match = small("Y2 Y1 Y0", "R2 O2 G2", "R1 O1 R0", "G1 O0 G0", seats=4, ties="choose")
            match.play(f"next {first}")
            if first != second:
                match.play(f"next {second}")
                found.add(row(match.state, 1))
    assert len(found) == 6


def test_r2_a_packet_without_equal_cards_is_kept():
    match = small("R2 R1 R0", "O2 O1 O0", "Y2 Y1 Y0", ties="choose")
    assert texts(match) == ["keep"]
    assert "all different" in match.view(0).prompt


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_r4_r8_you_sort_the_row_of_the_player_on_your_left(seats):
    match = dealt(seats)
    for seat in range(seats):
        assert match.to_move == seat
        state = match.sight(seat).state
        for number in rows(match.state):
            is_known = number == (seat + 1) % seats
            assert all((card_at(state, number, p) >= 0) == is_known for p in range(match.state.row_size))
        match.play("keep")


def test_r5_a16_colours_are_shown_when_all_rows_are_laid_out():
    match = dealt(4)
    for seat in range(4):
        assert match.state.phase == ARRANGE
        assert match.sight(SPECTATOR).state.cards[0] == UNKNOWN
        assert UNKNOWN in match.sight(seat).state.cards
        match.play("keep")
    assert match.state.phase == PLAY
    for number in match.sight(SPECTATOR).state.cards:
        assert number & 15 == UNKNOWN_VALUE
    with pytest.raises(IllegalMove, match=r"\(R5\)"):
        match.play("keep")


def test_a16_only_the_sorter_sees_how_a_packet_is_ordered():
    match = dealt(4)
    kernels = match.game.kernels
    assert [bool(kernels.sees_move(match.state, 0, seat)) for seat in range(-1, 4)] == [
        False,
        True,
        False,
        False,
        False,
    ]
    match.play("keep")
    assert [event.code for event in match.events(0)] == ["kept"]
    assert [event.code for event in match.events(2)] == ["arranged_unseen"]


def test_a24_only_the_sorter_knows_how_far_a_packet_is_ordered():
    match = dealt(4)
    before = [match.sight(seat) for seat in (1, 2, 3, SPECTATOR)]
    match.play(texts(match)[1])
    assert match.to_move == 0
    assert [match.sight(seat) for seat in (1, 2, 3, SPECTATOR)] == before


def test_r7_players_do_not_see_their_own_cards():
    for seats in (2, 3, 4, 5):
        match = dealt(seats, ties="auto")
        for seat in range(seats):
            number = 2 * seat if seats == 2 else seat
            state = match.sight(seat).state
            cards = [card_at(state, number, p) for p in range(match.state.row_size)]
            assert all(found & 15 == UNKNOWN_VALUE for found in cards)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_r9_a23_the_first_seat_leads_the_first_round(seats):
    match = keep_all(dealt(seats))
    assert match.to_move == 0
    assert match.state.leader == 0


def test_a19_equal_cards_stay_in_a_random_order():
    counts = {True: 0, False: 0}
    for seed in range(30):
        state = dealt(4, seed, ties="auto").state
        cards = np.asarray(state.cards).reshape(4, 15)
        for one, other in zip(cards[:, :-1].flatten(), cards[:, 1:].flatten(), strict=True):
            if one & 15 == other & 15:
                counts[bool(one < other)] += 1
    assert_follows(counts, {True: 0.5, False: 0.5})


@pytest.mark.parametrize(("seats", "row_count"), [(2, 4), (3, 3), (4, 4)])
def test_r2_rows_that_do_not_exist_hold_nothing(seats, row_count):
    state = dealt(seats).state
    assert not state.down[row_count:].any()
    assert (state.down[:row_count] == (1 << int(state.row_size)) - 1).all()
    assert (state.cards[row_count * int(state.row_size) :] == NO_CARD).all()
    for field, nothing in (
        ("trick", NO_CARD),
        ("last_trick", NO_CARD),
        ("last_bids", NO_CARD),
        ("bid_at", -1),
        ("peeks", -1),
    ):
        assert (state[field] == nothing).all(), field
    assert not state.won.any()


def test_a24_no_packet_is_open_once_the_rows_are_laid_out():
    match = keep_all(dealt(3))
    assert (match.state.phase, match.state.arranging) == (PLAY, 0)
