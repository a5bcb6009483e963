"""Alembic's environment: migrations run on the connection that tablee.storage.migration passes in."""

from alembic import context

from tablee.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
