"""Draw the picture of every game for link previews: `web/preview.png`, from its cover.

`python tools/previews.py [GAME ...]`; it needs chromium and the packages of the tests. `tests/test_documents.py` tells
when a cover has changed since.
"""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path

from PIL import Image, PngImagePlugin
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from browser import CHROMIUM  # noqa: E402

GAMES = ROOT / "src" / "tablee" / "games"
SIZE = {"width": 1200, "height": 630}  # of the large previews of messengers and social networks
COLOURS = 96  # flat shapes with smooth edges


def draw_preview(browser: Browser, cover: Path) -> None:
    """Draw a cover so that it fills a preview, with its digest in the file."""
    page = browser.new_page(viewport=SIZE)
    page.set_content(f"<style>body {{margin: 0}} svg {{width: 100vw; height: 100vh}}</style>{cover.read_text('utf-8')}")
    drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS)
    page.close()
    about = PngImagePlugin.PngInfo()
    about.add_text("cover", hashlib.sha256(cover.read_bytes()).hexdigest())
    drawn.save(cover.with_name("preview.png"), optimize=True, pnginfo=about)


def main() -> None:
    """Draw all previews, or those named."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in sys.argv[1:] or sorted(cover.parts[-3] for cover in GAMES.glob("*/web/cover.svg")):
            draw_preview(browser, GAMES / name / "web" / "cover.svg")
        browser.close()


if __name__ == "__main__":
    main()
