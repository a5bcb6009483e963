"""Kept statistics, and indices for lists: nothing that people ask for gets slower with the number of finished games."""

import sqlalchemy as sa
from alembic import op

from tablee.storage.results import result_of
from tablee.storage.rows import TableRow
from tablee.storage.tallies import count_results

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BATCH_ROWS = 500


def upgrade() -> None:
    """Create tables and indices, and count the games that are over, a batch at a time."""
    _create_tables()
    op.add_column("people", sa.Column("ended_at", sa.Float))
    op.execute(
        "UPDATE people SET ended_at = (SELECT updated_at FROM tables WHERE tables.id = people.table_id)"
        " WHERE table_id IN (SELECT id FROM tables WHERE phase = 'over')"
    )
    op.create_index("people_by_end", "people", ["person", "ended_at"])
    _create_partial_index("tables_in_lobby", "tables", "created_at", "is_open AND phase <> 'over'")
    _create_partial_index("ratings_of_bots", "ratings", "game", "is_bot")
    _count_finished_games(op.get_bind())


def _create_partial_index(name: str, table: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def _create_tables() -> None:
    op.create_table(
        "results",
        *_key("person", "game"),
        sa.Column("ended_at", sa.Float, primary_key=True),
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("rating", sa.Float),
    )
    op.create_table(
        "tallies",
        *_key("person", "game"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("played", "won", "stopped")),
    )
    op.create_table(
        "encounters",
        *_key("person", "game"),
        sa.Column("other", sa.String(80), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("is_bot", sa.Boolean, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("ahead", "level", "behind")),
    )
    op.create_table(
        "ratings",
        *_key("game"),
        sa.Column("participant", sa.String(80), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("is_bot", sa.Boolean, nullable=False),
        sa.Column("mean", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
    )


def _key(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(64), primary_key=True) for name in names]


def _count_finished_games(connection: sa.Connection) -> None:
    """Count all games in the order of their ends; the rows are read and counted a batch at a time."""
    names = ("id", "game", "phase", "is_open", "created_at", "updated_at", "summary")
    tables = sa.table("tables", *(sa.column(name) for name in names))
    query = sa.select(tables).where(tables.c.phase == "over").order_by(tables.c.updated_at, tables.c.id)
    rows = connection.execute(query, execution_options={"yield_per": BATCH_ROWS})
    for batch in rows.partitions():
        results = [result for row in batch if (result := result_of(TableRow(*row))) is not None]
        if results:
            count_results(connection, results)
