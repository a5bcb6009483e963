"""What is stored of people besides their tables: on which devices they are known, and how to delete them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from tablee.protocol.stored import StoredSummary, decode_summary, encode_summary
from tablee.storage import schema
from tablee.storage.appearances import tables_of_person
from tablee.storage.daily_results import erase_tries
from tablee.storage.store import Store
from tablee.tables.events import decode_event, encode_event
from tablee.tables.forgetting import without_person

# Tables whose rows belong to one person and are deleted with them
OWNED = (
    schema.people,
    schema.appearances,
    schema.results,
    schema.tallies,
    schema.encounters,
    schema.reviewed_games,
    schema.puzzle_attempts,
)
DELETED = 2**31 - 1  # the generation of a person who was deleted: no token is of a later one


@lru_cache(maxsize=4096)
def identity_key(person: str) -> str:
    """Return the hash under which a person is known here: their id is random, so that it tells nothing."""
    return hashlib.sha256(person.encode()).hexdigest()


@dataclass(frozen=True)
class StoredIdentity:
    """A row of the table `identities`."""

    key: str
    generation: int = 0
    contact: str = ""
    updated_at: float = 0.0


class IdentityStore:
    """Reads and writes identities; methods raise StoreError if the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def changed_since(self, at: float) -> list[StoredIdentity]:
        """Return the identities that changed at this time or later."""
        query = select(schema.identities).where(schema.identities.c.updated_at >= at)
        return [StoredIdentity(*row) for row in await self._store.read(query)]

    async def find(self, person: str) -> StoredIdentity:
        """Return what is stored of a person."""
        query = select(schema.identities).where(schema.identities.c.key == identity_key(person))
        rows = await self._store.read(query)
        return StoredIdentity(*rows[0]) if rows else StoredIdentity(identity_key(person))

    async def set_contact(self, person: str, contact: str) -> None:
        """Store where to tell a person that it is their turn; empty: nowhere."""
        await self._store.write(lambda connection: _save(connection, identity_key(person), contact=contact))

    async def raise_generation(self, person: str) -> int:
        """Make all tokens of a person void; return the generation of new ones."""
        return await self._store.write(lambda connection: _raise_generation(connection, identity_key(person)))

    async def add_transfer(self, code: str, person: str, token: str, expires_at: float) -> None:
        """Store a code, by its hash, in place of the person's earlier ones and of all that have expired."""
        columns = schema.transfers.c

        def work(connection: Connection) -> None:
            is_old = (columns.key == identity_key(person)) | (columns.expires_at < time.time())
            connection.execute(delete(schema.transfers).where(is_old))
            row = {"code": code, "key": identity_key(person), "token": token, "expires_at": expires_at}
            connection.execute(insert(schema.transfers).values(row))

        await self._store.write(work)

    async def take_transfer(self, code: str) -> str | None:
        """Return the token of a code, which is used up; None if it is unknown, used or too old."""
        columns = schema.transfers.c
        statement = delete(schema.transfers).where(columns.code == code).returning(columns.token, columns.expires_at)
        rows = await self._store.write(lambda connection: connection.execute(statement).all())
        return next((token for token, expires_at in rows if expires_at >= time.time()), None)

    async def erase(self, person: str) -> list[str]:
        """Delete everything about a person in one transaction; return the ids of tables whose events have changed.

        Their seats have to be given up before. What others wrote in a chat stays, even if it is about them.
        """
        changed = await self._store.write(lambda connection: _erase(connection, person))
        await self._store.vacuum_log()
        return changed


def _save(connection: Connection, key: str, **values: object) -> None:
    columns = schema.identities.c
    values = {**values, "updated_at": time.time()}
    if not connection.execute(update(schema.identities).where(columns.key == key).values(values)).rowcount:
        row = {"generation": 0, "contact": "", **values, "key": key}
        connection.execute(insert(schema.identities).values(row))


def _raise_generation(connection: Connection, key: str) -> int:
    query = select(schema.identities.c.generation).where(schema.identities.c.key == key)
    generation = (connection.execute(query).scalar() or 0) + 1
    _save(connection, key, generation=generation)
    return generation


def _erase(connection: Connection, person: str) -> list[str]:
    tables = tables_of_person(connection, person)
    for table_id in tables:
        names = _erase_events(connection, table_id, person)
        _erase_summary(connection, table_id, person)
        _erase_chat(connection, table_id, person, names)
    erase_tries(connection, person)
    for table in OWNED:
        connection.execute(delete(table).where(table.c.person == person))
    connection.execute(delete(schema.encounters).where(schema.encounters.c.other == person))
    connection.execute(delete(schema.ratings).where(schema.ratings.c.participant == person))
    connection.execute(delete(schema.transfers).where(schema.transfers.c.key == identity_key(person)))
    _save(connection, identity_key(person), generation=DELETED, contact="")
    return tables


def _erase_events(connection: Connection, table_id: str, person: str) -> set[str]:
    """Rewrite the events of a table that name a person; return the names they had there."""
    columns = schema.events.c
    query = select(columns.number, columns.body).where(columns.table_id == table_id).order_by(columns.number)
    rows = connection.execute(query).all()
    before = [decode_event(body) for _, body in rows]
    names = set()
    for (number, _), old, new in zip(rows, before, without_person(before, person), strict=True):
        if new != old:
            names.add(getattr(old, "name", ""))
            is_event = (columns.table_id == table_id) & (columns.number == number)
            connection.execute(update(schema.events).where(is_event).values(body=encode_event(new)))
    return names - {""}


def _erase_summary(connection: Connection, table_id: str, person: str) -> None:
    columns = schema.tables.c
    text = connection.execute(select(columns.summary).where(columns.id == table_id)).scalar()
    summary = decode_summary(text) if text is not None else StoredSummary()
    if person not in (*summary.people, *summary.kept_for):
        return
    owners = [{*pair} for pair in zip(summary.people, summary.kept_for or summary.people, strict=True)]
    seats = tuple(
        msgspec.structs.replace(seat, name="") if person in owner else seat
        for seat, owner in zip(summary.seats, owners, strict=True)
    )
    people, kept_for = (_blanked(ids, person) for ids in (summary.people, summary.kept_for))
    erased = msgspec.structs.replace(summary, seats=seats, people=people, kept_for=kept_for)
    connection.execute(update(schema.tables).where(columns.id == table_id).values(summary=encode_summary(erased)))


def _blanked(ids: Iterable[str], person: str) -> tuple[str, ...]:
    return tuple("" if each == person else each for each in ids)


def _erase_chat(connection: Connection, table_id: str, person: str, names: set[str]) -> None:
    """Delete a person's lines: by the key of the command, and older ones without a key by the name."""
    columns = schema.chat.c
    rows = connection.execute(select(columns.number, columns.body, columns.key).where(columns.table_id == table_id))
    own = [
        number
        for number, body, key in rows
        if key.startswith(f"{person}/") or (not key and msgspec.json.decode(body).get("name") in names)
    ]
    if own:
        connection.execute(delete(schema.chat).where(columns.table_id == table_id, columns.number.in_(own)))
