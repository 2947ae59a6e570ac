"""When the newest file of a snapshot was created, as the Paimon REST catalog reports it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import cached
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.planner.columns import single_array
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.view import View

MAX_MANIFESTS = 1000
"""Maximum manifests of a snapshot for which the time is computed: clients request it before each read of a table."""
_TIME_BYTES = 200
_CREATED = "creation_time"


def last_file_creation_ms(
    services: Services, table: TableRecord, metadata: TableMetadata, record: SnapshotRecord
) -> int | None:
    """Return when the newest file that a snapshot's manifests list was created, even if it was deleted since.

    Milliseconds since 1970-01-01, the writer's wall-clock time taken as UTC. None if it is unknown: no file records
    it, the snapshot is not published, its entries cannot be read, or it has more than :data:`MAX_MANIFESTS`.
    """
    if record.state != "published":
        return None
    try:
        found = parts(services.index, View(table, metadata, record), LIVE_ROLES)
        if len(found) > MAX_MANIFESTS:
            return None
        times = [_newest(services.index, table.incarnation, part) for part in found]
    except CatalogError:
        return None
    return max((time for time in times if time is not None), default=None)


@cached(
    "figures", lambda _: _TIME_BYTES, lambda index, incarnation, part: (index, incarnation, part.manifest.id, _CREATED)
)
def _newest(index: Index, _incarnation: str | None, part: ManifestPart) -> int | None:
    """Return the newest creation time of a manifest's files; None without one."""
    segment = index.segments.open(part.manifest.segment)
    if _CREATED not in segment.schema.names:
        return None
    newest: int | None = pc.max(single_array(segment.table([_CREATED]).column(_CREATED)).cast(pa.int64())).as_py()
    return newest
