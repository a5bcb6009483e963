"""What is written to the database and read from it, besides events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from tablee.tables.events import Claimed, Created, Ended, Forgotten, Left, PlayerRemoved, TableEvent

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

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.expected + len(self.events)

    @property
    def newcomers(self) -> set[str]:
        """The ids of people who sat down, or have a seat kept at a rematch."""
        kept = {person for event in self.events if isinstance(event, Created) for person, _ in event.kept if person}
        return kept | {event.person for event in self.events if isinstance(event, Claimed)}

    @property
    def changes_people(self) -> bool:
        """Whether a person sits down or leaves; at the end, for all of them."""
        return any(isinstance(event, CHANGES_OF_PEOPLE) for event in self.events)

    @property
    def ends_game(self) -> bool:
        """Whether the game ends."""
        return any(isinstance(event, Ended) for event in self.events)


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
