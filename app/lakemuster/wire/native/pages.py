"""JSON models of pages of lists."""

from __future__ import annotations

from pydantic import Field

from lakemuster.wire.model import WireModel
from lakemuster.wire.native.plans import NotAppliedOut
from lakemuster.wire.native.rows import (
    IcebergChange,
    IcebergEntry,
    IcebergFile,
    IcebergManifest,
    IdText,
    IndexFile,
    PaimonChange,
    PaimonEntry,
    PaimonFile,
    PaimonManifest,
    Partition,
)
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import SnapshotOut
from lakemuster.wire.native.tables import TableOut


class ListPage(WireModel):
    """What every page says."""

    next_page_token: str | None = Field(description="Repeat the request with it as page_token; null on the last page.")
    stale: str | None = Field(description="Why this is not the newest state; null when it is, or when it is pinned.")


class SnapshotListPage(ListPage):
    """A page of a snapshot's rows."""

    snapshot_id: IdText | None = Field(description="All pages are of it; null for a table without snapshots.")


class TablesPage(ListPage):
    """Registered tables."""

    tables: list[TableOut]


class SnapshotsPage(ListPage):
    """Snapshots, oldest first."""

    snapshots: list[SnapshotOut]


class RefsPage(ListPage):
    """Branches and tags."""

    refs: list[RefOut]


class SchemasPage(ListPage):
    """Versions of a table's columns."""

    schemas: list[SchemaOut]


class SpecsPage(ListPage):
    """Versions of a table's partitioning."""

    specs: list[SpecOut]


class ManifestsPage(SnapshotListPage):
    """Rows of manifest lists."""

    manifests: list[IcebergManifest | PaimonManifest]


class EntriesPage(SnapshotListPage):
    """Entries of manifests."""

    entries: list[IcebergEntry | PaimonEntry]


class FilesPage(SnapshotListPage):
    """Live files."""

    files: list[IcebergFile | PaimonFile]
    not_applied: list[NotAppliedOut] | None = Field(
        None, description="With a filter: its conjuncts that drop no file. Streams say it in their last record."
    )


class PartitionsPage(SnapshotListPage):
    """Partitions."""

    partitions: list[Partition]


class IndexesPage(SnapshotListPage):
    """Index files."""

    indexes: list[IndexFile]


class DiffPage(SnapshotListPage):
    """Files removed and added."""

    diff: list[IcebergChange | PaimonChange]
    from_snapshot_id: IdText | None
