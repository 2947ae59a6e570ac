"""The shape of lists of references: the files that a table's snapshots name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord, snapshot_manifests
from lakemuster.index.table_record import TableRecord
from lakemuster.metadata.snapshot import TableMetadata

REFERENCES = pa.schema([("kind", pa.string()), ("location", pa.string()), ("name", pa.string())])
"""Without a ``name``, ``location`` is a file; with one, it is a folder, for every file of that name below it."""


@dataclass(frozen=True, slots=True)
class ReferenceState:
    """A table, and the published snapshots whose files are to be listed."""

    table: TableRecord
    metadata: TableMetadata
    records: Sequence[SnapshotRecord]


def exact(kinds: pa.Array | str, locations: pa.Array) -> pa.RecordBatch:
    """Return rows for files by location."""
    count = len(locations)
    kinds = pa.repeat(pa.scalar(kinds, pa.string()), count) if isinstance(kinds, str) else kinds
    return pa.RecordBatch.from_arrays([kinds, locations, pa.nulls(count, pa.string())], schema=REFERENCES)


def by_name(kind: str, folder: str, names: pa.Array) -> pa.RecordBatch:
    """Return rows for files by name, anywhere below a folder."""
    count = len(names)
    columns = [pa.repeat(pa.scalar(text, pa.string()), count) for text in (kind, folder)]
    return pa.RecordBatch.from_arrays([*columns, names], schema=REFERENCES)


def listed(kind: str, locations: Iterable[str]) -> pa.RecordBatch:
    """Return rows for files by location."""
    return exact(kind, pa.array(list(locations), pa.string()))


def distinct_manifests(index: Index, records: Sequence[SnapshotRecord]) -> Iterator[ManifestRecord]:
    """Yield the manifests of snapshots, each once.

    Raises:
        SnapshotChanged: a snapshot is no longer in the index.
    """
    known: dict[int, ManifestRecord] = {}
    for record in records:
        with index.database.reading() as session:
            # Files of a list that is of another snapshot, after a restore of the database, would seem to be orphans.
            found = snapshot_manifests(session, record.row_id, known, record.published_at_ms)
        for manifest in found:
            if manifest.id not in known:
                known[manifest.id] = manifest
                yield manifest


def manifest_entries(index: Index, manifest: ManifestRecord, names: Sequence[str]) -> pa.Table:
    """Return some columns of a manifest's entries; columns that its segment does not have are left out."""
    segment = index.segments.open(manifest.segment)
    own = set(segment.names)
    return segment.table([name for name in names if name in own])
