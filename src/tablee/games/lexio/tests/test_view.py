"""Views and events, and broken invariants."""

import pytest

from tablee import Match
from tablee.core.state import NOBODY, copy_state
from tablee.core.view import RoundScore
from tablee.games.lexio import GAME
from tablee.games.lexio.state import Problem
from tablee.games.lexio.tests.positions import broken, ends_with, match_of, played
from tablee.games.lexio.view import chips_of


def english(tiles):
    """Return tiles with the English letters of their suits: cloud, star, moon, sun."""
    return tiles.translate(str.maketrans("NEL", "CTM"))


def zone(view, zone_id):
    return next(zone for zone in view.zones if zone.id == zone_id)


@pytest.mark.parametrize(
    ("balance", "chips"), [(149, [5, 4, 4]), (0, [0, 0, 0]), (-7, [0, 0, 0]), (24, [0, 4, 4]), (187, [7, 2, 2])]
)
def test_a_balance_is_shown_in_chips(balance, chips):
    assert list(chips_of(balance).values()) == chips


def test_own_tiles_are_shown_face_up_and_others_face_down():
    view = match_of("3N 9S", "4N 9E", "5N 9L").view(1)
    assert [piece.face for piece in zone(view, "seat1").pieces] == ["4C", "9T"]
    assert [piece.face for piece in zone(view, "seat0").pieces] == [None, None]
    assert [piece.symbol for piece in zone(view, "seat1").pieces] == ["cloud", "star"]


def test_a_choice_targets_its_tiles():
    view = match_of("3N 7L 7S", "4N 9E 9N", "5N 9L 6N").view(0)
    pair = next(choice for choice in view.choices if choice.group == "pair")
    assert pair.targets == ("seat0.2", "seat0.3")
    assert pair.label == "Play 7M 7S: pair of 7s"
    assert (pair.text, pair.typed) == ("play 7L 7S", "play 7M 7S")


def test_the_prompt_says_what_the_viewer_can_do():
    match = match_of("3N 9S", "4N 9E", "2N 9L")
    assert match.view(0).prompt == "You hold Cloud 3 and lead: play any combination."
    assert match.view(1, "fr").prompt == "Joueur 1 a le 3 de nuage et commence."
    played(match, "3N")
    assert match.view(1).prompt == "Beat Cloud 3, or pass."
    assert match.view(1, "fr").prompt == "Battez le 3 de nuage ou passez."
    played(match, "-", "2N")
    assert match.view(0).prompt == "You cannot beat Cloud 2: pass."
    assert match.view(1).prompt == "Player 1 must beat Cloud 2 or pass."


NAMED = [
    ("9N 9S", "pair of 9s", "la paire de 9"),
    ("9N 9L 9S", "triple of 9s", "le brelan de 9"),
    ("5N 6N 7S 8L 9L", "straight 5-6-7-8-9", "la suite 5-6-7-8-9"),
    ("3S 5S 6S 7S 9S", "flush up to Sun 9", "la couleur au 9 de soleil"),
    ("9N 9L 9S 3N 3S", "full house of 9s", "le full aux 9"),
    ("9N 9E 9L 9S 3S", "four 9s", "le quadruplé de 9"),
    ("1E 2E 3E 4E 5E", "straight flush 1-2-3-4-5 in Star", "la quinte flush 1-2-3-4-5 en étoile"),
]


@pytest.mark.parametrize(("tiles", "name", "french"), NAMED)
def test_combinations_have_names(tiles, name, french):
    match = match_of(f"{tiles} 8N", "2N 8E", "2L 8S", to_move=0)
    match.play(f"play {tiles}")
    assert match.events(1)[0].text == f"Player 1 plays {english(tiles)}: {name}."
    assert french in match.view(1, "fr").prompt
    assert [piece.face for piece in zone(match.view(-1), "table").pieces] == english(tiles).split()
    assert [piece.face for piece in zone(match.view(-1, "fr"), "table").pieces] == tiles.split()


def test_the_end_of_a_round_is_told():
    match = ends_with("9S", "3N 2N", "4N", winner=0)
    assert [event.text for event in match.events(-1)] == [
        "Player 1 plays 9S.",
        "Player 1 has played their last tile and wins round 1.",
        "Player 2 still has 2 tiles and pays 2 times as much for 2s: 3C 2C.",
        "Player 3 still has one tile: 4C.",
        "Player 2 pays Player 1 4 chips.",
        "Player 2 pays Player 3 2 chips.",
        "Player 3 pays Player 1 1 chip.",
        "Player 1: +5, now 154 chips.",
        "Player 2: -6, now 143 chips.",
        "Player 3: +1, now 150 chips.",
        "Player 1 wins with 154 chips.",
    ]


@pytest.mark.parametrize("viewer", [-1, 0, 1, 2])
def test_a_finished_round_is_drawn_with_the_tiles_that_were_left(viewer):
    match = match_of("9S", "3N 2N", "4N", to_move=0)
    match.play("play 9S")
    view = match.round_view(viewer)
    assert view.prompt == "Player 1 has played their last tile and wins round 1."
    assert (view.to_move, view.choices) == (NOBODY, ())
    faces = [[piece.face for piece in zone(view, f"seat{seat}").pieces] for seat in range(3)]
    assert faces == [[], ["3C", "2C"], ["4C"]]
    assert [piece.face for piece in zone(view, "table").pieces] == ["9S"]
    assert zone(view, "played").count == 1
    assert [view.facts[name] for name in ("round", "counts", "holder", "plays")] == [1, [0, 2, 1], 0, [["9S"], [], []]]
    assert view.round.number == 1
    assert view.round.scores == (
        RoundScore(0, 5, 154, "no tile left: receives 5"),
        RoundScore(1, -6, 143, "2 tiles left, payments times 2 for 2s: pays 6, receives 0"),
        RoundScore(2, 1, 150, "1 tile left: pays 1, receives 2"),
    )


def test_the_last_round_is_drawn_with_the_whole_table():
    view = ends_with("9S", "3N 2N", "4N", winner=0).round_view(-1, "fr")
    assert view.prompt == "Joueur 1 a joué sa dernière tuile et gagne la manche 1."
    assert [piece.face for piece in zone(view, "table").pieces] == ["9S"]
    assert zone(view, "played").count == 1
    assert view.winners == (0,)
    assert view.round.scores[2].note == "1 tuile restante : paie 1, reçoit 2"


def break_invariant(state, problem):
    """Change a state so that it has a problem."""
    seat = int(state.to_move)
    if problem == Problem.WRONG_TILES:
        state.hands[(seat + 1) % 4] |= int(state.hands[seat])
    elif problem == Problem.WRONG_HAND:
        state.hand_counts[seat] -= 1
    elif problem == Problem.WRONG_PLAYS:
        state.plays[seat, 0] = 5
    elif problem == Problem.WRONG_LEADER:
        state.leader = (seat + 1) % 4
    elif problem == Problem.WRONG_TURN:
        state.to_move = 4
    elif problem == Problem.WRONG_TABLE:
        state.passes = 1
    elif problem == Problem.WRONG_CHIPS:
        state.balances[0] += 1


@pytest.mark.parametrize("problem", list(Problem))
def test_a_broken_invariant_is_reported(problem):
    state = copy_state(Match(GAME, seats=4, seed=1).state)
    assert broken(state) == []
    break_invariant(state, problem)
    assert problem.sentence in broken(state)


def test_combinations_that_are_too_weak_are_named_only_for_the_seat_on_turn():
    match = match_of("3N 9S 9N", "4N 7E 7L", "5N 9L 6N")
    match.play("play 9N 9S")
    assert match.view(1).facts["too_weak"] == {"seat1.2 seat1.3": "pair of 7s"}
    assert match.view(0).facts["too_weak"] == {}
    match.play("pass")
    assert match.view(2).facts["too_weak"] == {}
