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

# Conditions of partial indices. Queries repeat them word for word: with a parameter in it, the index is not used.
IS_UNFINISHED = text("is_open AND phase <> 'over'")
IS_WAKING = text("wakes_at IS NOT NULL")
IS_BOT = text("is_bot")

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
    Index("tables_in_lobby", "created_at", sqlite_where=IS_UNFINISHED, postgresql_where=IS_UNFINISHED),
    Index("tables_by_waking", "wakes_at", sqlite_where=IS_WAKING, postgresql_where=IS_WAKING),
)

people = Table(
    "people",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("ended_at", Float),  # null: the game is not over
    Index("people_by_table", "table_id"),
    Index("people_by_end", "person", "ended_at"),
)

# Kept statistics (tallies.py): derived from the results, and written in the transaction in which a game ends.
results = Table(
    "results",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("ended_at", Float, primary_key=True),
    Column("table_id", String(32), primary_key=True),
    Column("rating", Float),  # as shown, after the game; null: the game did not change it
)

tallies = Table(
    "tallies",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("played", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("stopped", Integer, nullable=False),
)

encounters = Table(
    "encounters",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("other", String(80), primary_key=True),  # a person's id, or "bot <name>"
    Column("name", Text, nullable=False),
    Column("is_bot", Boolean, nullable=False),
    Column("ahead", Integer, nullable=False),
    Column("level", Integer, nullable=False),
    Column("behind", Integer, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("participant", String(80), primary_key=True),  # a person's id, or "bot <name>"
    Column("name", Text, nullable=False),
    Column("is_bot", Boolean, nullable=False),
    Column("mean", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Index("ratings_of_bots", "game", sqlite_where=IS_BOT, postgresql_where=IS_BOT),
)

# Everybody who has sat at a table or chatted there, also after they left: what is to be deleted with a person.
appearances = Table(
    "appearances",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("table_id", String(32), primary_key=True),
)

# Reviews of finished games, as JSON without names; made on request.
reviews = Table(
    "reviews",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("made_at", Float, nullable=False),
    Column("content", Text, nullable=False),
)

# What reviews say about the people of a game (reviewed_games.py), written when a review is stored.
reviewed_games = Table(
    "reviewed_games",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("ended_at", Float, primary_key=True),
    Column("table_id", String(32), primary_key=True),
    Column("accuracy", Float),  # from 0 to 1; null: there was no choice
    Column("result", Integer, nullable=False),  # this and the following in millionths of a share (review/report.py)
    Column("decisions", Integer, nullable=False),
    Column("others", Integer, nullable=False),
    Column("luck", Integer, nullable=False),
    Column("mistakes", Text, nullable=False),  # MistakeCount[] as JSON
)

# Daily tables (daily.py): the deals that were played, everybody's try, how many tries had which result, and what the
# bots made of a deal.
daily_deals = Table(
    "daily_deals",
    metadata,
    Column("day", String(10), primary_key=True),  # YYYY-MM-DD
    Column("game", String(64), primary_key=True),
    Column("seed", String(64), nullable=False),  # hexadecimal
    Column("version", Integer, nullable=False),  # of the game's rules
    Column("bots", Text, nullable=False),  # pins as JSON
)

daily_tries = Table(
    "daily_tries",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("table_id", String(32), nullable=False),
    Column("ended_at", Float),  # null: it is being played
    Column("rank", Integer),  # seats + 1: given up; null: being played, or ended after the deal was opened
    Column("points", Integer),
)

daily_counts = Table(
    "daily_counts",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("points", Integer, primary_key=True),
    Column("players", Integer, nullable=False),
)

daily_bots = Table(
    "daily_bots",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("bot", String(64), primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("points", Integer, nullable=False),
)

# The first answer of each person to each puzzle; ratings follow from them.
puzzle_attempts = Table(
    "puzzle_attempts",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("puzzle", String(16), primary_key=True),  # its id
    Column("rating", Integer, nullable=False),  # of the puzzle at that time
    Column("is_solved", Boolean, nullable=False),
    Column("at", Float, nullable=False),
)

# What is known of a person besides tables, by a hash of their id: it can stay when all else is deleted.
identities = Table(
    "identities",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("generation", Integer, nullable=False),  # tokens of an earlier one are void
    Column("contact", Text, nullable=False),  # where to tell them that it is their turn; empty: nowhere
    Column("updated_at", Float, nullable=False),
    Index("identities_by_change", "updated_at"),
)

# Codes that copy an identity to another device, once.
transfers = Table(
    "transfers",
    metadata,
    Column("code", String(64), primary_key=True),  # its hash
    Column("key", String(64), nullable=False),  # of the identity
    Column("token", Text, nullable=False),
    Column("expires_at", Float, nullable=False),
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
