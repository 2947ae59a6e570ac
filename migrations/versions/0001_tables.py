"""The initial schema: registered tables, snapshots, manifests, segments, leases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "catalog_table",
        sa.Column("id", _ROW_ID, nullable=False),
        _text("name"),
        _text("format"),
        _text("location"),
        _bytes("rewrites"),
        _bytes("allowed_roots"),
        _number("created_at_ms"),
        _number("generation"),
        _number("checked_at_ms", nullable=True),
        _text("stale_reason", nullable=True),
        _text("pointer", nullable=True),
        _text("metadata_location", nullable=True),
        _text("table_location", nullable=True),
        _text("uuid", nullable=True),
        _number("format_version", nullable=True),
        _number("current_schema_id", nullable=True),
        _number("default_spec_id", nullable=True),
        _number("current_snapshot_id", nullable=True),
        _number("last_updated_ms", nullable=True),
        _bytes("properties", nullable=True),
        _bytes("extra", nullable=True),
        _bytes("snapshot_log", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_catalog_table"),
        sa.UniqueConstraint("name", name="uq_catalog_table_name"),
        sqlite_autoincrement=True,
    )
    _create_of_table(
        "table_schema", _text("branch"), _number("schema_id"), _bytes("document"), unique=("branch", "schema_id")
    )
    _create_of_table("partition_spec", _number("spec_id"), _bytes("document"), unique=("spec_id",))
    _create_of_table("table_ref", _bytes("document"))
    op.create_index("ix_table_ref_table_id", "table_ref", ["table_id"])
    _create_of_table(
        "snapshot",
        _text("branch"),
        _number("snapshot_id"),
        _number("committed_at_ms"),
        _bytes("document"),
        _bytes("digest"),
        _text("state"),
        _text("error", nullable=True),
        _number("published_at_ms", nullable=True),
        _number("decoder_version", nullable=True),
        _number("manifest_count", nullable=True),
        _number("live_data_files", nullable=True),
        _number("live_delete_files", nullable=True),
        _number("live_records", nullable=True),
        _number("live_bytes", nullable=True),
        _bytes("manifests", nullable=True),
        _bytes("dead", nullable=True),
        unique=("branch", "snapshot_id"),
    )
    op.create_table(
        "segment",
        _text("name"),
        _text("location"),
        _number("length"),
        _number("decoder_version"),
        _number("rows"),
        _number("bytes"),
        _number("registered_at_ms"),
        sa.PrimaryKeyConstraint("name", name="pk_segment"),
    )
    _create_of_table(
        "manifest",
        _bytes("digest"),
        _text("segment"),
        _text("location"),
        _number("length", nullable=True),
        _text("content"),
        _number("spec_id"),
        _number("sequence_number", nullable=True),
        _number("min_sequence_number", nullable=True),
        _number("added_snapshot_id", nullable=True),
        _number("added_files_count", nullable=True),
        _number("existing_files_count", nullable=True),
        _number("deleted_files_count", nullable=True),
        _number("added_rows_count", nullable=True),
        _number("existing_rows_count", nullable=True),
        _number("deleted_rows_count", nullable=True),
        _bytes("partitions", nullable=True),
        _bytes("key_metadata", nullable=True),
        _number("first_row_id", nullable=True),
        _number("schema_id", nullable=True),
        _number("min_bucket", nullable=True),
        _number("max_bucket", nullable=True),
        _number("min_level", nullable=True),
        _number("max_level", nullable=True),
        _number("min_row_id", nullable=True),
        _number("max_row_id", nullable=True),
        _number("total_buckets", nullable=True),
        _bytes("extra_files", nullable=True),
        sa.ForeignKeyConstraint(["segment"], ["segment.name"], name="fk_manifest_segment_segment"),
        unique=("digest",),
    )
    op.create_index("ix_manifest_segment", "manifest", ["segment"])
    op.create_table(
        "lease",
        _number("table_id"),
        _text("holder", nullable=True),
        _number("fence"),
        _number("expires_at_ms"),
        sa.PrimaryKeyConstraint("table_id", name="pk_lease"),
        _of_table("lease"),
    )
    op.create_table(
        "server_key",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        _bytes("secret"),
        _number("created_at_ms"),
        sa.PrimaryKeyConstraint("id", name="pk_server_key"),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in (
        "server_key",
        "lease",
        "manifest",
        "segment",
        "snapshot",
        "table_ref",
        "partition_spec",
        "table_schema",
        "catalog_table",
    ):
        op.drop_table(table)


def _create_of_table(name: str, *columns: sa.SchemaItem, unique: tuple[str, ...] = ()) -> None:
    constraints: list[sa.Constraint] = [sa.PrimaryKeyConstraint("id", name=f"pk_{name}"), _of_table(name)]
    if unique:
        names = ("table_id", *unique)
        constraints.append(sa.UniqueConstraint(*names, name=f"uq_{name}_{'_'.join(names)}"))
    op.create_table(
        name,
        sa.Column("id", _ROW_ID, nullable=False),
        _number("table_id"),
        *columns,
        *constraints,
        sqlite_autoincrement=True,
    )


def _of_table(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["table_id"], ["catalog_table.id"], name=f"fk_{name}_table_id_catalog_table", ondelete="CASCADE"
    )


def _text(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _bytes(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.LargeBinary(), nullable=nullable)
