"""Statistics files of Paimon snapshots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "table_statistics",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_table_statistics"),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["catalog_table.id"],
            name="fk_table_statistics_table_id_catalog_table",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("table_id", "name", name="uq_table_statistics_table_id_name"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("table_statistics")
