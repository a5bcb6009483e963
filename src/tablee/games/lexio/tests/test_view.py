"""What is drawn and told, and what a record must never be."""

import pytest

from tablee import Match
from tablee.core.state import copy_state
from tablee.games.lexio import GAME
from tablee.games.lexio.state import PROBLEMS
from tablee.games.lexio.tests.positions import broken, ends_with, match_of, played
from tablee.games.lexio.view import chips_of


def zone(view, identity):
    return next(zone for zone in view.zones if zone.id == identity)


@pytest.mark.parametrize(
    ("balance", "chips"), [(149, [5, 4, 4]), (0, [0, 0, 0]), (-7, [0, 0, 0]), (24, [0, 4, 4]), (187, [7, 2, 2])]
)
def test_balances_in_chips(balance, chips):
    assert list(chips_of(balance).values()) == chips


def test_own_tiles_are_faces_and_others_are_backs():
    view = match_of("3N 9S", "4N 9E", "5N 9L").view(1)
    assert [piece.face for piece in zone(view, "seat1").pieces] == ["4N", "9E"]
    assert [piece.face for piece in zone(view, "seat0").pieces] == [None, None]
    assert [piece.symbol for piece in zone(view, "seat1").pieces] == ["cloud", "star"]


def test_choices_point_at_the_tiles_to_touch():
    view = match_of("3N 7L 7S", "4N 9E 9N", "5N 9L 6N").view(0)
    pair = next(choice for choice in view.choices if choice.group == "pair")
    assert pair.targets == ("seat0.2", "seat0.3")
    assert pair.label == "Play 7L 7S: pair of 7s"


def test_prompts_say_what_can_be_done():
    match = match_of("3N 9S", "4N 9E", "2N 9L")
    assert match.view(0).prompt == "You hold Cloud 3 and lead: play any combination."
    assert match.view(1, "fr").prompt == "Joueur 1 a le 3 de nuage et commence."
    played(match, "3N")
    assert match.view(1).prompt == "Beat Cloud 3, or pass."
    assert match.view(1, "fr").prompt == "Battez le 3 de nuage ou passez."
    played(match, "-", "2N")
    assert match.view(0).prompt == "You cannot beat Cloud 2: pass."
    assert match.view(1).prompt == "Player 1 is to beat Cloud 2, or pass."


NAMED = [
    ("9N 9S", "pair of 9s", "la paire de 9"),
    ("9N 9L 9S", "triple of 9s", "le brelan de 9"),
    ("5N 6N 7S 8L 9L", "straight 5-6-7-8-9", "la suite 5-6-7-8-9"),
    ("3S 5S 6S 7S 9S", "flush up to Sun 9", "la couleur au 9 de soleil"),
    ("9N 9L 9S 3N 3S", "full house of 9s", "le full aux 9"),
    ("9N 9E 9L 9S 3S", "four 9s", "le quadruplé de 9"),
    ("1E 2E 3E 4E 5E", "straight flush 1-2-3-4-5 in Star", "la quinte flush 1-2-3-4-5 en étoile"),
]


@pytest.mark.parametrize(("tiles", "english", "french"), NAMED)
def test_combinations_have_names(tiles, english, french):
    match = match_of(f"{tiles} 8N", "2N 8E", "2L 8S", to_move=0)
    match.play(f"play {tiles}")
    assert match.events(1)[0].text == f"Player 1 plays {tiles}: {english}."
    assert french in match.view(1, "fr").prompt
    assert [piece.face for piece in zone(match.view(-1), "table").pieces] == tiles.split()


def test_a_round_is_told_to_the_end():
    match = ends_with("9S", "3N 2N", "4N", winner=0)
    assert [event.text for event in match.events(-1)] == [
        "Player 1 plays 9S.",
        "Player 1 has played the last tile and wins round 1.",
        "Player 2 still has 2 tiles and pays 2 times as much for 2s: 3N 2N.",
        "Player 3 still has one tile: 4N.",
        "Player 2 pays Player 1 4 chips.",
        "Player 2 pays Player 3 2 chips.",
        "Player 3 pays Player 1 1 chip.",
        "Player 1: +5, now 154 chips.",
        "Player 2: -6, now 143 chips.",
        "Player 3: +1, now 150 chips.",
        "Player 1 wins with 154 chips.",
    ]


def break_record(state, how):
    """Do one wrong thing to a record."""
    seat = int(state.to_move)
    if how == "tile twice":
        state.hands[(seat + 1) % 4] |= int(state.hands[seat])
    elif how == "count":
        state.hand_counts[seat] -= 1
    elif how == "plays":
        state.plays[seat, 0] = 5
    elif how == "leader":
        state.leader = (seat + 1) % 4
    elif how == "turn":
        state.to_move = 4
    elif how == "table":
        state.passes = 1
    else:
        state.balances[0] += 1


@pytest.mark.parametrize(
    ("how", "bit"),
    [("tile twice", 0), ("count", 1), ("plays", 2), ("leader", 3), ("turn", 4), ("table", 5), ("chips", 6)],
)
def test_problems_are_found(how, bit):
    state = copy_state(Match(GAME, seats=4, seed=1).state)
    assert broken(state) == []
    break_record(state, how)
    assert PROBLEMS[bit] in broken(state)


def test_combinations_that_are_too_weak_are_named_for_the_seat_on_turn_alone():
    match = match_of("3N 9S 9N", "4N 7E 7L", "5N 9L 6N")
    match.play("play 9N 9S")
    assert match.view(1).facts["too_weak"] == {"seat1.2 seat1.3": "pair of 7s"}
    assert match.view(0).facts["too_weak"] == {}
    match.play("pass")
    assert match.view(2).facts["too_weak"] == {}
