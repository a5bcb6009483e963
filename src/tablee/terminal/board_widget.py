"""The board on the screen: arrow keys move a cursor, Enter and the mouse select, Escape clears the selection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tablee.terminal.blocks import EMPTY, Rectangle, Run, TextBlock, indent
from tablee.terminal.boards import draw_fitting
from tablee.terminal.display import PlayerStatus
from tablee.terminal.palette import style_of
from tablee.terminal.pieces import Highlights
from tablee.terminal.selection import Selection, Targets, select, selection_of, zones_by_id

if TYPE_CHECKING:
    from tablee.core.view import View

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
MARGIN = 1
LINE_HEIGHT = 2  # in column widths, about
SIDEWAYS_WEIGHT = 3  # how much a distance across the direction of the cursor counts


class BoardWidget(ScrollView, can_focus=True):
    """Draws a view; moves are made by selecting their targets."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"move_cursor('{key}')", show=False) for key in DIRECTIONS),
        *(Binding(f"shift+{key}", f"inspect('{key}')", show=False) for key in DIRECTIONS),
        Binding("enter", "confirm", show=False),
        Binding("escape", "clear", show=False),
    ]

    @dataclass
    class MoveChosen(Message):
        """A move was chosen by selecting its targets."""

        text: str

    @dataclass
    class TargetRefused(Message):
        """No legal move has these targets, in this order."""

        targets: Targets

    @dataclass
    class TargetHovered(Message):
        """The cursor or the mouse is on a piece or zone."""

        label: str

    class Confirmed(Message):
        """Enter was pressed where nothing can be selected."""

    class SelectionChanged(Message):
        """A target was selected or deselected."""

    def __init__(self, language: str, identity: str = "board") -> None:
        super().__init__(id=identity)
        self.language = language
        self.view: View | None = None
        self.names: Sequence[str] = ()
        self.players: Sequence[PlayerStatus] = ()
        self.moved: frozenset[str] = frozenset()
        self.pointed: frozenset[str] = frozenset()
        self.selection = Selection()
        self.cursor = ""
        self._drawn = EMPTY
        self._layout = 0  # index of the layout drawn
        self._occasion: tuple[tuple[int, int], int, bool] | None = None  # size, seats, and whether a round is played
        self._regions: dict[str, Rectangle] = {}

    def show_view(
        self,
        view: View,
        names: Sequence[str],
        moved: Iterable[str] = (),
        pointed: Iterable[str] = (),
        players: Sequence[PlayerStatus] = (),
    ) -> None:
        """Show a view; the cursor stays where it is if it can be selected there."""
        shown = (view, names, players, frozenset(moved), frozenset(pointed))
        if shown == (self.view, self.names, self.players, self.moved, self.pointed):
            return
        has_same_choices = self.view is not None and self.view.choices == view.choices
        self.view, self.names, self.players = view, names, players
        self.moved, self.pointed = frozenset(moved), frozenset(pointed)
        self.selection = selection_of(view, self.selection.selected if has_same_choices else ())
        self._draw()
        if self.cursor not in self.selection.next:
            self.cursor = self._first()
            self._draw()

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show lines of text in place of a board; the first is a heading."""
        roles = ["name", *[""] * len(lines)]
        self._drawn = indent(TextBlock.of([Run(line, role)] for line, role in zip(lines, roles, strict=False)), MARGIN)
        self._regions = {}
        self.virtual_size = Size(self._drawn.width, self._drawn.height)
        self.refresh()

    # Drawing

    def _draw(self) -> None:
        if self.view is None or not self.size.width:
            return
        highlights = Highlights(self.selection, self.cursor, self.moved, self.pointed)
        size = (self.size.width - MARGIN, self.size.height)
        # Within a round pieces become smaller as more lie on the table, never larger again: nothing jumps to and fro.
        occasion = (size, self.view.seats, self.view.round is None)
        largest = self._layout if occasion == self._occasion else 0
        drawn = draw_fitting(
            self.view, self.names, self.language, highlights, size, players=self.players, largest=largest
        )
        self._occasion, self._layout = occasion, drawn.layout
        self._drawn = indent(drawn.block, MARGIN)
        self._regions = self._drawn.regions()
        self.virtual_size = Size(self._drawn.width, self._drawn.height)
        self.refresh()

    def on_resize(self) -> None:
        """Redraw for the new size."""
        self._draw()

    def render_line(self, y: int) -> Strip:
        """Return a line of the screen."""
        x, top = self.scroll_offset
        line = y + top
        background = style_of("", self.app.theme)
        runs = self._drawn.lines[line] if line < self._drawn.height else ()
        strip = Strip([Segment(run.text, style_of(run.role, self.app.theme)) for run in runs])
        return strip.crop_extend(x, x + self.size.width, background)

    # Cursor

    def _selectable(self) -> set[str]:
        """Return the ids on the board that can be selected or deselected."""
        return {*self.selection.next, *self.selection.selected} & self._regions.keys()

    def _first(self) -> str:
        """Return the topmost, then leftmost id that can be selected next; empty if there is none."""
        next_ids = self.selection.next & self._regions.keys()
        return min(next_ids, key=lambda identity: self._regions[identity][1::-1], default="")

    def action_move_cursor(self, direction: str) -> None:
        """Move the cursor to the nearest target that can be selected."""
        self._move(direction, self._selectable() or self._pieces())

    def action_inspect(self, direction: str) -> None:
        """Move the cursor to the nearest piece of any kind, to read its label."""
        self._move(direction, self._pieces())

    def _pieces(self) -> set[str]:
        pieces = {piece.id for zone in self.view.zones for piece in zone.pieces} if self.view else set()
        return pieces & self._regions.keys()

    def _move(self, direction: str, candidates: set[str]) -> None:
        target = _nearest(self._regions, self.cursor, candidates, DIRECTIONS[direction])
        if target is not None:
            self.cursor = target
            self._draw()
            self.scroll_to_region(Region(*self._regions[target]), animate=False)
            self.post_message(self.TargetHovered(self._label(target)))

    def _label(self, identity: str) -> str:
        zone = zones_by_id(self.view).get(identity) if self.view else None
        if zone is None:
            return ""
        labels = [piece.label for piece in zone.pieces if piece.id == identity]
        return labels[0] if labels else zone.label

    # Selection

    def action_confirm(self) -> None:
        """Play the selection if it is a complete move, otherwise select what the cursor is on."""
        if self.selection.selected and len(self.selection.complete) == 1:
            self._choose(self.selection.complete[0].text)
        elif self.view is not None and not self.view.choices:
            self.post_message(self.Confirmed())
        else:
            self.action_select()

    def action_select(self) -> None:
        """Select what the cursor is on."""
        if self.cursor:
            self.select(self.cursor)

    def action_clear(self) -> None:
        """Clear the selection."""
        if self.view is not None:
            self._set_selection(selection_of(self.view))

    def select(self, identity: str) -> None:
        """Select or deselect a target; play the move if it is the only one with these targets."""
        if self.view is None:
            return
        selection = select(self.view, self.selection.selected, identity)
        if selection is None:
            self.post_message(self.TargetRefused((*self.selection.selected, identity)))
        elif selection.decided is not None:
            self._choose(selection.decided.text)
        else:
            self._set_selection(selection)

    def _choose(self, text: str) -> None:
        if self.view is not None:
            self.selection = selection_of(self.view)
            self._draw()
        self.post_message(self.MoveChosen(text))

    def _set_selection(self, selection: Selection) -> None:
        """Show a selection; the cursor moves to a missing target if it is not on one."""
        self.selection = selection
        if self.cursor not in selection.next and not selection.complete:
            self.cursor = self._first() or self.cursor
        self._draw()
        self.post_message(self.SelectionChanged())

    def on_click(self, event: events.Click) -> None:
        """Select what the mouse is on."""
        identity = self._at(event.x, event.y)
        if identity:
            self.cursor = identity
            self.select(identity)
            self._draw()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the label of what the mouse is on."""
        identity = self._at(event.x, event.y)
        if identity:
            self.post_message(self.TargetHovered(self._label(identity)))

    def _at(self, x: int, y: int) -> str:
        column, line = x + self.scroll_offset.x, y + self.scroll_offset.y
        for run in self._drawn.lines[line] if 0 <= line < self._drawn.height else ():
            if column < run.width:
                return run.id
            column -= run.width
        return ""


def _nearest(
    regions: dict[str, Rectangle], origin: str, candidates: set[str], direction: tuple[int, int]
) -> str | None:
    """Return the nearest candidate in a direction (right, down), None if there is none."""
    if origin not in regions:
        return min(candidates, key=lambda identity: regions[identity][1::-1], default=None)
    x, y = regions[origin].centre
    is_horizontal = direction[0] != 0
    found: list[tuple[float, str]] = []
    for identity in candidates - {origin}:
        other_x, other_y = regions[identity].centre
        right, down = other_x - x, (other_y - y) * LINE_HEIGHT
        forward, sideways = (right * direction[0], abs(down)) if is_horizontal else (down * direction[1], abs(right))
        if forward > 0:
            found.append((forward + (SIDEWAYS_WEIGHT if is_horizontal else 1) * sideways, identity))
    return min(found)[1] if found else None
