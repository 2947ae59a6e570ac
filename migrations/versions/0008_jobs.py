"""Background jobs: the holder of each lease, and the outcome of the last runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COUNTS = ("renewed_at_ms", "runs", "failures", "failures_in_a_row")
_TIMES = ("started_at_ms", "ended_at_ms", "succeeded_at_ms", "duration_ms", "next_at_ms")
_TEXTS = ("holder", "place", "report", "error")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "job",
        sa.Column("name", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=True) for name in _TEXTS),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _COUNTS),
        *(sa.Column(name, sa.BigInteger(), nullable=True) for name in _TIMES),
        sa.PrimaryKeyConstraint("name", name="pk_job"),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("job")
