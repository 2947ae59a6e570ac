"""Browser sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "browser_session",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_browser_session"),
    )
    op.create_index("ix_browser_session_expires_at_ms", "browser_session", ["expires_at_ms"])


def downgrade() -> None:
    """Drop the table; users must sign in again."""
    op.drop_table("browser_session")
