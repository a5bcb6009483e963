"""Views and events: who sees which disc, prompts, and how moves are told."""

import pytest

from tablee.core.state import NOBODY
from tablee.core.view import RoundScore
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.tests.positions import APART, STUCK, dealt, follow, played, position, texts, won

BESIDE = """
    . . . . . . .
    . . . . . . .
    . . . O . . .
    . . . * R . .
    . . . . . . .
    . . . . . . .
    B . P Y G . K
"""
CHAIN = """
    . . . . . . .
    . . Y R . . .
    . O . . . . .
    . . . . . . .
    . . . * . . .
    . . . . . . .
    P . B . G . K
"""


def pieces(view):
    """Return the pieces of a view by id."""
    return {piece.id: piece for zone in view.zones for piece in zone.pieces}


def sentences_for(match, seat, language="en"):
    """Return the sentences of the last move's events for a viewer."""
    return [event.text for event in match.events(seat, language)]


def test_the_board_is_drawn_from_the_top_with_a1_at_the_bottom_left():
    board = next(zone for zone in played(position(APART)).view(0).zones if zone.id == "board")
    assert board.columns == 7
    assert [board.pieces[index].id for index in (0, 6, 42, 48)] == ["a7", "g7", "a1", "g1"]
    assert board.pieces[0].colour == "red"
    assert pieces(played(position(APART)).view(0))["d3"].marks == ("ring",)


def test_only_its_owner_sees_the_face_of_a_secret_disc():
    match = played(position(APART, chosen="red orange"))
    faces = [[pieces(match.view(seat))[f"seat{other}.secret"].face for other in (0, 1)] for seat in (-1, 0, 1)]
    assert faces == [[None, None], ["R", None], [None, "O"]]


def test_a_disc_is_drawn_only_after_the_choice():
    match = dealt()
    follow(match, texts(match)[0], "choose red")
    assert "seat0.secret" in pieces(match.view(1))
    assert "seat1.secret" not in pieces(match.view(1))
    assert "seat1.red" in pieces(match.view(1))
    assert "seat1.red" not in pieces(match.view(0))


def test_the_path_of_a_chain_is_drawn_and_told():
    match = played(position(CHAIN))
    assert match.view(0).facts["paths"]["red b4"] == ["d6", "b6", "b4"]
    assert match.view(1).facts["paths"] == {}
    follow(match, "red b4")
    (event,) = match.events(1)
    assert event.path == ("d6", "b6", "b4")
    assert event.text == "Player 1 jumps with the red pawn from d6 to b4."


def test_a_pawn_is_moved_by_selecting_it_and_its_target():
    match = played(position(APART, chosen="red orange"))
    targets = {choice.text: choice.targets for choice in match.view(0).choices}
    assert targets["red b6"] == ("a7", "b6")
    assert targets["accuse blue"] == ("seat1.secret", "a1")


@pytest.mark.parametrize(
    ("drawing", "chosen", "options", "moves", "prompt"),
    [
        (APART, "red orange", {}, [], "Move any pawn nearer to the ring, or name Player 2's."),
        (BESIDE, "red orange", {}, [], "Your secret pawn can take the ring! Or move another one, or name Player 2's."),
        (STUCK, "blue red", {}, [], "No pawn can move nearer: you must name Player 2's."),
        (
            STUCK,
            "blue pink",
            {"allow_pass": True},
            [],
            "No pawn can move nearer: pass, or name Player 2's.",
        ),
        (
            APART,
            "red orange",
            {"allow_pass": True},
            ["pass", "pass"],
            "Two passes in a row: you must name Player 2's pawn.",
        ),
    ],
)
def test_the_prompt_says_what_is_possible(drawing, chosen, options, moves, prompt):
    match = played(position(drawing, chosen=chosen, options=options), *moves)
    assert match.view(0).prompt == prompt
    assert match.view(1).prompt == "It is Player 1's turn."


def test_a_secret_choice_is_told_only_to_its_seat():
    match = dealt()
    follow(match, texts(match)[0], "choose red")
    assert sentences_for(match, 0) == ["Player 1 secretly chooses a pawn."]
    assert sentences_for(match, 1) == sentences_for(match, -1) == ["Player 1 has chosen a pawn."]


@pytest.mark.parametrize(
    ("chosen", "move", "sentences"),
    [
        (
            "red blue",
            "red d4",
            [
                "Player 1 moves the red pawn from e4 onto the ring.",
                "Player 1 shows the red disc.",
                "It is Player 1's own pawn.",
                "Player 1 gets the ring, their first.",
                "Round 2: Player 2 places the ring.",
            ],
        ),
        (
            "red red",
            "red d4",
            [
                "Player 1 moves the red pawn from e4 onto the ring.",
                "Player 1 shows the red disc.",
                "Player 2 shows the red disc.",
                "Both chose the red pawn, so the ring goes to Player 2.",
                "Player 2 gets the ring, their first.",
                "Round 2: Player 1 places the ring.",
            ],
        ),
        (
            "red blue",
            "accuse pink",
            [
                "Player 1 says: Player 2 has the pink pawn!",
                "Player 2 shows the blue disc.",
                "Player 1 was wrong.",
                "Player 2 gets the ring, their first.",
                "Round 2: Player 1 places the ring.",
            ],
        ),
    ],
)
def test_the_end_of_a_round_is_told_to_everybody(chosen, move, sentences):
    match = played(position(BESIDE, chosen=chosen), move)
    for seat in (-1, 0, 1):
        assert sentences_for(match, seat) == sentences


def test_a_pawn_that_blocks_the_ring_is_told():
    match = played(position(BESIDE, chosen="blue pink", options={"foreign_ring": "block"}), "red d4")
    expected = "It is not Player 1's own pawn: it stays there and blocks the ring."
    assert [sentences_for(match, seat)[1:] for seat in (-1, 0, 1)] == [[expected]] * 3
    ring = pieces(match.view(0))["d4"]
    assert (ring.colour, ring.marks) == ("red", ("ring",))


def test_the_facts_list_the_finished_rounds():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    expected = {"winner": 0, "ending": "entered", "pawn": "red", "shown": ["red", None]}
    assert match.view(-1).facts["rounds"] == [expected]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_c4_the_facts_name_the_metric(metric):
    assert dealt(metric=metric).view(0).facts["metric"] == metric


# The view of a finished round


@pytest.mark.parametrize(
    ("chosen", "move", "prompt", "scores"),
    [
        (
            "red blue",
            "red d4",
            "Round 1: Player 1 takes the ring with the red pawn.",
            (RoundScore(0, 1, 1, "own pawn on the ring"), RoundScore(1, 0, 0)),
        ),
        (
            "red red",
            "red d4",
            "Round 1: both chose the red pawn, so Player 2 gets the ring.",
            (RoundScore(0, 0, 0), RoundScore(1, 1, 1, "both chose the same pawn")),
        ),
        (
            "blue red",
            "red d4",
            "Round 1: Player 1 moved Player 2's red pawn onto the ring, so Player 2 gets it.",
            (RoundScore(0, 0, 0), RoundScore(1, 1, 1, "own pawn moved onto the ring by the opponent")),
        ),
        (
            "red blue",
            "accuse blue",
            "Round 1: Player 1 says rightly that Player 2 has the blue pawn, and gets the ring.",
            (RoundScore(0, 1, 1, "right accusation"), RoundScore(1, 0, 0)),
        ),
        (
            "red blue",
            "accuse pink",
            "Round 1: Player 1 says wrongly that Player 2 has the pink pawn, so Player 2 gets the ring.",
            (RoundScore(0, 0, 0), RoundScore(1, 1, 1, "wrongly accused")),
        ),
    ],
)
def test_the_round_view_gives_the_result(chosen, move, prompt, scores):
    match = played(position(BESIDE, chosen=chosen, options={"foreign_ring": "owner_wins"}), move)
    for seat in (-1, 0, 1):
        view = match.round_view(seat)
        assert view.prompt == prompt
        assert (view.round.number, view.round.scores) == (1, scores)
        assert (view.to_move, view.choices) == (NOBODY, ())
        assert view.facts.keys() == match.view(seat).facts.keys()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_secret_pawn_is_named_only_on_its_disc(language):
    """A look over the shoulder must not tell it: the disc lies face down until it is held."""
    views = [played(position(BESIDE, chosen=chosen)).view(0, language) for chosen in ("red blue", "orange blue")]
    labels = [{choice.text: choice.label for choice in view.choices} for view in views]
    common = labels[0].keys() & labels[1].keys()
    assert all(labels[0][text] == labels[1][text] for text in common)
    names = GAME.words(language)
    for view in views:
        assert not any(names.say(f"pawns.{colour}") in view.prompt for colour in ("red", "orange", "blue"))
    match = dealt()
    follow(match, texts(match)[0], "choose red")
    assert names.say("pawns.red") not in " ".join(event.text for event in match.events(0, language))


def test_the_round_view_shows_the_pawn_on_the_ring_and_the_disc_that_proves_it():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    drawn = pieces(match.round_view(1))
    assert (drawn["d4"].colour, drawn["d4"].marks) == ("red", ("ring",))
    assert (drawn["seat0.secret"].face, drawn["seat1.secret"].face) == ("R", None)
    assert match.round_view(1).facts["ring"] == "d4"


def test_the_round_view_shows_the_ring_after_an_accusation():
    match = played(position(BESIDE, chosen="red blue"), "accuse blue")
    drawn = pieces(match.round_view(0))
    assert drawn["d4"].marks == ("ring",)
    assert match.round_view(0).facts["ring"] == "d4"
    assert drawn["e4"].colour == "red"


def test_the_round_view_stays_the_same_during_the_next_round():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    before = match.round_view(0)
    follow(match, "ring a7", "choose red", "choose pink", "orange c6")
    assert match.round_view(0) == before


def test_the_round_view_of_the_last_round_tells_the_end_of_the_game():
    match = played(position(BESIDE, **won(0, 0, 0)), "red d4")
    view = match.round_view(0)
    assert view.round.number == 4
    assert view.end == "A player has four rings."
    assert view.winners == (0,)
    assert match.round_view(0, "fr").prompt == "Tour 4 : Joueur 1 prend l’anneau avec le pion rouge."
