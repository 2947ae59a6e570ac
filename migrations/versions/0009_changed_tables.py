"""The time of the last forwarded commit to a table, which invalidates earlier looks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, null for every table."""
    op.add_column("catalog_table", sa.Column("changed_at_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("catalog_table", "changed_at_ms")
