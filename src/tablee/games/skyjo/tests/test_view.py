"""What people see and are told, where it takes more than copying a field."""

import pytest

from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.tests.positions import OPEN_TWO, after_opening, played, position
from tablee.games.skyjo.view import card_colour

LAST_IS_D1 = ". . . (0) / . . . 4 / . . . 6"
ENDING = ("draw", "discard", "flip d1")


def told(match, viewer, language="en"):
    """Return the sentences that a viewer reads after the last move."""
    return [event.text for event in match.events(viewer, language)]


def test_bands_of_colour():
    colours = [card_colour(value) for value in range(-2, 13)]
    assert colours == ["blue"] * 3 + ["green"] * 4 + ["yellow"] * 4 + ["red"] * 4


def test_an_unseen_card_is_told_when_it_is_laid():
    match = played(position(OPEN_TWO, OPEN_TWO, draw=(9,)), "draw", "swap c1")
    for viewer in (0, 1, -1):
        assert told(match, viewer) == ["Player 1 lays the 9 at c1 and discards the 5 from there."]


def test_a_laid_card_is_told_even_where_its_column_leaves():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", OPEN_TWO, draw=(7,))
    match = played(state, "draw", "swap a3")
    assert told(match, 1) == [
        "Player 1 lays the 7 at a3 and discards the 11 from there.",
        "Player 1 clears a1, a2 and a3.",
    ]


@pytest.mark.parametrize("viewer", [0, 1, -1])
@pytest.mark.parametrize(
    ("tableau", "cells"),
    [
        ("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", "a1, a2 and a3"),
        ("5 (4) (5) (6) / 2 (8) (9) (10) / (11) 7 7 7", "a3, b3, c3 and d3"),
        ("7 (4) (5) (6) / 7 (8) (9) (10) / (11) 7 7 7", "a1, a2, a3, b3, c3 and d3"),
    ],
)
def test_a_laid_card_is_told_even_where_its_line_leaves_and_a_new_round_is_dealt(tableau, cells, viewer):
    state = position(LAST_IS_D1, tableau, draw=(7, 12), options={"rows": True})
    match = played(state, *ENDING, "draw", "swap a3")
    assert match.state.rounds_played == 1
    assert told(match, viewer)[:2] == ["Player 2 lays the 7 at a3.", f"Player 2 clears {cells}."]


def test_cards_that_leave_when_all_is_turned_up_are_told_after_the_end_of_the_round():
    match = played(position(LAST_IS_D1, "(7) 4 5 6 / (7) 8 9 10 / (7) 1 2 (0)", draw=(12, 11)), *ENDING, *ENDING[:2])
    match.play("flip d3")
    sentences = told(match, 0)
    assert sentences.index("Player 2 clears a1, a2 and a3.") > sentences.index(
        "Round 1 is over; all cards are turned up."
    )


def test_what_others_opened_is_told_to_those_who_did_not_know():
    match = after_opening(2)
    cards = [int(match.state.grid[seat, cell]) for seat in range(2) for cell in range(2)]
    first = f"Player 1 has turned up {cards[0]} at a1 and {cards[1]} at b1."
    second = f"Player 2 has turned up {cards[2]} at a1 and {cards[3]} at b1."
    assert first in told(match, 1)
    assert second not in told(match, 1)
    assert second in told(match, 0)
    assert {first, second} < set(told(match, -1))


def test_choices_name_what_is_given_and_what_comes():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(9,)), "take")
    labels = {choice.text: choice.label for choice in match.view(0).choices}
    assert labels["swap a1"] == "Swap the 3 at a1 for the 9"
    assert labels["swap c1"] == "Swap the hidden card at c1 for the 9"
    french = {choice.text: choice.label for choice in match.view(0, "fr").choices}
    assert french["swap c1"] == "Échanger la carte cachée en c1 contre le 9"


def test_choices_are_for_the_seat_on_turn_alone():
    match = after_opening(3)
    for viewer in (-1, 0, 1, 2):
        assert bool(match.view(viewer).choices) == (viewer == match.to_move)


def test_places_keep_their_names_when_cards_leave():
    match = played(position(". 4 (5) (6) / . 8 (9) (10) / . 1 (2) (0)", OPEN_TWO))
    pieces = next(zone for zone in match.view(1).zones if zone.id == "seat0").pieces
    assert [piece.id for piece in pieces] == [f"seat0.{name}" for name in CELL_NAMES]
    assert [piece.marks for piece in pieces[::4]] == [("empty",)] * 3


def test_everybody_after_the_ender_has_a_last_turn():
    match = position(LAST_IS_D1, OPEN_TWO, OPEN_TWO, draw=(7, 12))
    match = played(match, *ENDING)
    assert match.view(0).facts["last_turns"] == [1, 2]
    for text in ("draw", "discard", "flip c1"):
        match.play(text)
    assert match.view(0).facts["last_turns"] == [2]


def test_open_cards_are_added_up_for_everybody():
    match = played(position("7 4 (5) (6) / 7 -2 (9) (10) / (11) 1 (2) (0)", OPEN_TWO))
    assert match.view(1).facts["open_sums"][0] == 7 + 4 + 7 - 2 + 1
