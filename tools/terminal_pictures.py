"""Draw every board of the terminal, in both sizes, light and dark: docs/terminal/*.png (needs chromium).

Run it with NUMBA_DISABLE_JIT=1: nothing has to be compiled for a few pictures.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from terminals import LARGE, SHORT, SMALL, is_our_turn, middle_of, running, settings, table, until  # noqa: E402

PICTURES = ROOT / "docs" / "terminal"


async def screenshot(name: str, size: tuple[int, int], theme: str) -> str:
    """Return the picture of a game's board, as SVG."""
    screen = table(settings(name, start=middle_of(name, 17 if name == "xe_queo" else 40)))
    async with running(screen, size) as (app, pilot):
        app.theme = theme
        await until(lambda: is_our_turn(screen), pilot)
        return app.export_screenshot(title="tablee play")


def draw(svg: str, path: Path) -> None:
    """Let a browser turn a picture into pixels."""
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "picture.svg"
        source.write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL), encoding="utf-8")
        size = f"--window-size={int(float(width))},{int(float(height))}"
        browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
        subprocess.run([*browser, f"--screenshot={path}", source.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Draw them all."""
    PICTURES.mkdir(exist_ok=True)
    for name in SHORT:
        for size, theme in ((SMALL, "dark"), (LARGE, "light")):
            svg = asyncio.run(screenshot(name, size, theme))
            draw(svg, PICTURES / f"{name}-{size[0]}x{size[1]}.png")


if __name__ == "__main__":
    main()
