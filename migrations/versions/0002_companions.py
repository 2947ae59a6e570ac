"""Companions: a Paimon table's Iceberg metadata is a second row of the same name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "catalog_table"
_NAME = "uq_catalog_table_name"
_COMPANION = "uq_catalog_table_companion_of"
_OWNER = "fk_catalog_table_companion_of_catalog_table"
_NO_COMPANION = sa.text("companion_of IS NULL")


def upgrade() -> None:
    """Link companions to their tables; require unique names only of tables that are not companions."""
    with op.batch_alter_table(_TABLE, table_kwargs={"sqlite_autoincrement": True}) as table:
        table.add_column(sa.Column("companion_of", sa.BigInteger(), nullable=True))
        table.drop_constraint(_NAME, type_="unique")
        table.create_unique_constraint(_COMPANION, ["companion_of"])
        table.create_foreign_key(_OWNER, _TABLE, ["companion_of"], ["id"], ondelete="CASCADE")
    # Without a pointer, the next look refreshes the table and registers its companion.
    tables = sa.table(_TABLE, sa.column("format"), sa.column("pointer"))
    op.execute(sa.update(tables).where(tables.c.format == "paimon").values(pointer=None))
    op.create_index(_NAME, _TABLE, ["name"], unique=True, sqlite_where=_NO_COMPANION, postgresql_where=_NO_COMPANION)


def downgrade() -> None:
    """Delete companions; after another upgrade, refreshes of their tables register them again."""
    tables = sa.table(_TABLE, sa.column("id"), sa.column("companion_of"))
    companions = sa.select(tables.c.id).where(tables.c.companion_of.is_not(None))
    for name in ("lease", "manifest", "snapshot", "table_ref", "partition_spec", "table_schema"):
        # SQLite does not cascade deletes while foreign keys are off for the migration.
        of_companions = sa.table(name, sa.column("table_id"))
        op.execute(sa.delete(of_companions).where(of_companions.c.table_id.in_(companions)))
    op.execute(sa.delete(tables).where(tables.c.companion_of.is_not(None)))
    op.drop_index(_NAME, _TABLE)
    with op.batch_alter_table(_TABLE, table_kwargs={"sqlite_autoincrement": True}) as table:
        table.drop_constraint(_OWNER, type_="foreignkey")
        table.drop_constraint(_COMPANION, type_="unique")
        table.drop_column("companion_of")
        table.create_unique_constraint(_NAME, ["name"])
