"""Take the screenshots in docs/screenshots: lobby and every board in mid-game, on phone and desktop, in both themes.

`python tools/screenshots.py [lobby] [GAME ...]`; it needs chromium and the packages of the tests.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from browser import CHROMIUM, DESKTOP, PHONE, Player, Server  # noqa: E402

PICTURES = ROOT / "docs" / "screenshots"
SIZES = {"phone": PHONE, "desktop": DESKTOP}
THEMES = ("light", "dark")
TIMEOUT_SECONDS = 240  # a loaded machine is slow
LOBBY = "lobby"
COLOURS = 160  # enough for flat shapes, at less than half the file size
MOVES = {"skyjo": 60, "lexio": 9, "skip_bo": 40, "xe_queo": 8, "xylo": 16}  # to play before the screenshot
PREFERRED = ("swap", "flip", "stock", "wild", "pile", "pawn")


def take_screenshot(browser: Browser, server: Server, subject: str, size: str, theme: str) -> None:
    """Take a screenshot of the lobby, or of a game in its middle."""
    player = Player(browser, server, "Ana", size=SIZES[size], theme=theme).with_name()
    if subject == LOBBY:
        player.visit().wait_for_selector(".game-card")
    else:
        play_to_the_middle(player, server, subject)
    player.page.wait_for_timeout(2500)  # until all animations have finished
    for close in player.page.locator(".round-summary-close").all():
        close.click()
    path = PICTURES / f"{subject}-{size}-{theme}.png"
    player.page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    player.close()


def play_to_the_middle(player: Player, server: Server, game: str) -> None:
    """Play against bots for some moves, until it is the player's turn."""
    seats = server.get(f"/api/games/{game}")["usual_seats"]
    player.create_table(game, seats=seats, bots=["greedy"] * (seats - 1))
    player.wait("table.view && document.querySelector('.board')")
    player.play(PREFERRED, until=MOVES[game])
    player.wait(f"table.number >= {MOVES[game]} && table.view.choices.length > 1", TIMEOUT_SECONDS)


def main() -> None:
    """Take all screenshots, or those named."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for subject in sys.argv[1:] or [LOBBY, *MOVES]:
            for size in SIZES:
                for theme in THEMES:
                    take_screenshot(browser, server, subject, size, theme)
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
