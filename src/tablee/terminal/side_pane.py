"""What is beside the board of a wide screen, or in its place: players, score sheet, legal moves and log."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from tablee.terminal.display import Display
from tablee.terminal.score_sheet import narrow_sheet
from tablee.terminal.text import last_lines

MIN_SHEET = 5  # lines of the score sheet


class LogPane(Static):
    """The last lines of the log, as many as fit."""

    def __init__(self, identity: str) -> None:
        super().__init__(id=identity, markup=False)
        self._texts: Sequence[str] = ()

    def show(self, texts: Sequence[str]) -> None:
        """Show the end of a log."""
        self._texts = texts
        self.refresh()

    def render(self) -> str:
        """Return the lines for the current size."""
        return "\n".join(last_lines(self._texts, self.content_size.width, self.content_size.height))


class SidePane(Vertical):
    """Players with points, level, presence and clock; the last rounds; the list of moves; the log."""

    def __init__(self, language: str) -> None:
        super().__init__(id="side")
        self.language = language

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Static(id="players", markup=False)
        yield Static(id="sheet", markup=False)
        yield OptionList(id="choices", markup=False, compact=True)
        yield LogPane("log")

    def show(self, display: Display) -> None:
        """Show players and score sheet."""
        self.query_one("#players", Static).update(
            Text("\n").join([Text(display.title, "bold"), *player_lines(display)])
        )
        height = max(self.size.height // 4, MIN_SHEET)
        rows = narrow_sheet(display, self.language, self.content_size.width, height)
        sheet = self.query_one("#sheet", Static)
        sheet.update("\n".join(rows))
        sheet.display = bool(rows)


def player_lines(display: Display) -> list[Text]:
    """Return a line for each player: turn, points, name, and what else there is to know."""
    view = display.view
    if view is None:
        return []
    points = [str(each) for each in view.scores]
    width = max(map(len, points))
    return [
        Text.assemble(
            ("▶ " if seat == view.to_move else "  ", "bold"),
            f"{points[seat]:>{width}}  ",
            (display.names[seat], "bold" if seat == view.viewer else ""),
            (f"  {player.notes}" if player.notes else "", "dim"),
        )
        for seat, player in enumerate(display.players)
    ]
