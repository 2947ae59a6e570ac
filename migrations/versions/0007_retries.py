"""Retries of quarantined snapshots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_TABLE = "snapshot"
_RETRY = "ix_snapshot_retry_at_ms"


def upgrade() -> None:
    """Add columns for the number of attempts and the time of the next one."""
    op.add_column(_TABLE, sa.Column("attempts", sa.BigInteger(), nullable=True))
    op.add_column(_TABLE, sa.Column("retry_at_ms", sa.BigInteger(), nullable=True))
    op.create_index(_RETRY, _TABLE, ["retry_at_ms"])


def downgrade() -> None:
    """Drop the columns; snapshots stay quarantined until their tables change."""
    op.drop_index(_RETRY, _TABLE)
    op.drop_column(_TABLE, "retry_at_ms")
    op.drop_column(_TABLE, "attempts")
