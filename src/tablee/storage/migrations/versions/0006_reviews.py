"""Reviews of finished games, made on request and kept."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reviews",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )
