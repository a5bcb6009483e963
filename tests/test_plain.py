"""Plain mode: what it prints, which input it understands, what it does not reveal."""

import random
import re
from itertools import chain, repeat

import pytest

from tablee import Match
from tablee.bots.simple import RandomBot
from tablee.core.randomness import new_generator
from tablee.core.state import copy_state
from tablee.core.view import Choice, Piece, View, Zone
from tablee.terminal.plain import PlainTable
from tablee.terminal.text import view_lines
from tablee.terminal.transcript import transcript


class Person:
    """Types what it was told to, then leaves; remembers all it was shown."""

    def __init__(self, *texts, forever=None):
        self.texts = chain(texts, repeat(forever) if forever else ())
        self.shown = []

    def read(self):
        text = next(self.texts, None)
        if text is None:
            raise EOFError
        return text

    @property
    def story(self):
        return "\n".join(self.shown)


def seated(match, person, language="en", bot=None, seat=0):
    bots = dict.fromkeys(range(match.seats), bot or RandomBot(1))
    return PlainTable(match, seat, language, read=person.read, write=person.shown.append, bots=bots)


def after(match, *texts, language="en"):
    """Return what a person sees who types these texts and quits."""
    person = Person(*texts, "quit")
    assert not seated(match, person, language).run()
    return person.story


def test_a_person_can_play_to_the_end_with_numbers_alone():
    match = Match("skyjo", seats=2, seed=3, players=["Ana", "Bo"])
    person = Person(forever="1")
    assert seated(match, person).run()
    assert match.is_over
    winner = match.names()[match.outcome.winners[0]]
    assert "The game is over. A player has reached 100 points." in person.shown
    assert f"Points: Ana {match.outcome.scores[0]}, Bo {match.outcome.scores[1]}." in person.shown
    assert f"The winner: {winner}." in person.shown


def test_a_move_can_be_its_text_in_any_case():
    match = Match("skyjo", seats=2, seed=3)
    after(match, "  FLIP   b2 ")
    assert match.moves[0] == match.parse("flip b2")


def test_a_number_means_the_place_in_the_list():
    match = Match("skyjo", seats=2, seed=3)
    after(match, "6")
    assert match.text(match.moves[0]) == "flip b2"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("draw", "(R3)."),
        ("13", "There is no move number 13: the list goes from 1 to 12."),
        ("0", "There is no move number 0: the list goes from 1 to 12."),
        ("flop a1", "'flop a1' is not a move or command. Possible moves: flip a1"),
        ("\N{SNOWMAN}", "is not a move or command"),
    ],
)
def test_what_is_wrong_is_explained_and_changes_nothing(text, answer):
    match = Match("skyjo", seats=2, seed=3)
    before = match.digest()
    assert answer in after(match, text)
    assert match.digest() == before


def test_a_refusal_is_in_the_language_of_the_person():
    match = Match("skyjo", seats=2, seed=3)
    shown = after(match, "draw", "zut", language="fr")
    assert f"« draw » n'est pas possible : {match.why_not('draw', 'fr')}." in shown
    assert "« zut » n'est ni un coup ni une commande." in shown


@pytest.mark.parametrize(
    ("command", "language", "answer"),
    [
        ("score", "en", "Points: Player 1 0, Player 2 0."),
        ("score", "fr", "Points : Joueur 1 0, Joueur 2 0."),
        ("help", "en", "quit (the game is saved)"),
        ("aide", "fr", "quitter (la partie est enregistrée)"),
    ],
)
def test_commands(command, language, answer):
    assert answer in after(Match("skyjo", seats=2, seed=3), command, language=language)


def test_the_rulebook_can_be_read_at_the_table():
    match = Match("skyjo", seats=2, seed=3)
    assert match.game.rulebook("fr") in after(match, "règles", language="fr")


def test_table_shows_everything_again():
    match = Match("skyjo", seats=2, seed=3)
    assert after(match, "table").count("Player 2's cards:") == 2


def test_within_a_turn_only_what_changed_is_shown_again():
    story = after(Match("skyjo", seats=2, seed=3), "flip a1")
    assert story.count("Player 1's cards:") == 2
    assert story.count("Player 2's cards:") == 1


def test_many_moves_are_listed_on_demand_only(monkeypatch):
    monkeypatch.setattr("tablee.terminal.plain.MAX_LISTED", 5)
    match = Match("skyjo", seats=2, seed=3)
    assert "… and 7 more moves; ? lists them all." in after(match)
    assert "12. flip d3: Turn up d3" in after(match, "?")


def test_a_bot_gets_its_sight_and_its_legal_moves():
    asked = []

    class Watched(RandomBot):
        def decide(self, sight, moves):
            asked.append((sight.seat, int(sight.state.viewer), sight.to_move))
            assert sight.state.generator.key.tolist() == [0] * 8
            return super().decide(sight, moves)

    match = Match("skyjo", seats=3, seed=3)
    seated(match, Person("1", "1", "quit"), bot=Watched(1)).run()
    assert asked
    assert all(seat == viewer == to_move != 0 for seat, viewer, to_move in asked)


def test_the_same_seed_makes_bots_play_the_same():
    matches = [Match("skyjo", seats=3, seed=3) for _ in range(2)]
    for match in matches:
        seated(match, Person(*["1"] * 6, "quit"), bot=RandomBot(4)).run()
    assert matches[0].moves == matches[1].moves


def positions(count, seat=0):
    """Yield positions of random games in which a seat is on turn."""
    chooser = random.Random(2)
    while count:
        match = Match("skyjo", seats=3, seed=chooser.randrange(1000))
        for _ in range(chooser.randrange(120)):
            match.play(chooser.choice(match.legal_moves()))
            if match.is_over:
                break
        if match.to_move == seat:
            count -= 1
            yield match


def test_nothing_is_printed_that_the_seat_cannot_know():
    generator = new_generator(9)
    differing = 0
    for match in positions(10):
        other = copy_state(match.state)
        match.game.kernels.disguise(other, 0, generator)
        differing += other.tobytes() != match.state.tobytes()
        twins = [Match.from_state(match.game, state) for state in (match.state, other)]
        stories = [after(twin, "?", "score", "table") for twin in twins]
        assert stories[0] == stories[1]
    assert differing == 10


def test_a_story_hides_what_its_viewer_could_not_see():
    match = Match("skyjo", seats=2, seed=3)
    while match.text(match.legal_moves()[0]) != "draw":
        match.play(match.legal_moves()[0])
    mover = match.to_move
    match.play("draw")
    value = re.compile(rf"\b{int(match.state.held)}\b")
    for viewer, knows in ((mover, True), (None, True), (1 - mover, False), (-1, False)):
        told = list(transcript(match, viewer, "en"))[-2].partition(". Player")[2]
        assert bool(value.search(told[2:])) is knows


def test_a_story_ends_with_the_result_or_says_that_there_is_none():
    match = Match("skyjo", seats=2, seed=3)
    assert list(transcript(match, -1, "en"))[-1] == "The record ends here; the game was not over."
    while not match.is_over:
        match.play(match.legal_moves()[0])
    lines = list(transcript(match, -1, "fr"))
    assert len(lines) == 1 + len(match.moves) + 3
    assert lines[-1].startswith("Victoire")


# The drawing of a view


def drawn(*zones, language="en"):
    view = View(game="toy", viewer=0, seats=2, to_move=0, prompt="", zones=zones, scores=(0, 0))
    return view_lines(view, language)


def test_a_grid_has_aligned_rows_between_letters_and_numbers():
    pieces = (
        Piece("seat0.a1", "", "12"),
        Piece("seat0.b1", ""),
        Piece("seat0.a2", "", "-2"),
        Piece("seat0.b2", "", marks=("empty",)),
    )
    assert drawn(Zone("seat0", "grid", "Ana", pieces, columns=2)) == [
        "Ana:",
        "      a  b",
        "  1  12  ?",
        "  2  -2  -",
    ]


def test_a_board_without_coordinates_is_drawn_without_heads():
    pieces = tuple(Piece(f"board.{index}", "", str(index)) for index in range(4))
    assert drawn(Zone("board", "board", "Board", pieces, columns=2)) == ["Board:", "  0  1", "  2  3"]


def test_stacks_rows_and_counters():
    lines = drawn(
        Zone("draw", "stack", "Draw", count=30),
        Zone("discard", "stack", "Discard", (Piece("discard.top", "", "7"),), count=3),
        Zone("bin", "stack", "Bin", count=0),
        Zone("hand", "fan", "Hand", (Piece("hand.0", "", "3"), Piece("hand.1", ""))),
        Zone("floor", "row", "Floor"),
        Zone("round", "counter", "Round", count=4),
    )
    assert lines == [
        "Draw: 30 in all",
        "Discard: 7 on top, 3 in all",
        "Bin: empty",
        "Hand: 3, ?",
        "Floor: empty",
        "Round: 4",
    ]


def test_a_colour_is_said_where_the_face_does_not_tell_it():
    same = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", "4", "blue"))
    assert drawn(Zone("hand", "row", "Hand", same)) == ["Hand: 3, 4"]
    mixed = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", "3", "sky"), Piece("hand.2", "", "", "pink"))
    assert drawn(Zone("hand", "row", "Main", mixed), language="fr") == ["Main : 3 rouge, 3 bleu ciel, rose"]
    backs = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", None, "blue"))
    assert drawn(Zone("hand", "row", "Hand", backs)) == ["Hand: 3 red, ? blue"]


def test_moves_written_as_numbers_are_not_numbered():
    match = Match("skyjo", seats=2, seed=3)
    person = Person()
    table = seated(match, person)
    table._list([Choice(0, "7", "Play the 7", ()), Choice(1, "pass", "Pass", ())], None)
    assert person.shown[1:] == ["  7: Play the 7", "  pass: Pass"]
