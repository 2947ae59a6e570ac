"""Index the snapshots that a request about a table's history needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakemuster.catalog.services import Services
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.wire.native.timeline import IndexingOut


def index_needed(
    services: Services, table: TableRecord, needed: Callable[[], Sequence[SnapshotRecord]]
) -> IndexingOut | None:
    """Index the snapshots that are not indexed; return None when that is done, or its progress after a timeout.

    After a timeout, indexing continues in the background. Quarantined snapshots are not read again.

    Args:
        needed: returns the snapshots in their current states.

    Raises:
        CatalogError: storage or the index does not answer.
    """
    while missing := [record for record in needed() if record.state == "known"]:
        if not services.refresher.index_snapshots(table, missing):
            return _progress(needed())
    return None


def _progress(records: Sequence[SnapshotRecord]) -> IndexingOut:
    states = [record.state for record in records]
    return IndexingOut(
        snapshots=len(states), indexed=states.count("published"), quarantined=states.count("quarantined")
    )
