"""Storage of tables as append-only events, in one SQLite file or in PostgreSQL."""

from tablee.storage.database import StoreError
from tablee.storage.rows import Addition, ChatLine, TableRow
from tablee.storage.store import Store

__all__ = ["Addition", "ChatLine", "Store", "StoreError", "TableRow"]
