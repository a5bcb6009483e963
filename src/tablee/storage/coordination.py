"""Several server processes at one database: who is told of new events, and who runs a table's bots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import psycopg

from tablee.storage.store import CHANNEL, Store, lease_key

RETRY_SECONDS = 0.5


class Coordinator(Protocol):
    """What a server process asks of the others."""

    async def start(self, told: Callable[[str], None], lost: Callable[[], None]) -> None:
        """Call `told` with the id of a table that has changed, `lost` when such calls may have been missed."""

    async def lease(self, table_id: str) -> bool:
        """Return whether this process is the one that runs a table's bots."""

    async def release(self, table_id: str) -> None:
        """Let another process run a table's bots."""

    async def stop(self) -> None:
        """Hear no more."""


class SingleProcess:
    """One process has the database for itself."""

    async def start(self, told: Callable[[str], None], lost: Callable[[], None]) -> None:
        """Nobody else writes."""

    async def lease(self, table_id: str) -> bool:
        """Nobody else runs bots."""
        return True

    async def release(self, table_id: str) -> None:
        """Nobody wants it."""

    async def stop(self) -> None:
        """Nothing was started."""


class PostgresCoordinator:
    """PostgreSQL's notifications, and its locks: both vanish with the process that holds them."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("postgresql+psycopg://", "postgresql://")
        self._leased: set[str] = set()
        self._locks: psycopg.AsyncConnection | None = None
        self._asking = asyncio.Lock()
        self._listener: asyncio.Task[None] | None = None

    async def start(self, told: Callable[[str], None], lost: Callable[[], None]) -> None:
        """Listen for the life of the process."""
        ready = asyncio.Event()
        self._listener = asyncio.create_task(self._listen(told, lost, ready))
        await ready.wait()

    async def _listen(self, told: Callable[[str], None], lost: Callable[[], None], ready: asyncio.Event) -> None:
        while True:
            with suppress(psycopg.Error):
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    ready.set()
                    lost()  # whatever happened while nobody listened
                    async for notification in connection.notifies():
                        for notice in notification.payload.splitlines():
                            told(notice)
            await asyncio.sleep(RETRY_SECONDS)

    async def lease(self, table_id: str) -> bool:
        """Try to take the table's lock; it is held until `release`, or until the process dies."""
        async with self._asking:
            try:
                if self._locks is None or self._locks.closed:
                    self._leased.clear()
                    self._locks = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
                if table_id in self._leased:
                    return True
                cursor = await self._locks.execute("SELECT pg_try_advisory_lock(%s)", [lease_key(table_id)])
                row = await cursor.fetchone()
            except psycopg.Error:
                return False
            if row is not None and row[0]:
                self._leased.add(table_id)
                return True
            return False

    async def release(self, table_id: str) -> None:
        """Give the table's lock back."""
        async with self._asking:
            if table_id in self._leased and self._locks is not None:
                self._leased.discard(table_id)
                with suppress(psycopg.Error):
                    await self._locks.execute("SELECT pg_advisory_unlock(%s)", [lease_key(table_id)])

    async def stop(self) -> None:
        """Close both connections."""
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener
        if self._locks is not None:
            await self._locks.close()


def coordinator_for(store: Store) -> Coordinator:
    """Return how this store is shared."""
    return PostgresCoordinator(store.url) if store.is_shared else SingleProcess()
