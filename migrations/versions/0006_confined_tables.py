"""The locations to which a table is confined: those of its namespace when it was registered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; a table without a value may be anywhere below the roots, as before."""
    op.add_column("catalog_table", sa.Column("confined_to", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("catalog_table", "confined_to")
