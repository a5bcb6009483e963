"""The event store: events, the lobby's rows, chat and the server's secret."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, func, select
from sqlalchemy.exc import SQLAlchemyError

from tablee.storage import schema
from tablee.storage.database import (
    StoreError,
    connect,
    database_url,
    insert_if_absent,
    insert_or_update,
    is_postgresql,
    reason,
    sender_of,
    truncate_log,
    usable,
    writing,
)
from tablee.storage.observer import PROBE, READ, StoreObserver, Unobserved, observed
from tablee.storage.rows import Addition, ChatLine, NewChatLine, TableRow
from tablee.storage.tallies import Statistics, read_statistics
from tablee.storage.writer import Result, Writer
from tablee.storage.writer_process import WriterProcess, can_help
from tablee.tables.events import TableEvent, decode_event

MAX_CHAT_LINES_READ = 100
MAX_LISTED = 100  # tables in one list of the lobby

Answer = TypeVar("Answer")


class Store:
    """A database of tables. `url` is a SQLite file, or a URL that SQLAlchemy understands.

    `is_shared` says whether other processes may write to it. Methods raise StoreError if the database fails; `observer`
    is told about every success and failure. With `uses_process`, as in a server, a process of its own may append.
    """

    def __init__(self, url: str, observer: StoreObserver | None = None, *, uses_process: bool = False) -> None:
        self.url = database_url(url)
        self.observer: StoreObserver = observer or Unobserved()
        self.is_shared = is_postgresql(self.url)
        self.engine = connect(self.url)
        is_helped = uses_process and can_help(self.url)
        process = WriterProcess(self.url, sender_of(self.engine), self.observer) if is_helped else None
        self._writer = Writer(self.engine, self.observer, process)

    def open(self) -> None:
        """Create or migrate the schema, and start the writer."""
        from tablee.storage.migration import migrate  # with Alembic, which the process that writes does without

        migrate(self.engine)
        self._writer.start()

    def close(self) -> None:
        """Finish the requested writes and close all connections."""
        self._writer.stop()
        self.engine.dispose()

    @property
    def commits(self) -> int:
        """The number of commits so far; several requests can share one."""
        return self._writer.commits

    @property
    def queued(self) -> int:
        """The number of appends that wait to be written."""
        return self._writer.queued

    # Events

    async def append(self, addition: Addition, *new_tables: Addition) -> bool:
        """Append to a table and create tables that follow from it, all or nothing.

        Returns True when it is durable, False if the table already has an event of that number.
        """
        return await self._writer.append(addition, new_tables)

    async def events(self, table_id: str, after: int = 0) -> list[TableEvent]:
        """Return a table's events after event number `after`; none if there is no such table."""
        query = (
            select(schema.events.c.body)
            .where(schema.events.c.table_id == table_id, schema.events.c.number > after)
            .order_by(schema.events.c.number)
        )
        return [decode_event(body) for (body,) in await self.read(query)]

    # Rows of tables

    async def open_tables(self, limit: int = MAX_LISTED) -> list[TableRow]:
        """Return the public tables that are not over, newest first."""
        query = select(schema.tables).where(schema.IS_UNFINISHED)
        return await self._read_rows(query.order_by(schema.tables.c.created_at.desc()).limit(limit))

    async def tables_of(self, person: str) -> list[TableRow]:
        """Return a person's tables: first those that are not over, by last change, then the others, newest first."""
        people = schema.people.c
        query = select(schema.tables).join(schema.people).where(people.person == person)
        unfinished = query.where(people.ended_at.is_(None)).order_by(schema.tables.c.updated_at.desc())
        rows = await self._read_rows(unfinished.limit(MAX_LISTED))
        finished = query.where(people.ended_at.is_not(None)).order_by(people.ended_at.desc())
        return rows + await self._read_rows(finished.limit(MAX_LISTED - len(rows)))

    async def statistics(self, person: str) -> list[Statistics]:
        """Return what is kept about a person, one per game they have played."""
        return await asyncio.to_thread(self._connected, lambda connection: read_statistics(connection, person))

    async def due_tables(self, after: float, until: float) -> list[tuple[str, float]]:
        """Return tables that should have gone on by themselves between two times, and when; the earliest first."""
        columns = schema.tables.c
        query = select(columns.id, columns.wakes_at).where(columns.wakes_at > after, columns.wakes_at <= until)
        return [(row.id, row.wakes_at) for row in await self.read(query.order_by(columns.wakes_at).limit(MAX_LISTED))]

    async def count_unfinished(self, person: str) -> int:
        """Return the number of a person's tables that are not over."""
        people = schema.people.c
        query = select(func.count()).select_from(schema.people)
        return int((await self.read(query.where(people.person == person, people.ended_at.is_(None))))[0][0])

    def finished(self) -> list[TableRow]:
        """Return every table that is over, oldest first; for exports, as it can be long and blocks."""
        query = select(schema.tables).where(schema.tables.c.phase == "over").order_by(schema.tables.c.created_at)
        return [TableRow(*row) for row in self._execute(query)]

    # Chat, which is not part of a table's events, and limited in length

    async def add_chat(self, table_id: str, body: str, key: str = "") -> ChatLine:
        """Store a chat message, once for each key that is not empty; return the stored line when it is durable."""
        return await self._writer.add_chat(NewChatLine(table_id, body, key))

    async def chat(self, table_id: str, after: int = 0) -> list[ChatLine]:
        """Return the last chat messages of a table after message number `after`, oldest first."""
        columns = schema.chat.c
        query = select(columns.table_id, columns.number, columns.body)
        query = query.where(columns.table_id == table_id, columns.number > after)
        rows = await self.read(query.order_by(columns.number.desc()).limit(MAX_CHAT_LINES_READ))
        return [ChatLine(*row) for row in reversed(rows)]

    # Settings

    def secret(self, name: str = "secret") -> str:
        """Return a secret, by default what cookies are signed with; the first process to ask draws it for all."""
        with usable(self.engine), writing(self.engine).begin() as connection:
            drawn = {"name": name, "value": secrets.token_hex(32)}
            connection.execute(insert_if_absent(connection.dialect.name, schema.settings), drawn)
            query = select(schema.settings.c.value).where(schema.settings.c.name == name)
            return str(connection.execute(query).scalar_one())

    # Queries

    def probe(self) -> None:
        """Write a row and commit, as an append does; raise StoreError if that fails. It blocks."""
        row = {"name": "probed_at", "value": str(time.time())}
        try:
            with observed(self.observer, PROBE), writing(self.engine).begin() as connection:
                connection.execute(insert_or_update(connection.dialect.name, schema.settings, "value"), row)
        except SQLAlchemyError as error:
            raise StoreError(f"the database refused: {reason(error)}") from error

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do work in a transaction of the writer; return its result when it is durable."""
        return await self._writer.run(work)

    async def vacuum_log(self) -> None:
        """Remove from the file what was written before the last transaction and is deleted."""
        await asyncio.to_thread(truncate_log, self.engine)

    async def _read_rows(self, query: Select[Any]) -> list[TableRow]:
        return [TableRow(*row) for row in await self.read(query)]

    async def read(self, query: Select[Any]) -> Sequence[Any]:
        """Return the rows of a query, made in a thread."""
        return await asyncio.to_thread(self._execute, query)

    def _execute(self, query: Select[Any]) -> Sequence[Any]:
        return self._connected(lambda connection: connection.execute(query).all())

    def _connected(self, read: Callable[[Connection], Answer]) -> Answer:
        """Read with a connection of its own; it blocks."""
        try:
            with observed(self.observer, READ), self.engine.connect() as connection:
                return read(connection)
        except SQLAlchemyError as error:
            raise StoreError(f"the database did not answer: {reason(error)}") from error
