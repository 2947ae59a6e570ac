"""Find the manifests that a refresh of a table would decode now, so that their segments can be made beforehand.

This needs no lease and writes nothing: every process makes the same segment from a manifest. The refresh that follows
reads the table's state again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lakemuster.index.reconcile import is_same
from lakemuster.index.snapshots import list_snapshots
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.engine import Manifest
from lakemuster.ingest.ref_snapshots import snapshots_to_index
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.ingest.work import slim
from lakemuster.metadata.snapshot import Snapshot, TableMetadata

SNAPSHOTS_AT_ONCE = 256
"""Number of snapshots whose manifest lists are in memory at a time."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Manifests of a table without segments.

    Attributes:
        roots: locations below which the table's files may be.
        metadata: the part of the table's metadata that decoding needs.
        manifests: each manifest of a table once, even if several snapshots list it.
    """

    roots: tuple[str, ...]
    metadata: TableMetadata
    manifests: Sequence[Manifest]


def missing_segments(refresher: TableRefresher, table: TableRecord) -> Iterator[Missing]:
    """Yield the manifests of a table that have no segment, for a few hundred snapshots at a time.

    Raises:
        CatalogError: the table's pointer, metadata or manifest lists cannot be read now.
    """
    store = refresher.store_for(table)
    _, metadata = refresher.load(store, table)
    indexer = refresher.indexer(store, table, metadata)
    snapshots = _unpublished(refresher, table, metadata)
    roots, of_table = tuple(root.text for root in store.roots.locations), slim(metadata)
    seen: set[str] = set()
    for at in range(0, len(snapshots), SNAPSHOTS_AT_ONCE):
        found = indexer.missing(snapshots[at : at + SNAPSHOTS_AT_ONCE])
        new = [one for one in found if one.segment not in seen]
        seen.update(one.segment for one in new)
        if new:
            yield Missing(roots, of_table, new)


def _unpublished(refresher: TableRefresher, table: TableRecord, metadata: TableMetadata) -> list[Snapshot]:
    """Return the snapshots that a refresh would index."""
    with refresher.index.database.reading() as session:
        records = list_snapshots(session, table.table_id)
    published = {
        (record.snapshot.branch, record.snapshot.snapshot_id): record.snapshot
        for record in records
        if record.state == "published"
    }
    return [
        one
        for one in snapshots_to_index(metadata, refresher.rules_of(table.name).history)
        if (known := published.get((one.branch, one.snapshot_id))) is None or not is_same(known, one)
    ]
