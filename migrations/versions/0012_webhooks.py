"""Webhooks: positions in the event log, and dead letters; partitions that were reported as ready."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create empty tables; a webhook starts with the first event after its first run."""
    op.create_table(
        "webhook",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("next_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("tried_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("succeeded_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("delivered", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_webhook"),
    )
    op.create_table(
        "dead_letter",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("webhook", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("died_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("is_requested", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dead_letter"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dead_letter_webhook", "dead_letter", ["webhook", "id"])
    op.create_table(
        "ready_partition",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("ready_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ready_partition"),
        sa.ForeignKeyConstraint(
            ["table_id"], ["catalog_table.id"], name="fk_ready_partition_table_id_catalog_table", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("table_id", "rule", "key", name="uq_ready_partition_table_id_rule_key"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("ready_partition")
    op.drop_index("ix_dead_letter_webhook", table_name="dead_letter")
    op.drop_table("dead_letter")
    op.drop_table("webhook")
