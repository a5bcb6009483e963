"""The terminal application, controlled by keys: tables, lobby and saved games."""

import asyncio
import os
import pty
import signal
import sys
import termios
import threading
from pathlib import Path

import pytest

from tablee import Match, Record, find_game
from tablee.bots.simple import RandomBot
from tablee.core.languages import languages
from tablee.core.words import common
from tablee.review.analysis import final_shares
from tablee.review.files import ReviewProgress
from tablee.review.report import Review, ReviewedMove, RoundStart
from tablee.tables.forks import Fork
from tablee.tables.replays import Replay
from tablee.terminal.board_widget import BoardWidget
from tablee.terminal.dialogs import TextDialog
from tablee.terminal.move_line import MoveLine
from tablee.terminal.replay_screen import ALL_SEATS, ReplayScreen, forked_settings
from terminals import LARGE, SHORT, SMALL, is_our_turn, lobby, play, running, settings, shown, table, until

MAX_KEYS = 400  # in a whole game


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved():
    """The only record in this folder."""
    (path,) = Path().glob("*.tablee")
    return Record.load(path)


# Whole games


@pytest.mark.parametrize("name", SHORT)
def test_a_whole_game_is_played_by_keyboard_alone(name, monkeypatch):
    for count in ("early_choices.WORLDS", "undo.WORLDS", "undo.DISGUISES"):
        monkeypatch.setattr(f"tablee.tables.{count}", 1)  # neither is tested here

    async def test():
        screen = table(settings(name))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            for _ in range(MAX_KEYS):
                if screen._display.result:
                    break
                # A cursor stays where it is as the view changes: how many views were drawn depends on the bots' time.
                screen.board.cursor = screen.board._first()
                await pilot.press("enter")
                await until(lambda: is_our_turn(screen), pilot)
            assert "The game is over." in shown(app)
            assert "The game was saved in" in " ".join(shown(app).split())
        return screen.host.match

    match = play(test())
    record = saved()
    assert record.replay().digest() == match.digest()
    assert record.outcome == match.outcome
    assert record.header.players[0].kind == "person"
    assert record.header.players[1].kind.startswith("greedy ")


# At the table


def at_skyjo(keys, language="en", size=SMALL, start=None):
    """Press keys at a table of Skyjo; return the screen's text and the match."""

    async def test():
        screen = table(
            settings("skyjo", language, start=start or Match("skyjo", seats=2, seed=3, players=["Ana", "Bo"]))
        )
        async with running(screen, size) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            await pilot.press(*keys)
            await until(lambda: is_our_turn(screen), pilot)
            return shown(app), screen.host.match

    return play(test())


def typed(text):
    return ["space" if letter == " " else letter for letter in text]


def test_a_typed_move_is_played():
    _, match = at_skyjo([*typed("flip b2"), "enter"])
    assert match.text(match.moves[0]) == "flip b2"


def test_a_number_is_an_index_into_the_list():
    _, match = at_skyjo([*typed("6"), "enter"])
    assert match.text(match.moves[0]) == "flip b2"


def test_tab_completes_and_arrows_browse():
    _, match = at_skyjo([*typed("f"), "tab", *typed("c"), "down", "down", "enter"])
    assert match.text(match.moves[0]) == "flip c2"


def test_arrows_move_the_cursor_to_targets():
    _, match = at_skyjo(["right", "down", "enter"])
    assert match.text(match.moves[0]) == "flip b2"


@pytest.mark.parametrize(
    ("text", "language", "answer"),
    [
        ("draw", "en", "(R3)."),
        ("flop", "en", "'flop' is not a move or command. Possible moves: flip"),
        ("99", "en", "There is no move number 99"),
        ("draw", "fr", "« draw » n’est pas possible"),
        ("score", "en", "Points: Ana (0), Bo (0)."),
    ],
)
def test_wrong_input_is_explained_and_changes_nothing(text, language, answer):
    screen, match = at_skyjo([*typed(text), "enter"], language)
    assert answer in " ".join(screen.split())
    assert match.moves == []


def test_selecting_an_impossible_target_is_explained():
    match = Match("skyjo", seats=2, seed=3, players=["Ana", "Bo"])
    match.play("flip a1")
    while match.to_move != 0:
        match.play(match.legal_moves()[0])

    async def test():
        screen = table(settings("skyjo", start=match))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            board = screen.board
            index = board._regions["seat0.a1"]
            await pilot.click(BoardWidget, offset=(index.x + 1, index.y))
            await until(lambda: reason in " ".join(shown(app).lower().split()), pilot)

    reason = match.why_not("flip a1").lower()
    play(test())


def test_a_move_by_mouse():
    async def test():
        screen = table(settings("skyjo", start=Match("skyjo", seats=2, seed=3)))
        async with running(screen) as (_, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            index = screen.board._regions["seat0.c3"]
            await pilot.click(BoardWidget, offset=(index.x + 1, index.y))
            await until(lambda: screen.host.match.moves and is_our_turn(screen), pilot)
            return screen.host.match

    match = play(test())
    assert match.text(match.moves[0]) == "flip c3"


def test_help_shows_rules_and_keys():
    async def test():
        screen = table(settings("lexio", "fr"))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            await pilot.press("question_mark")
            await until(lambda: isinstance(app.screen, TextDialog), pilot)
            assert find_game("lexio").rulebook("fr") in app.screen.markdown
            assert "Échap" in app.screen.markdown
            await pilot.press("escape")
            await until(lambda: app.screen is screen, pilot)

    play(test())


def test_resizing_and_changing_the_theme_keep_the_typed_text():
    async def test():
        screen = table(settings("skyjo"))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            before = app.theme
            await pilot.press(*typed("sw"), "f3")
            await pilot.resize_terminal(*LARGE)
            await pilot.resize_terminal(60, 20)
            await pilot.pause()
            assert screen.query_one(MoveLine).value == "sw"
            assert app.theme != before
            await pilot.resize_terminal(*SMALL)
            await pilot.pause()
            assert "Ana" in shown(app)

    play(test())


def test_ctrl_c_saves_the_record_and_prints_its_path():
    async def test():
        screen = table(settings("skyjo"))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            await pilot.press("enter")
            await until(lambda: screen.host.match.moves, pilot)
            await pilot.press("ctrl+c")
        return app

    app = play(test())
    assert app.return_code == 130
    assert saved().replay().moves
    assert str(next(Path().glob("*.tablee"))) in app.exit_messages[0]


def test_the_screen_stays_responsive_while_a_bot_decides(monkeypatch):
    """Meanwhile the theme can be changed, and a move is refused with the name of the player on turn."""
    thinking = asyncio.Event()

    async def test():
        loop = asyncio.get_running_loop()

        def decide(self, sight, moves):
            return asyncio.run_coroutine_threadsafe(slowly(moves), loop).result()

        async def slowly(moves):
            await thinking.wait()
            return type("Decision", (), {"move": moves[0]})

        monkeypatch.setattr("tablee.bots.simple.GreedyBot.decide", decide)
        match = Match("skyjo", seats=2, seed=3, players=["Ana", "Bo"])
        while match.to_move == 0:
            match.play(match.legal_moves()[0])
        screen = table(settings("skyjo", start=match))
        async with running(screen) as (app, pilot):
            await until(lambda: "Bo is thinking" in shown(app), pilot)
            before = app.theme
            await pilot.press("f3", *typed("draw"), "enter")
            assert app.theme != before
            await until(lambda: "It is Bo's turn." in shown(app), pilot)
            thinking.set()
            await until(lambda: is_our_turn(screen), pilot)

    play(test())


def test_the_first_compilation_is_shown(monkeypatch):
    may_finish = threading.Event()

    def warm(game, warmup_plan, progress):
        progress(0, warmup_plan.steps)
        return may_finish.wait()

    monkeypatch.setattr("tablee.terminal.local_host.warm", warm)
    once = common("fr").say("compiling.once", title="Skyjo")

    async def test():
        screen = table(settings("skyjo", "fr"))
        async with running(screen) as (app, pilot):
            try:
                await until(lambda: f"{once} : 0/" in " ".join(shown(app).split()), pilot)
            finally:
                may_finish.set()
            await until(lambda: is_our_turn(screen), pilot)
            assert once not in " ".join(shown(app).split())

    play(test())


def test_a_rematch_after_the_end():
    async def test():
        screen = table(settings("skyjo"))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            await pilot.press(*typed("stop"), "enter")
            await until(lambda: "Type 'rematch' to play again" in shown(app), pilot)
            first = screen.host.table.id
            await pilot.press(*typed("rematch"), "enter")
            await until(lambda: screen.host.table.id != first and is_our_turn(screen), pilot)
            assert screen.host.table.viewer == 1  # each player is one seat further on
            await pilot.press("ctrl+c")

    play(test())
    assert len(list(Path().glob("*.tablee"))) == 2


def test_closing_the_terminal_saves_the_record():
    async def test():
        screen = table(settings("skyjo"))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            os.kill(os.getpid(), signal.SIGHUP)
            await until(lambda: app.exit_messages, pilot)

    play(test())
    assert saved().header.game == "skyjo"


# The lobby


def test_from_the_lobby_to_a_table_and_back():
    async def test():
        screen = lobby()
        async with running(screen) as (app, pilot):
            await until(lambda: len(screen.query("ChoiceField")) > 2, pilot)
            index = [game.name for game in screen.games].index("xe_queo")
            await pilot.press(*["down"] * index, "tab", "tab", "tab", "right", "enter")
            await until(lambda: is_our_turn(app.screen), pilot)
            settings = app.screen.host.settings
            assert (settings.game.name, settings.bots, settings.setup.options["allow_pass"]) == (
                "xe_queo",
                ("greedy",),
                True,
            )
            await pilot.press("f10")
            await until(lambda: app.screen is screen and "The game was saved in" in shown(app), pilot)

    play(test())
    assert saved().header.game == "xe_queo"


def test_an_invalid_setup_is_refused_and_the_language_can_be_changed():
    async def test():
        screen = lobby()
        async with running(screen) as (app, pilot):
            await until(lambda: len(screen.query("ChoiceField")) > 2, pilot)
            await pilot.press("tab", "left", "left", "enter")
            await until(lambda: "cannot be played by 2" in shown(app), pilot)
            screen.query("ChoiceField").last().action_change(1)
            await until(lambda: "Tablée · quel jeu ?" in shown(app), pilot)
            assert screen.settings.language == list(languages())[1]

    play(test())


# Saved games


def finished():
    match = Match("skyjo", seats=2, seed=4, options={"opening": "auto", "stall_turns": 1}, players=["Ana", "Bo"])
    bots = [RandomBot(seat) for seat in range(2)]
    while not match.is_over:
        match.play(bots[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    return match


def test_a_saved_game_by_step_by_click_and_from_any_seat():
    match = finished()

    async def test():
        screen = ReplayScreen("en", lambda: match, table)
        async with running(screen) as (app, pilot):
            await until(lambda: screen.replay is not None, pilot)
            await pilot.press("right", "right", "right", "left")
            assert screen.index == 2
            await pilot.press("pagedown")
            assert screen.index == 12
            assert f"12/{len(match.moves)}" in shown(app)
            assert "As Spectator saw it" in shown(app)
            await pilot.press("s", "s")
            assert "As Bo saw it" in shown(app)
            await pilot.press("b")
            await until(lambda: "Counted from what you can see." in shown(app), pilot)
            assert "hidden card at" in shown(app)
            await pilot.press("escape")
            await pilot.press("s")
            assert screen.viewer == ALL_SEATS
            assert "As all players together saw it" in shown(app)
            await pilot.press("end")
            assert "The game is over." in shown(app)
            await pilot.press("f")
            assert "The game is over." in shown(app)
            await pilot.click("#progress", offset=(0, 0))
            assert screen.index == 0

    play(test())


async def made_up_review(record):
    """Review a game in which the first two choices were blunders."""
    match = Record.parse(record).replay()
    again, steps = Match.from_state(match.game, match.first_state), []
    for move in match.moves:
        others = [other for other in again.legal_moves() if other != move]
        is_blunder = bool(others) and sum(step.better is not None for step in steps) < 2
        effects = tuple(-200_000 if is_blunder and seat == again.to_move else 0 for seat in range(2))
        better = others[0] if is_blunder else None
        steps.append(ReviewedMove(again.to_move, move, 0, bool(others), (500_000, 500_000), effects, better))
        again.push(move)
    yield ReviewProgress(1, len(steps))
    yield ReviewProgress(
        len(steps),
        len(steps),
        Review("skyjo", ("", ""), tuple(steps), (RoundStart(0, (500_000, 500_000)),), final_shares(match), "made up"),
    )


async def no_review(record):
    yield ReviewProgress(1, 2)


def test_a_saved_game_is_reviewed_and_its_mistakes_are_shown_one_by_one(monkeypatch):
    match = finished()

    async def test():
        screen = ReplayScreen("en", lambda: match, table)
        async with running(screen) as (app, pilot):
            await until(lambda: screen.replay is not None, pilot)
            monkeypatch.setattr("tablee.terminal.reviewed_replay.review_in_process", no_review)
            await pilot.press("r")
            await until(lambda: "The review could not be made." in shown(app), pilot)
            monkeypatch.setattr("tablee.terminal.reviewed_replay.review_in_process", made_up_review)
            await pilot.press("m")
            await until(lambda: "Review: Skyjo" in shown(app), pilot)
            assert "decisions −40.0" in " ".join(shown(app).split())
            await pilot.press("escape")
            await pilot.press("m")
            first = screen.index
            assert f"Move {first + 1}, blunder (−20.0)" in shown(app)
            assert "Better: " in shown(app)
            assert screen.viewer == 0
            await pilot.press("m")
            assert screen.index > first
            await pilot.press("m")
            assert "No more mistakes." in shown(app)

    play(test())


def test_a_fork_with_true_cards_continues_the_game_and_its_record_replays():
    match = finished()
    replay = Replay(match)
    start = forked_settings(replay, Fork(9, 1, "greedy", is_imagined=False), "en").open_table().table.match
    assert start.digest() == replay.at(9).digest()
    assert start.record().replay().moves == match.moves[:9]


def test_a_fork_with_other_cards_is_consistent_with_the_sight():
    replay = Replay(finished())
    past = replay.at(9)
    starts = [
        forked_settings(replay, Fork(9, 1, "greedy", is_imagined=True), "en").open_table().table.match for _ in range(5)
    ]
    assert all(start.sight(1) == past.sight(1) for start in starts)
    assert len({start.digest() for start in starts} | {past.digest()}) > 2


def test_playing_on_from_a_saved_game():
    match = finished()

    async def test():
        screen = ReplayScreen("fr", lambda: match, table, viewer=0)
        async with running(screen) as (app, pilot):
            await until(lambda: screen.replay is not None, pilot)
            await pilot.press("pagedown", "f")
            await until(lambda: "Continuer d’ici" in shown(app), pilot)
            await pilot.press("right", "down", "left", "left", "enter")
            await until(lambda: is_our_turn(app.screen), pilot)
            settings = app.screen.host.settings
            assert (settings.seat, settings.bots, settings.start.seed) == (0, ("greedy",), None)
            await pilot.press("f10")
            await until(lambda: app.screen is screen, pilot)

    play(test())
    assert saved().replay(trust_start=True).setup.seats == 2


# A real terminal


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_closing_the_window_ends_the_process_and_saves_the_record(tmp_path):
    """What tmux does when a window is closed: the terminal is gone, and its processes get SIGHUP."""
    command = [sys.executable, "-m", "tablee", "play", "skyjo", "--bots", "greedy", "--seed", "3", "--lang", "en"]
    environment = {**os.environ, "TABLEE_DATA": str(tmp_path), "TERM": "xterm-256color", "NUMBA_DISABLE_JIT": "1"}
    process, controlling = pty.fork()
    if process == 0:
        os.execve(command[0], command, environment)
    termios.tcsetwinsize(controlling, (24, 80))
    shown_so_far = b""
    while b" 0 pts" not in shown_so_far:
        shown_so_far += os.read(controlling, 65536)
    os.close(controlling)
    os.waitpid(process, 0)  # would wait for ever for an orphan
    assert [Record.load(path).header.game for path in tmp_path.glob("*.tablee")] == ["skyjo"]
