"""The board on the screen: arrows walk from thing to thing, Enter and the mouse touch, Escape puts back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tablee.core.view import View
from tablee.terminal.blocks import EMPTY, Block, Rectangle, Run, indented
from tablee.terminal.boards import draw_board
from tablee.terminal.palette import style_of
from tablee.terminal.pieces import Marks
from tablee.terminal.selection import Picking, follow, guessed_text, touch, zones_of_ids

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
MARGIN = 1
LINE = 2  # a line is about as high as so many columns are wide
ASIDE = 3  # how much farther away something seems that lies aside of the way


class BoardWidget(ScrollView, can_focus=True):
    """Draws a view and makes moves by touching."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"walk('{key}')", show=False) for key in DIRECTIONS),
        *(Binding(f"shift+{key}", f"wander('{key}')", show=False) for key in DIRECTIONS),
        Binding("enter", "decide", show=False),
        Binding("space", "touch", show=False),
        Binding("escape", "put_back", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """A move was made by touching."""

        text: str

    @dataclass
    class Refused(Message):
        """Something was touched that leads nowhere; `text` is the move it would have been, if that can be told."""

        text: str | None

    @dataclass
    class Looked(Message):
        """The cursor or the mouse is on something."""

        label: str

    class Picked(Message):
        """Something was picked or put back."""

    def __init__(self, language: str, identity: str = "board") -> None:
        super().__init__(id=identity)
        self.language = language
        self.view: View | None = None
        self.names: Sequence[str] = ()
        self.moved: frozenset[str] = frozenset()
        self.picking = Picking()
        self.cursor = ""
        self._drawn = EMPTY
        self._regions: dict[str, Rectangle] = {}

    def show_view(self, view: View, names: Sequence[str], moved: Iterable[str] = ()) -> None:
        """Draw another view; the cursor stays where it can."""
        if (view, names, frozenset(moved)) == (self.view, self.names, self.moved):
            return
        is_same = self.view is not None and self.view.choices == view.choices
        self.view, self.names, self.moved = view, names, frozenset(moved)
        self.picking = follow(view, self.picking.picked if is_same else ())
        self._draw()
        if self.cursor not in self.picking.next:
            self.cursor = self._first()
            self._draw()

    def show_lines(self, lines: Sequence[str]) -> None:
        """Write something where the board will be."""
        roles = ["name", *[""] * len(lines)]
        self._drawn = indented(Block.of([Run(line, role)] for line, role in zip(lines, roles, strict=False)), MARGIN)
        self._regions = {}
        self.virtual_size = Size(self._drawn.width, self._drawn.height)
        self.refresh()

    # Drawing

    def _draw(self) -> None:
        if self.view is None or not self.size.width:
            return
        marks = Marks(self.picking, self.cursor, self.moved)
        room = (self.size.width - MARGIN, self.size.height)
        self._drawn = indented(draw_board(self.view, self.names, self.language, marks, room), MARGIN)
        self._regions = self._drawn.regions()
        self.virtual_size = Size(self._drawn.width, self._drawn.height)
        self.refresh()

    def on_resize(self) -> None:
        """Draw anew for the room there is."""
        self._draw()

    def render_line(self, y: int) -> Strip:
        """Draw a line of the screen."""
        x, top = self.scroll_offset
        line = y + top
        cloth = style_of("", self.app.theme)
        runs = self._drawn.lines[line] if line < self._drawn.height else ()
        strip = Strip([Segment(run.text, style_of(run.role, self.app.theme)) for run in runs])
        return strip.crop_extend(x, x + self.size.width, cloth)

    # Walking

    def _things(self) -> set[str]:
        """Return what can be touched."""
        return {identity for identity in {*self.picking.next, *self.picking.picked} if identity in self._regions}

    def _first(self) -> str:
        return min(self.picking.next & self._regions.keys(), key=lambda thing: self._regions[thing][1::-1], default="")

    def action_walk(self, direction: str) -> None:
        """Go to the next thing that can be touched."""
        self._go(direction, self._things() or self._pieces())

    def action_wander(self, direction: str) -> None:
        """Go to the next thing at all, to hear what it is."""
        self._go(direction, self._pieces())

    def _pieces(self) -> set[str]:
        pieces = {piece.id for zone in self.view.zones for piece in zone.pieces} if self.view else set()
        return pieces & self._regions.keys()

    def _go(self, direction: str, things: set[str]) -> None:
        target = _nearest(self._regions, self.cursor, things, DIRECTIONS[direction])
        if target is not None:
            self.cursor = target
            self._draw()
            self.scroll_to_region(Region(*self._regions[target]), animate=False)
            self.post_message(self.Looked(self._label(target)))

    def _label(self, identity: str) -> str:
        zone = zones_of_ids(self.view).get(identity) if self.view else None
        if zone is None:
            return ""
        labels = [piece.label for piece in zone.pieces if piece.id == identity]
        return labels[0] if labels else zone.label

    # Touching

    def action_decide(self) -> None:
        """Play what is picked, else touch."""
        if self.picking.picked and len(self.picking.complete) == 1:
            self._choose(self.picking.complete[0].text)
        else:
            self.action_touch()

    def action_touch(self) -> None:
        """Touch what the cursor is on."""
        if self.cursor:
            self.touch(self.cursor)

    def action_put_back(self) -> None:
        """Put everything back that was picked."""
        if self.view is not None:
            self._pick(follow(self.view))

    def touch(self, identity: str) -> None:
        """Pick something, put it back, play if the choice is clear, or ask why not."""
        if self.view is None:
            return
        picking = touch(self.view, self.picking.picked, identity)
        if picking is None:
            self.post_message(self.Refused(guessed_text(self.view, self.picking.picked, identity)))
        elif picking.decided is not None:
            self._choose(picking.decided.text)
        else:
            self._pick(picking)

    def _choose(self, text: str) -> None:
        if self.view is not None:
            self.picking = follow(self.view)
            self._draw()
        self.post_message(self.Chosen(text))

    def _pick(self, picking: Picking) -> None:
        """Go on with what was picked; the cursor leads to what is still missing."""
        self.picking = picking
        if self.cursor not in picking.next and not picking.complete:
            self.cursor = self._first() or self.cursor
        self._draw()
        self.post_message(self.Picked())

    def on_click(self, event: events.Click) -> None:
        """Touch what the mouse is on."""
        identity = self._at(event.x, event.y)
        if identity:
            self.cursor = identity
            self.touch(identity)
            self._draw()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what the mouse is on."""
        identity = self._at(event.x, event.y)
        if identity:
            self.post_message(self.Looked(self._label(identity)))

    def _at(self, x: int, y: int) -> str:
        column, line = x + self.scroll_offset.x, y + self.scroll_offset.y
        for run in self._drawn.lines[line] if 0 <= line < self._drawn.height else ():
            if column < run.width:
                return run.id
            column -= run.width
        return ""


def _nearest(regions: dict[str, Rectangle], origin: str, things: set[str], way: tuple[int, int]) -> str | None:
    """Return the thing that lies nearest in a direction, None if none does."""
    if origin not in regions:
        return min(things, key=lambda identity: regions[identity][1::-1], default=None)
    x, y = regions[origin].middle
    found: list[tuple[float, str]] = []
    for identity in things - {origin}:
        other_x, other_y = regions[identity].middle
        right, down = other_x - x, (other_y - y) * LINE
        ahead, aside = (right * way[0], abs(down)) if way[0] else (down * way[1], abs(right))
        if ahead > 0:
            found.append((ahead + ASIDE * aside if way[0] else ahead + aside, identity))
    return min(found)[1] if found else None
