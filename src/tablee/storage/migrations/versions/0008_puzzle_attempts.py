"""Answers to puzzles, from which a person's rating follows."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "puzzle_attempts",
        sa.Column("person", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("puzzle", sa.String(16), primary_key=True),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("is_solved", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
