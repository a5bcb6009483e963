"""Take the pictures of docs/web.md's gallery: what the general board makes of each kind of zone and piece.

`python tools/gallery.py`; it needs chromium and the packages of the tests.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from browser import CHROMIUM, Player, Server  # noqa: E402
from tablee.core.view import COLOURS, Choice, Piece, View, Zone  # noqa: E402
from tablee.testing.template import make_game  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "general-board"
SIZE = {"width": 760, "height": 1000}
MARGIN = 14  # pixels around a zone
MAX_WIDTH = 480  # pixels
PALETTE = 64  # colours: enough for flat shapes, at a fraction of the file size

# Draws a view instead of that of the table.
DRAW = """
async ([view, selected]) => {
  const { board } = document.querySelector("table-page");
  board.view = view;
  await board.updateComplete;
  board.selected = selected;
  await board.updateComplete;
}
"""


def cards(*faces: str | None, **looks: str) -> tuple[Piece, ...]:
    """Return pieces with these faces, None for a back."""
    return tuple(Piece(f"p{index}", face or "back", face=face, **looks) for index, face in enumerate(faces))


def zone(kind: str, label: str, pieces: tuple[Piece, ...] = (), columns: int = 0, count: int | None = None) -> Zone:
    """Return a zone in the middle of the table."""
    return Zone("zone", kind, label, pieces, columns=columns, count=count)


FIELDS = tuple(
    Piece(
        f"p{index}",
        "pawn" if index in (4, 8) else "field",
        "A" if index in (4, 8) else None,
        "sky" if index == 4 else None,
        marks=() if index in (4, 8) else ("empty",),
    )
    for index in range(12)
)
MARKED = (
    Piece("p0", "plain", "7", "green"),
    Piece("p1", "last", "7", "green", marks=("last",)),
    Piece("p2", "held", "7", "green", marks=("held",)),
    Piece("p3", "empty", marks=("empty",)),
    Piece("p4", "back"),
    Piece("p5", "coloured back", colour="pink"),
)
SAMPLES = {
    "row": zone("row", "Row", cards("3", "5", None, "12", colour="blue")),
    "fan": zone("fan", "Fan", cards("1", "4", "6", "9", colour="yellow")),
    "closed-fan": zone("fan", "Fan of backs", cards(None, None, None, None)),
    "grid": zone("grid", "Grid, columns=3", cards("2", None, "7", None, "11", None, colour="green"), columns=3),
    "stack": zone("stack", "Stack, count=24", cards("8", colour="orange"), count=24),
    "board": zone("board", "Board, columns=4", FIELDS, columns=4),
    "counter": zone("counter", "Counter, count=3", count=3),
    "colours": zone("row", "Colours", tuple(Piece(name, name, "5", name) for name in COLOURS)),
    "marks": zone("row", "Plain, last, held, empty, back, coloured back", MARKED),
    "choices": zone("row", "Choices", cards("2", "4", "6", "8")),
    "zone-choice": zone("row", "A zone that can be selected", cards("9")),
}
CHOICES = {
    "choices": (Choice(0, "a", "A", ("p2", "p1")), Choice(1, "b", "B", ("p2", "p3"))),
    "zone-choice": (Choice(0, "a", "Take all", ("zone",)),),
}
SELECTED = {"choices": ["p2"]}


def take_picture(page: Page, name: str) -> None:
    """Draw a sample and save its picture."""
    view = View("gallery", 0, 2, 0, "…", (SAMPLES[name],), (0, 0), CHOICES.get(name, ()))
    page.evaluate(DRAW, [view.as_dict(), SELECTED.get(name, [])])
    page.wait_for_timeout(500)  # until pieces have been lifted
    box = page.locator('[data-zone="zone"]').bounding_box()
    assert box is not None
    clip = {"x": box["x"] - MARGIN, "y": box["y"] - MARGIN}
    clip |= {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    picture = Image.open(io.BytesIO(page.screenshot(clip=clip)))
    picture.thumbnail((MAX_WIDTH, MAX_WIDTH))
    picture.convert("RGB").quantize(PALETTE).save(PICTURES / f"{name}.png", optimize=True)


def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        game = make_game("gallery", Path(folder))
        server = Server(Path(folder), game)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        player = Player(browser, server, "Ana", size=SIZE).with_name()
        player.create_table("gallery", seats=2, bots=["random"])
        player.wait("table.view && document.querySelector('.board')?.childElementCount")
        for name in SAMPLES:
            take_picture(player.page, name)
        player.close()
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
