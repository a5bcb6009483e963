"""A board for any game, drawn from the zones of its view: the others above, the middle, one's own things below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tablee.core.view import View, Zone
from tablee.core.words import Words, common
from tablee.terminal.blocks import EMPTY, Block, Run, below, beside, centred, flowing, shortened
from tablee.terminal.pieces import BACK, GAP, Marks, Pen, Size
from tablee.terminal.text import coordinates, shared_beginning, unclear_faces

MAX_BACKS = 13  # of a hand that nobody sees, in the smallest size
MAX_LABEL_LENGTH = 30
BESIDE_COLUMNS = 30


class Plan(NamedTuple):
    """One way to fill the room."""

    own: Size
    middle: Size
    others: Size
    is_beside: bool = False  # the middle stands to the right of one's own things, not above them


# From generous to tight.
PLANS = (
    Plan(Size.LARGE, Size.LARGE, Size.MEDIUM),
    Plan(Size.LARGE, Size.LARGE, Size.MEDIUM, is_beside=True),
    Plan(Size.LARGE, Size.LARGE, Size.SMALL),
    Plan(Size.LARGE, Size.MEDIUM, Size.SMALL),
    Plan(Size.MEDIUM, Size.MEDIUM, Size.MEDIUM),
    Plan(Size.MEDIUM, Size.MEDIUM, Size.MEDIUM, is_beside=True),
    Plan(Size.MEDIUM, Size.MEDIUM, Size.SMALL),
    Plan(Size.MEDIUM, Size.MEDIUM, Size.SMALL, is_beside=True),
    Plan(Size.MEDIUM, Size.SMALL, Size.SMALL),
    Plan(Size.SMALL, Size.MEDIUM, Size.SMALL),
    Plan(Size.SMALL, Size.SMALL, Size.SMALL),
)


def draw_board(view: View, names: Sequence[str], language: str, marks: Marks, room: tuple[int, int]) -> Block:
    """Draw as generously as the room (columns, lines) allows; what does not fit even tightly is longer than it."""
    columns, lines = room
    pen = Pen(common(language), frozenset(unclear_faces(view)), marks)
    board = _Board(view, names, pen, columns)
    drawn = EMPTY
    for plan in PLANS:
        drawn = board.draw(plan)
        if drawn.width <= columns and drawn.height <= lines:
            return drawn
    return drawn


@dataclass(frozen=True)
class _Board:
    """A view being drawn; what was drawn for one plan serves the next."""

    view: View
    names: Sequence[str]
    pen: Pen
    columns: int
    _players: dict[tuple[int, Size], Block] = field(default_factory=dict)
    _commons: dict[Size, list[Block]] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """The words that belong to no game."""
        return self.pen.words

    @property
    def marks(self) -> Marks:
        """What stands out."""
        return self.pen.marks

    def draw(self, plan: Plan) -> Block:
        """Draw everything."""
        viewer = self.view.viewer
        is_seated = viewer >= 0  # else a spectator
        first = viewer + 1 if is_seated else 0
        seats = [(first + step) % self.view.seats for step in range(self.view.seats)]
        if plan.middle not in self._commons:
            self._commons[plan.middle] = self._zones(None, plan.middle)
        common_zones = self._commons[plan.middle]
        others = flowing([self._player(seat, plan.others) for seat in seats if seat != viewer], self.columns, gap=3)
        own = self._player(viewer, plan.own) if is_seated else EMPTY
        gap = 0 if plan.own is Size.SMALL else 1
        if plan.is_beside:
            return below([others, beside([own, flowing(common_zones, BESIDE_COLUMNS, gap=3)], gap=6)])
        middle = centred(flowing(common_zones, self.columns, gap=3), self.columns)
        return below([others, middle, own], gap)

    # People

    def _player(self, seat: int, size: Size) -> Block:
        if (seat, size) not in self._players:
            self._players[seat, size] = self._drawn_player(seat, size)
        return self._players[seat, size]

    def _drawn_player(self, seat: int, size: Size) -> Block:
        """Draw what belongs to somebody, under his name."""
        zones, head = self._zones(seat, size), self._head(seat)
        if all(zone.height == 1 for zone in zones):
            return flowing([head, *zones], self.columns, gap=2)
        return below([head, flowing(zones, self.columns, gap=2)])

    def _head(self, seat: int) -> Block:
        is_on_turn = seat == self.view.to_move
        name = shortened(self.names[seat], MAX_LABEL_LENGTH)
        points = self.words.say("terminal.points", n=self.view.scores[seat])
        turn = Run("▶ " if is_on_turn else "", "accent")
        return Block.of([[turn, Run(name, "turn" if is_on_turn else "name"), Run(f" {points}", "quiet")]])

    # Zones

    def _zones(self, owner: int | None, size: Size) -> list[Block]:
        """Draw what belongs to somebody, or to nobody."""
        zones = [zone for zone in self.view.zones if zone.owner == owner]
        labels = [zone.label if owner is None else self._short_label(zone.label, owner) for zone in zones]
        return [self._zone(zone, size, label) for zone, label in zip(zones, _told_once(labels), strict=True)]

    def _short_label(self, label: str, seat: int) -> str:
        """Return a zone's label without whose it is: that stands above it."""
        for pattern in self.words.say("zones.owner", name=self.names[seat]).split("|"):
            label = label.replace(pattern, "")
        return label[:1].upper() + label[1:]

    def _zone(self, zone: Zone, size: Size, label: str) -> Block:
        """Draw a zone with its label: above it, or before it in the smallest size."""
        is_inline = size is Size.SMALL and zone.kind not in ("grid", "board")
        body = self._body(zone, size)
        title = Block.text(shortened(label, MAX_LABEL_LENGTH), "quiet", zone.id)
        if zone.kind == "counter":
            return beside([title, Block.text(str(zone.count), "strong"), body])
        if is_inline:
            return beside([title, body]) if body.width + title.width < self.columns else below([title, body])
        if zone.kind in ("grid", "board") and size is Size.SMALL:
            return body
        return below([title, body])

    def _body(self, zone: Zone, size: Size) -> Block:
        if zone.kind in ("grid", "board") and zone.columns:
            return self._grid(zone, size)
        if zone.kind == "counter":
            return self._pieces(zone, Size.SMALL) if zone.pieces and size is not Size.SMALL else EMPTY
        if zone.kind == "stack":
            return self._stack(zone, size)
        if self._is_closed(zone):
            backs = BACK * min(len(zone.pieces), MAX_BACKS)
            return Block.of([[Run(backs, "back", zone.id), Run(f" {len(zone.pieces)}")]])
        return self._pieces(zone, size)

    def _is_closed(self, zone: Zone) -> bool:
        """Whether nothing of somebody else's hand is known or can be touched."""
        if zone.owner in (None, self.view.viewer):
            return False
        shown = {piece.id for piece in zone.pieces} & {*self.marks.picking.next, *self.marks.picking.picked}
        return bool(zone.pieces) and not shown and all(piece.face is None and not piece.colour for piece in zone.pieces)

    def _pieces(self, zone: Zone, size: Size) -> Block:
        """Draw pieces beside each other; a row's have their numbers below if they are named by them."""
        if not zone.pieces:
            return self._nothing(zone, size)
        size, width, gap = self._fitting(zone, size)
        last = zone.pieces[-1].id
        blocks = [self.pen.piece(piece, size, width, zone.id if piece.id == last else "") for piece in zone.pieces]
        numbers = [piece.id.rpartition(".")[2] for piece in zone.pieces]
        is_typed = size is not Size.SMALL or zone.owner == self.view.viewer
        if zone.kind == "row" and is_typed and all(number.isdecimal() for number in numbers):
            named = zip(blocks, numbers, strict=True)
            blocks = [below([block, Block.text(number.center(width), "quiet")]) for block, number in named]
        return flowing(blocks, self.columns, gap)

    def _fitting(self, zone: Zone, size: Size) -> tuple[Size, int, int]:
        """Return the largest size, up to the one asked for, in which the pieces fit into one line; width and gap."""
        least, count = self.pen.least_width(zone.pieces), len(zone.pieces)
        for smaller in [smaller for smaller in reversed(Size) if smaller <= size]:
            for width in (self.pen.width(zone.pieces, smaller), least):
                if count * (width + 1) - 1 <= self.columns:
                    return smaller, width, 1
        return Size.SMALL, least, 0

    def _nothing(self, zone: Zone, size: Size) -> Block:
        is_needed = zone.kind != "row" or zone.id in self.marks.picking.next
        if not is_needed:
            return Block.text(GAP, "quiet")
        return self.pen.block(zone.id, GAP, "slot", size, self.pen.width((), size))

    def _stack(self, zone: Zone, size: Size) -> Block:
        """Draw the top of a stack and how many lie in it."""
        count = len(zone.pieces) if zone.count is None else zone.count
        if zone.pieces:
            top = self.pen.piece(zone.pieces[-1], size, self.pen.width(zone.pieces[-1:], size), zone.id)
        elif count:
            top = self.pen.block(zone.id, BACK * 2, "back", size, self.pen.width((), size))
        else:
            top = self._nothing(zone, size)
        number = Block.text(f"×{count}", "quiet", zone.id)
        return beside([top, number]) if size is Size.SMALL else beside([top, below([Block.text(" "), number])])

    def _grid(self, zone: Zone, size: Size) -> Block:
        """Draw a grid between its letters and numbers."""
        width = self.pen.width(zone.pieces, size)
        rows = [zone.pieces[start : start + zone.columns] for start in range(0, len(zone.pieces), zone.columns)]
        drawn = [beside([self.pen.piece(piece, size, width) for piece in row]) for row in rows]
        heads = coordinates(zone)
        if heads is None:
            return below(drawn)
        letters, numbers = heads
        margin = max(len(number) for number in numbers)
        top = beside([Block.text(" " * margin), *(Block.text(letter.center(width), "quiet") for letter in letters)])
        sides = (self._side(number.rjust(margin), size) for number in numbers)
        return below([top, *(beside([side, row]) for side, row in zip(sides, drawn, strict=True))])

    @staticmethod
    def _side(number: str, size: Size) -> Block:
        blank = Block.text(" " * len(number))
        return below([*[blank] * (size // 2), Block.text(number, "quiet")])


def _told_once(labels: Sequence[str]) -> Iterator[str]:
    """Yield each label without the words it begins with like the one before: `Pile a`, `b`, `c`."""
    before = ""
    for label in labels:
        shared = shared_beginning([before, label]).rpartition(" ")[0]
        yield label[len(shared) :].lstrip()
        before = label
