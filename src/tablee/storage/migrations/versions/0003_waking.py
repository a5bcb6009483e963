"""When a table goes on by itself, so that clocks and bots go on after a restart."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; tables of before have no value until their next event."""
    op.add_column("tables", sa.Column("wakes_at", sa.Float))
    is_set = sa.text("wakes_at IS NOT NULL")
    op.create_index("tables_by_waking", "tables", ["wakes_at"], sqlite_where=is_set, postgresql_where=is_set)
