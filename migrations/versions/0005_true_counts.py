"""Entry counts of segments, warnings of snapshots, named leases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("segment", sa.Column("counts", sa.LargeBinary(), nullable=True))
    op.add_column("snapshot", sa.Column("warnings", sa.LargeBinary(), nullable=True))
    op.create_table(
        "named_lease",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("done_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_named_lease"),
    )


def downgrade() -> None:
    """Drop the table and the columns."""
    op.drop_table("named_lease")
    op.drop_column("snapshot", "warnings")
    op.drop_column("segment", "counts")
