"""Migration of a database to the newest schema, at every start; a second process waits for the first."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine

from tablee.storage.database import lock_until_commit, writing

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_KEY = 0x7AB1EE  # of PostgreSQL's advisory locks, held while the schema changes


def migrate(engine: Engine) -> None:
    """Run the migrations that this database has not had."""
    with writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            lock_until_commit(connection, LOCK_KEY)
        command.upgrade(_config(connection), "head")


def revision(engine: Engine) -> str | None:
    """Return the schema's revision, None for an empty database."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
