"""JSON models of pages of lists."""

from __future__ import annotations

from pydantic import Field

from lakemuster.wire.model import InstantText, Long, WireModel
from lakemuster.wire.native.catalogs import CatalogOut
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
    Values,
)
from lakemuster.wire.native.schemas import RefOut, SchemaOut, SpecOut
from lakemuster.wire.native.snapshots import SnapshotOut
from lakemuster.wire.native.tables import NamespaceOut, TableOut
from lakemuster.wire.native.webhooks import WebhookOut


class ListPage(WireModel):
    """Fields of every page."""

    next_page_token: str | None = Field(
        description="Token of the next page: send the same request with it as `page_token`. Null on the last page."
    )
    total_count: int | None = Field(
        description="Number of rows of the whole list; null where it is not known without reading the list."
    )
    stale: str | None = Field(
        description="Why the response is not of the table's newest state; null if it is, or if the request "
        "pins a snapshot."
    )


class SnapshotListPage(ListPage):
    """A page of a list of one snapshot."""

    snapshot_id: IdText | None = Field(description="The snapshot of all pages; null for a table without snapshots.")


class TablesPage(ListPage):
    """A page of registered tables, by name unless `sort` says otherwise."""

    tables: list[TableOut]


class NamespacesPage(ListPage):
    """A page of namespaces, by name unless `sort` says otherwise."""

    namespaces: list[NamespaceOut]


class CatalogsPage(ListPage):
    """A page of the attached catalogs that the caller may see, by name."""

    catalogs: list[CatalogOut]


class WebhooksPage(ListPage):
    """A page of webhooks, by name."""

    webhooks: list[WebhookOut]


class SnapshotsPage(ListPage):
    """A page of snapshots, newest first unless `order` or `sort` says otherwise."""

    snapshots: list[SnapshotOut]


class RefsPage(ListPage):
    """A page of branches and tags, by name."""

    refs: list[RefOut]


class SchemasPage(ListPage):
    """A page of schemas, by id."""

    schemas: list[SchemaOut]


class SpecsPage(ListPage):
    """A page of partition specs, by id."""

    specs: list[SpecOut]


class ManifestsPage(SnapshotListPage):
    """A page of a snapshot's manifests."""

    manifests: list[IcebergManifest | PaimonManifest]


class EntriesPage(SnapshotListPage):
    """A page of manifest entries."""

    entries: list[IcebergEntry | PaimonEntry]


class FilesPage(SnapshotListPage):
    """A page of live data and delete files."""

    files: list[IcebergFile | PaimonFile]
    not_applied: list[NotAppliedOut] | None = Field(
        None, description="With a filter: its conjuncts that cannot prune. A stream has them in its last record."
    )


class PartitionsPage(SnapshotListPage):
    """A page of partitions."""

    partitions: list[Partition]
    not_applied: list[NotAppliedOut] | None = Field(
        None, description="With a filter: its conjuncts that cannot prune. A stream has them in its last record."
    )


class ReadyPartitionOut(WireModel):
    """A partition that is complete by a rule of its table's settings, as an event has told."""

    partition: Values = Field(description="Values by the name of the partition field.")
    rule: str = Field(description="The rule's name.")
    ready_at: InstantText = Field(description="When it was told, RFC 3339, by the database's clock.")
    time_end: InstantText | None = Field(
        description="End of the partition's time, RFC 3339; null if its values name none."
    )
    snapshot_id: IdText | None = Field(description="The snapshot in which it was ready.")
    record_count: Long = Field(description="Records of the partition in that snapshot.")
    file_count: Long


class ReadyPartitionsPage(ListPage):
    """A page of partitions that are ready, oldest first."""

    ready_partitions: list[ReadyPartitionOut]


class IndexesPage(SnapshotListPage):
    """A page of Paimon's index files."""

    indexes: list[IndexFile]


class DiffPage(SnapshotListPage):
    """A page of the files removed and added between two snapshots."""

    diff: list[IcebergChange | PaimonChange]
    from_snapshot_id: IdText | None = Field(description="The earlier snapshot.")
