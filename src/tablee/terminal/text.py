"""Views as plain lines of text, without colours or drawing characters: for pipes and screen readers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablee.core.words import Words, common

if TYPE_CHECKING:
    from tablee.core.view import Piece, View, Zone

HIDDEN, EMPTY = "?", "-"
COORDINATE = re.compile(r"([a-z]+)([0-9]+)")


def view_lines(view: View, language: str) -> list[str]:
    """Return all zones of a view as lines."""
    return [line for lines in zone_lines(view, language).values() for line in lines]


def zone_lines(view: View, language: str) -> dict[str, list[str]]:
    """Return the lines of each zone, by its id."""
    words = common(language)
    ambiguous = ambiguous_faces(view)
    return {zone.id: _zone(zone, ambiguous, words) for zone in view.zones}


def ambiguous_faces(view: View) -> set[str]:
    """Return the faces that need their colour: they occur in several colours, or card backs show colours too."""
    colours: dict[str, set[str | None]] = {}
    pieces = [piece for zone in view.zones for piece in zone.pieces]
    for piece in (piece for piece in pieces if piece.face is not None):
        colours.setdefault(piece.face or "", set()).add(piece.colour)
    has_coloured_backs = any(piece.colour for piece in pieces if piece.face is None)
    return {face for face, found in colours.items() if len(found) > 1 or not face or has_coloured_backs}


def common_prefix(texts: Sequence[str]) -> str:
    """Return the longest text that all texts start with."""
    first, last = min(texts, default=""), max(texts, default="")
    differing = (index for index, letter in enumerate(first) if last[index : index + 1] != letter)
    return first[: next(differing, len(first))]


def last_lines(texts: Sequence[str], width: int, height: int) -> list[str]:
    """Wrap texts to a width in columns and return the last `height` lines."""
    lines: list[str] = []
    for text in reversed(texts):
        if len(lines) >= height:
            break
        lines = [*textwrap.wrap(text, max(width, 1)), *lines]
    return lines[-height:] if height else []


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any: 4:05, 1:04:05."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def score_line(scores: Sequence[int], names: Sequence[str], language: str) -> str:
    """Return each player's points as a sentence."""
    listed = ", ".join(f"{name} ({points})" for name, points in zip(names, scores, strict=True))
    return common(language).say("scores", scores=listed)


def _zone(zone: Zone, ambiguous: set[str], words: Words) -> list[str]:
    label = f"{zone.label}{words.say('colon')}"
    faces = [_face(piece, ambiguous, words) for piece in zone.pieces]
    if zone.kind in ("grid", "board") and zone.columns:
        return [label, *_rows(zone, faces)]
    if zone.kind == "counter":
        return [f"{label} {zone.count}"]
    if zone.kind == "stack":
        return [f"{label} {_stack(zone, faces, words)}"]
    return [f"{label} {', '.join(faces) or words.say('zones.empty')}"]


def _face(piece: Piece, ambiguous: set[str], words: Words) -> str:
    if "empty" in piece.marks:
        return EMPTY
    face = HIDDEN if piece.face is None else piece.face
    if piece.colour and (piece.face is None or face in ambiguous):
        return f"{face} {words.say(f'colours.{piece.colour}')}".strip()
    return face or piece.label


def _stack(zone: Zone, faces: list[str], words: Words) -> str:
    count = len(zone.pieces) if zone.count is None else zone.count
    if count == 0:
        return words.say("zones.empty")
    total = words.say("zones.cards", n=count)
    return f"{words.say('zones.top', top=faces[-1])}, {total}" if faces else total


def _rows(zone: Zone, faces: list[str]) -> list[str]:
    """Return a grid as aligned rows, with column letters and row numbers if its piece ids end in them."""
    cells = [faces[start : start + zone.columns] for start in range(0, len(faces), zone.columns)]
    heads = coordinates(zone)
    if heads is not None:
        columns, rows = heads
        cells = [["", *columns], *([row, *line] for row, line in zip(rows, cells, strict=True))]
    widths = [max(len(line[index]) for line in cells if index < len(line)) for index in range(len(cells[0]))]
    return ["  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=False)) for line in cells]


def coordinates(zone: Zone) -> tuple[list[str], list[str]] | None:
    """Return a grid's column letters and row numbers (`seat1.b3`: column b, row 3), None if its ids have none."""
    found = [COORDINATE.fullmatch(piece.id.rpartition(".")[2]) for piece in zone.pieces]
    names = [(match[1], match[2]) for match in found if match]
    columns = [column for column, _ in names[: zone.columns]]
    rows = [row for _, row in names[:: zone.columns]]
    return (columns, rows) if names == [(column, row) for row in rows for column in columns] and names else None
