"""The score sheet: the points of all seats, round by round, as lines or as Markdown."""

from __future__ import annotations

from rich.cells import cell_len

from tablee.core.words import common
from tablee.terminal.blocks import truncate
from tablee.terminal.display import Display

MIN_COLUMN = 4  # columns of a player on a narrow sheet


def score_sheet(display: Display, language: str) -> list[list[str]]:
    """Return the score sheet as rows of cells: a heading, a row per round, and the totals."""
    words = common(language)
    scores = display.view.scores if display.view is not None else ()
    rounds = [[str(each.number), *(f"{score.points:+d}" for score in each.scores)] for each in display.rounds]
    heading = [words.say("terminal.sheet_round"), *display.names]
    return [heading, *rounds, [words.say("terminal.sheet_total"), *(str(points) for points in scores)]]


def score_sheet_lines(display: Display, language: str) -> list[str]:
    """Return the score sheet in columns, and below it how each round ended."""
    rows = score_sheet(display, language)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    padded = [[" " * (width - cell_len(cell)) + cell for cell, width in zip(row, widths, strict=True)] for row in rows]
    return [*("  ".join(row) for row in padded), *round_notes(display)]


def narrow_sheet(display: Display, language: str, width: int, height: int) -> list[str]:
    """Return the last rounds of the score sheet in lines of a width; empty before a round has ended."""
    if not display.rounds:
        return []
    heading, *rounds, total = score_sheet(display, language)
    rows = [heading, *rounds[-max(height - 2, 1) :], total]
    first = max(cell_len(row[0]) for row in rows)
    column = max((width - first) // len(display.names) - 1, MIN_COLUMN)
    widest = max(cell_len(cell) for row in rows for cell in row[1:])
    column = min(column, widest)
    return ["".join([_fitted(row[0], first), *(f" {_fitted(cell, column)}" for cell in row[1:])]) for row in rows]


def _fitted(cell: str, width: int) -> str:
    """Return a cell aligned to the right, and cut off where it is longer."""
    shown = truncate(cell, width)
    return " " * (width - cell_len(shown)) + shown


def score_sheet_markdown(display: Display, language: str) -> str:
    """Return the score sheet as Markdown."""
    heading, *rows = (f"| {' | '.join(row)} |" for row in score_sheet(display, language))
    ruler = f"|{'---:|' * (1 + len(display.names))}"
    notes = "\n".join(f"- {note}" for note in round_notes(display))
    return "\n".join([heading, ruler, *rows, "", notes])


def round_notes(display: Display) -> list[str]:
    """Return how each round ended, with what explains the points."""
    notes = []
    for each in display.rounds:
        explained = [f"{display.names[score.seat]} ({score.note})" for score in each.scores if score.note]
        notes.append(" ".join([f"{each.number}.", each.text, ", ".join(explained)]).strip())
    return notes
