"""Where tables are kept: append-only events, in one SQLite file or in PostgreSQL."""

from tablee.storage.store import Addition, ChatLine, Store, StoreError, TableRow

__all__ = ["Addition", "ChatLine", "Store", "StoreError", "TableRow"]
