"""Stored reviews of finished games."""

from __future__ import annotations

import time

from sqlalchemy import Connection, select

from tablee.storage import schema
from tablee.storage.database import insert_or_update
from tablee.storage.store import Store


class ReviewStore:
    """Reads and writes reviews, as JSON; methods raise StoreError if the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, table_id: str) -> str | None:
        """Return the review of a table, None if there is none."""
        rows = await self._store.read(select(schema.reviews.c.content).where(schema.reviews.c.table_id == table_id))
        return str(rows[0][0]) if rows else None

    async def save(self, table_id: str, content: str) -> None:
        """Store the review of a table, in place of an earlier one."""
        row = {"table_id": table_id, "made_at": time.time(), "content": content}

        def write(connection: Connection) -> None:
            connection.execute(insert_or_update(connection.dialect.name, schema.reviews, "content"), row)

        await self._store.write(write)
