"""Stored events without a person: who they were is replaced, what happened stays."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tablee.tables.events import Claimed, Created, Left, PlayerRemoved, Renamed, TableEvent

NOBODY = "-"  # in place of the id of a person who was deleted; people's ids never look like this


def without_person(events: Iterable[TableEvent], person: str) -> list[TableEvent]:
    """Return a table's events without a person's id and names; people without a name are called by their seat."""
    own_seats: set[int] = set()  # which the person holds, or has left to a bot
    return [_anonymous(event, person, own_seats) for event in events]


def _anonymous(event: TableEvent, person: str, own_seats: set[int]) -> TableEvent:
    if event.key.startswith(f"{person}/"):
        event = msgspec.structs.replace(event, key=event.key.replace(person, NOBODY, 1))
    if isinstance(event, Created):
        kept = tuple((NOBODY, "") if seat[0] == person else seat for seat in event.kept)
        return msgspec.structs.replace(event, kept=kept)
    if isinstance(event, Claimed):
        own_seats.discard(event.seat)
        if event.person != person:
            return event
        own_seats.add(event.seat)
        return msgspec.structs.replace(event, person=NOBODY, name="")
    if isinstance(event, PlayerRemoved) and event.person == person:
        return msgspec.structs.replace(event, person=NOBODY, name="")
    if isinstance(event, Renamed | Left) and event.seat in own_seats:
        return msgspec.structs.replace(event, name="")
    return event
