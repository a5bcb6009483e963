"""Group commits: one thread writes, and requests that arrive during a commit share the next one.

Synchronous drivers in threads rather than asynchronous ones (docs/decisions/0010-one-writer-thread.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar, cast

import msgspec
from sqlalchemy import Connection, Engine

from tablee.storage.appends import write_appends
from tablee.storage.chat import add_chat_lines
from tablee.storage.database import StoreError, reason, writing
from tablee.storage.observer import WRITE, StoreObserver, observed
from tablee.storage.rows import Addition, Append, ChatLine, NewChatLine, plain_addition
from tablee.storage.writer_process import WriterProcess

MAX_GROUP = 200  # requests in one commit
# A commit costs ten times as much as one more request in it, so a busy writer waits for others to share it, as
# PostgreSQL does (commit_siblings, commit_delay). With few people nobody waits.
BUSY_GROUP = 3  # requests in the last commit from which on the next one waits
GATHER_SECONDS = 0.004
# A process that writes leaves the GIL to the event loop. It needs memory and a core: a server with few moves has none.
BUSY_RATE = 300.0  # requests per second that the thread can write by itself
BUSY_EXCESS = 1000.0  # requests beyond, with which the process is started
Result = TypeVar("Result")


class _AppendRequest(msgspec.Struct, frozen=True):
    additions: tuple[Addition, ...]
    result: asyncio.Future[bool]

    @property
    def plain(self) -> Append:
        """The additions in plain values."""
        return tuple(map(plain_addition, self.additions))


class _ChatRequest(msgspec.Struct, frozen=True):
    line: NewChatLine
    result: asyncio.Future[ChatLine]


class _WorkRequest(msgspec.Struct, frozen=True):
    work: Callable[[Connection], Any]
    result: asyncio.Future[Any]


_Request = _AppendRequest | _ChatRequest | _WorkRequest


class Writer:
    """The thread that appends events and chat; nothing but a probe writes besides.

    If it has a process, that appends events while the thread waits for it: never both at a time.
    """

    def __init__(self, engine: Engine, observer: StoreObserver, process: WriterProcess | None = None) -> None:
        self.commits = 0
        self._observer = observer
        self._process = process
        self._excess = 0.0  # requests beyond BUSY_RATE
        self._counted_at = time.monotonic()
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
        self._requests.put(_AppendRequest((addition, *new_tables), result))
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
            self._commit_parts(group)
        if self._process is not None:
            self._process.stop()

    def _commit_parts(self, group: list[_Request]) -> None:
        """Commit a group: all at once, or what the process appends before the rest."""
        is_busy = self._is_busy(len(group))
        if self._process is None or not self._process.is_ready(starts=is_busy):
            self._commit(group)
            return
        appends = [request for request in group if isinstance(request, _AppendRequest)]
        others = [request for request in group if not isinstance(request, _AppendRequest)]
        if appends:
            self._commit_in(self._process, appends)
        if others:
            self._commit(others)

    def _is_busy(self, count: int) -> bool:
        """Count requests, and return whether there have been many for some time."""
        now = time.monotonic()
        self._excess = max(0.0, self._excess - (now - self._counted_at) * BUSY_RATE) + count
        self._counted_at = now
        return self._excess > BUSY_EXCESS

    def _commit_in(self, process: WriterProcess, group: list[_AppendRequest]) -> None:
        """Let the process commit appends; if it fails or the database refuses, commit each of them by itself here."""
        try:
            with observed(self._observer, WRITE):
                accepted = process.write([request.plain for request in group])
        except Exception:  # its observer knows why
            for request in group:
                self._commit([request])
            return
        self._answer(group, accepted)

    def _commit(self, group: Sequence[_Request]) -> None:
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
        self._answer(group, results)

    def _answer(self, group: Sequence[_Request], results: list[Any] | StoreError) -> None:
        self.commits += 1
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            group[0].result.get_loop().call_soon_threadsafe(_set_results, group, results)

    def _write_group(self, group: Sequence[_Request]) -> list[Any]:
        """Write a group in one transaction; return the result of each request."""
        appends = [request for request in group if isinstance(request, _AppendRequest)]
        chats = [request for request in group if isinstance(request, _ChatRequest)]
        with observed(self._observer, WRITE), self._engine.connect() as connection:
            accepted = iter(write_appends(connection, [request.plain for request in appends]) if appends else ())
            lines = iter(add_chat_lines(connection, [request.line for request in chats]) if chats else ())
            done = iter([request.work(connection) for request in group if isinstance(request, _WorkRequest)])
            connection.commit()
        results = {_AppendRequest: accepted, _ChatRequest: lines, _WorkRequest: done}
        return [next(results[type(request)]) for request in group]


def _set_results(group: Sequence[_Request], results: list[Any] | StoreError) -> None:
    """Resolve the futures, in their event loop; cancelled ones are done already."""
    for index, request in enumerate(group):
        if request.result.done():
            continue
        if isinstance(results, StoreError):
            request.result.set_exception(results)
        else:
            request.result.set_result(results[index])
