"""Keys of chat lines, so that a line sent again is recognised; and who sits at a table, found by the table."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the index."""
    op.add_column("chat", sa.Column("key", sa.String(128), nullable=False, server_default=""))
    op.create_index("people_by_table", "people", ["table_id"])
