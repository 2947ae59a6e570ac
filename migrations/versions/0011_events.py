"""The event log, and a mark of the snapshots whose commit events were recorded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create an empty log; existing snapshots count as announced, and record no commit events."""
    op.create_table(
        "event_sequence",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event_sequence"),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("table_name", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
    op.add_column("snapshot", sa.Column("announced", sa.Boolean(), server_default=sa.true(), nullable=False))


def downgrade() -> None:
    """Drop the log and the column."""
    op.drop_column("snapshot", "announced")
    op.drop_table("event")
    op.drop_table("event_sequence")
