"""What a seat is shown and told (A14, A15)."""

import pytest

from tablee.core.state import SPECTATOR
from tablee.games.xylo.state import card_at
from tablee.games.xylo.tests.positions import (
    announce,
    dealt,
    endgame,
    index_of,
    lay,
    name,
    row,
    small,
    spread_rows,
    table,
)
from tablee.games.xylo.view import possible_values

LIMERICK = ("R3 O2 Y1 R0", "Y3 G2 O1 Y0", "O3 R2 G1 O0", "G3 Y2 R1 G0")


def zone(match, seat, identity, language="en"):
    return next(zone for zone in match.view(seat, language).zones if zone.id == identity)


def faces(match, seat, identity):
    return [piece.face for piece in zone(match, seat, identity).pieces]


def test_a14_i_see_my_left_neighbours_values_and_only_colours_elsewhere():
    match = small(*LIMERICK)
    assert faces(match, 0, "seat1") == ["3", "2", "1", "0"]
    for other in ("seat0", "seat2", "seat3"):
        assert faces(match, 0, other) == [None] * 4
        assert all(piece.colour for piece in zone(match, 0, other).pieces)
    assert all(faces(match, SPECTATOR, f"seat{seat}") == [None] * 4 for seat in range(4))


def test_a14_i_keep_knowing_the_card_i_looked_at():
    match = small(*LIMERICK)
    match.play("play 3")
    announce(match, "R3")
    assert faces(match, 0, "seat0") == [None, "2", None, None]
    assert zone(match, 0, "seat0").pieces[0].marks == ("empty",)
    assert zone(match, 0, "seat0").pieces[1].marks == ("known", "peeked")
    assert faces(match, 1, "seat0") == [None] * 4
    assert zone(match, 1, "seat0").pieces[1].marks == ("peeked",)
    assert faces(match, 1, "seat0.bid") == ["3"]


def test_ranges_follow_from_a_rows_own_cards():
    match = small(*LIMERICK)
    state = match.sight(0).state
    assert possible_values(state, 0) == [(0, 3), (0, 3), (0, 3), (0, 3)]
    match.play("play 3")
    assert possible_values(match.sight(0).state, 0) == [(1, 3), (1, 3), (1, 1), (0, 1)]
    assert "from 1 to 3" in zone(match, 0, "seat0").pieces[0].label


def test_choices_point_at_the_cards_to_touch():
    match = small(*LIMERICK)
    match.play("play 2")
    peek = next(choice for choice in match.view(0).choices if choice.text == "peek 1")
    assert peek.targets == ("seat0.1", "seat0.3")


@pytest.mark.parametrize(
    ("language", "prompts"),
    [
        ("en", ["Lead any card but your leftmost.", "Follow the colour led: orange."]),
        (
            "fr",
            ["Entamez avec n'importe quelle carte, sauf celle de gauche.", "Fournissez la couleur demandée : orange."],
        ),
    ],
)
def test_prompts_say_what_can_be_done(language, prompts):
    match = small(*LIMERICK)
    assert match.view(0, language).prompt == prompts[0]
    lay(match, "O2")
    assert match.view(1, language).prompt == prompts[1]


def test_the_prompt_warns_that_the_last_card_becomes_the_announcement():
    match = endgame("R9 O5", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0))
    assert match.view(0).prompt.endswith("The card you keep will be your announcement.")


def test_events_of_a_last_trick_with_forced_announcements():
    match = endgame("R9 O5", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0))
    match.play(f"play {index_of(match.state, 0, 'O5') + 1}")
    assert [event.text for event in match.events(2)] == [
        "Player 1 plays orange 5.",
        "The last card of Player 1 becomes the announcement: 9 tricks (red 9).",
    ]


def test_events_of_automata_come_in_their_order():
    match = table("G5", "G7 G4", "G3", "G2", seats=2)
    lay(match, "G5")
    position = index_of(match.state, 2, "G3")
    match.play(f"play {position + 1}")
    match.play("pass")
    codes = [event.code for event in match.events(0)]
    assert codes[:2] == ["passed", "played"]
    assert codes.count("won_trick") == 1


def test_the_end_names_the_winner():
    rows = ("R9 *G0", "R8 *O0", "R7 *Y0", "R6 *B1")
    match = lay(endgame(*rows, won=(4, 6, 3, 0), totals=(10, 0, 1, 2), rounds_played=2), "R9", "R8", "R7", "R6")
    assert match.view(1).winners == (0,)
    assert match.events(1)[-1].text == "Player 1 wins the game."
    assert match.view(1).prompt == "The game is over."


def test_what_a_sorter_is_told():
    match = dealt(4)
    text = match.view(0).choices[1].label
    assert text.startswith("Next: ")
    match.play(match.view(0).choices[1].move)
    assert match.events(0)[0].code == "arranged"
    spread_rows(match)
    codes = [event.code for event in match.events(1)]
    assert codes == ["arranged_unseen", "spread", "begins"]
    assert name(card_at(match.state, 1, 0)) in row(match.state, 1)


def test_r16_r17_the_board_is_told_whose_card_would_take_the_trick():
    match = small(*LIMERICK)
    assert match.view(SPECTATOR).facts["winning"] is None
    lay(match, "O2", "O1")
    assert match.view(SPECTATOR).facts["winning"] == "seat0"
    lay(match, "O3")
    assert match.view(SPECTATOR).facts["winning"] == "seat2"
