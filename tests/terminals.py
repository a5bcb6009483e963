"""The terminal application in tests: open a table, press keys, read the screen."""

import asyncio
import random
from contextlib import asynccontextmanager

from tablee import Match, all_games, find_game
from tablee.terminal.app import TableeApp
from tablee.terminal.lobby import LobbyScreen
from tablee.terminal.local_host import LocalHost
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.table_screen import TableScreen

SMALL, LARGE = (80, 24), (140, 40)
SIZES = (SMALL, (100, 30), LARGE, (200, 60))
TIMEOUT = 120  # seconds; generous, the machine may be busy

# A short setup of each game.
SHORT = {
    "lexio": (3, {"rounds": 1}),
    "skip_bo": (2, {"single_round": True, "edition": "pocket"}),
    "skyjo": (2, {"opening": "auto", "stall_turns": 1}),
    "xe_queo": (2, {}),
    "xylo": (2, {}),
}


def settings(name, language="en", start=None, seed=3, **others):
    """Settings for a player called Ana against fast bots."""
    game = find_game(name)
    seats, options = SHORT[name] if start is None else (start.seats, start.setup.options)
    return PlaySettings(game, game.setup(seats, options), language, 0, ("greedy",), "Ana", seed, start=start, **others)


def middle_of(name, moves=40, seed=3):
    """A match after at least `moves` random moves, with seat 0 on turn."""
    chooser = random.Random(1)
    match = Match(name, seed=seed, players=["Ana", "Bo", "Cleo", "Dan"][: find_game(name).usual_seats])
    while len(match.moves) < moves or match.to_move != 0:
        match.play(chooser.choice(match.legal_moves()))
    return match


def table(settings):
    return TableScreen(settings.title, settings.language, lambda: LocalHost(settings, bot_pause=0))


def lobby(language="en"):
    games = all_games()
    return LobbyScreen(games, PlaySettings(games[0], games[0].setup(), language, bots=("greedy",), name="Ana"), table)


@asynccontextmanager
async def running(screen, size=SMALL):
    """Run the application with a first screen."""
    app = TableeApp(lambda: screen)
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def shown(app):
    """The text on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def until(condition, pilot):
    """Wait until a condition holds."""
    for _ in range(TIMEOUT * 100):
        if condition():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError(f"still false after {TIMEOUT} seconds: {shown(pilot.app)}")


def is_our_turn(screen):
    """Whether the player is on turn, a round has ended, or the game is over."""
    display = screen._display
    is_asked = display.view is not None and bool(display.view.choices) and not display.waits_for_bot
    is_settled = not screen.is_redraw_due and not screen.requests
    return is_settled and (is_asked or bool(display.result) or "ready" in display.commands)


def play(coroutine):
    return asyncio.run(coroutine)
