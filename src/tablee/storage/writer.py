"""Group commits: one thread writes, and requests that arrive during a commit share the next one.

Synchronous drivers in threads rather than asynchronous ones (docs/decisions/0010-one-writer-thread.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar, cast

import msgspec
from sqlalchemy import Connection, Engine, delete, insert, select, tuple_

from tablee.storage import schema
from tablee.storage.appearances import note_appearances
from tablee.storage.bulk import SKIP, insert_rows, update_all
from tablee.storage.chat import add_chat_lines
from tablee.storage.daily_results import count_tries
from tablee.storage.database import StoreError, notify, reason, writing
from tablee.storage.observer import WRITE, StoreObserver, observed
from tablee.storage.results import result_of
from tablee.storage.rows import Addition, ChatLine, NewChatLine
from tablee.storage.tallies import count_results
from tablee.tables.events import encode_event
from tablee.tables.table import OVER

MAX_GROUP = 200  # requests in one commit
# A commit costs ten times as much as one more request in it, so a busy writer waits for others to share it, as
# PostgreSQL does (commit_siblings, commit_delay). With few people nobody waits.
BUSY_GROUP = 3  # requests in the last commit from which on the next one waits
GATHER_SECONDS = 0.004
Result = TypeVar("Result")

_UPDATE_TABLES = update_all("id", ("phase", "updated_at", "summary", "wakes_at"))  # of a table that exists


class _AppendRequest(msgspec.Struct, frozen=True):
    addition: Addition
    new_tables: tuple[Addition, ...]
    result: asyncio.Future[bool]

    @property
    def additions(self) -> tuple[Addition, ...]:
        return (self.addition, *self.new_tables)

    @property
    def first(self) -> tuple[str, int]:
        """The table and the number of the first event, by which the request is refused if the table has one."""
        return self.addition.row.id, self.addition.expected + 1


class _ChatRequest(msgspec.Struct, frozen=True):
    line: NewChatLine
    result: asyncio.Future[ChatLine]


class _WorkRequest(msgspec.Struct, frozen=True):
    work: Callable[[Connection], Any]
    result: asyncio.Future[Any]


_Request = _AppendRequest | _ChatRequest | _WorkRequest


class Writer:
    """The thread that appends events and chat; nothing but a probe writes besides."""

    def __init__(self, engine: Engine, observer: StoreObserver) -> None:
        self.commits = 0
        self._observer = observer
        self._engine = writing(engine)
        self._requests: SimpleQueue[_Request | None] = SimpleQueue()  # None: stop
        self._thread: Thread | None = None

    @property
    def queued(self) -> int:
        """The number of requests that wait."""
        return self._requests.qsize()

    def start(self) -> None:
        """Start the thread."""
        self._thread = Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write what was requested, then stop."""
        if self._thread is not None:
            self._requests.put(None)
            self._thread.join()

    def append(self, addition: Addition, new_tables: tuple[Addition, ...]) -> asyncio.Future[bool]:
        """Append atomically; the result is False if the first table already has an event of that number."""
        result: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._requests.put(_AppendRequest(addition, new_tables, result))
        return result

    async def add_chat(self, line: NewChatLine) -> ChatLine:
        """Store a line of chat; return it with its number."""
        result: asyncio.Future[ChatLine] = asyncio.get_running_loop().create_future()
        self._requests.put(_ChatRequest(line, result))
        return await result

    async def run(self, work: Callable[[Connection], Result]) -> Result:
        """Do other work in a transaction; return its result."""
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._requests.put(_WorkRequest(work, result))
        return cast(Result, await result)

    def _run(self) -> None:
        group: list[_Request] = []
        while (request := self._requests.get()) is not None:
            if len(group) >= BUSY_GROUP:
                time.sleep(GATHER_SECONDS)
            group = [request]
            while len(group) < MAX_GROUP and not self._requests.empty():
                following = self._requests.get()
                if following is None:
                    self._requests.put(None)
                    break
                group.append(following)
            self._commit(group)

    def _commit(self, group: list[_Request]) -> None:
        """Commit a group; if the database refuses it, commit each request by itself, so that only the bad one fails."""
        results: list[Any] | StoreError
        try:
            results = self._write_group(group)
        except Exception as error:  # whatever fails must not end the thread: others wait for it
            if len(group) > 1:
                for request in group:
                    self._commit([request])
                return
            results = StoreError(f"the database refused: {reason(error)}")
        self.commits += 1
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            group[0].result.get_loop().call_soon_threadsafe(_set_results, group, results)

    def _write_group(self, group: list[_Request]) -> list[Any]:
        """Write a group in one transaction; return the result of each request."""
        appends = [request for request in group if isinstance(request, _AppendRequest)]
        chats = [request for request in group if isinstance(request, _ChatRequest)]
        with observed(self._observer, WRITE), self._engine.connect() as connection:
            accepted = iter(_append(connection, appends) if appends else ())
            lines = iter(add_chat_lines(connection, [request.line for request in chats]) if chats else ())
            done = iter([request.work(connection) for request in group if isinstance(request, _WorkRequest)])
            connection.commit()
        results = {_AppendRequest: accepted, _ChatRequest: lines, _WorkRequest: done}
        return [next(results[type(request)]) for request in group]


def _append(connection: Connection, requests: list[_AppendRequest]) -> list[bool]:
    """Append what fits, in a transaction that has written nothing yet; return which requests were accepted.

    Tables are written in the order of their ids, so that two processes cannot deadlock.
    """
    accepted = _without_rivals(sorted(requests, key=lambda request: request.addition.row.id))
    while not _insert_events(connection, [addition for request in accepted for addition in request.additions]):
        connection.rollback()
        refused, accepted = accepted, _without_taken(connection, accepted)
        if len(accepted) == len(refused):
            raise StoreError("a table has an event whose number is beyond its last one")
    _write_additions(connection, [addition for request in accepted for addition in request.additions])
    fitting = set(map(id, accepted))
    return [id(request) in fitting for request in requests]


def _without_rivals(requests: list[_AppendRequest]) -> list[_AppendRequest]:
    """Return the requests without those to a table that follow another one with an event of the same number."""
    last: dict[str, int] = {}  # by table, the number of the last event
    accepted = []
    for request in requests:
        table_id, number = request.first
        if number > last.get(table_id, 0):
            last[table_id] = request.addition.last
            accepted.append(request)
    return accepted


def _without_taken(connection: Connection, requests: list[_AppendRequest]) -> list[_AppendRequest]:
    """Return the requests without those to a table that already has an event of the first number."""
    key = tuple_(schema.events.c.table_id, schema.events.c.number)
    query = select(schema.events.c.table_id, schema.events.c.number).where(key.in_([each.first for each in requests]))
    taken = {(table_id, number) for table_id, number in connection.execute(query)}
    return [request for request in requests if request.first not in taken]


def _insert_events(connection: Connection, additions: list[Addition]) -> bool:
    """Insert all events; return False if a number was taken, and the transaction has to be rolled back."""
    rows = [
        (addition.row.id, number, encode_event(event))
        for addition in additions
        for number, event in enumerate(addition.events, addition.expected + 1)
    ]
    return insert_rows(connection, schema.events, rows, SKIP) == len(rows)


def _write_additions(connection: Connection, additions: list[Addition]) -> None:
    """Write the rows of tables, people and statistics after events that were inserted, and notify other processes."""
    rows = {addition.row.id: addition.row for addition in additions}  # the last one of each table
    insert_rows(connection, schema.tables, [msgspec.structs.astuple(row) for row in rows.values()], _UPDATE_TABLES)
    _write_people(connection, additions)
    _count_results(connection, additions)
    if connection.dialect.name == "postgresql" and additions:
        notify(connection, [f"{addition.row.id} {addition.last}" for addition in additions])


def _write_people(connection: Connection, additions: list[Addition]) -> None:
    """Replace the list of people at the tables where a person sat down or left, or the game ended."""
    changed = {addition.row.id: addition for addition in additions if addition.changes_people}
    if not changed:
        return
    connection.execute(delete(schema.people).where(schema.people.c.table_id.in_(list(changed))))
    people = [
        {"person": person, "table_id": row.id, "ended_at": row.updated_at if row.phase == OVER else None}
        for row, sitting in ((addition.row, addition.people) for addition in changed.values())
        for person in sorted(sitting)
    ]
    if people:
        connection.execute(insert(schema.people), people)
    note_appearances(connection, [(person, each.row.id) for each in changed.values() for person in each.newcomers])


def _count_results(connection: Connection, additions: list[Addition]) -> None:
    """Count the results of games that ended."""
    ended = [addition.row for addition in additions if addition.ends_game]
    counted = sorted(filter(None, map(result_of, ended)), key=lambda result: (result.at, result.table))
    if counted:
        count_results(connection, counted)
    count_tries(connection, ended)


def _set_results(group: list[_Request], results: list[Any] | StoreError) -> None:
    """Resolve the futures, in their event loop; cancelled ones are done already."""
    for index, request in enumerate(group):
        if request.result.done():
            continue
        if isinstance(results, StoreError):
            request.result.set_exception(results)
        else:
            request.result.set_result(results[index])
