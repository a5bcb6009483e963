"""The tables of the database, as migrations/ creates them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

# The events of all tables. Never updated or deleted; the numbers of a table count from 1 without gaps.
events = Table(
    "events",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("body", Text, nullable=False),  # the event as JSON
)

# For the lobby and statistics: derived from the events and written in the same transaction.
tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("summary", Text, nullable=False),  # StoredSummary as JSON
    Column("wakes_at", Float),  # when the table goes on by itself; null: it waits for a person
    Index("tables_by_phase", "phase", "is_open", "created_at"),
    Index(
        "tables_by_waking",
        "wakes_at",
        sqlite_where=text("wakes_at IS NOT NULL"),
        postgresql_where=text("wakes_at IS NOT NULL"),
    ),
)

people = Table(
    "people",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Index("people_by_table", "table_id"),
)

chat = Table(
    "chat",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("body", Text, nullable=False),
    Column("key", String(128), nullable=False, server_default=""),  # of the command, as in events
)

settings = Table(
    "settings",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
