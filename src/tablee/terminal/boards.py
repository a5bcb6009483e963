"""Boards of any game, drawn from the zones of a view: opponents above, common zones in the middle, own zones below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from tablee.core.words import Words, common
from tablee.terminal.blocks import EMPTY, Run, TextBlock, centre, flow, hstack, truncate, vstack
from tablee.terminal.display import PlayerStatus
from tablee.terminal.pieces import BACK, GAP, Highlights, PieceRenderer, Size
from tablee.terminal.text import ambiguous_faces, common_prefix, coordinates

if TYPE_CHECKING:
    from tablee.core.view import View, Zone

MAX_BACKS = 13  # card backs drawn for a hidden hand
MAX_LABEL_LENGTH = 30
COMMON_WIDTH = 30  # columns of the common zones beside the own zones


class BoardLayout(NamedTuple):
    """Sizes of the parts of a board."""

    own: Size
    common: Size
    opponents: Size
    is_beside: bool = False  # the common zones are to the right of the own zones, not above them


# From the largest to the smallest.
LAYOUTS = (
    BoardLayout(Size.HUGE, Size.HUGE, Size.LARGE),
    BoardLayout(Size.HUGE, Size.HUGE, Size.LARGE, is_beside=True),
    BoardLayout(Size.HUGE, Size.HUGE, Size.MEDIUM),
    BoardLayout(Size.HUGE, Size.HUGE, Size.MEDIUM, is_beside=True),
    BoardLayout(Size.HUGE, Size.LARGE, Size.MEDIUM),
    BoardLayout(Size.LARGE, Size.LARGE, Size.MEDIUM),
    BoardLayout(Size.LARGE, Size.LARGE, Size.MEDIUM, is_beside=True),
    BoardLayout(Size.HUGE, Size.HUGE, Size.SMALL),
    BoardLayout(Size.HUGE, Size.LARGE, Size.SMALL),
    BoardLayout(Size.LARGE, Size.HUGE, Size.SMALL),
    BoardLayout(Size.LARGE, Size.LARGE, Size.SMALL),
    BoardLayout(Size.LARGE, Size.MEDIUM, Size.SMALL),
    BoardLayout(Size.MEDIUM, Size.MEDIUM, Size.MEDIUM),
    BoardLayout(Size.MEDIUM, Size.MEDIUM, Size.MEDIUM, is_beside=True),
    BoardLayout(Size.MEDIUM, Size.MEDIUM, Size.SMALL),
    BoardLayout(Size.MEDIUM, Size.MEDIUM, Size.SMALL, is_beside=True),
    BoardLayout(Size.MEDIUM, Size.SMALL, Size.SMALL),
    BoardLayout(Size.SMALL, Size.MEDIUM, Size.SMALL),
    BoardLayout(Size.SMALL, Size.SMALL, Size.SMALL),
)


def draw_board(
    view: View, names: Sequence[str], language: str, highlights: Highlights, size: tuple[int, int]
) -> TextBlock:
    """Draw in the largest layout that fits into a size (columns, lines); the smallest may be higher than that."""
    return draw_fitting(view, names, language, highlights, size).block


class DrawnBoard(NamedTuple):
    """A board, and the index in `LAYOUTS` of its layout."""

    block: TextBlock
    layout: int


def draw_fitting(
    view: View,
    names: Sequence[str],
    language: str,
    highlights: Highlights,
    size: tuple[int, int],
    *,
    players: Sequence[PlayerStatus] = (),
    largest: int = 0,
) -> DrawnBoard:
    """Draw in the largest layout that fits into a size (columns, lines), from the index `largest` on."""
    columns, lines = size
    renderer = PieceRenderer(common(language), frozenset(ambiguous_faces(view)), highlights)
    board = _Board(view, names, players or [PlayerStatus()] * view.seats, renderer, columns)
    drawn = DrawnBoard(EMPTY, largest)
    for index in range(largest, len(LAYOUTS)):
        drawn = DrawnBoard(board.draw(LAYOUTS[index]), index)
        if drawn.block.width <= columns and drawn.block.height <= lines:
            break
    return drawn


@dataclass(frozen=True)
class _Board:
    """A view being drawn; parts are reused from one layout to the next."""

    view: View
    names: Sequence[str]
    players: Sequence[PlayerStatus]
    renderer: PieceRenderer
    columns: int
    _players: dict[tuple[int, Size], TextBlock] = field(default_factory=dict)
    _commons: dict[Size, list[TextBlock]] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """The common catalogue."""
        return self.renderer.words

    @property
    def highlights(self) -> Highlights:
        """What is highlighted."""
        return self.renderer.highlights

    def draw(self, layout: BoardLayout) -> TextBlock:
        """Draw the whole board."""
        viewer = self.view.viewer
        is_seated = viewer >= 0  # otherwise a spectator
        first = viewer + 1 if is_seated else 0
        seats = [(first + step) % self.view.seats for step in range(self.view.seats)]
        if layout.common not in self._commons:
            self._commons[layout.common] = self._zones(None, layout.common)
        common_zones = self._commons[layout.common]
        opponents = [self._player(seat, layout.opponents) for seat in seats if seat != viewer]
        top = flow(opponents, self.columns, gap=3)
        own = self._player(viewer, layout.own) if is_seated else EMPTY
        held = vstack(self._zones(viewer, layout.own, is_held=True)) if is_seated else EMPTY
        gap = 0 if layout.own is Size.SMALL else 1
        if layout.is_beside:
            beside = vstack([flow(common_zones, COMMON_WIDTH, gap=3), held])
            return vstack([top, hstack([own, beside], gap=6)])
        middle = centre(flow(common_zones, self.columns, gap=3), self.columns)
        return vstack([top, middle, hstack([own, held], gap=2)], gap)

    # Players

    def _player(self, seat: int, size: Size) -> TextBlock:
        if (seat, size) not in self._players:
            self._players[seat, size] = self._drawn_player(seat, size)
        return self._players[seat, size]

    def _drawn_player(self, seat: int, size: Size) -> TextBlock:
        """Draw the zones of a seat under the player's name; a bot's level where it needs no room of its own."""
        zones = self._zones(seat, size)
        plain, full = (self._with_head(self._head(seat, text), zones) for text in self._statuses(seat))
        return full if full.width <= plain.width and full.height <= plain.height else plain

    def _statuses(self, seat: int) -> tuple[str, str]:
        """Return what is written beside a name: what must be, and with the level."""
        player = self.players[seat]
        return replace(player, level="").notes, player.notes

    def _with_head(self, head: TextBlock, zones: Sequence[TextBlock]) -> TextBlock:
        if all(zone.height == 1 for zone in zones):
            return flow([head, *zones], self.columns, gap=2)
        return vstack([head, flow(zones, self.columns, gap=2)])

    def _head(self, seat: int, status: str) -> TextBlock:
        """Draw a player's name, points and status, and the card that another player holds: it comes and goes."""
        is_on_turn = seat == self.view.to_move
        name = truncate(self.names[seat], MAX_LABEL_LENGTH)
        points = self.words.say("terminal.points", n=self.view.scores[seat])
        note = f" · {status}" if status else ""
        turn = Run("▶ " if is_on_turn else "", "accent")
        head = TextBlock.of([[turn, Run(name, "turn" if is_on_turn else "name"), Run(f" {points}{note}", "quiet")]])
        held = (
            []
            if seat == self.view.viewer
            else [zone for zone in self.view.zones if zone.owner == seat and _is_held(zone)]
        )
        return hstack([head, *(self._pieces(zone, Size.SMALL) for zone in held)])

    # Zones

    def _zones(self, owner: int | None, size: Size, *, is_held: bool = False) -> list[TextBlock]:
        """Draw the zones of a seat, or the common zones (None): those of held cards, or all others."""
        zones = [zone for zone in self.view.zones if zone.owner == owner and _is_held(zone) is is_held]
        labels = [zone.label if owner is None else self._short_label(zone.label, owner) for zone in zones]
        return [
            self._zone(zone, size, label) for zone, label in zip(zones, _without_repeated_words(labels), strict=True)
        ]

    def _short_label(self, label: str, seat: int) -> str:
        """Return a zone's label without its owner, whose name is written above it."""
        for pattern in self.words.say("zones.owner", name=self.names[seat]).split("|"):
            label = label.replace(pattern, "")
        return label[:1].upper() + label[1:]

    def _zone(self, zone: Zone, size: Size, label: str) -> TextBlock:
        """Draw a zone with its label above it, or before it in the smallest size."""
        is_inline = size is Size.SMALL and zone.kind not in ("grid", "board")
        body = self._body(zone, size)
        title = TextBlock.text(truncate(label, MAX_LABEL_LENGTH), "quiet", zone.id)
        if zone.kind == "counter":
            return hstack([title, TextBlock.text(str(zone.count), "strong"), body])
        if is_inline:
            return hstack([title, body]) if body.width + title.width < self.columns else vstack([title, body])
        if zone.kind in ("grid", "board") and size is Size.SMALL:
            return body
        return vstack([title, body])

    def _body(self, zone: Zone, size: Size) -> TextBlock:
        if zone.kind in ("grid", "board") and zone.columns:
            return self._grid(zone, size)
        if zone.kind == "counter":
            return self._pieces(zone, Size.SMALL) if zone.pieces and size is not Size.SMALL else EMPTY
        if zone.kind == "stack":
            return self._stack(zone, size)
        if self._is_closed(zone):
            backs = BACK * min(len(zone.pieces), MAX_BACKS)
            return TextBlock.of([[Run(backs, "back", zone.id), Run(f" {len(zone.pieces)}")]])
        return self._pieces(zone, size)

    def _is_closed(self, zone: Zone) -> bool:
        """Whether this is an opponent's hand of which nothing is known and nothing can be selected."""
        if zone.owner in (None, self.view.viewer):
            return False
        selection = self.highlights.selection
        selectable = {piece.id for piece in zone.pieces} & {*selection.next, *selection.selected}
        return (
            bool(zone.pieces)
            and not selectable
            and all(piece.face is None and not piece.colour for piece in zone.pieces)
        )

    def _pieces(self, zone: Zone, size: Size) -> TextBlock:
        """Draw pieces in a row; numbers in their ids are written below them where moves refer to them."""
        if not zone.pieces:
            return self._empty(zone, size)
        size, width, gap = self._fitting(zone, size)
        last = zone.pieces[-1].id
        blocks = [self.renderer.piece(piece, size, width, zone.id if piece.id == last else "") for piece in zone.pieces]
        numbers = [piece.id.rpartition(".")[2] for piece in zone.pieces]
        is_numbered = size is not Size.SMALL or zone.owner == self.view.viewer
        if zone.kind == "row" and is_numbered and all(number.isdecimal() for number in numbers):
            numbered = zip(blocks, numbers, strict=True)
            blocks = [vstack([block, TextBlock.text(number.center(width), "quiet")]) for block, number in numbered]
        return flow(blocks, self.columns, gap)

    def _fitting(self, zone: Zone, size: Size) -> tuple[Size, int, int]:
        """Return the largest size up to `size` in which the pieces fit into one line, with width and gap in columns."""
        min_width, count = self.renderer.min_width(zone.pieces), len(zone.pieces)
        for smaller in [smaller for smaller in reversed(Size) if smaller <= size]:
            widths = [self.renderer.width(zone.pieces, smaller), min_width]
            for width in widths[:1] if smaller is Size.HUGE else widths:  # large numerals need their width
                if count * (width + 1) - 1 <= self.columns:
                    return smaller, width, 1
        return Size.SMALL, min_width, 0

    def _empty(self, zone: Zone, size: Size) -> TextBlock:
        if zone.kind == "row" and zone.id not in self.highlights.selection.next:
            return TextBlock.text(GAP, "quiet")
        return self.renderer.block(zone.id, GAP, "slot", size, self.renderer.width((), size))

    def _stack(self, zone: Zone, size: Size) -> TextBlock:
        """Draw the top of a stack and its size."""
        count = len(zone.pieces) if zone.count is None else zone.count
        if zone.pieces:
            top = self.renderer.piece(zone.pieces[-1], size, self.renderer.width(zone.pieces[-1:], size), zone.id)
        elif count:
            top = self.renderer.block(zone.id, BACK * 2, "back", size, self.renderer.width((), size))
        else:
            top = self._empty(zone, size)
        number = TextBlock.text(f"×{count}", "quiet", zone.id)
        return hstack([top, number]) if size is Size.SMALL else hstack([top, vstack([TextBlock.text(" "), number])])

    def _grid(self, zone: Zone, size: Size) -> TextBlock:
        """Draw a grid with column letters and row numbers."""
        width = self.renderer.width(zone.pieces, size)
        rows = [zone.pieces[start : start + zone.columns] for start in range(0, len(zone.pieces), zone.columns)]
        drawn = [hstack([self.renderer.piece(piece, size, width) for piece in row]) for row in rows]
        names = coordinates(zone)
        if names is None:
            return vstack(drawn)
        letters, numbers = names
        margin = max(len(number) for number in numbers)
        top = hstack(
            [TextBlock.text(" " * margin), *(TextBlock.text(letter.center(width), "quiet") for letter in letters)]
        )
        sides = (self._side(number.rjust(margin), size) for number in numbers)
        return vstack([top, *(hstack([side, row]) for side, row in zip(sides, drawn, strict=True))])

    @staticmethod
    def _side(number: str, size: Size) -> TextBlock:
        blank = TextBlock.text(" " * len(number))
        return vstack([*[blank] * (size // 2), TextBlock.text(number, "quiet")])


def _is_held(zone: Zone) -> bool:
    """Whether a zone is there only while a player holds a card in the hand."""
    return bool(zone.pieces) and all("held" in piece.marks for piece in zone.pieces)


def _without_repeated_words(labels: Sequence[str]) -> Iterator[str]:
    """Yield each label without the first words it shares with the label before: `Pile a`, `b`, `c`."""
    before = ""
    for label in labels:
        shared = common_prefix([before, label]).rpartition(" ")[0]
        yield label[len(shared) :].lstrip()
        before = label
