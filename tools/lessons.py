"""Play every guided round in the terminal and in a browser, in every language, with every wrong turn.

python tools/lessons.py [GAME…]            (or `make lessons`)

What the coach says at each step and after each wrong turn must be what the script says, and all of it must be seen. It
needs chromium and the packages of the tests, and takes some minutes per game.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

import seeds  # noqa: E402
from browser import CHROMIUM, DESKTOP, Player, Server  # noqa: E402
from lesson_walks import ALL, GAMES, TALL_PHONE, BrowserWalk, TerminalWalk, lesson_settings  # noqa: E402
from tablee.core.game import Game  # noqa: E402
from tablee.core.languages import languages  # noqa: E402
from terminals import SMALL  # noqa: E402


def walk_in_terminal(game: Game, language: str) -> int:
    """Play a guided round in a small terminal, and return how many wrong turns were taken."""
    walk = TerminalWalk(lesson_settings(game, language), SMALL)
    asyncio.run(walk.play(ALL))
    return walk.wrong_turns


def walk_in_browser(browser: Any, server: Server, size: dict[str, int], game: Game, language: str) -> int:
    """Play a guided round in a window of this size, and return how many wrong turns were taken."""
    player = Player(browser, server, "Ana", language=language, size=size).with_name()
    table = player._request("post", f"/api/games/{game.name}/lesson", {"is_new": True})
    player.visit(f"t/{table['id']}")
    walk = BrowserWalk(player, game, language)
    walk.play(ALL)
    assert not player.violations()
    player.close()
    return walk.wrong_turns


def walk_all(games: list[Game], where: str, walk: Callable[[Game, str], int]) -> None:
    """Play the guided rounds of games in every language, and say how many wrong turns were taken."""
    for game, language in product(games, languages()):
        start = monotonic()
        turns = walk(game, language)
        print(f"{game.name} {language} {where}: {turns} wrong turns, {monotonic() - start:.0f} s", flush=True)


def main() -> None:
    """Play the guided rounds of all games, or of those named."""
    games = [game for game in GAMES if not sys.argv[1:] or game.name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test").write_text("lessons", encoding="utf-8")
        os.environ[seeds.TEST_FILE] = str(Path(folder, "test"))  # names what deals and choices depend on
        os.environ["TABLEE_DATA"] = folder
        walk_all(games, "terminal", walk_in_terminal)
        server = Server(Path(folder))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                for where, size in (("phone", TALL_PHONE), ("desktop", DESKTOP)):
                    walk_all(games, where, lambda *what, size=size: walk_in_browser(browser, server, size, *what))
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
