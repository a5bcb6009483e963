"""Two people and a watcher play every game in browsers, through all of an evening (tests/evening.py).

`python tools/evenings.py [GAME ...]`; it needs chromium and the packages of the tests, and takes some minutes per game.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

import seeds  # noqa: E402
from browser import CHROMIUM, Server  # noqa: E402
from evening import SETUPS, Evening  # noqa: E402


def main() -> None:
    """Play all games, or those named."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for game in sys.argv[1:] or SETUPS:
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "test").write_text(game, encoding="utf-8")
                os.environ[seeds.TEST_FILE] = str(Path(folder, "test"))  # names what deals and choices depend on
                server = Server(Path(folder))
                try:
                    evening = Evening(browser, server, game)
                    evening.play()
                    evening.close()
                finally:
                    server.stop()
            print(f"{game}: nothing wrong, {time.monotonic() - start:.0f} s", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
