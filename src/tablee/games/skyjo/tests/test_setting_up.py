"""Setting up and starting: R1 to R7, and the rulings on who begins, the first two cards and the number of seats."""

import numpy as np
import pytest

from tablee.core.errors import BadSetup, IllegalMove
from tablee.games.skyjo import GAME
from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.state import (
    ALL_CELLS,
    CELLS,
    CHOOSE,
    COPIES,
    DECK,
    LOWEST,
    NO_CARD,
    OPEN_FIRST,
    OPEN_SECOND,
    UNKNOWN,
    VALUES,
)
from tablee.games.skyjo.tests.positions import (
    ONE_HIDDEN,
    OPEN_TWO,
    after_opening,
    dealt,
    discard_pile,
    draw_pile,
    hidden_cells,
    played,
    position,
    texts,
)

EVERY_SEAT_COUNT = pytest.mark.parametrize("seats", GAME.seats)


@EVERY_SEAT_COUNT
def test_r1_each_seat_gets_twelve_hidden_cards(seats):
    match = dealt(seats)
    for seat in range(seats):
        assert len(hidden_cells(match.state, seat)) == 12
        assert all(card >= LOWEST for card in match.state.grid[seat])
        assert set(match.sight(seat).state.grid[seat]) == {UNKNOWN}, "not even the owner knows them"


def test_r1_different_seeds_give_different_deals():
    assert len({dealt(4, seed).state.grid.tobytes() for seed in range(20)}) == 20


def test_r2_the_tableau_has_four_columns_of_three():
    match = dealt(2)
    zone = next(zone for zone in match.view(0).zones if zone.id == "seat0")
    assert zone.columns == 4
    names = [piece.id.removeprefix("seat0.") for piece in zone.pieces]
    assert names == ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2", "a3", "b3", "c3", "d3"]
    assert texts(match) == [f"flip {name}" for name in names]


def test_r3_each_seat_turns_up_two_cards_of_its_choice():
    match = dealt(2)
    for move in ("flip c2", "flip a3", "flip d1", "flip d3"):
        assert match.state.phase in (OPEN_FIRST, OPEN_SECOND)
        match.play(move)
    assert match.state.phase == CHOOSE
    assert match.state.opened[0] == 1 << 6 | 1 << 8
    assert match.state.opened[1] == 1 << 3 | 1 << 11


def test_r3_no_other_move_is_possible_before():
    match = dealt(2)
    match.play("flip b2")
    for move in ("draw", "take", "discard", "swap a1"):
        assert match.why_not(move) == "first turn up two of your cards (R3)"
    with pytest.raises(IllegalMove, match="that card lies open already"):
        match.play("flip b2")
    assert texts(match) == [f"flip {name}" for name in CELL_NAMES if name != "b2"]


@EVERY_SEAT_COUNT
def test_r4_the_remaining_cards_are_the_draw_pile(seats):
    state = dealt(seats).state
    assert state.draw_count == DECK - CELLS * seats
    assert state.discard_count == 0
    cards = np.concatenate([state.grid[:seats].flatten(), state.piles[: state.draw_count]])
    assert list(np.bincount(cards - LOWEST, minlength=VALUES)) == list(COPIES)


def test_r5_the_top_of_the_draw_pile_starts_the_discard():
    match = dealt(2)
    pile = draw_pile(match.state)
    for move in ("flip a1", "flip b1", "flip a1"):
        match.play(move)
        assert match.state.discard_count == 0
    match.play("flip b1")
    assert discard_pile(match.state) == [pile[-1]]
    assert draw_pile(match.state) == pile[:-1]
    assert f"The first card of the discard is the {pile[-1]}." in [event.text for event in match.events(0)]


@pytest.mark.parametrize(
    ("first", "second", "third", "beginner"),
    [("7 3", "5 4", "2 1", 0), ("1 2", "12 0", "3 4", 1), ("-2 -1", "-1 0", "0 1", 2)],
)
def test_r6_the_highest_sum_of_open_cards_begins(first, second, third, beginner):
    assert begins(first, second, third) == beginner


@pytest.mark.parametrize(
    ("first", "second", "third", "beginner"),
    [("5 4", "8 1", "6 3", 1), ("3 4", "4 3", "0 1", 0), ("0 1", "3 4", "4 3", 1)],
)
def test_b2_a_tie_goes_to_the_higher_card_then_to_the_lower_seat(first, second, third, beginner):
    assert begins(first, second, third) == beginner


def begins(*opened, **fields):
    """Return the seat that begins when the seats have opened these cards."""
    rest = "(5) (6) / (7) (8) (9) (10) / (11) (1) (2) (0)"
    tableaux = [f"{cards} {rest}" for cards in opened[:-1]]
    one, other = opened[-1].split()
    tableaux.append(f"{one} ({other}) {rest}")
    state = position(*tableaux, discard=(), phase=OPEN_SECOND, to_move=len(opened) - 1, **fields)
    return played(state, "flip b1").to_move


def test_r7_points_are_kept_from_round_to_round():
    state = position(ONE_HIDDEN, OPEN_TWO, totals=[10, 20, 0, 0, 0, 0, 0, 0])
    match = played(state, "take", "swap a1", "draw", "discard", "flip c1")
    assert match.state.rounds_played == 1
    assert list(match.state.totals[:2]) == [10 + 2 * 68, 20 + 66]


def test_r7_a_new_round_is_dealt():
    low = "(0) 0 1 1 / 1 -1 0 0 / -1 1 2 0"
    match = played(position(low, OPEN_TWO), "take", "swap a1", "draw", "discard", "flip c1")
    assert match.state.rounds_played == 1
    assert not match.is_over
    assert list(match.state.totals[:2]) == [9, 66]
    assert [len(hidden_cells(match.state, seat)) for seat in range(2)] == [12, 12]
    assert match.state.draw_count == DECK - 24
    assert match.state.phase == OPEN_FIRST


@pytest.mark.parametrize(("start", "beginner"), [("ender", 2), ("highest_sum", 0)])
def test_b1_the_ender_begins_the_next_round_or_the_highest_sum(start, beginner):
    assert begins("9 9", "1 1", "0 0", last_ender=2, rounds_played=1, options={"start": start}) == beginner


def test_b1_the_ender_of_the_round_begins_the_next():
    low = "(0) 0 1 1 / 1 -1 0 0 / -1 1 2 0"
    state = position(OPEN_TWO, low, to_move=1)
    match = played(state, "take", "swap a1", "draw", "discard", "flip c1")
    assert match.state.last_ender == 1
    for move in ("flip a1", "flip a2", "flip a1", "flip a2"):
        match.play(move)
    assert match.to_move == 1


def test_b12_seats_open_their_cards_in_seat_order():
    match = dealt(3)
    order = []
    while match.state.phase <= OPEN_SECOND:
        order.append(match.to_move)
        match.play(match.legal_moves()[0])
    assert order == [0, 0, 1, 1, 2, 2]


def test_b12_first_cards_stay_hidden_until_all_have_chosen():
    match = dealt(3)
    match.play("flip a1")
    match.play("flip c3")
    for viewer in (1, 2, -1):
        state = match.sight(viewer).state
        assert state.opened[0] == 0
        assert set(state.grid[0]) == {UNKNOWN}
        assert [event.text for event in match.events(viewer)] == ["Player 1 turns up a card."]
    assert match.sight(0).state.opened[0] == 1 << 0 | 1 << 10
    for move in ("flip a1", "flip b1", "flip a1", "flip b1"):
        match.play(move)
    assert match.sight(1).state.opened[0] == 1 << 0 | 1 << 10


@EVERY_SEAT_COUNT
def test_b12_automatic_opening_turns_up_the_first_two_of_the_top_row(seats):
    match = dealt(seats, opening="auto")
    assert list(match.state.opened[:seats]) == [0b11] * seats
    assert match.state.discard_count == 1
    sums = [int(match.state.grid[seat, 0]) + int(match.state.grid[seat, 1]) for seat in range(seats)]
    assert sums[match.to_move] == max(sums)
    assert texts(match) == ["draw", "take"]


def test_b12_automatic_opening_applies_to_every_round():
    low = "(0) 0 1 1 / 1 -1 0 0 / -1 1 2 0"
    state = position(low, OPEN_TWO, options={"opening": "auto"})
    match = played(state, "take", "swap a1", "draw", "discard", "flip c1")
    assert match.state.rounds_played == 1
    assert list(match.state.opened[:2]) == [0b11, 0b11]
    assert match.to_move == 0, "the ender begins"


@EVERY_SEAT_COUNT
def test_b16_two_to_eight_play(seats):
    match = after_opening(seats)
    assert match.seats == seats
    assert match.state.draw_count + match.state.discard_count == DECK - CELLS * seats


def test_b16_eight_seats_leave_53_cards_in_the_draw_pile():
    assert after_opening(8).state.draw_count == 53


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_b16_fewer_or_more_seats_are_refused(seats):
    with pytest.raises(BadSetup, match=f"cannot be played by {seats}: it is for 2 to 8"):
        dealt(seats)


@pytest.mark.parametrize("seats", [2, 3, 7])
def test_r1_seats_that_nobody_takes_hold_no_cards(seats):
    state = dealt(seats).state
    assert (state.gone[seats:] == ALL_CELLS).all()
    assert (state.grid[seats:] == NO_CARD).all()
    assert not state.gone[:seats].any()
    assert (state.grid[:seats] >= LOWEST).all()
