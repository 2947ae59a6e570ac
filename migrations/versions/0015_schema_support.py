"""The oldest version of servers that may use the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None
oldest_server = "0014"


def upgrade() -> None:
    """Create the table; its row is written after the last migration of an upgrade."""
    op.create_table(
        "schema_support",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("oldest_server", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schema_support"),
    )


def downgrade() -> None:
    """Drop it: the servers of this database's own version alone may use it."""
    op.drop_table("schema_support")
