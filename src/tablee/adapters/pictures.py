"""A view as text and as a picture, for `render`; every game is drawn from its zones in the same way."""

from __future__ import annotations

import sys

import numpy as np

from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.view import Piece, View, Zone

COLOURS = {None: "#f4f1ea", "sky": "#7fc4e8"}  # colours of pieces that matplotlib does not know by the same name
MAX_WIDTH = 14  # pieces in a line
RENDER_MODES = ["human", "ansi", "rgb_array"]


def render(match: Match, viewer: int, render_mode: str | None) -> str | np.ndarray | None:
    """Draw what a viewer sees: "ansi" as text, "rgb_array" as a picture, "human" as text on standard output."""
    if render_mode is None:
        return None
    view = match.view(viewer)
    if render_mode == "rgb_array":
        return as_picture(view)
    if render_mode == "ansi":
        return as_text(view)
    sys.stdout.write(f"{as_text(view)}\n")
    return None


def as_text(view: View) -> str:
    """Return the zones as text, one per line."""
    lines = [f"{zone.label}: {_zone_text(zone)}" for zone in view.zones]
    return "\n".join([*lines, f"scores: {', '.join(map(str, view.scores))}", view.end or view.prompt])


def _zone_text(zone: Zone) -> str:
    pieces = " ".join(_face(piece) for piece in zone.pieces)
    return f"{pieces} ({zone.count})" if zone.count is not None else pieces or "–"


def _face(piece: Piece) -> str:
    if "empty" in piece.marks:
        return "·"
    return "?" if piece.face is None else piece.face


def as_picture(view: View) -> np.ndarray:
    """Draw the zones one below the other: (height, width, 3) uint8."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise TableeError("a picture needs matplotlib: pip install 'tablee[research]'") from None
    lines = [(zone, zone.pieces[start : start + _width(zone)]) for zone in view.zones for start in _starts(zone)]
    figure = Figure(figsize=(8, 0.5 * len(lines) + 0.8), dpi=80)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, MAX_WIDTH + 5), ylim=(-len(lines) - 1, 0.5))
    axes.axis("off")
    for line, (zone, pieces) in enumerate(lines):
        if pieces == zone.pieces[: len(pieces)]:
            axes.text(0.1, -line, zone.label if zone.count is None else f"{zone.label} ({zone.count})", va="center")
        for index, piece in enumerate(pieces):
            box = {"boxstyle": "round", "facecolor": COLOURS.get(piece.colour, piece.colour), "edgecolor": "#555555"}
            axes.text(5 + index, -line, _face(piece), ha="center", va="center", bbox=box)
    axes.text(0.1, -len(lines), view.end or view.prompt, va="center")
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]


def _width(zone: Zone) -> int:
    return min(zone.columns or MAX_WIDTH, MAX_WIDTH)


def _starts(zone: Zone) -> range:
    """Return the index of the first piece of each line of a zone; an empty zone has one line."""
    return range(0, max(1, len(zone.pieces)), _width(zone))
