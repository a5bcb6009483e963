"""What is drawn and told: who sees which disc, what a prompt says, how a move is told."""

import pytest

from tablee.games.xe_queo.tests.positions import APART, STUCK, dealt, follow, played, position, texts

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
    return {piece.id: piece for zone in view.zones for piece in zone.pieces}


def told(match, seat, language="en"):
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


def test_before_the_choice_there_is_no_disc():
    match = dealt()
    follow(match, texts(match)[0], "choose red")
    assert "seat0.secret" in pieces(match.view(1))
    assert "seat1.secret" not in pieces(match.view(1))
    assert "seat1.red" in pieces(match.view(1))
    assert "seat1.red" not in pieces(match.view(0))


def test_the_way_of_a_chain_is_drawn_and_told():
    match = played(position(CHAIN))
    assert match.view(0).facts["paths"]["red b4"] == ["d6", "b6", "b4"]
    assert match.view(1).facts["paths"] == {}
    follow(match, "red b4")
    (event,) = match.events(1)
    assert event.path == ("d6", "b6", "b4")
    assert event.text == "Player 1 jumps with the red pawn from d6 to b4."


def test_a_pawn_is_moved_by_touching_it_and_its_goal():
    match = played(position(APART, chosen="red orange"))
    targets = {choice.text: choice.targets for choice in match.view(0).choices}
    assert targets["red b6"] == ("a7", "b6")
    assert targets["accuse blue"] == ("seat1.secret", "a1")


@pytest.mark.parametrize(
    ("drawing", "chosen", "options", "moves", "prompt"),
    [
        (APART, "red orange", {}, [], "Move any pawn nearer to the ring, or name Player 2's. Yours is the red pawn."),
        (BESIDE, "red orange", {}, [], "Your red pawn can take the ring! Or move another pawn, or name Player 2's."),
        (STUCK, "blue red", {}, [], "No pawn can move nearer: you must name Player 2's. Yours is the blue pawn."),
        (
            STUCK,
            "blue pink",
            {"allow_pass": True},
            [],
            "No pawn can move nearer: pass, or name Player 2's. Yours is the blue pawn.",
        ),
        (
            APART,
            "red orange",
            {"allow_pass": True},
            ["pass", "pass"],
            "Two passes in a row: you must name Player 2's pawn. Yours is the red pawn.",
        ),
    ],
)
def test_the_prompt_says_what_can_be_done(drawing, chosen, options, moves, prompt):
    match = played(position(drawing, chosen=chosen, options=options), *moves)
    assert match.view(0).prompt == prompt
    assert match.view(1).prompt == "It is Player 1's turn."


def test_a_choice_is_told_to_its_maker_alone():
    match = dealt()
    follow(match, texts(match)[0], "choose red")
    assert told(match, 0) == ["Player 1 secretly chooses the red pawn."]
    assert told(match, 1) == told(match, -1) == ["Player 1 has chosen a pawn."]


@pytest.mark.parametrize(
    ("chosen", "move", "story"),
    [
        (
            "red blue",
            "red d4",
            [
                "Player 1 moves the red pawn from e4 onto the ring.",
                "Player 1 shows the red disc.",
                "It is Player 1's own pawn.",
                "Player 1 gets the ring, the first one.",
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
                "Player 2 gets the ring, the first one.",
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
                "Player 2 gets the ring, the first one.",
                "Round 2: Player 1 places the ring.",
            ],
        ),
    ],
)
def test_the_end_of_a_round_is_told_to_all(chosen, move, story):
    match = played(position(BESIDE, chosen=chosen), move)
    for seat in (-1, 0, 1):
        assert told(match, seat) == story


def test_a_pawn_that_blocks_the_ring_is_told_as_such():
    match = played(position(BESIDE, chosen="blue pink", options={"foreign_ring": "block"}), "red d4")
    wanted = "It is not Player 1's own pawn: it stays there and blocks the ring."
    assert [told(match, seat)[1:] for seat in (-1, 0, 1)] == [[wanted]] * 3
    ring = pieces(match.view(0))["d4"]
    assert (ring.colour, ring.marks) == ("red", ("ring",))


def test_the_facts_sum_up_the_rounds():
    match = played(position(BESIDE, chosen="red blue"), "red d4")
    wanted = {"winner": 0, "ending": "entered", "pawn": "red", "shown": ["red", None]}
    assert match.view(-1).facts["rounds"] == [wanted]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_c4_the_board_is_told_how_distance_is_measured(metric):
    assert dealt(metric=metric).view(0).facts["metric"] == metric
