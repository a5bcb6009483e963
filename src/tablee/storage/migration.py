"""Migration of a database to the newest schema, at every start; a second process waits for the first."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from tablee.storage.database import StoreError, lock_until_commit, usable, writing

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_KEY = 0x7AB1EE  # of PostgreSQL's advisory locks, held while the schema changes


def migrate(engine: Engine) -> None:
    """Run the migrations that this database has not had; raise StoreError if it cannot be used."""
    with usable(engine), writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            lock_until_commit(connection, LOCK_KEY)
        check_known(_revision(connection))
        command.upgrade(_config(connection), "head")


def revision(engine: Engine) -> str | None:
    """Return the schema's revision, None for an empty database."""
    with engine.connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str:
    """Return the revision of the schema that this version uses."""
    return _known_revisions()[0]


def _known_revisions() -> list[str]:
    return [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]


def check_known(current: str | None) -> None:
    """Raise StoreError if the schema's revision was made by a later version."""
    known = _known_revisions()
    if current is not None and current not in known:
        raise StoreError(
            f"the database has schema {current}, this version of Tablée knows none after {known[0]}; "
            "install the version that wrote it, or use another database"
        )


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
