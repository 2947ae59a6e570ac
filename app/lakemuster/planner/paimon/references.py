"""The files that a Paimon table's snapshots refer to: lists, manifests, data, changelog, index and statistics files.

Metadata holds names, from which the folders are derived. Names are unique below a table's root, so the references are
names, independent of the spelling of folders. Entries of every kind count: a file that a snapshot deleted is needed
until the snapshots before it expire. Paimon's own ``OrphanFilesClean`` does both.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.paths import own_file_names
from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.planner.columns import single_array
from lakemuster.planner.history.references import (
    ReferenceState,
    by_name,
    distinct_manifests,
    exact,
    listed,
    manifest_entries,
)
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.reference_keys import ANYWHERE

MARKS = ("_SUCCESS",)
"""Names of files that mark partitions as done."""
_COLUMNS = ("file_name", "extra_files", "external_path")


def references(index: Index, state: ReferenceState) -> Iterator[pa.RecordBatch]:
    """Yield the references of all snapshots; a file may come more than once."""
    rewrites, root = Rewrites(state.table.rewrites), state.metadata.location.rstrip("/")
    yield by_name("mark", root, pa.array(MARKS, pa.string()))
    snapshots = [record.snapshot for record in state.records]
    lists = [ref.location for one in snapshots for ref in one.manifest_lists]
    yield by_name("manifest-list", root, pa.array([_name(location) for location in lists], pa.string()))
    statistics = [one.extra.get("statistics") for one in snapshots]
    yield by_name("statistics", root, pa.array([name for name in statistics if isinstance(name, str)], pa.string()))
    segments: set[str] = set()
    for manifest in distinct_manifests(index, state.records):
        yield by_name("manifest", root, pa.array([_name(manifest.header.location)], pa.string()))
        if manifest.segment in segments:
            continue
        segments.add(manifest.segment)
        yield from _files(manifest_entries(index, manifest, _COLUMNS), manifest, root, rewrites)


def _files(table: pa.Table, manifest: ManifestRecord, root: str, rewrites: Rewrites) -> Iterator[pa.RecordBatch]:
    kind = {"index": "index", "changelog": "changelog"}.get(manifest.role, "data")
    yield by_name(kind, root, own_file_names(table).cast(pa.string()))
    has_extra = "extra_files" in table.column_names
    if has_extra:
        yield by_name("index", root, pc.list_flatten(single_array(table.column("extra_files"))).cast(pa.string()))
    if "external_path" not in table.column_names:
        return
    outside = table.filter(pc.is_valid(table.column("external_path")))
    if not outside.num_rows:
        return
    paths = rewrites.apply_array(single_array(outside.column("external_path")).cast(pa.string()))
    yield exact(kind, paths)
    # External paths of a copied lake are still those of the original.
    yield by_name(kind, ANYWHERE, own_file_names(outside).cast(pa.string()))
    if has_extra:
        lists = single_array(outside.column("extra_files")).to_pylist()
        folders = [path.rpartition("/")[0] for path in paths.to_pylist()]
        beside = [f"{folder}/{name}" for folder, names in zip(folders, lists, strict=True) for name in names or ()]
        yield listed("index", beside)


def _name(location: str) -> str:
    return location.rpartition("/")[2]
