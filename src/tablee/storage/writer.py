"""Group commits: one thread writes, and requests that arrive during a commit share the next one.

Synchronous drivers in threads rather than asynchronous ones (docs/decisions/0010-one-writer-thread.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypedDict, TypeVar, cast

from sqlalchemy import Connection, Engine, bindparam, delete, insert

from tablee.storage import schema
from tablee.storage.appearances import note_appearances
from tablee.storage.chat import add_chat_lines
from tablee.storage.daily_results import count_tries
from tablee.storage.database import StoreError, insert_if_absent, notify, reason, writing
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

# Built once: SQLAlchemy takes longer to build a statement than to execute it.
_INSERT_EVENTS = insert(schema.events)
_INSERT_TABLES = insert(schema.tables)
_UPDATE_TABLE = schema.tables.update().where(schema.tables.c.id == bindparam("updated_id"))


class EventRow(TypedDict):
    """A row of the table `events`."""

    table_id: str
    number: int
    body: str


@dataclass(frozen=True)
class _AppendRequest:
    addition: Addition
    new_tables: tuple[Addition, ...]
    result: asyncio.Future[bool]

    @property
    def additions(self) -> tuple[Addition, ...]:
        return (self.addition, *self.new_tables)


@dataclass(frozen=True)
class _ChatRequest:
    line: NewChatLine
    result: asyncio.Future[ChatLine]


@dataclass(frozen=True)
class _WorkRequest:
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

    async def append(self, addition: Addition, new_tables: tuple[Addition, ...]) -> bool:
        """Append atomically; return False if the first table already has an event of that number."""
        result: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._requests.put(_AppendRequest(addition, new_tables, result))
        return await result

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
        with observed(self._observer, WRITE), self._engine.begin() as connection:
            accepted = iter(_append(connection, appends) if appends else ())
            lines = iter(add_chat_lines(connection, [request.line for request in chats]) if chats else ())
            done = iter([request.work(connection) for request in group if isinstance(request, _WorkRequest)])
        results = {_AppendRequest: accepted, _ChatRequest: lines, _WorkRequest: done}
        return [next(results[type(request)]) for request in group]


def _append(connection: Connection, requests: list[_AppendRequest]) -> list[bool]:
    """Append what fits; return which requests were accepted.

    Tables are written in the order of their ids, so that two processes cannot deadlock.
    """
    order = sorted(range(len(requests)), key=lambda index: requests[index].addition.row.id)
    inserted = _insert_first_events(connection, [requests[index].addition for index in order])
    accepted = {index for index, is_inserted in zip(order, inserted, strict=True) if is_inserted}
    _append_accepted(connection, [requests[index] for index in order if index in accepted])
    return [index in accepted for index in range(len(requests))]


def _insert_first_events(connection: Connection, additions: list[Addition]) -> list[bool]:
    """Insert the first event of each addition; False where the table already has an event of that number."""
    rows = [_event_row(addition, 0) for addition in additions]
    statement = _insert_if_number_is_free(connection.dialect.name)
    inserted = {(table_id, number) for table_id, number in connection.execute(statement, rows)}
    results = []
    for row in rows:
        key = (row["table_id"], row["number"])
        results.append(key in inserted)
        inserted.discard(key)  # of several additions to one table, the first was inserted
    return results


@cache
def _insert_if_number_is_free(dialect: str) -> Any:
    columns = schema.events.c
    return insert_if_absent(dialect, schema.events).returning(columns.table_id, columns.number)


def _append_accepted(connection: Connection, requests: list[_AppendRequest]) -> None:
    """Insert all but the first event of each request, and update rows, people and statistics."""
    rows = [row for request in requests for row in _remaining_rows(request)]
    additions = [addition for request in requests for addition in request.additions]
    if rows:
        connection.execute(_INSERT_EVENTS, rows)
    _write_tables(connection, additions)
    _write_people(connection, additions)
    _count_results(connection, additions)
    if connection.dialect.name == "postgresql" and additions:
        notify(connection, [f"{addition.row.id} {addition.last}" for addition in additions])


def _remaining_rows(request: _AppendRequest) -> list[EventRow]:
    rows = [_event_row(request.addition, index) for index in range(1, len(request.addition.events))]
    return rows + [_event_row(new, index) for new in request.new_tables for index in range(len(new.events))]


def _event_row(addition: Addition, index: int) -> EventRow:
    body = encode_event(addition.events[index])
    return {"table_id": addition.row.id, "number": addition.expected + 1 + index, "body": body}


def _write_tables(connection: Connection, additions: list[Addition]) -> None:
    """Insert the rows of new tables and update those of the others."""
    new = [vars(addition.row) for addition in additions if addition.expected == 0]
    updated = [
        {
            "updated_id": row.id,
            "phase": row.phase,
            "updated_at": row.updated_at,
            "summary": row.summary,
            "wakes_at": row.wakes_at,
        }
        for row in (addition.row for addition in additions if addition.expected)
    ]
    if new:
        connection.execute(_INSERT_TABLES, new)
    if updated:
        connection.execute(_UPDATE_TABLE, updated)


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
