"""The ORM classes of every SQL table: tables, snapshots, manifests, the segment register, leases, jobs.

There is no row per file and no row per (snapshot, manifest): a snapshot's manifests are one compact value (see
``integer_packing``). Documents are bytes of ``encoding``, not JSON columns: a metadata file may hold NUL characters,
lone surrogates, NaN and integers of any size, which JSON columns reject or change.

Within one incarnation of the database (see ``incarnation``) row ids are never reused, so anything cached under an
incarnation and a row id stays valid.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, text, true
from sqlalchemy.orm import Mapped, column_property, mapped_column

from lakemuster.index.incarnation import Incarnation
from lakemuster.index.orm_base import Base, Document, Int64, RowId, String, TableId
from lakemuster.index.table_record import FIGURES

REGISTERED = {"sqlite": "coalesce(companion_of, 0) = 0", "postgresql": "companion_of IS NULL"}
"""The condition, for lists, that a row is a registered table and not a companion, by database.

SQLite expects a unique index to find one row, even for null: with the plain condition on ``companion_of`` it would not
use any other index.
"""

LIST_INDEXES = {
    "name": ("name",),
    **{figure: (figure, "name") for figure in FIGURES},
    "health": ("health", "name"),
    # A covering index for the list of namespaces, which reads no rows.
    "namespace": ("namespace", *FIGURES),
}
"""The columns of the partial indexes, on ``REGISTERED`` rows, that lists of tables read in order."""


class TableRow(Base):
    """A registered table and its current metadata.

    ``generation`` grows whenever a snapshot id is reused for another snapshot (the table was dropped and created
    again, or rolled back), so that values cached by snapshot id can be recognized as stale.

    A Paimon table that also writes Iceberg metadata has a second row of the same name, its companion: the Iceberg
    table that this metadata describes. ``companion_of`` is the Paimon table's id, and null in all other rows.

    ``namespace`` is the name without its last level; it and ``name`` are compared by code points in every database.
    The columns ``FIGURES`` are updated with the metadata and counts that they summarize, see ``table_figures``.
    ``health`` is the rank of the worst status of the table's components; health is computed again when
    ``health_due_at_ms`` has passed. See ``index.health``.
    """

    __tablename__ = "catalog_table"
    __table_args__ = (
        *(
            Index(
                f"ix_catalog_table_{name}",
                *columns,
                sqlite_where=text(REGISTERED["sqlite"]),
                postgresql_where=text(REGISTERED["postgresql"]),
            )
            for name, columns in LIST_INDEXES.items()
        ),
        Index(
            "uq_catalog_table_name",
            "name",
            unique=True,
            sqlite_where=text("companion_of IS NULL"),
            postgresql_where=text("companion_of IS NULL"),
        ),
        UniqueConstraint("companion_of"),
        Index(None, "health_due_at_ms"),
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
    changed_at_ms: Mapped[Int64 | None]
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
    namespace: Mapped[String] = mapped_column(server_default="")
    total_records: Mapped[Int64 | None]
    data_files: Mapped[Int64 | None]
    total_bytes: Mapped[Int64 | None]
    delete_files: Mapped[Int64 | None]
    snapshots: Mapped[Int64 | None]
    last_committed_at_ms: Mapped[Int64 | None]
    metadata_bytes: Mapped[Int64 | None]
    health: Mapped[Int64 | None]
    health_due_at_ms: Mapped[Int64 | None]
    incarnation: Mapped[str | None] = column_property(Incarnation(), deferred=True)


class SchemaRow(Base):
    """One schema version of a table's branch (Iceberg: of the main branch)."""

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
    """One branch or tag. The name is not indexed: Iceberg does not limit its length, but index entries are limited."""

    __tablename__ = "table_ref"
    __table_args__ = (Index(None, "table_id"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    document: Mapped[Document]


class SnapshotRow(Base):
    """One committed version of a table.

    ``digest`` is the hash of ``document``: changes are detected without reading the document. ``manifests`` and
    ``dead`` are the published manifests and cancelled rows, packed by ``integer_packing``. A snapshot quarantined for a
    transient reason is retried at ``retry_at_ms``; ``attempts`` counts the failures. ``announced`` is true once a ref
    has reached it and the event log has the event, or if it is older than the table's registration.
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
    announced: Mapped[bool] = mapped_column(server_default=true())


class ManifestRow(Base):
    """One row of a manifest list, shared by all snapshots of the table whose lists have an identical row."""

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
    """A segment that is complete in the segment store: ``rows`` entries in a file of ``bytes`` bytes.

    ``counts`` are the counts of its entries by status (see ``EntryCounts``); null for packed segments, and for those
    registered by older versions.
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


class HealthRow(Base):
    """One component of a table's health, see ``index.health``: the rank of its status, and the status's start time."""

    __tablename__ = "table_health"
    _by_status = Index("ix_table_health_component", "component", "status", "table_id")
    __table_args__ = (UniqueConstraint("table_id", "component"), _by_status, {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    component: Mapped[String]
    status: Mapped[Int64]
    since_ms: Mapped[Int64]
    computed_at_ms: Mapped[Int64]
    document: Mapped[Document]


class HealthDayRow(Base):
    """A table's last health of one day; ``day`` counts days since 1970-01-01 UTC."""

    __tablename__ = "table_health_day"
    __table_args__ = (UniqueConstraint("table_id", "day"), Index(None, "day"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    day: Mapped[Int64]
    document: Mapped[Document]


class StatisticsRow(Base):
    """A statistics file of Paimon snapshots, by name. Never updated; empty if the file was missing or unreadable."""

    __tablename__ = "table_statistics"
    __table_args__ = (UniqueConstraint("table_id", "name"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    name: Mapped[String]
    document: Mapped[Document]


class LeaseRow(Base):
    """The lease to write one table's index: holder and expiry. ``fence`` grows with every new holder."""

    __tablename__ = "lease"
    table_id: Mapped[TableId] = mapped_column(primary_key=True)
    holder: Mapped[String | None]
    fence: Mapped[Int64]
    expires_at_ms: Mapped[Int64]


class NamedLeaseRow(Base):
    """The lease for one kind of work on the whole index: holder and expiry. ``done_at_ms`` is unused."""

    __tablename__ = "named_lease"
    name: Mapped[String] = mapped_column(primary_key=True)
    holder: Mapped[String | None]
    expires_at_ms: Mapped[Int64]
    done_at_ms: Mapped[Int64]


class JobRow(Base):
    """A background job: its lease, which changes with every renewal, and the outcome of its last runs.

    ``started_at_ms`` is null unless a run is in progress. ``report`` summarizes the last successful run; ``error`` is
    why the last run failed, null if it succeeded.
    """

    __tablename__ = "job"
    name: Mapped[String] = mapped_column(primary_key=True)
    holder: Mapped[String | None]
    place: Mapped[String | None]
    renewed_at_ms: Mapped[Int64]
    runs: Mapped[Int64]
    failures: Mapped[Int64]
    failures_in_a_row: Mapped[Int64]
    started_at_ms: Mapped[Int64 | None]
    ended_at_ms: Mapped[Int64 | None]
    succeeded_at_ms: Mapped[Int64 | None]
    duration_ms: Mapped[Int64 | None]
    next_at_ms: Mapped[Int64 | None]
    report: Mapped[String | None]
    error: Mapped[String | None]


class SchemaSupportRow(Base):
    """The oldest schema version whose servers may use the database, see ``migrations``. ``id`` is 1."""

    __tablename__ = "schema_support"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    oldest_server: Mapped[String]


class ServerKeyRow(Base):
    """The secret that signs page and plan tokens, shared by all processes of this database. ``id`` is 1."""

    __tablename__ = "server_key"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    secret: Mapped[Document]
    created_at_ms: Mapped[Int64]


class BrowserSessionRow(Base):
    """A browser session, by a digest of its cookie. ``expires_at_ms`` is by the database's clock."""

    __tablename__ = "browser_session"
    digest: Mapped[String] = mapped_column(primary_key=True)
    sealed: Mapped[Document]
    expires_at_ms: Mapped[Int64] = mapped_column(index=True)
