"""Views and events, where they are more than a copied field."""

import pytest

from tablee.core.errors import TableeError
from tablee.core.state import NOBODY
from tablee.core.view import RoundScore
from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.tests.positions import OPEN_TWO, after_opening, played, position
from tablee.games.skyjo.view import card_colour

LAST_HIDDEN_D1 = ". . . (0) / . . . 4 / . . . 6"
FLIP_D1 = ("draw", "discard", "flip d1")


def sentences_for(match, viewer, language="en"):
    """Return the sentences of the last move's events for a viewer."""
    return [event.text for event in match.events(viewer, language)]


def test_cards_have_four_colours():
    colours = [card_colour(value) for value in range(-2, 13)]
    assert colours == ["blue"] * 3 + ["green"] * 4 + ["yellow"] * 4 + ["red"] * 4


def test_a_hidden_drawn_card_is_told_when_it_is_exchanged():
    match = played(position(OPEN_TWO, OPEN_TWO, draw=(9,)), "draw", "swap c1")
    for viewer in (0, 1, -1):
        assert sentences_for(match, viewer) == ["Player 1 lays the 9 at c1 and discards the 5 from there."]


def test_an_exchanged_card_is_told_even_if_its_column_is_cleared():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", OPEN_TWO, draw=(7,))
    match = played(state, "draw", "swap a3")
    assert sentences_for(match, 1) == [
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
def test_an_exchanged_card_is_told_even_if_its_line_is_cleared_and_a_new_round_is_dealt(tableau, cells, viewer):
    state = position(LAST_HIDDEN_D1, tableau, draw=(7, 12), options={"rows": True})
    match = played(state, *FLIP_D1, "draw", "swap a3")
    assert match.state.rounds_played == 1
    assert sentences_for(match, viewer)[:2] == ["Player 2 lays the 7 at a3.", f"Player 2 clears {cells}."]


def test_cards_cleared_at_the_end_of_the_round_are_told_after_it():
    match = played(
        position(LAST_HIDDEN_D1, "(7) 4 5 6 / (7) 8 9 10 / (7) 1 2 (0)", draw=(12, 11)), *FLIP_D1, *FLIP_D1[:2]
    )
    match.play("flip d3")
    sentences = sentences_for(match, 0)
    assert sentences.index("Player 2 clears a1, a2 and a3.") > sentences.index(
        "Round 1 is over; all cards are turned up."
    )


def test_first_cards_are_told_to_the_viewers_who_have_not_seen_them():
    match = after_opening(2)
    cards = [int(match.state.grid[seat, cell]) for seat in range(2) for cell in range(2)]
    first = f"Player 1 has turned up {cards[0]} at a1 and {cards[1]} at b1."
    second = f"Player 2 has turned up {cards[2]} at a1 and {cards[3]} at b1."
    assert first in sentences_for(match, 1)
    assert second not in sentences_for(match, 1)
    assert second in sentences_for(match, 0)
    assert {first, second} < set(sentences_for(match, -1))


def test_choices_name_both_cards_of_an_exchange():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(9,)), "take")
    labels = {choice.text: choice.label for choice in match.view(0).choices}
    assert labels["swap a1"] == "Swap the 3 at a1 for the 9"
    assert labels["swap c1"] == "Swap the hidden card at c1 for the 9"
    french = {choice.text: choice.label for choice in match.view(0, "fr").choices}
    assert french["swap c1"] == "Échanger la carte cachée en c1 contre le 9"


def test_only_the_seat_on_turn_gets_choices():
    match = after_opening(3)
    for viewer in (-1, 0, 1, 2):
        assert bool(match.view(viewer).choices) == (viewer == match.to_move)


def test_cells_keep_their_ids_when_cards_are_cleared():
    match = played(position(". 4 (5) (6) / . 8 (9) (10) / . 1 (2) (0)", OPEN_TWO))
    pieces = next(zone for zone in match.view(1).zones if zone.id == "seat0").pieces
    assert [piece.id for piece in pieces] == [f"seat0.{name}" for name in CELL_NAMES]
    assert [piece.marks for piece in pieces[::4]] == [("empty",)] * 3


def test_every_seat_after_the_ender_has_a_last_turn():
    match = position(LAST_HIDDEN_D1, OPEN_TWO, OPEN_TWO, draw=(7, 12))
    match = played(match, *FLIP_D1)
    assert match.view(0).facts["last_turns"] == [1, 2]
    for text in ("draw", "discard", "flip c1"):
        match.play(text)
    assert match.view(0).facts["last_turns"] == [2]


def test_the_sum_of_open_cards_is_public():
    match = played(position("7 4 (5) (6) / 7 -2 (9) (10) / (11) 1 (2) (0)", OPEN_TWO))
    assert match.view(1).facts["open_sums"][0] == 7 + 4 + 7 - 2 + 1


# The view of a finished round


def ended_round(*tableaux, **fields):
    """Return a match after a round that seat 0 ended by turning up d1, and every other seat flipped d1 too."""
    return played(position(*tableaux, **fields), *FLIP_D1 * len(tableaux))


def test_the_round_view_shows_the_tableaux_turned_up():
    match = ended_round(LAST_HIDDEN_D1, "7 4 5 (6) / (7) 8 9 10 / 7 1 2 (0)", draw=(12, 12))
    for viewer in (-1, 0, 1):
        view = match.round_view(viewer)
        assert [zone.id for zone in view.zones] == ["seat0", "seat1", "draw", "discard"]
        assert (view.zones[3].pieces[0].face, view.zones[3].count) == ("12", match.last_round_end()[0].discard_count)
        cards = {piece.id: piece for piece in view.zones[1].pieces}
        assert cards["seat1.d3"].face == "0"
        assert [cards[f"seat1.a{row}"].face for row in "123"] == ["7", "7", "7"]
        assert [cards[f"seat1.a{row}"].marks for row in "123"] == [("cleared",)] * 3, "they left last (R18)"
        assert cards["seat1.b1"].marks == ()
        assert (view.to_move, view.choices) == (NOBODY, ())
        assert view.facts.keys() == match.view(viewer).facts.keys()
        assert view.facts["open_sums"] == [10, 45]


def test_the_round_view_gives_the_points_with_doubling():
    match = ended_round(
        LAST_HIDDEN_D1, ". . . (1) / . . . 2 / . . . 0", totals=[7, 5, 0, 0, 0, 0, 0, 0], rounds_played=2
    )
    view = match.round_view(0)
    assert view.round.number == 3
    assert view.round.scores == (RoundScore(0, 20, 27, "doubled (2 × 10)"), RoundScore(1, 3, 8))
    assert view.scores == (27, 8)
    assert view.prompt == "Round 3 is over: Player 2 has the lowest score of the round, 3."
    french = match.round_view(0, "fr")
    assert french.round.scores[0].note == "doublé (2 × 10)"
    assert french.prompt == "La manche 3 est finie : Joueur 2 a le plus petit score de la manche, 3."


def test_the_round_view_names_all_seats_that_share_the_lowest_score():
    match = ended_round(LAST_HIDDEN_D1, ". . . (1) / . . . 2 / . . . 0", ". . . (0) / . . . 3 / . . . 0")
    assert match.round_view(1).prompt == "Round 1 is over: Player 2 and Player 3 have the lowest score of the round, 3."


def test_the_round_view_tells_that_a_round_stalled():
    state = position(OPEN_TWO, OPEN_TWO, options={"stall_turns": 1})
    match = played(state, "take", "swap a1", "take", "swap a1")
    assert match.round_view(0).prompt.startswith(
        "Nobody has opened a card for too long: the round ends. Round 1 is over"
    )


def test_the_round_view_stays_the_same_during_the_next_round():
    match = ended_round(LAST_HIDDEN_D1, ". . . (1) / . . . 2 / . . . 0")
    before = match.round_view(0)
    for move in ("flip a1", "flip b1", "flip a1", "flip b1", "draw"):
        match.play(move)
    assert match.round_view(0) == before


def test_the_round_view_of_the_last_round_tells_the_end_of_the_game():
    match = ended_round(LAST_HIDDEN_D1, ". . . (1) / . . . 2 / . . . 0", totals=[90, 5, 0, 0, 0, 0, 0, 0])
    view = match.round_view(-1)
    assert view.end == "A player has reached 100 points."
    assert view.winners == (1,)


def test_there_is_no_round_view_before_the_first_round_has_ended():
    with pytest.raises(TableeError, match="no round has ended yet"):
        played(position(OPEN_TWO, OPEN_TWO)).round_view(0)
