"""Alembic asks here how to reach the database: the store hands its own connection over."""

from alembic import context

from tablee.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
