"""When quarantined snapshots are read again."""

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
    """Note how often a snapshot was tried, and when it is tried again."""
    op.add_column(_TABLE, sa.Column("attempts", sa.BigInteger(), nullable=True))
    op.add_column(_TABLE, sa.Column("retry_at_ms", sa.BigInteger(), nullable=True))
    op.create_index(_RETRY, _TABLE, ["retry_at_ms"])


def downgrade() -> None:
    """Forget it: snapshots stay quarantined until their tables change."""
    op.drop_index(_RETRY, _TABLE)
    op.drop_column(_TABLE, "retry_at_ms")
    op.drop_column(_TABLE, "attempts")
