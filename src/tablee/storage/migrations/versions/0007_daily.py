"""Daily tables, and what reviews say about people."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _create_reviewed_games()
    _create_daily()


def _create_reviewed_games() -> None:
    op.create_table(
        "reviewed_games",
        *_key(person=64, game=64),
        sa.Column("ended_at", sa.Float, primary_key=True),
        *_key(table_id=32),
        sa.Column("accuracy", sa.Float),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("result", "decisions", "others", "luck")),
        sa.Column("mistakes", sa.Text, nullable=False),
    )


def _create_daily() -> None:
    op.create_table(
        "daily_deals",
        *_key(day=10, game=64),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
    )
    op.create_table(
        "daily_tries",
        *_key(person=64, day=10, game=64),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("rank", sa.Integer),
        sa.Column("points", sa.Integer),
    )
    op.create_table(
        "daily_counts",
        *_key(day=10, game=64),
        sa.Column("rank", sa.Integer, primary_key=True),
        sa.Column("points", sa.Integer, primary_key=True),
        sa.Column("players", sa.Integer, nullable=False),
    )
    op.create_table(
        "daily_bots",
        *_key(day=10, game=64, bot=64),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("rank", "points")),
    )


def _key(**lengths: int) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(length), primary_key=True) for name, length in lengths.items()]
