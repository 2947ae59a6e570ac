"""The files that an Iceberg table's snapshots refer to: manifest lists, manifests, and the live files of manifests."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index import Index
from lakemuster.metadata.files import DATA, DELETED
from lakemuster.planner.columns import single_array
from lakemuster.planner.history.references import ReferenceState, distinct_manifests, exact, listed, manifest_entries
from lakemuster.storage.locations import Rewrites


def references(index: Index, state: ReferenceState) -> Iterator[pa.RecordBatch]:
    """Yield the references of all snapshots; a file may be repeated.

    An entry of status DELETED names a file that its snapshot does not have: an earlier one may still have it.
    """
    rewrites = Rewrites(state.table.rewrites)
    lists = [ref.location for record in state.records for ref in record.snapshot.manifest_lists]
    yield listed("manifest-list", map(rewrites.apply, lists))
    segments: set[str] = set()
    for manifest in distinct_manifests(index, state.records):
        yield listed("manifest", [rewrites.apply(manifest.header.location)])
        if manifest.segment in segments:
            continue
        segments.add(manifest.segment)
        table = manifest_entries(index, manifest, ("status", "content", "file_path"))
        live = table.filter(pc.not_equal(table.column("status"), DELETED))
        yield exact(_kinds(live), rewrites.apply_array(single_array(live.column("file_path"))).cast(pa.string()))


def _kinds(entries: pa.Table) -> pa.Array:
    if "content" not in entries.column_names:
        return pa.repeat(pa.scalar("data", pa.string()), entries.num_rows)
    is_data = pc.equal(pc.fill_null(single_array(entries.column("content")), DATA), DATA)
    return pc.if_else(is_data, "data", "deletes")
