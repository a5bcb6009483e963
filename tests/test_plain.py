"""Plain mode: what it prints, which input it understands, what it does not reveal."""

import asyncio
import random
import re
from itertools import chain, repeat
from pathlib import Path

import pytest

from tablee import Match, find_game
from tablee.bots.simple import RandomBot
from tablee.core.randomness import new_generator
from tablee.core.state import copy_state
from tablee.core.view import Choice, Piece, View, Zone
from tablee.terminal.local_host import LocalHost
from tablee.terminal.plain import PlainFrontEnd
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.text import view_lines
from tablee.terminal.transcript import transcript


class Script:
    """Types the given lines, then the end of input; keeps all lines that are written."""

    def __init__(self, *texts, forever=None):
        self.texts = chain(texts, repeat(forever) if forever else ())
        self.written = []

    async def read(self):
        text = next(self.texts, None)
        if text is None:
            raise EOFError
        return text

    @property
    def output(self):
        return "\n".join(self.written)


def play_plain(settings, script):
    """Play by a script at a table in this process; return the host."""
    host = LocalHost(settings, bot_pause=0)
    asyncio.run(PlainFrontEnd(host, script.read, script.written.append).run())
    return host


def skyjo(language="en", seats=2, seed=3, rest=None, **others):
    game = find_game("skyjo")
    return PlaySettings(game, game.setup(seats), language, seed=seed, rest=rest, **others)


def output_of(settings, *texts):
    """What is written for a player who types these texts and quits."""
    script = Script(*texts, "quit")
    play_plain(settings, script)
    return script.output


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_whole_game_with_numbers_alone():
    script = Script(forever="1")
    match = play_plain(skyjo(name="Ana"), script).match
    assert match.is_over
    scores = match.outcome.scores
    assert "The game is over. A player has reached 100 points." in script.output
    assert f"Points: Ana ({scores[0]}), Bot 1 ({scores[1]})." in script.output
    assert f"The winner: {match.names()[match.outcome.winners[0]]}." in script.output
    assert script.written[-2].startswith("The game was saved in skyjo-")  # before the end of the prompt


def test_a_move_by_its_text_in_any_case():
    host = play_plain(skyjo(), Script("  FLIP   b2 ", "quit"))
    assert host.match.moves[0] == host.match.parse("flip b2")


def test_a_number_is_an_index_into_the_list():
    host = play_plain(skyjo(), Script("6", "quit"))
    assert host.match.text(host.match.moves[0]) == "flip b2"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("draw", "(R3)."),
        ("13", "There is no move number 13: the list goes from 1 to 12."),
        ("0", "There is no move number 0: the list goes from 1 to 12."),
        ("flop a1", "'flop a1' is not a move or command. Possible moves: flip a1"),
        ("\N{SNOWMAN}", "is not a move or command"),
        ("undo", "'undo' is not possible now."),
    ],
)
def test_wrong_input_is_explained_and_changes_nothing(text, reply):
    script = Script(text, "quit")
    host = play_plain(skyjo(), script)
    assert reply in script.output
    assert host.match.moves == []


def test_a_refusal_is_in_the_language_of_the_player():
    output = output_of(skyjo("fr"), "draw", "zut")
    reason = Match("skyjo", seats=2, seed=3).why_not("draw", "fr")
    assert f"« draw » n’est pas possible : {reason}." in output
    assert "« zut » n’est ni un coup ni une commande." in output


@pytest.mark.parametrize(
    ("command", "language", "reply"),
    [
        ("score", "en", "Points: Player 1 (0), Bot 1 (0)."),
        ("score", "fr", "Points : Joueur 1 (0), Robot 1 (0)."),
        ("help", "en", "quit (the game is saved)"),
        ("help", "en", "Possible now: pause, stop, leave."),
        ("aide", "fr", "quitter (la partie est enregistrée)"),
    ],
)
def test_commands(command, language, reply):
    assert reply in output_of(skyjo(language), command)


def test_the_rulebook_is_printed_on_request():
    assert find_game("skyjo").rulebook("fr") in output_of(skyjo("fr"), "règles")


def test_table_shows_everything_again():
    assert output_of(skyjo(), "table").count("Bot 1's cards:") == 2


def test_within_a_turn_only_changed_zones_are_shown_again():
    output = output_of(skyjo(), "flip a1")
    assert output.count("Player 1's cards:") == 2
    assert output.count("Bot 1's cards:") == 1


def test_long_lists_of_moves_are_shortened(monkeypatch):
    monkeypatch.setattr("tablee.terminal.plain.MAX_LISTED", 5)
    assert "… and 7 more moves; ? lists them all." in output_of(skyjo())
    assert "12. flip d3: Turn up d3" in output_of(skyjo(), "?")


def test_a_game_is_paused_resumed_and_stopped():
    script = Script("flip a1", "pause", "flip a2", "resume", "stop", "x")
    host = play_plain(skyjo(), script)
    assert "Player 1 pauses the game." in script.output
    assert "The game is paused." in script.output
    assert "Player 1 resumes the game." in script.output
    assert "The game is over. Ended by agreement." in script.output
    assert host.table.phase == "over"


def test_an_undone_move_is_asked_for_again():
    game = find_game("xe_queo")
    settings = PlaySettings(game, game.setup(), "en", name="Ana", seed=3)
    script = Script("choose red", "undo", "choose pink", "quit")

    async def hold(table, seat):
        """Hold back the bot's answer to the first choice, so that it can be undone."""
        if table.moves == 2 and "choose red" in [table.match.text(move) for move in table.match.moves]:
            await asyncio.Event().wait()
        return table.match.text(table.match.legal_moves()[0])

    host = LocalHost(settings, bot_pause=0)
    host._bots.move = hold
    front_end = PlainFrontEnd(host, script.read, script.written.append, prompt=lambda: None)
    asyncio.run(front_end.run())
    assert "Ana takes the last move back." in script.written
    assert script.written.count("Choose your secret pawn.") == 2
    assert "choose pink" in [host.match.text(move) for move in host.match.moves]


def test_a_rest_between_rounds_ends_with_an_empty_line():
    host = LocalHost(skyjo(rest=0, name="Ana", seed=5), bot_pause=0)
    script = Script()

    async def read():
        return "1" if host.table.phase == "playing" else ""

    asyncio.run(PlainFrontEnd(host, read, script.written.append).run())
    notice = "Round 1: Ana 44 (total 44), Bot 1 72 (total 72). Press Enter for the next round."
    assert script.written.index(notice) < script.written.index("The next round begins.")
    assert host.match.is_over


def test_a_rematch_is_another_game():
    script = Script("stop", "rematch", "flip a1", "quit")
    host = play_plain(skyjo(), script)
    assert "Type 'rematch' to play again; Enter leaves." in script.output
    assert host.match.moves
    assert len(list(Path().glob("*.tablee"))) == 2


def test_a_bot_gets_its_sight_and_its_legal_moves(monkeypatch):
    asked = []
    decide = RandomBot.decide

    def watched(self, sight, moves):
        asked.append((sight.seat, int(sight.state.viewer), sight.to_move))
        assert sight.state.generator.key.tolist() == [0] * 8
        return decide(self, sight, moves)

    monkeypatch.setattr(RandomBot, "decide", watched)
    play_plain(skyjo(seats=3), Script("1", "1", "quit"))
    assert asked
    assert all(seat == viewer == to_move != 0 for seat, viewer, to_move in asked)


def test_the_same_seed_makes_bots_play_the_same():
    hosts = [play_plain(skyjo(seats=3), Script(*["1"] * 6, "quit")) for _ in range(2)]
    assert hosts[0].match.moves == hosts[1].match.moves
    assert len(hosts[0].match.moves) > 6


def test_decisions_of_bots_depend_on_the_seed_and_the_seat_as_ever():
    """A game played with `--seed` at commit b462916, move by move."""
    host = play_plain(skyjo(seats=3), Script(*["1"] * 6, "quit"))
    match, bots = Match("skyjo", seats=3, seed=3), {seat: RandomBot(3 + seat) for seat in (1, 2)}
    for move in host.match.moves:
        if match.to_move:
            assert bots[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move == move
        match.play(move)


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


def _without_paths(output):
    return re.sub(r"skyjo-\S+", "", output)


def test_nothing_is_printed_that_the_seat_cannot_know():
    generator = new_generator(9)
    differing = 0
    for match in positions(10):
        other = copy_state(match.state)
        match.game.kernels.disguise(other, 0, generator)
        differing += other.tobytes() != match.state.tobytes()
        twins = [Match.from_state(match.game, state) for state in (match.state, other)]
        outputs = [output_of(skyjo(seats=3, start=twin), "?", "score", "table") for twin in twins]
        assert _without_paths(outputs[0]) == _without_paths(outputs[1])
    assert differing == 10


def test_a_transcript_hides_what_its_viewer_could_not_see():
    match = Match("skyjo", seats=2, seed=3)
    while match.text(match.legal_moves()[0]) != "draw":
        match.play(match.legal_moves()[0])
    mover = match.to_move
    match.play("draw")
    value = re.compile(rf"\b{int(match.state.held)}\b")
    for viewer, knows in ((mover, True), (None, True), (1 - mover, False), (-1, False)):
        line = list(transcript(match, viewer, "en"))[-2].partition(". Player")[2]
        assert bool(value.search(line[2:])) is knows


def test_a_transcript_ends_with_the_result_or_says_that_there_is_none():
    match = Match("skyjo", seats=2, seed=3)
    assert list(transcript(match, -1, "en"))[-1] == "The record ends here; the game was not over."
    while not match.is_over:
        match.play(match.legal_moves()[0])
    lines = list(transcript(match, -1, "fr"))
    assert len(lines) == 1 + len(match.moves) + 3
    assert lines[-1].startswith("Victoire")


# Views as lines


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


def test_a_colour_is_written_if_the_face_does_not_imply_it():
    same = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", "4", "blue"))
    assert drawn(Zone("hand", "row", "Hand", same)) == ["Hand: 3, 4"]
    mixed = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", "3", "sky"), Piece("hand.2", "", "", "pink"))
    assert drawn(Zone("hand", "row", "Main", mixed), language="fr") == ["Main : 3 rouge, 3 bleu ciel, rose"]
    backs = (Piece("hand.0", "", "3", "red"), Piece("hand.1", "", None, "blue"))
    assert drawn(Zone("hand", "row", "Hand", backs)) == ["Hand: 3 red, ? blue"]


def test_moves_written_as_numbers_are_not_numbered():
    script = Script()
    front_end = PlainFrontEnd(LocalHost(skyjo()), script.read, script.written.append)
    front_end._list([Choice(0, "7", "Play the 7", ()), Choice(1, "pass", "Pass", ())], None)
    assert script.written[1:] == ["  7: Play the 7", "  pass: Pass"]
