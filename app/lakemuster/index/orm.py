"""Every SQL table: the small truth about tables, snapshots, manifests and segments.

No row per file, and no row per (snapshot, manifest): a snapshot's manifests are one compact
value (see ``packing``). Documents are bytes of ``encoding``, not JSON columns: a metadata file may
hold NUL characters, lone surrogates, NaN and integers of any size, which JSON columns refuse or change.

Row ids are never used twice, so whatever is cached under one stays true.
"""

from __future__ import annotations

import re
from typing import Annotated

from sqlalchemy import (
    BigInteger,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

_UNSTORABLE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")


MAX_INDEXED_BYTES = 1024
"""Of text in an index: PostgreSQL takes no entry above 2,704 bytes."""


def escape(text: str) -> str:
    """The text as it is stored."""
    return _UNSTORABLE.sub(lambda found: f"\x1b{ord(found[0]):04x}", text)


def can_be_indexed(text: str) -> bool:
    """Whether the text, as it is stored, fits an index."""
    return len(escape(text).encode()) <= MAX_INDEXED_BYTES


class AnyText(TypeDecorator[str]):
    """Text that may hold NUL and lone surrogates, which databases refuse; equal texts are stored equal."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape what cannot be stored."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Undo the escape."""
        if value is None or "\x1b" not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


Int64 = Annotated[int, mapped_column(BigInteger)]
RowId = Annotated[int, mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)]
TableId = Annotated[int, mapped_column(BigInteger, ForeignKey("catalog_table.id", ondelete="CASCADE"))]
String = Annotated[str, mapped_column(AnyText)]
Document = Annotated[bytes, mapped_column(LargeBinary)]


class Base(DeclarativeBase):
    """Constraints are named by rule, so that migrations can drop them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class TableRow(Base):
    """A registered table and what its current metadata says.

    ``generation`` grows whenever a snapshot id comes to mean another snapshot (the table was
    dropped and created again, or rolled back), so that what was remembered by id can be told stale.

    A Paimon table that writes Iceberg metadata too has a second row of its name, its companion: the Iceberg
    table that this metadata describes. ``companion_of`` is the Paimon table's id, and null in all other rows.
    """

    __tablename__ = "catalog_table"
    __table_args__ = (
        Index(
            "uq_catalog_table_name",
            "name",
            unique=True,
            sqlite_where=text("companion_of IS NULL"),
            postgresql_where=text("companion_of IS NULL"),
        ),
        UniqueConstraint("companion_of"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[RowId]
    companion_of: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("catalog_table.id", ondelete="CASCADE"))
    name: Mapped[String]
    format: Mapped[String]
    location: Mapped[String]
    rewrites: Mapped[Document]
    allowed_roots: Mapped[Document]
    confined_to: Mapped[Document | None]
    created_at_ms: Mapped[Int64]
    generation: Mapped[Int64]
    checked_at_ms: Mapped[Int64 | None]
    stale_reason: Mapped[String | None]
    pointer: Mapped[String | None]
    metadata_location: Mapped[String | None]
    table_location: Mapped[String | None]
    uuid: Mapped[String | None]
    format_version: Mapped[Int64 | None]
    current_schema_id: Mapped[Int64 | None]
    default_spec_id: Mapped[Int64 | None]
    current_snapshot_id: Mapped[Int64 | None]
    last_updated_ms: Mapped[Int64 | None]
    properties: Mapped[Document | None]
    extra: Mapped[Document | None]
    snapshot_log: Mapped[Document | None]


class SchemaRow(Base):
    """One schema version of a table's branch (Iceberg: of main)."""

    __tablename__ = "table_schema"
    __table_args__ = (UniqueConstraint("table_id", "branch", "schema_id"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    branch: Mapped[String]
    schema_id: Mapped[Int64]
    document: Mapped[Document]


class SpecRow(Base):
    """One partition spec of a table."""

    __tablename__ = "partition_spec"
    __table_args__ = (UniqueConstraint("table_id", "spec_id"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    spec_id: Mapped[Int64]
    document: Mapped[Document]


class RefRow(Base):
    """One branch or tag. Its name has no index: Iceberg sets no limit to its length, an index entry has one."""

    __tablename__ = "table_ref"
    __table_args__ = (Index(None, "table_id"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    document: Mapped[Document]


class SnapshotRow(Base):
    """One committed version of a table.

    ``digest`` is of ``document``, to tell without reading it whether anything changed.
    ``manifests`` and ``dead`` are ``packing`` of what was published. A snapshot that is quarantined for a cause
    that may pass is read again at ``retry_at_ms``, after ``attempts`` that failed.
    """

    __tablename__ = "snapshot"
    __table_args__ = (
        UniqueConstraint("table_id", "branch", "snapshot_id"),
        Index(None, "retry_at_ms"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    branch: Mapped[String]
    snapshot_id: Mapped[Int64]
    committed_at_ms: Mapped[Int64]
    document: Mapped[Document]
    digest: Mapped[Document]
    state: Mapped[String]
    error: Mapped[String | None]
    published_at_ms: Mapped[Int64 | None]
    decoder_version: Mapped[Int64 | None]
    manifest_count: Mapped[Int64 | None]
    live_data_files: Mapped[Int64 | None]
    live_delete_files: Mapped[Int64 | None]
    live_records: Mapped[Int64 | None]
    live_bytes: Mapped[Int64 | None]
    manifests: Mapped[Document | None]
    dead: Mapped[Document | None]
    warnings: Mapped[Document | None]
    attempts: Mapped[Int64 | None]
    retry_at_ms: Mapped[Int64 | None]


class ManifestRow(Base):
    """One row of a manifest list, shared by all snapshots of the table that list it word for word."""

    __tablename__ = "manifest"
    __table_args__ = (
        UniqueConstraint("table_id", "digest"),
        Index(None, "segment"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    digest: Mapped[Document]
    segment: Mapped[String] = mapped_column(ForeignKey("segment.name"))
    location: Mapped[String]
    length: Mapped[Int64 | None]
    content: Mapped[String]
    spec_id: Mapped[Int64]
    sequence_number: Mapped[Int64 | None]
    min_sequence_number: Mapped[Int64 | None]
    added_snapshot_id: Mapped[Int64 | None]
    added_files_count: Mapped[Int64 | None]
    existing_files_count: Mapped[Int64 | None]
    deleted_files_count: Mapped[Int64 | None]
    added_rows_count: Mapped[Int64 | None]
    existing_rows_count: Mapped[Int64 | None]
    deleted_rows_count: Mapped[Int64 | None]
    partitions: Mapped[Document | None]
    key_metadata: Mapped[Document | None]
    first_row_id: Mapped[Int64 | None]
    schema_id: Mapped[Int64 | None]
    min_bucket: Mapped[Int64 | None]
    max_bucket: Mapped[Int64 | None]
    min_level: Mapped[Int64 | None]
    max_level: Mapped[Int64 | None]
    min_row_id: Mapped[Int64 | None]
    max_row_id: Mapped[Int64 | None]
    total_buckets: Mapped[Int64 | None]
    extra_files: Mapped[Document | None]


class SegmentRow(Base):
    """A segment that is whole in the segment store. ``rows`` entries, ``bytes`` of the file.

    ``counts`` are of its entries by status (see ``EntryCounts``); null for packed ones, and for those that an
    older program registered.
    """

    __tablename__ = "segment"
    name: Mapped[String] = mapped_column(primary_key=True)
    location: Mapped[String]
    length: Mapped[Int64]
    decoder_version: Mapped[Int64]
    rows: Mapped[Int64]
    bytes: Mapped[Int64]
    registered_at_ms: Mapped[Int64]
    counts: Mapped[Document | None]


class StatisticsRow(Base):
    """A statistics file of Paimon snapshots by its name, never changed; empty when it was gone or unreadable."""

    __tablename__ = "table_statistics"
    __table_args__ = (UniqueConstraint("table_id", "name"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    name: Mapped[String]
    document: Mapped[Document]


class LeaseRow(Base):
    """Who may write one table's index, and until when. ``fence`` grows with every holder."""

    __tablename__ = "lease"
    table_id: Mapped[TableId] = mapped_column(primary_key=True)
    holder: Mapped[String | None]
    fence: Mapped[Int64]
    expires_at_ms: Mapped[Int64]


class NamedLeaseRow(Base):
    """Who does one piece of work of the whole index, and until when; ``done_at_ms`` is when it was last done."""

    __tablename__ = "named_lease"
    name: Mapped[String] = mapped_column(primary_key=True)
    holder: Mapped[String | None]
    expires_at_ms: Mapped[Int64]
    done_at_ms: Mapped[Int64]


class ServerKeyRow(Base):
    """The secret that signs page tokens, the same for every process on this database. ``id`` is 1."""

    __tablename__ = "server_key"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    secret: Mapped[Document]
    created_at_ms: Mapped[Int64]
