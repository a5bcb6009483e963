"""The event store. One thread writes: what arrives while it commits goes into the next commit together.

Synchronous drivers in threads rather than asynchronous ones: a group of appends is then a few statements in one place,
without a switch of tasks between them, and both databases run the same code (docs/decisions/0010-one-writer-thread.md).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Any

from sqlalchemy import Connection, Engine, Select, bindparam, create_engine, delete, event, func, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from tablee.core.errors import TableeError
from tablee.storage import schema
from tablee.storage.migration import migrate
from tablee.tables.events import Claimed, Left, TableEvent, decode_event, encode_event

CHANNEL = "tablee"
MAX_GROUP = 200  # appends in one commit
MAX_CHAT_LINES = 200  # lines kept per table
MAX_LISTED = 100
MAX_RESULTS = 1_000
MAX_NOTICES = 100  # lines in one notification, which may have 8,000 bytes

# Statements of every commit, put together once: to do so takes longer than to carry them out.
_APPEND = insert(schema.events)
_CHANGE_ROW = schema.tables.update().where(schema.tables.c.id == bindparam("changed"))
_NOTIFY = text("SELECT pg_notify(:channel, :notices)")


class StoreError(TableeError):
    """The database did not answer, or refused; what was asked for may or may not have happened."""


@dataclass(frozen=True)
class TableRow:
    """What the lobby knows of a table without replaying it."""

    id: str
    game: str
    phase: str
    is_open: bool
    created_at: float
    updated_at: float
    summary: str


@dataclass(frozen=True)
class Addition:
    """Events to be appended to a table that has exactly `expected` of them."""

    row: TableRow
    expected: int
    events: Sequence[TableEvent]
    people: frozenset[str]

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.expected + len(self.events)

    @property
    def is_reseating(self) -> bool:
        """Whether somebody sits down or stands up."""
        return any(isinstance(fact, Claimed | Left) for fact in self.events)


@dataclass(frozen=True)
class ChatLine:
    """Something said at a table."""

    table_id: str
    number: int
    body: str


@dataclass(frozen=True)
class _Request:
    additions: tuple[Addition, ...]
    done: asyncio.Future[bool]


class Store:
    """All that is kept. `url` is a file for SQLite, or an address that SQLAlchemy understands."""

    def __init__(self, url: str) -> None:
        self.url = database_url(url)
        self.is_shared = self.url.startswith("postgresql")
        self.engine = _engine(self.url)
        self._requests: SimpleQueue[_Request | None] = SimpleQueue()
        self._writer: Thread | None = None
        self.groups = 0  # commits
        self.appends = 0

    def open(self) -> None:
        """Make or update the schema, and begin to write."""
        try:
            migrate(self.engine)
        except SQLAlchemyError as why:
            raise StoreError(f"the database cannot be used: {_first_line(why)}") from why
        self._writer = Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what was asked for, then stop."""
        if self._writer is not None:
            self._requests.put(None)
            self._writer.join()
        self.engine.dispose()

    # Append

    async def append(self, *additions: Addition) -> bool:
        """Append all or nothing, durably; False if a table has other events there already."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._requests.put(_Request(additions, done))
        return await done

    def _write(self) -> None:
        """Commit group after group until told to stop."""
        while (request := self._requests.get()) is not None:
            group = [request]
            while len(group) < MAX_GROUP and not self._requests.empty():
                another = self._requests.get()
                if another is None:
                    self._requests.put(None)
                    break
                group.append(another)
            self._commit(group)

    def _commit(self, group: list[_Request]) -> None:
        """Commit a group at once; if the database refuses, each alone, so that one cannot spoil the others."""
        answers: list[bool | StoreError]
        try:
            answers = [*self._append_all(group)]
        except SQLAlchemyError as why:
            if len(group) > 1:
                for request in group:
                    self._commit([request])
                return
            answers = [StoreError(f"the database refused: {_first_line(why)}")]
        self.groups += 1
        self.appends += len(group)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            group[0].done.get_loop().call_soon_threadsafe(_settle, group, answers)

    def _append_all(self, group: list[_Request]) -> list[bool]:
        """Append what fits, all with the same few statements.

        In the order of ids, so that two processes cannot wait for each other.
        """
        in_order = sorted(range(len(group)), key=lambda index: group[index].additions[0].row.id)
        with self.engine.begin() as connection:
            claimed = _claim_numbers(connection, [group[index].additions[0] for index in in_order])
            won = {index for index, is_claimed in zip(in_order, claimed, strict=True) if is_claimed}
            self._append_won(connection, [group[index].additions for index in in_order if index in won])
        return [index in won for index in range(len(group))]

    def _append_won(self, connection: Connection, won: list[tuple[Addition, ...]]) -> None:
        """Append to tables and, after each, to new ones that come of it; the first event of each is there."""
        additions = [addition for together in won for addition in together]
        rows = [row for first, *others in won for row in _unwritten_rows(first, others)]
        if rows:
            connection.execute(_APPEND, rows)
        _write_rows(connection, additions)
        _write_people(connection, additions)
        if self.is_shared and additions:
            _notify(connection, [f"{addition.row.id} {addition.last}" for addition in additions])

    # Read

    async def events(self, table_id: str, after: int = 0) -> list[TableEvent]:
        """Return a table's events after a number; none if there is no such table."""
        query = (
            select(schema.events.c.body)
            .where(schema.events.c.table_id == table_id, schema.events.c.number > after)
            .order_by(schema.events.c.number)
        )
        return [decode_event(body) for (body,) in await self._read(query)]

    async def open_tables(self) -> list[TableRow]:
        """Return the tables that anybody may see, newest first."""
        columns = schema.tables.c
        query = select(schema.tables).where(columns.is_open, columns.phase != "over")
        return await self._rows(query.order_by(columns.created_at.desc()).limit(MAX_LISTED))

    async def tables_of(self, person: str) -> list[TableRow]:
        """Return the tables where somebody sits, those in play first, newest first."""
        columns = schema.tables.c
        query = select(schema.tables).join(schema.people).where(schema.people.c.person == person)
        return await self._rows(query.order_by(columns.phase == "over", columns.updated_at.desc()).limit(MAX_LISTED))

    async def results_of(self, person: str) -> list[TableRow]:
        """Return the finished tables where somebody sat, newest first."""
        columns = schema.tables.c
        query = select(schema.tables).join(schema.people).where(schema.people.c.person == person)
        query = query.where(columns.phase == "over").order_by(columns.updated_at.desc())
        return await self._rows(query.limit(MAX_RESULTS))

    async def finished_since(self, at: float) -> list[TableRow]:
        """Return the finished tables where something has happened at this time or later, oldest first."""
        columns = schema.tables.c
        query = select(schema.tables).where(columns.phase == "over", columns.updated_at >= at)
        return await self._rows(query.order_by(columns.updated_at))

    async def count_unfinished(self, person: str) -> int:
        """Return at how many tables somebody sits that are not over."""
        query = (
            select(func.count())
            .select_from(schema.tables.join(schema.people))
            .where(schema.people.c.person == person, schema.tables.c.phase != "over")
        )
        return int((await self._read(query))[0][0])

    async def _rows(self, query: Select[Any]) -> list[TableRow]:
        return [TableRow(*row) for row in await self._read(query)]

    async def _read(self, query: Select[Any]) -> Sequence[Any]:
        return await asyncio.to_thread(self._read_now, query)

    def _read_now(self, query: Select[Any]) -> Sequence[Any]:
        try:
            with self.engine.connect() as connection:
                return connection.execute(query).all()
        except SQLAlchemyError as why:
            raise StoreError(f"the database did not answer: {_first_line(why)}") from why

    async def check(self) -> None:
        """See that the database answers."""
        await self._read(select(func.count()).select_from(schema.settings))

    def finished(self) -> list[TableRow]:
        """Return every table that is over, oldest first (for exports: this may be long)."""
        query = select(schema.tables).where(schema.tables.c.phase == "over").order_by(schema.tables.c.created_at)
        return [TableRow(*row) for row in self._read_now(query)]

    # Chat, which is no part of the truth: capped

    async def add_chat(self, table_id: str, body: str) -> ChatLine:
        """Keep a line, and forget the oldest beyond the cap."""
        return await asyncio.to_thread(self._add_chat, table_id, body)

    def _add_chat(self, table_id: str, body: str) -> ChatLine:
        columns = schema.chat.c
        try:
            with self.engine.begin() as connection:
                if self.is_shared:  # two processes may count at the same time
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lease_key(table_id) ^ 1})
                last = connection.execute(select(func.max(columns.number)).where(columns.table_id == table_id)).scalar()
                number = (last or 0) + 1
                connection.execute(insert(schema.chat).values(table_id=table_id, number=number, body=body))
                old = (columns.table_id == table_id) & (columns.number <= number - MAX_CHAT_LINES)
                connection.execute(delete(schema.chat).where(old))
                if self.is_shared:
                    _notify(connection, [f"{table_id} chat"])
        except SQLAlchemyError as why:
            raise StoreError(f"the database refused: {_first_line(why)}") from why
        return ChatLine(table_id, number, body)

    async def chat(self, table_id: str, after: int = 0, most: int = 100) -> list[ChatLine]:
        """Return the last lines said at a table, oldest first."""
        columns = schema.chat.c
        query = select(schema.chat).where(columns.table_id == table_id, columns.number > after)
        rows = await self._read(query.order_by(columns.number.desc()).limit(most))
        return [ChatLine(*row) for row in reversed(rows)]

    # Settings

    def secret(self) -> str:
        """Return the secret that cookies are signed with, drawn at the first start, the same for every process."""
        with self.engine.begin() as connection:
            drawn = {"name": "secret", "value": secrets.token_hex(32)}
            connection.execute(_insert_once(connection.dialect.name, schema.settings), drawn)
            found = select(schema.settings.c.value).where(schema.settings.c.name == "secret")
            return str(connection.execute(found).scalar_one())


def database_url(url: str) -> str:
    """Return an address for SQLAlchemy; what has no scheme is a file."""
    if "://" not in url:
        return f"sqlite:///{url}"
    scheme, rest = url.split("://", 1)
    return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else url


def lease_key(table_id: str) -> int:
    """Return the number that stands for a table among PostgreSQL's locks."""
    return int.from_bytes(table_id.encode()[-7:], "big") << 1


def _engine(url: str) -> Engine:
    if url.startswith("postgresql"):
        return create_engine(url, pool_size=6, max_overflow=4, pool_pre_ping=True)
    engine = create_engine(url, poolclass=QueuePool, pool_size=6, connect_args={"timeout": 30})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, not where sqlite3 guesses
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # a commit is on the disk when it returns
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _insert_once(dialect: str, table: Any) -> Any:
    return (postgresql if dialect == "postgresql" else sqlite).insert(table).on_conflict_do_nothing()


@cache
def _claim(dialect: str) -> Any:
    """Return the statement that appends events unless there are some of that number, and says which it appended."""
    columns = schema.events.c
    return _insert_once(dialect, schema.events).returning(columns.table_id, columns.number)


def _notify(connection: Connection, notices: list[str]) -> None:
    """Tell the other processes, once this is committed: a line per table."""
    for first in range(0, len(notices), MAX_NOTICES):
        lines = "\n".join(notices[first : first + MAX_NOTICES])
        connection.execute(_NOTIFY, {"channel": CHANNEL, "notices": lines})


def _settle(group: list[_Request], answers: list[bool | StoreError]) -> None:
    """Answer those who still wait."""
    for request, answer in zip(group, answers, strict=True):
        if request.done.done():
            continue
        if isinstance(answer, StoreError):
            request.done.set_exception(answer)
        else:
            request.done.set_result(answer)


def _event_row(addition: Addition, index: int) -> dict[str, Any]:
    body = encode_event(addition.events[index])
    return {"table_id": addition.row.id, "number": addition.expected + 1 + index, "body": body}


def _unwritten_rows(first: Addition, others: list[Addition]) -> list[dict[str, Any]]:
    rows = [_event_row(first, index) for index in range(1, len(first.events))]
    return rows + [_event_row(addition, index) for addition in others for index in range(len(addition.events))]


def _claim_numbers(connection: Connection, additions: list[Addition]) -> list[bool]:
    """Append the first event of each, unless the table has an event of that number."""
    rows = [_event_row(addition, 0) for addition in additions]
    written = {(table_id, number) for table_id, number in connection.execute(_claim(connection.dialect.name), rows)}
    won = []
    for row in rows:
        index = (row["table_id"], row["number"])
        won.append(index in written)
        written.discard(index)  # of several rivals, the first was written
    return won


def _write_rows(connection: Connection, additions: list[Addition]) -> None:
    """Keep the lobby's rows in step with the events."""
    new = [vars(addition.row) for addition in additions if addition.expected == 0]
    changed = [
        {"changed": row.id, "phase": row.phase, "updated_at": row.updated_at, "summary": row.summary}
        for row in (addition.row for addition in additions if addition.expected)
    ]
    if new:
        connection.execute(insert(schema.tables), new)
    if changed:
        connection.execute(_CHANGE_ROW, changed)


def _write_people(connection: Connection, additions: list[Addition]) -> None:
    """Note who sits where, if somebody has sat down or stood up."""
    reseated = {addition.row.id: addition for addition in additions if addition.is_reseating}
    if not reseated:
        return
    connection.execute(delete(schema.people).where(schema.people.c.table_id.in_(list(reseated))))
    seated = [
        {"person": person, "table_id": table_id}
        for table_id, addition in reseated.items()
        for person in sorted(addition.people)
    ]
    if seated:
        connection.execute(insert(schema.people), seated)


def _first_line(why: Exception) -> str:
    """Return what a database says, without the statement and its parameters, which may be secret."""
    return str(getattr(why, "orig", why)).splitlines()[0][:200]
