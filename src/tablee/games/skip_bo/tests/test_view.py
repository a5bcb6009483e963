"""Views and events, where they are more than a copied field."""

import pytest

from tablee.core.state import NOBODY
from tablee.core.view import RoundScore
from tablee.games.skip_bo.rules import STALL_TURNS
from tablee.games.skip_bo.tests.positions import PLAIN, dealt, played, position
from tablee.games.skip_bo.view import card_colour

BARE = {"stock": "8 8"}
EVERYBODY = pytest.mark.parametrize("viewer", [0, 1, -1])


def told(match, viewer, language="en"):
    """Return the sentences of the events that a viewer gets after the last move."""
    return [event.text for event in match.events(viewer, language)]


def zone(view, name):
    """Return the zone of that id."""
    return next(zone for zone in view.zones if zone.id == name)


def faces(view, name):
    """Return what is printed on the pieces of a zone."""
    return [piece.face for piece in zone(view, name).pieces]


def test_the_colour_of_a_card_depends_on_its_number():
    colours = [card_colour(card) for card in range(1, 14)]
    assert colours == ["blue"] * 4 + ["green"] * 4 + ["red"] * 4 + ["orange"]


def test_a_hand_is_shown_only_to_its_owner():
    match = played(position({"stock": "9 1", "hand": "2 w"}, PLAIN))
    assert faces(match.view(0), "seat0.hand") == ["2", "W"]
    for viewer in (1, -1):
        assert faces(match.view(viewer), "seat0.hand") == [None, None]


def test_piles_show_all_cards_and_series_their_top():
    me = {"stock": "9 1", "hand": "2 w", "b": "7 w 3"}
    view = played(position(me, PLAIN, series=("1 2", "1 w", "", ""))).view(1)
    assert faces(view, "seat0.b") == ["7", "W", "3"]
    assert faces(view, "series1") == ["2"]
    assert zone(view, "series2").pieces[0].marks == ("wild",)
    assert faces(view, "series3") == []
    assert view.facts["next"] == [3, 3, 1, 1]
    assert zone(view, "seat0.stock").count == 2


def test_a_choice_targets_the_card_and_its_destination():
    match = played(position({"stock": "9 1", "hand": "2 2 w", "a": "5 2"}, PLAIN, series=("1", "", "", "")))
    targets = {choice.text: choice.targets for choice in match.view(0).choices}
    assert targets["play stock 2"] == ("seat0.stock.top", "series2")
    assert targets["play 2 1"] == ("seat0.hand.1", "series1")
    assert targets["play w 3"] == ("seat0.hand.3", "series3")
    assert targets["play a 1"] == ("seat0.a.2", "series1")
    assert targets["discard w b"] == ("seat0.hand.3", "seat0.b")


@pytest.mark.parametrize(
    ("seat", "series", "prompt"),
    [
        ({"stock": "9 1", "hand": "2"}, "", "You can play the 1 from your stock! Play it or other cards; discard a"),
        ({"stock": "9 9", "hand": "1"}, "", "Play cards on the series; discard a card to end your turn."),
        ({"stock": "9 9", "hand": "5"}, "", "No card fits a series: discard one to end your turn."),
        (
            {"stock": "9 w"},
            "",
            "Your hand is empty, and no card can be drawn. You can play the Skip-Bo from",
        ),
        (
            {"stock": "9 9", "a": "1"},
            "",
            "Your hand is empty, and no card can be drawn. Play from your piles",
        ),
        ({"stock": "9 9"}, "1", "Your hand is empty, no card can be drawn and none fits: pass."),
    ],
)
def test_the_prompt_says_what_the_viewer_can_do(seat, series, prompt):
    match = played(position(seat, PLAIN, series=(series, "", "", ""), whole_deck=False))
    assert match.view(0).prompt.startswith(prompt)
    assert match.view(1).prompt == "It is Player 1's turn."


@EVERYBODY
def test_a_wild_is_told_with_its_number_and_a_complete_series_is_told(viewer):
    match = played(position({"stock": "9 1", "hand": "5 w"}, PLAIN, series=("1 2 3 4 5 6 7 8 9", "", "", "")))
    match.play("play w 1")
    assert told(match, viewer) == [
        "Player 1 plays a Skip-Bo from the hand as 10 on series 1.",
        "Series 1 is complete and set aside.",
    ]


@EVERYBODY
def test_the_next_stock_card_is_told_to_all(viewer):
    match = played(position({"stock": "9 1", "hand": "5"}, PLAIN), "play stock 1")
    assert told(match, viewer) == [
        "Player 1 plays the 1 from the stock on series 1.",
        "Player 1 turns up the top card of the stock: 9.",
    ]


@pytest.mark.parametrize(("viewer", "drawn"), [(0, "draws 2 cards"), (1, "draws: 2, 6"), (-1, "draws 2 cards")])
def test_drawn_cards_are_told_only_to_their_owner(viewer, drawn):
    match = played(position(PLAIN, {"stock": "9", "hand": "6"}, draw="6 2"), "discard 7 c")
    assert told(match, viewer) == ["Player 1 discards the 7 on pile c.", f"Player 2 {drawn}."]


def test_a_new_hand_within_the_turn_is_told():
    match = played(position({"stock": "9", "hand": "1"}, PLAIN, draw="6 1 1"), "play 1 1")
    assert told(match, 0)[1:] == ["Player 1 draws: 1, 1, 6."]
    assert told(match, 1)[1:] == ["Player 1 draws 3 cards."]


def test_a_reshuffle_is_told():
    match = played(position(PLAIN, {"stock": "9", "hand": "6"}, completed="1 2 3", whole_deck=False), "discard 7 c")
    assert told(match, 0)[1:] == [
        "The draw pile is used up: the completed series are shuffled into a new one.",
        "Player 2 draws 2 cards.",
    ]


@EVERYBODY
def test_the_end_of_a_round_is_told(viewer):
    match = played(position({"stock": "1", "hand": "5"}, PLAIN), "play stock 1")
    sentences = told(match, viewer)
    assert sentences[1:3] == [
        "Player 1 has emptied the stock!",
        "Player 1 wins the round: 25 points, and 5 for each of 2 cards in the other stocks; "
        "35 in this round, 35 in all.",
    ]
    assert sentences[3] == "Player 1 deals round 2."


def test_a_round_that_nobody_wins_is_told():
    match = played(position(BARE, BARE, whole_deck=False, options={"single_round": True}), "pass", "pass")
    assert told(match, 0) == [
        "Player 2 passes.",
        "All players have passed in a row, with no card to draw: the round ends, and the smallest stock wins it.",
        "The smallest stock is shared: nobody scores.",
        "The game is drawn.",
    ]
    assert match.view(0).end == "All players have passed in a row, with no card to draw."


@EVERYBODY
def test_d19_those_who_share_the_smallest_stock_are_named(viewer):
    stocks = [{"stock": "8 " * size} for size in (5, 10, 5)]
    match = played(position(*stocks, whole_deck=False, options={"single_round": True}), *["pass"] * 3)
    assert match.view(viewer).winners == match.outcome.winners == (0, 2)
    assert told(match, viewer)[-1] == "Player 1 & Player 3 win the game together."


LAST_STOCK_CARD = {"stock": "1", "hand": "5", "b": "7"}
THREE_LEFT = {"stock": "9 9 9", "hand": "5"}


@EVERYBODY
def test_a_finished_round_is_drawn_with_its_last_card_and_what_was_left(viewer):
    match = played(position(LAST_STOCK_CARD, THREE_LEFT, totals=[10, 20, 0, 0, 0, 0], dealer=0), "play stock 1")
    view = match.round_view(viewer)
    assert view.prompt == "Player 1 has emptied the stock and wins the round: 40 points."
    assert (view.to_move, view.choices) == (NOBODY, ())
    assert [zone(view, f"seat{seat}.stock").count for seat in (0, 1)] == [0, 3]
    assert faces(view, "seat0.stock") == []
    assert faces(view, "seat1.stock") == ["9"]
    assert faces(view, "series1") == ["1"]
    assert faces(view, "seat0.b") == ["7"]
    assert faces(view, "seat0.hand") == ["5" if viewer == 0 else None]
    assert [view.facts[name] for name in ("round", "dealer", "stocks", "next")] == [1, 0, [0, 3], [2, 1, 1, 1]]
    assert view.round.number == 1
    assert view.round.scores == (
        RoundScore(0, 40, 50, "25 points, and 5 for each of 3 cards left in the other stocks"),
        RoundScore(1, 0, 20, "3 cards left in the stock"),
    )


def test_the_last_round_is_drawn_with_the_whole_table():
    single = {"single_round": True}
    match = played(position(LAST_STOCK_CARD, THREE_LEFT, series=("1 2", "", "", ""), options=single), "play stock 2")
    view = match.round_view(1)
    assert faces(view, "series1") == ["2"]
    assert faces(view, "seat0.b") == ["7"]
    assert faces(view, "seat0.hand") == [None]
    assert faces(view, "seat1.stock") == ["9"]
    assert view.end == "A player has emptied the stock."
    assert view.winners == (0,)
    assert view.facts["round"] == view.round.number == 1


@EVERYBODY
def test_a_round_that_ends_with_a_card_of_the_hand_is_drawn_with_it(viewer):
    match = position(PLAIN, {"stock": "9 9", "hand": "5 6"}, stalled=2 * STALL_TURNS - 1, to_move=1)
    view = played(match, "discard 5 a").round_view(viewer)
    assert faces(view, "seat1.a") == ["5"]
    assert faces(view, "seat1.hand") == ["6" if viewer == 1 else None]


def test_a_finished_round_that_nobody_wins_is_drawn():
    match = played(position(BARE, BARE, whole_deck=False), "pass", "pass")
    view = match.round_view(0, "fr")
    assert view.prompt.endswith("Le plus petit stock est partagé\N{NO-BREAK SPACE}: personne ne marque.")
    assert [score.points for score in view.round.scores] == [0, 0]
    assert [score.note for score in view.round.scores] == ["2 cartes restées dans le stock"] * 2


def test_events_and_prompts_in_french():
    match = played(position({"stock": "1", "hand": "5"}, PLAIN, options={"single_round": True}), "play stock 1")
    assert told(match, 0, "fr")[0] == "Joueur 1 joue le 1 de son stock sur la série 1."
    assert match.view(0, "fr").prompt == "La partie est finie."


def test_the_cards_drawn_for_the_deal_are_shown():
    facts = dealt(3, seed=2).view(0).facts
    assert len(facts["lots"]) == 3
    assert facts["lots"][facts["dealer"]] is not None
