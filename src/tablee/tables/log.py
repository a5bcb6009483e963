"""A table's log: what happened, move by move, as one viewer may know it, in their language.

Moves are described by `Match.tell_events`, which gets what the viewer knew before and after; undone moves vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tablee.core.match import Match
from tablee.core.view import Event
from tablee.core.words import common
from tablee.protocol.shown import LogLine, LogPage
from tablee.tables.events import Created, EndAnswered, Moved, RoundEnded, Started, TableEvent, Undone
from tablee.tables.presentation import event_shown
from tablee.tables.table import Step, Table, replay_events


def event_lines(step: Step, viewer: int, language: str) -> tuple[LogLine, ...]:
    """Return the log lines of one event for a viewer (-1: a spectator)."""
    event, table = step
    if isinstance(event, Created) or (shown := event_shown(table, event, viewer)) is None:
        return ()
    if isinstance(event, Moved):
        assert table.match is not None
        events = table.match.tell_events(table.sight_before(viewer), table.sight(viewer), language)
        return _lines(events, table.number, table.moves)
    if isinstance(event, RoundEnded):
        text = common(language).say("table.round_ended", number=event.round)
        return _lines([Event("table.round_ended", text)], table.number, table.moves)
    key = shown.kind if not isinstance(event, EndAnswered) else "end_agreed" if event.agrees else "end_declined"
    name = table.seats[shown.seat].name if shown.seat is not None else ""
    text = common(language).say(f"table.{key}", name=name)
    lines = _lines([Event(f"table.{shown.kind}", text, shown.seat)], table.number, None)
    return (*lines, *_earlier_lines(table, viewer, language)) if isinstance(event, Started) else lines


def _lines(events: Sequence[Event], number: int, move: int | None) -> tuple[LogLine, ...]:
    return tuple(LogLine(number, each.code, each.text, move, each.seat, each.path) for each in events)


def _earlier_lines(table: Table, viewer: int, language: str) -> Iterator[LogLine]:
    """Yield the lines of moves that were made before the table began, in a fork or an imported record."""
    assert table.match is not None
    match = Match.from_state(table.match.game, table.match.first_state, table.match.players)
    for move in table.match.moves:
        match.push(move)
        yield from _lines(match.events(viewer, language), table.number, len(match.moves))


class TableLog:
    """The log of one table for one viewer and language, as far as event `number`."""

    def __init__(self, viewer: int, language: str) -> None:
        self.viewer = viewer
        self.language = language
        self.number = 0
        self._lines: list[LogLine] = []

    def add(self, step: Step, lines: Sequence[LogLine] | None = None) -> None:
        """Add the event that follows; `lines` are its lines, if they were made before."""
        assert step.table.number == self.number + 1
        self.number += 1
        if isinstance(step.event, Undone):
            self._lines = [line for line in self._lines if (line.move or 0) <= step.table.moves]
        self._lines += event_lines(step, self.viewer, self.language) if lines is None else lines

    def page(self, limit: int, before: int | None = None) -> LogPage:
        """Return at most `limit` lines: the last ones, or those before a line's index."""
        end = len(self._lines) if before is None else min(before, len(self._lines))
        first = max(0, end - limit)
        return LogPage(len(self._lines), first, tuple(self._lines[first:end]))


def build_log(table_id: str, events: Iterable[TableEvent], viewer: int, language: str) -> TableLog:
    """Return the log of a table from its events."""
    log = TableLog(viewer, language)
    for step in replay_events(table_id, events):
        log.add(step)
    return log
