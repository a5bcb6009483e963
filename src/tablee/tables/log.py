"""A table's log: what happened, move by move, as one viewer may know it, in their language.

Moves are described by `Match.tell_events`, which gets what the viewer knew before and after; undone moves vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tablee.bots.roster import bot_label
from tablee.core.match import Match
from tablee.core.view import Event
from tablee.core.words import common
from tablee.protocol.shown import FinishedRound, LogLine, LogPage
from tablee.tables.decisions import is_rest_due
from tablee.tables.events import (
    EXPIRED,
    LESSON,
    Advanced,
    BotChanged,
    BotSeated,
    Claimed,
    Created,
    EndAnswered,
    Ended,
    Forgotten,
    Left,
    Moved,
    PlayerRemoved,
    Renamed,
    RestEnded,
    Retried,
    RoundEnded,
    SetupChanged,
    Started,
    TableEvent,
    Undone,
)
from tablee.tables.evolution import replay_events
from tablee.tables.presentation import event_shown
from tablee.tables.table import Step, Table

_END_KEYS = {LESSON: "lesson_over", EXPIRED: EXPIRED}
UNLOGGED = (Created, Renamed, Forgotten, Advanced, Retried)
TAKING_BACK = (Undone, Retried)  # moves, with their lines


def event_lines(step: Step, viewer: int, language: str) -> tuple[LogLine, ...]:
    """Return the log lines of one event for a viewer (-1: a spectator)."""
    event, table = step
    if isinstance(event, Moved):
        assert table.match is not None
        events = table.match.tell_events(table.sight_before(viewer), table.sight(viewer), language)
        shown_now = events[: _next_round_index(events)] if is_rest_due(table) else events
        return _lines(shown_now, table.number, table.moves)
    if isinstance(event, UNLOGGED) or (shown := event_shown(table, event, viewer)) is None:
        return ()
    if isinstance(event, RoundEnded):
        text = common(language).say("table.round_ended", number=event.round)
        return _lines([Event("table.round_ended", text)], table.number, table.moves)
    key = _key(event, shown.kind)
    text = common(language).say(
        f"table.{key}", name=_name(event, table, shown.seat, language), level=_level(event, language)
    )
    lines = _lines([Event(f"table.{shown.kind}", text, shown.seat)], table.number, None)
    if isinstance(event, RestEnded):
        return (*lines, *_next_round_lines(table, viewer, language))
    return (*lines, *_earlier_lines(table, viewer, language)) if isinstance(event, Started) else lines


def _key(event: TableEvent, kind: str) -> str:
    """Return the key of the sentence about an event, in the section `table` of the words."""
    if isinstance(event, EndAnswered):
        return "end_agreed" if event.agrees else "end_declined"
    return _END_KEYS.get(event.reason, kind) if isinstance(event, Ended) else kind


def _next_round_index(events: Sequence[Event]) -> int:
    """Return the index of the first event of the next round."""
    return next((index for index, event in enumerate(events) if event.begins_round), len(events))


def _next_round_lines(table: Table, viewer: int, language: str) -> tuple[LogLine, ...]:
    """Return what the move before the rest has begun: it is told after the rest."""
    assert table.match is not None
    events = table.match.events(viewer, language) if table.match.has_just_finished_round else []
    return _lines(events[_next_round_index(events) :], table.number, table.moves)


def finished_round(match: Match, viewer: int, language: str) -> FinishedRound | None:
    """Return the round that the last move of a match has ended, None if it has ended none."""
    if not match.has_just_finished_round:
        return None
    view = match.round_view(viewer, language)
    assert view.round is not None
    return FinishedRound(view.round.number, len(match.moves), view.prompt, view.round.scores)


def ended_round(step: Step, viewer: int, language: str) -> FinishedRound | None:
    """Return the round that an event has ended, None if it has ended none."""
    match = step.table.match
    return finished_round(match, viewer, language) if match is not None and isinstance(step.event, Moved) else None


def _name(event: TableEvent, table: Table, seat: int | None, language: str) -> str:
    """Return the name of who did something; of a person who is gone, from the event."""
    if isinstance(event, Left | PlayerRemoved) and event.name:
        return event.name
    if isinstance(event, SetupChanged):
        seat = table.host  # whose seat may have moved up
    if seat is None:
        return ""
    return table.seats[seat].name or common(language).say("seat", number=seat + 1)


def _level(event: TableEvent, language: str) -> str:
    return bot_label(event.bot, common(language)) if isinstance(event, BotSeated | BotChanged) else ""


def _lines(events: Sequence[Event], number: int, move: int | None) -> tuple[LogLine, ...]:
    return tuple(LogLine(number, each.code, each.text, move, each.seat, each.path) for each in events)


def _earlier_lines(table: Table, viewer: int, language: str) -> Iterator[LogLine]:
    """Yield the lines of moves that were made before the table began, in a fork or an imported record."""
    assert table.match is not None
    for earlier in _earlier_positions(table.match):
        yield from _lines(earlier.events(viewer, language), table.number, len(earlier.moves))


def _earlier_positions(match: Match) -> Iterator[Match]:
    """Yield a match after each of its moves; the same object."""
    earlier = Match.from_state(match.game, match.first_state, match.players)
    for move in match.moves:
        earlier.push(move)
        yield earlier


def with_last_names(events: Sequence[TableEvent]) -> Sequence[TableEvent]:
    """Return events as if people who were renamed later had had their last names from the start."""
    if not any(isinstance(event, Renamed) for event in events):
        return events
    names: dict[int, str] = {}  # of a seat, from here to where its person takes it
    named: list[TableEvent] = []
    for event in reversed(events):
        if isinstance(event, Renamed):
            names.setdefault(event.seat, event.name)
        elif isinstance(event, Claimed) and event.seat in names:
            event = msgspec.structs.replace(event, name=names.pop(event.seat))
        named.append(event)
    return named[::-1]


class TableLog:
    """The log and the score sheet of one table for one viewer and language, as far as event `number`."""

    def __init__(self, viewer: int, language: str) -> None:
        self.viewer = viewer
        self.language = language
        self.number = 0
        self._lines: list[LogLine] = []
        self.rounds: list[FinishedRound] = []

    def add(self, step: Step, lines: Sequence[LogLine] | None = None) -> None:
        """Add the event that follows; `lines` are its lines, if they were made before."""
        assert step.table.number == self.number + 1
        self.number += 1
        if isinstance(step.event, TAKING_BACK):
            self._lines = [line for line in self._lines if (line.move or 0) <= step.table.moves]
            self.rounds = [each for each in self.rounds if each.moves <= step.table.moves]
        self._add_rounds(step)
        self._lines += event_lines(step, self.viewer, self.language) if lines is None else lines

    def _add_rounds(self, step: Step) -> None:
        """Add the round that a move has ended, or those of the moves that were made before the table began."""
        match = step.table.match
        if isinstance(step.event, Moved):
            ended = [ended_round(step, self.viewer, self.language)]
        elif isinstance(step.event, Started) and match is not None:
            ended = [finished_round(each, self.viewer, self.language) for each in _earlier_positions(match)]
        else:
            return
        self.rounds += filter(None, ended)

    def page(self, limit: int, before: int | None = None) -> LogPage:
        """Return at most `limit` lines: the last ones, or those before a line's index."""
        end = len(self._lines) if before is None else min(before, len(self._lines))
        first = max(0, end - limit)
        return LogPage(len(self._lines), first, tuple(self._lines[first:end]), tuple(self.rounds))


def build_log(table_id: str, events: Sequence[TableEvent], viewer: int, language: str) -> TableLog:
    """Return the log of a table from its events."""
    log = TableLog(viewer, language)
    for step in replay_events(table_id, with_last_names(events)):
        log.add(step)
    return log
