"""Coordination of server processes that share a database: notices of changes, and which one runs a table's bots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import psycopg

from tablee.storage.database import CHANNEL, lock_key, parse_notices, sender_of
from tablee.storage.observer import LISTEN, StoreObserver, Unobserved, observed
from tablee.storage.store import Store

RECONNECT_SECONDS = 0.5


class Coordinator(Protocol):
    """What a server process needs to know of the others."""

    async def start(self, on_notice: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        """Start listening.

        `on_notice` is called for every change with `<table id> <last event>` or `<table id> chat`, `on_gap` whenever
        notices may have been missed.
        """

    async def lease(self, table_id: str) -> bool:
        """Return whether this process may run a table's bots; if so, no other may until `release`."""

    async def release(self, table_id: str) -> None:
        """Let another process run a table's bots."""

    async def stop(self) -> None:
        """Stop listening and release everything."""


class SingleProcess:
    """The coordinator of a process that has its database to itself."""

    async def start(self, on_notice: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        """Do nothing: there is no other process that writes."""

    async def lease(self, table_id: str) -> bool:
        """Return True: there is no other process that runs bots."""
        return True

    async def release(self, table_id: str) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


class PostgresCoordinator:
    """PostgreSQL's notifications and advisory locks; both end with the process that holds them.

    Notices of the sender `own` are ignored: what this process has written it knows from the answer.
    """

    def __init__(self, url: str, observer: StoreObserver | None = None, own: str = "") -> None:
        self._own = own
        self._observer = observer or Unobserved()
        self._url = url.replace("postgresql+psycopg://", "postgresql://")
        self._leased: set[str] = set()  # ids of tables
        self._lock_connection: psycopg.AsyncConnection | None = None
        self._is_locking = asyncio.Lock()
        self._listener: asyncio.Task[None] | None = None

    async def start(self, on_notice: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        """Listen in a task; return once the first connection listens."""
        is_listening = asyncio.Event()
        self._listener = asyncio.create_task(self._listen(on_notice, on_gap, is_listening))
        await is_listening.wait()

    async def _listen(
        self, on_notice: Callable[[str], None], on_gap: Callable[[], None], is_listening: asyncio.Event
    ) -> None:
        while True:
            with suppress(psycopg.Error), observed(self._observer, LISTEN):
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._observer.answered(LISTEN, 0.0)
                    is_listening.set()
                    on_gap()  # for what happened before, or while disconnected
                    async for notification in connection.notifies():
                        sender, notices = parse_notices(notification.payload)
                        for notice in notices if not sender or sender != self._own else ():
                            on_notice(notice)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def lease(self, table_id: str) -> bool:
        """Try to take the table's lock; it is held until `release`, or until the connection ends."""
        async with self._is_locking:
            try:
                return await self._lock(table_id)
            except psycopg.Error:
                return False

    async def _lock(self, table_id: str) -> bool:
        if self._lock_connection is None or self._lock_connection.closed:
            self._leased.clear()
            self._lock_connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
        if table_id in self._leased:
            return True
        cursor = await self._lock_connection.execute("SELECT pg_try_advisory_lock(%s)", [lock_key(table_id)])
        row = await cursor.fetchone()
        if row is None or not row[0]:
            return False
        self._leased.add(table_id)
        return True

    async def release(self, table_id: str) -> None:
        """Release the table's lock."""
        async with self._is_locking:
            if table_id in self._leased and self._lock_connection is not None:
                self._leased.discard(table_id)
                with suppress(psycopg.Error):
                    await self._lock_connection.execute("SELECT pg_advisory_unlock(%s)", [lock_key(table_id)])

    async def stop(self) -> None:
        """Close both connections."""
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener
        if self._lock_connection is not None:
            await self._lock_connection.close()


def coordinator_for(store: Store) -> Coordinator:
    """Return the coordinator for the kind of database."""
    if not store.is_shared:
        return SingleProcess()
    return PostgresCoordinator(store.url, store.observer, sender_of(store.engine))
