"""The oldest schema version whose servers may use the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None
oldest_server = "0014"


def upgrade() -> None:
    """Create the table; an upgrade or downgrade writes its row after the last migration."""
    op.create_table(
        "schema_support",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("oldest_server", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schema_support"),
    )


def downgrade() -> None:
    """Drop the table; only servers of the database's own version may use it."""
    op.drop_table("schema_support")
