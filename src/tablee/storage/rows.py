"""What is written to the database and read from it, besides events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from tablee.tables.events import Claimed, Created, Ended, Forgotten, Left, PlayerRemoved, TableEvent, encode_event

# Events after which other people are at a table; at the end, for all of them.
CHANGES_OF_PEOPLE = (Claimed, Left, PlayerRemoved, Forgotten, Ended)


class TableRow(msgspec.Struct, frozen=True, gc=False):
    """What the lobby shows of a table, kept with its events so that nothing has to be replayed: a row of `tables`."""

    id: str
    game: str
    phase: str
    is_open: bool
    created_at: float
    updated_at: float
    summary: str  # a StoredSummary as JSON
    wakes_at: float | None = None  # when the table goes on by itself: a clock or rest runs out, or a bot is to move


class Addition(msgspec.Struct, frozen=True, gc=False):
    """Events to append to a table that has exactly `expected` of them, and its new row."""

    row: TableRow
    expected: int
    events: Sequence[TableEvent]
    people: frozenset[str]  # ids of the people at the table afterwards


class PlainAddition(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An addition in plain values, as it is written to the database and sent to the process that writes."""

    row: TableRow
    expected: int
    bodies: tuple[str, ...]  # the encoded events
    people: tuple[str, ...] | None  # ids of the people at the table, if that changes; at the end, all of them
    newcomers: tuple[str, ...]  # ids of people who sat down, or have a seat kept at a rematch
    ends_game: bool

    @property
    def first(self) -> tuple[str, int]:
        """The table and the number of the first event, by which the addition is refused if the table has one."""
        return self.row.id, self.expected + 1

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.expected + len(self.bodies)


# An addition to a table and those that make the new tables that come of it: written together or not at all.
Append = tuple[PlainAddition, ...]


def plain_addition(addition: Addition) -> PlainAddition:
    """Return an addition in plain values."""
    events = addition.events
    changes_people = any(isinstance(event, CHANGES_OF_PEOPLE) for event in events)
    return PlainAddition(
        addition.row,
        addition.expected,
        tuple(map(encode_event, events)),
        tuple(sorted(addition.people)) if changes_people else None,
        _newcomers(events) if changes_people else (),
        changes_people and any(isinstance(event, Ended) for event in events),
    )


def _newcomers(events: Sequence[TableEvent]) -> tuple[str, ...]:
    kept = {person for event in events if isinstance(event, Created) for person, _ in event.kept if person}
    return tuple(sorted(kept | {event.person for event in events if isinstance(event, Claimed)}))


@dataclass(frozen=True)
class ChatLine:
    """A chat message at a table; `number` counts the table's messages from 1."""

    table_id: str
    number: int
    body: str


@dataclass(frozen=True)
class NewChatLine:
    """A chat message to store, with the key of its command; empty: it is never sent again."""

    table_id: str
    body: str
    key: str = ""
