"""Views and events (A14, A15)."""

import pytest

from tablee.core.state import NOBODY, SPECTATOR
from tablee.core.view import RoundScore
from tablee.games.xylo.state import card_at
from tablee.games.xylo.tests.positions import (
    announce,
    card,
    dealt,
    endgame,
    index_of,
    keep_all,
    lay,
    name,
    row,
    small,
    table,
)
from tablee.games.xylo.view import possible_values

SIXTEEN = ("R3 O2 Y1 R0", "Y3 G2 O1 Y0", "O3 R2 G1 O0", "G3 Y2 R1 G0")


def zone(match, seat, zone_id, language="en"):
    return next(zone for zone in match.view(seat, language).zones if zone.id == zone_id)


def faces(match, seat, zone_id):
    return [piece.face for piece in zone(match, seat, zone_id).pieces]


def test_a14_players_see_the_values_of_their_left_neighbour_and_only_colours_elsewhere():
    match = small(*SIXTEEN)
    assert faces(match, 0, "seat1") == ["3", "2", "1", "0"]
    for other in ("seat0", "seat2", "seat3"):
        assert faces(match, 0, other) == [None] * 4
        assert all(piece.colour for piece in zone(match, 0, other).pieces)
    assert all(faces(match, SPECTATOR, f"seat{seat}") == [None] * 4 for seat in range(4))


def test_a14_players_still_see_the_card_they_looked_at():
    match = small(*SIXTEEN)
    match.play("play 3")
    announce(match, "R3")
    assert faces(match, 0, "seat0") == [None, "2", None, None]
    assert zone(match, 0, "seat0").pieces[0].marks == ("empty",)
    assert zone(match, 0, "seat0").pieces[1].marks == ("known", "peeked")
    assert faces(match, 1, "seat0") == [None] * 4
    assert zone(match, 1, "seat0").pieces[1].marks == ("peeked",)
    assert faces(match, 1, "seat0.bid") == ["3"]


def test_possible_values_follow_from_the_cards_of_the_row():
    match = small(*SIXTEEN)
    state = match.sight(0).state
    assert possible_values(state, 0) == [(0, 3), (0, 3), (0, 3), (0, 3)]
    match.play("play 3")
    assert possible_values(match.sight(0).state, 0) == [(1, 3), (1, 3), (1, 1), (0, 1)]
    assert "from 1 to 3" in zone(match, 0, "seat0").pieces[0].label


def test_a_choice_targets_its_cards():
    match = small(*SIXTEEN)
    match.play("play 2")
    peek = next(choice for choice in match.view(0).choices if choice.text == "peek 1")
    assert peek.targets == ("seat0.1", "seat0.3")


@pytest.mark.parametrize(
    ("language", "prompts"),
    [
        ("en", ["Lead any card but your leftmost.", "Follow the colour led: orange."]),
        (
            "fr",
            ["Entamez avec n’importe quelle carte, sauf celle de gauche.", "Fournissez la couleur demandée : orange."],
        ),
    ],
)
def test_the_prompt_says_what_the_viewer_can_do(language, prompts):
    match = small(*SIXTEEN)
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


def test_automata_are_told_in_the_order_of_play():
    match = table("G5", "G7 G4", "G3", "G2", seats=2)
    lay(match, "G5")
    position = index_of(match.state, 2, "G3")
    match.play(f"play {position + 1}")
    match.play("pass")
    codes = [event.code for event in match.events(0)]
    assert codes[:2] == ["passed", "played"]
    assert codes.count("won_trick") == 1


def test_the_winner_is_told_at_the_end():
    rows = ("R9 *G0", "R8 *O0", "R7 *Y0", "R6 *B1")
    match = lay(endgame(*rows, won=(4, 6, 3, 0), totals=(10, 0, 1, 2), rounds_played=2), "R9", "R8", "R7", "R6")
    assert match.view(1).winners == (0,)
    assert match.events(1)[-1].text == "Player 1 wins the game."
    assert match.view(1).prompt == "The game is over."


def test_only_the_sorter_is_told_how_cards_are_ordered():
    match = dealt(4)
    text = match.view(0).choices[1].label
    assert text.startswith("Next: ")
    match.play(match.view(0).choices[1].move)
    assert match.events(0)[0].code == "arranged"
    keep_all(match)
    codes = [event.code for event in match.events(1)]
    assert codes == ["arranged_unseen", "spread", "begins"]
    assert name(card_at(match.state, 1, 0)) in row(match.state, 1)


def test_r16_r17_the_facts_name_the_row_that_is_winning_the_trick():
    match = small(*SIXTEEN)
    assert match.view(SPECTATOR).facts["winning"] is None
    lay(match, "O2", "O1")
    assert match.view(SPECTATOR).facts["winning"] == "seat0"
    lay(match, "O3")
    assert match.view(SPECTATOR).facts["winning"] == "seat2"


BIDS = ("R9 *G5", "R8 *O0", "R7 *Y3", "R6 *B1")


def after_a_round(**fields):
    """Return a match of four after the last trick of a round, which went to seat 0."""
    return lay(endgame(*BIDS, won=(4, 6, 3, 0), totals=(10, 0, 1, 2), **fields), "R9", "R8", "R7", "R6")


def shown(view, zone_id):
    return [piece.face for zone in view.zones for piece in zone.pieces if zone.id == zone_id]


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2])
def test_a_finished_round_is_drawn_with_its_announcements_tricks_and_last_trick(viewer):
    match = after_a_round()
    view = match.round_view(viewer)
    assert view.prompt == "Round 1 is over: Player 1 has the highest score of the round, 10."
    assert (view.to_move, view.choices) == (NOBODY, ())
    assert [shown(view, f"seat{seat}.bid") for seat in range(4)] == [["5"], ["0"], ["3"], ["1"]]
    assert [zone.count for zone in view.zones if zone.id.endswith(".tricks")] == [5, 6, 3, 0]
    rows = [[card_at(match.last_round_end()[0], seat, position) for position in range(15)] for seat in range(4)]
    bids = [card("G5"), card("O0"), card("Y3"), card("B1")]
    turned_up = [[None if each == bid else str(each & 15) for each in row] for row, bid in zip(rows, bids, strict=True)]
    assert [shown(view, f"seat{seat}") for seat in range(4)] == turned_up, "all but the announcements"
    assert shown(view, "trick") == ["9", "8", "7", "6"]
    assert [view.facts[name] for name in ("round", "phase", "leader", "winning")] == [1, "play", "seat0", "seat0"]
    assert view.round.number == 1
    assert view.round.scores == (
        RoundScore(0, 10, 20, "announced 5, won 5: bonus of 5"),
        RoundScore(1, 6, 6, "announced 0, won 6"),
        RoundScore(2, 8, 9, "announced 3, won 3: bonus of 5"),
        RoundScore(3, 0, 2, "announced 1, won 0"),
    )


def test_a_finished_round_is_drawn_with_its_last_trick_also_during_the_next_round():
    match = after_a_round(ties="auto")
    while not match.state.won.any():
        match.play(match.legal_moves()[0])
    view = match.round_view(1)
    assert shown(view, "trick") == ["9", "8", "7", "6"]
    assert view.facts["winning"] == "seat0"
    assert [shown(view, f"seat{seat}.bid") for seat in range(4)] == [["5"], ["0"], ["3"], ["1"]]
    assert [score.points for score in view.round.scores] == [10, 6, 8, 0]


@pytest.mark.parametrize(("row", "bid"), [("R6 B1", "B1"), ("O7 R6", "O7"), ("O6 R6", "O6")])
def test_a_row_that_announces_its_last_card_is_drawn_in_order(row, bid):
    match = lay(endgame(*BIDS[:3], row, won=(4, 6, 3, 0)), "R9", "R8", "R7", "R6")
    texts = [name(card_at(match.last_round_end()[0], 3, position)) for position in range(15)]
    for viewer in (SPECTATOR, 0, 2, 3):
        view = match.round_view(viewer)
        assert shown(view, "seat3") == [None if text == bid else text[1:] for text in texts]
        assert shown(view, "seat3.bid") == [bid[1:]]


def test_the_last_round_is_drawn_with_the_rows():
    view = after_a_round(rounds_played=2).round_view(1, "fr")
    assert view.prompt == "La manche 3 est finie : Joueur 1 a le meilleur score de la manche, 10."
    assert view.winners == (0,)
    rows = [zone for zone in view.zones if zone.id in view.facts["rows"]]
    assert [len(zone.pieces) for zone in rows] == [15] * 4
    assert shown(view, "trick") == ["9", "8", "7", "6"]
    assert view.round.scores[0].note == "annonce 5, plis 5 : bonus de 5"


@pytest.mark.parametrize(
    ("bids", "prompt", "points"),
    [
        (
            ("G5", "O3", "Y0", "B0"),
            "Automaton 1 has met its announcement: tricks score no points. "
            "Round 1 is over: Player 1 has the highest score of the round, 5.",
            [5, 0],
        ),
        (
            ("G5", "O3", "Y3", "B3"),
            "Round 1 is over. Both automata have met their announcements: nobody scores.",
            [0, 0],
        ),
    ],
)
def test_a_finished_round_says_what_automata_did_to_the_points(bids, prompt, points):
    rows = [f"{text} *{bid}" for text, bid in zip(("R9", "R8", "R7", "R6"), bids, strict=True)]
    view = lay(endgame(*rows, won=(4, 3, 3, 3), seats=2), "R9", "R7").round_view(0)
    assert view.prompt == prompt
    assert [score.points for score in view.round.scores] == points
    assert view.round.scores[0].note == ("announced 5, won 5" + (": bonus of 5" if points[0] else ""))
