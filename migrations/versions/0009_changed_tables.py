"""When a commit to a table was last seen to pass: looks that began before do not count."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no commit was seen yet."""
    op.add_column("catalog_table", sa.Column("changed_at_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("catalog_table", "changed_at_ms")
