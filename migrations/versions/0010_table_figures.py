"""Columns for the figures and namespaces of tables, to sort lists by; names are compared by code points."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

FIGURES = ("total_records", "data_files", "total_bytes", "delete_files", "snapshots", "last_committed_at_ms")
PARENT = re.compile(r"(?:(?P<parent>.*)\.)?(?:`(?:[^`]|``)+`|[^.`]+)", re.DOTALL)
REGISTERED = {"sqlite": "coalesce(companion_of, 0) = 0", "postgresql": "companion_of IS NULL"}
INDEXES = {
    "name": ["name"],
    **{figure: [figure, "name"] for figure in FIGURES},
    "namespace": ["namespace", *FIGURES],
}
AT_ONCE = 1000


def upgrade() -> None:
    """Add the columns and indexes. A background job counts the snapshots that were published before."""
    is_postgres = op.get_bind().dialect.name == "postgresql"
    by_code_points = {"collation": "C"} if is_postgres else {}
    if is_postgres:
        op.execute('ALTER TABLE catalog_table ALTER COLUMN name TYPE text COLLATE "C"')
    namespace = sa.Column("namespace", sa.Text(**by_code_points), nullable=False, server_default="")
    op.add_column("catalog_table", namespace)
    for figure in FIGURES:
        op.add_column("catalog_table", sa.Column(figure, sa.BigInteger(), nullable=True))
    _fill()
    partial = {f"{dialect}_where": sa.text(condition) for dialect, condition in REGISTERED.items()}
    for name, columns in INDEXES.items():
        op.create_index(f"ix_catalog_table_{name}", "catalog_table", columns, **partial)


def downgrade() -> None:
    """Drop the columns and indexes, and truncate the counts of segments to their earlier length."""
    for name in INDEXES:
        op.drop_index(f"ix_catalog_table_{name}", table_name="catalog_table")
    for name in (*FIGURES, "namespace"):
        op.drop_column("catalog_table", name)
    op.execute("UPDATE segment SET counts = substr(counts, 1, 48) WHERE counts IS NOT NULL")
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE catalog_table ALTER COLUMN name TYPE text COLLATE "default"')


def _fill() -> None:
    connection = op.get_bind()
    names = connection.execute(sa.text("SELECT id, name FROM catalog_table")).all()
    rows = [{"id": row_id, "namespace": _parent(name)} for row_id, name in names]
    for start in range(0, len(rows), AT_ONCE):
        connection.execute(
            sa.text("UPDATE catalog_table SET namespace = :namespace WHERE id = :id"), rows[start : start + AT_ONCE]
        )
    own = "FROM snapshot WHERE snapshot.table_id = catalog_table.id AND snapshot.branch = 'main'"
    of_current = f"{own} AND snapshot.snapshot_id = catalog_table.current_snapshot_id"
    empty = "CASE WHEN current_snapshot_id IS NULL THEN 0 END"
    connection.execute(
        sa.text(
            f"UPDATE catalog_table SET snapshots = (SELECT count(*) {own}), "  # noqa: S608 - fixed texts
            f"last_committed_at_ms = (SELECT committed_at_ms {of_current}), "
            f"total_records = {empty}, data_files = {empty}, total_bytes = {empty}, delete_files = {empty} "
            "WHERE metadata_location IS NOT NULL"
        )
    )


def _parent(name: str) -> str:
    match = PARENT.fullmatch(name)
    return "" if match is None else match["parent"] or ""
