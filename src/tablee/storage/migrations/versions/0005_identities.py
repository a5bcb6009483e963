"""Identities on several devices, codes that copy them, and where a person has appeared, so that it can be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, and note the people who have sat at tables so far."""
    op.create_table(
        "identities",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("contact", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
    )
    op.create_index("identities_by_change", "identities", ["updated_at"])
    op.create_table(
        "transfers",
        sa.Column("code", sa.String(64), primary_key=True),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
    op.create_table(
        "appearances",
        sa.Column("person", sa.String(64), primary_key=True),
        sa.Column("table_id", sa.String(32), primary_key=True),
    )
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    person = "(body::json ->> 'person')" if is_postgresql else "json_extract(body, '$.person')"
    op.execute(
        "INSERT INTO appearances (person, table_id) "
        f'SELECT DISTINCT {person}, table_id FROM events WHERE body LIKE \'{{"kind":"claimed"%\''
    )
