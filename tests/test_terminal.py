"""The terminal without a screen: blocks, boards of any view, selection and typed moves."""

import asyncio
import json
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tablee import Match, all_games
from tablee.bots.roster import NAMES, TRAINED_NAMES
from tablee.core.languages import languages
from tablee.core.randomness import new_generator
from tablee.core.state import copy_state
from tablee.core.view import COLOURS, Choice, Piece, View, Zone
from tablee.core.words import common
from tablee.terminal.addresses import Address
from tablee.terminal.blocks import Run, TextBlock, flow, hstack, truncate, vstack
from tablee.terminal.boards import draw_board
from tablee.terminal.fields import bot_choices
from tablee.terminal.input import matching, nearest_texts, numbered, parse_command
from tablee.terminal.local_host import in_daemon_thread
from tablee.terminal.numerals import large_numeral, printed_face
from tablee.terminal.palette import PIECES, THEMES, style_of
from tablee.terminal.pieces import SYMBOLS, Highlights
from tablee.terminal.selection import select, selection_of
from tablee.terminal.text import last_lines

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tablee"
WEB, LANGUAGES = PACKAGE / "web", PACKAGE / "languages"
GAMES = [game.name for game in all_games()]


# Blocks


def test_stacked_blocks_are_rectangles():
    left = vstack([TextBlock.text("a"), TextBlock.text("bcd")])
    block = hstack([left, TextBlock.text("x", identity="here")])
    assert block.plain() == "a   x\nbcd"
    assert (block.width, block.height) == (5, 2)
    assert block.regions()["here"] == (4, 0, 1, 1)


def test_blocks_wrap_to_a_new_row():
    blocks = [TextBlock.text(letter * 3) for letter in "abc"]
    assert flow(blocks, 7).plain() == "aaa bbb\nccc"


def test_wide_characters_take_two_columns():
    assert Run("日本").width == 4
    assert truncate("日本語", 5) == "日本…"


# Boards


def positions(name, count, seed=5):
    """Yield positions of random games."""
    chooser = random.Random(seed)
    match = Match(name, seed=seed)
    for _ in range(count):
        for _ in range(chooser.randrange(1, 12)):
            if match.is_over:
                match = Match(name, seed=chooser.randrange(1000))
            match.play(chooser.choice(match.legal_moves()))
        yield match


def drawn(match, viewer, size, language="en", selected=()):
    view = match.view(viewer, language)
    return draw_board(view, match.names(language), language, Highlights(selection_of(view, selected)), size)


@pytest.mark.parametrize("name", GAMES)
def test_every_board_fits_into_80_columns_and_shows_every_target(name):
    for match in positions(name, 12):
        seat = max(match.to_move, 0)
        board = drawn(match, seat, (80, 17))
        assert board.width <= 80
        assert {target for choice in match.view(seat).choices for target in choice.targets} <= board.regions().keys()


@pytest.mark.parametrize("name", GAMES)
def test_larger_screens_get_larger_boards(name):
    match = Match(name, seed=3)
    small, large = (drawn(match, match.to_move, size) for size in ((80, 17), (96, 36)))
    assert large.height > small.height
    assert large.height <= 36


@pytest.mark.parametrize("name", GAMES)
def test_a_board_shows_nothing_that_its_seat_cannot_know(name):
    generator = new_generator(9)
    for match in positions(name, 4, seed=8):
        other = copy_state(match.state)
        match.game.kernels.disguise(other, 0, generator)
        twin = Match.from_state(match.game, other, match.players)
        if twin.to_move == match.to_move:
            assert drawn(match, 0, (96, 36)) == drawn(twin, 0, (96, 36))


def view_of(*zones, choices=(), seats=2):
    return View("toy", 0, seats, 0, "", zones, (0,) * seats, tuple(choices))


def test_a_colour_is_never_the_only_difference():
    hand = Zone("hand", "row", "Hand", (Piece("h.x", "", "3", "red"), Piece("h.y", "", "3", "sky")), owner=0)
    board = draw_board(view_of(hand), ["Ana", "Bo"], "fr", Highlights(), (80, 8)).plain()
    assert "R3" in board
    assert "C3" in board  # sky blue is "bleu ciel"
    largest = draw_board(view_of(hand), ["Ana", "Bo"], "fr", Highlights(), (80, 20)).plain()
    assert re.search(r"^\s+R\s+C$", largest, re.MULTILINE)  # in the corners, with the numerals between them


def test_large_numerals_differ_and_keep_the_letters_of_a_face():
    drawn = {number: tuple(large_numeral(number)) for number in ("?", "-2", *map(str, range(20)))}
    assert len(set(drawn.values())) == len(drawn)
    assert all(len(lines) == 3 and len({len(line) for line in lines}) == 1 for lines in drawn.values())
    assert [printed_face(face) for face in ("R8", "5M", "−2", "P?")] == [("8", "R"), ("5", "M"), ("-2", ""), ("?", "P")]
    assert printed_face("W") is None


def test_selected_and_selectable_pieces_and_the_cursor_are_marked():
    pieces = tuple(Piece(f"h.{letter}", "", letter) for letter in "abcd")
    hand = Zone("hand", "fan", "Hand", pieces, owner=0)
    view = view_of(hand, choices=[Choice(0, "ab", "", ("h.a", "h.b")), Choice(1, "ac", "", ("h.a", "h.c"))])
    board = draw_board(view, ["Ana", "Bo"], "en", Highlights(selection_of(view, ("h.a",)), "h.b"), (80, 1)).plain()
    assert "«a» [b] ‹c›  d" in board


def test_repeated_words_of_labels_are_left_out():
    piles = [Zone(f"pile{letter}", "stack", f"Bo's pile {letter}", owner=1) for letter in "ab"]
    board = draw_board(view_of(*piles), ["Ana", "Bo"], "en", Highlights(), (80, 4)).plain()
    assert board.count("Pile") == 1
    assert "Bo's" not in board


def test_colours_and_symbols_are_those_of_the_browser():
    tokens = (WEB / "styles" / "tokens.css").read_text(encoding="utf-8").lower()
    assert set(PIECES) == set(COLOURS)
    assert all(colour.lower() in tokens for colour, _ in PIECES.values())
    for language in languages():
        letters = json.loads((LANGUAGES / language / "web.json").read_text(encoding="utf-8"))["letters"]
        assert letters == {colour: common(language).say(f"letters.{colour}") for colour in COLOURS}
    assert all(len(symbol) == Run(symbol).width == 1 for symbol in SYMBOLS.values())


@pytest.mark.parametrize("theme", THEMES)
def test_every_piece_has_enough_contrast(theme):
    for colour in COLOURS:
        style = style_of(f"piece-{colour}", theme)
        assert _contrast(style.color.triplet, style.bgcolor.triplet) >= 4.5, colour


def _contrast(*colours):
    """The contrast ratio of two colours, as defined by WCAG."""

    def linear(channel):
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    dark, bright = sorted(
        sum(weight * linear(part / 255) for weight, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
        for colour in colours
    )
    return (bright + 0.05) / (dark + 0.05)


# Selection


HAND = Zone("hand", "fan", "Hand", tuple(Piece(f"h.{n}", "", str(n)) for n in range(4)), owner=0)
PILE = Zone("pile", "stack", "Pile", (Piece("pile.top", "", "9"),))
VIEW = view_of(
    HAND,
    PILE,
    choices=[
        Choice(0, "one", "", ("h.0",)),
        Choice(1, "pair", "", ("h.0", "h.1")),
        Choice(2, "lay 2", "", ("h.2", "pile")),
    ],
)


def test_cards_of_a_hand_may_be_selected_in_any_order():
    selection = select(VIEW, ("h.1",), "h.0")
    assert selection.decided.text == "pair"


def test_a_selection_that_can_be_extended_is_not_decided():
    selection = select(VIEW, (), "h.0")
    assert selection.decided is None
    assert [choice.text for choice in selection.complete] == ["one"]
    assert selection.next == {"h.1"}


def test_a_piece_selects_its_zone_and_can_be_deselected():
    assert select(VIEW, ("h.2",), "pile.top").decided.text == "lay 2"
    assert select(VIEW, ("h.2",), "h.2").selected == ()
    assert select(VIEW, ("h.2",), "h.0").selected == ("h.0",)
    assert select(VIEW, (), "h.3") is None


def test_the_last_lines_of_a_log():
    log = ["one two three", "four", "five six"]
    assert last_lines(log, 8, 3) == ["three", "four", "five six"]
    assert last_lines(log, 20, 2) == ["four", "five six"]
    assert last_lines(log, 20, 0) == []


# Typed moves


def test_typed_numbers_are_indices_into_the_list():
    choices = Match("skyjo", seats=2, seed=3).view(0).choices
    assert numbered("6", choices, common("en")).text == "flip b2"
    assert numbered("13", choices, common("en")).startswith("There is no move number 13")
    assert numbered("flip b2", choices, common("en")) is None
    assert numbered("1", (), common("en")) is None


def test_a_typed_command_in_english_or_in_the_language():
    choices = Match("skyjo", seats=2, seed=3).view(0).choices
    assert parse_command("  Undo ", choices, common("fr")) == ("undo", "")
    assert parse_command("annuler", choices, common("fr")) == ("undo", "")
    assert parse_command("dire bien joué", choices, common("fr")) == ("say", "bien joué")
    assert parse_command("?", choices, common("en")) == ("help", "")
    assert parse_command("flip a1", choices, common("en")) is None
    assert parse_command("undo", [Choice(0, "undo", "", ())], common("en")) is None


def test_suggested_moves_resemble_the_typed_text():
    choices = Match("skyjo", seats=2, seed=3).view(0).choices
    assert nearest_texts("flop a1", choices)[0] == "flip a1"
    assert nearest_texts("x", choices) == ["flip a1", "flip b1", "flip c1"]


def test_moves_that_match_a_typed_prefix():
    choices = Match("skyjo", seats=2, seed=3).view(0).choices
    assert [choice.text for choice in matching("flip b", choices)] == ["flip b1", "flip b2", "flip b3"]
    assert [choice.text for choice in matching("b3", choices)] == ["flip b3"]


def test_the_lobby_offers_the_whole_roster():
    for language in languages():
        assert tuple(name for name, _ in bot_choices(common(language))) == (*NAMES, *TRAINED_NAMES)


def test_the_first_screen_is_drawn_before_numba_is_imported():
    script = "import sys, tablee.terminal.screens; print({'numpy', 'numba', 'msgspec', 'markdown_it'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# Compiling


def test_leaving_does_not_wait_for_the_compiler():
    """`asyncio.run` waits for the threads of `asyncio.to_thread`, and compilation cannot be interrupted."""
    is_compiled = threading.Event()

    async def leave():
        compiling = asyncio.create_task(in_daemon_thread("compiler", is_compiled.wait))
        await asyncio.sleep(0)
        compiling.cancel()

    asyncio.run(leave())
    assert [thread.daemon for thread in threading.enumerate() if thread.name == "compiler"] == [True]
    is_compiled.set()


# Addresses


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://localhost:8000/t/k3v#secret", ("http://localhost:8000", "k3v", "secret")),
        ("https://play.example/t/k3v", ("https://play.example", "k3v", "")),
        ("localhost:8000/t/k3v#x", ("http://localhost:8000", "k3v", "x")),
        ("http://localhost:8000/#table/k3v/secret", ("http://localhost:8000", "k3v", "secret")),  # of version 0.1
        ("https://play.example/#table/k3v", ("https://play.example", "k3v", "")),
    ],
)
def test_an_invite_link_contains_server_table_and_invite(url, parts):
    address = Address.parse(url)
    assert (address.server, address.table, address.invite) == parts
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize("url", ["", "http://localhost:8000", "ftp://x/t/a#b", "http://x/rules/a", "http://x/t/"])
def test_other_addresses_are_refused_with_an_example(url):
    with pytest.raises(Exception, match="looks like http"):
        Address.parse(url)


def test_the_url_of_the_websocket():
    assert Address.parse("https://a.example/t/x").socket_url("fr") == "wss://a.example/api/socket?lang=fr"
