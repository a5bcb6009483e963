"""The terminal in windows of several sizes: what is shown, where, and that nothing jumps.

The snapshots are texts in tests/snapshots/terminal; TABLEE_WRITE_SNAPSHOTS=1 rewrites them (read the diff).
"""

import os
from pathlib import Path

import pytest

from tablee.terminal.pieces import Size
from terminals import (
    LARGE,
    SHORT,
    SIZES,
    SMALL,
    is_our_turn,
    lobby,
    middle_of,
    play,
    running,
    settings,
    shown,
    table,
    until,
)

SNAPSHOTS = Path(__file__).parent / "snapshots" / "terminal"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def compare(name, text):
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("TABLEE_WRITE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHORT)
def test_the_board_of_each_game_in_every_size(name):
    """The whole board is visible, in larger pieces the more room there is."""

    async def test():
        screen = table(settings(name, start=middle_of(name, 17 if name == "xe_queo" else 40)))
        layouts = []
        async with running(screen) as (app, pilot):
            for width, height in SIZES:
                await pilot.resize_terminal(width, height)
                await until(lambda: is_our_turn(screen) and screen.size == (width, height), pilot)  # noqa: B023
                compare(f"{name}-{width}x{height}", shown(app))
                board = screen.board
                assert board.virtual_size.width <= board.size.width
                assert board.virtual_size.height <= board.size.height
                layouts.append(board._layout)
            assert layouts == sorted(layouts, reverse=True)  # the first layout is the largest
            assert max(region.height for region in screen.board._regions.values()) >= Size.LARGE

    play(test())


def test_the_lobby():
    async def test():
        async with running(lobby("fr")) as (app, pilot):
            await until(lambda: len(app.screen.query("ChoiceField")) > 2, pilot)
            compare("lobby-80x24", shown(app))

    play(test())


def test_players_levels_and_the_score_sheet_are_beside_a_wide_board():
    async def test():
        screen = table(settings("skyjo"))
        async with running(screen, LARGE) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            assert "bot, Beginner" in shown(app)
            assert not screen.query_one("#sheet").display
            while not screen._display.rounds:
                screen.board.cursor = screen.board._first()
                await pilot.press("enter")
                await until(lambda: is_our_turn(screen), pilot)
            lines = [line[95:] for line in shown(app).splitlines()]
            (heading,) = [line for line in lines if "Round" in line and "Ana" in line]
            assert "Bot 1" in heading
            assert any(line.strip().startswith("Total") for line in lines)

    play(test())


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_nothing_jumps_while_cards_are_drawn_and_held(size):
    async def test():
        screen = table(settings("skyjo", start=middle_of("skyjo")))
        async with running(screen, size) as (_, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            places, show_view = set(), screen.board.show_view

            def recorded(*view):
                show_view(*view)
                places.add(screen.board._regions["seat0.a1"])

            screen.board.show_view = recorded
            for _ in range(6):
                screen.board.cursor = screen.board._first()
                await pilot.press("enter")
                await until(lambda: is_our_turn(screen), pilot)
            assert len(places) == 1

    play(test())


def test_step_by_step_enter_shows_the_next_move_of_a_bot():
    async def test():
        screen = table(settings("skyjo", start=middle_of("skyjo")))
        async with running(screen) as (app, pilot):
            await until(lambda: is_our_turn(screen), pilot)
            await pilot.press("f5", "f5", "f5")
            await until(lambda: "Pace of the bots: steps." in shown(app), pilot)
            host = screen.host
            await host.play(screen._display.view.choices[0].text)
            while not len(host.queue):
                await host.play(host.table.view.choices[0].text) if host.table.view.choices else await pilot.pause(0.01)
            await until(lambda: host.table.view.to_move == 0 and "Enter shows the next" in shown(app), pilot)
            waiting = len(host.queue)
            await pilot.press("enter")
            await until(lambda: len(host.queue) == waiting - 1, pilot)
            await pilot.press(*"pace", "space", *"fast", "enter")
            await until(lambda: not host.queue and is_our_turn(screen), pilot)
            await pilot.press(*"pace", "space", *"brisk", "enter")
            await until(lambda: "Which pace?" in shown(app), pilot)

    play(test())
