"""The health of tables: components, a daily history, and the worst status of each table; sizes of metadata files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = ("health", "health_due_at_ms", "metadata_bytes")
REGISTERED = {"sqlite": "coalesce(companion_of, 0) = 0", "postgresql": "companion_of IS NULL"}
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create empty tables, and make the health of every table due."""
    for name in COLUMNS:
        op.add_column("catalog_table", sa.Column(name, sa.BigInteger(), nullable=True))
    op.execute("UPDATE catalog_table SET health_due_at_ms = 0 WHERE metadata_location IS NOT NULL")
    partial = {f"{dialect}_where": sa.text(condition) for dialect, condition in REGISTERED.items()}
    op.create_index("ix_catalog_table_health", "catalog_table", ["health", "name"], **partial)
    op.create_index("ix_catalog_table_health_due_at_ms", "catalog_table", ["health_due_at_ms"])
    op.create_table(
        "table_health",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("component", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("computed_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["catalog_table.id"], name="fk_table_health_table_id_catalog_table", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_table_health"),
        sa.UniqueConstraint("table_id", "component", name="uq_table_health_table_id_component"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_table_health_component", "table_health", ["component", "status", "table_id"])
    op.create_table(
        "table_health_day",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["catalog_table.id"], name="fk_table_health_day_table_id_catalog_table", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_table_health_day"),
        sa.UniqueConstraint("table_id", "day", name="uq_table_health_day_table_id_day"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_table_health_day_day", "table_health_day", ["day"])


def downgrade() -> None:
    """Drop the tables, indexes and columns."""
    op.drop_table("table_health_day")
    op.drop_table("table_health")
    op.drop_index("ix_catalog_table_health_due_at_ms", table_name="catalog_table")
    op.drop_index("ix_catalog_table_health", table_name="catalog_table")
    for name in COLUMNS:
        op.drop_column("catalog_table", name)
