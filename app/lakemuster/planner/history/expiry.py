"""The arguments of an expiry of snapshots, its decisions, and the list of files that it would remove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.table_record import TableRecord
from lakemuster.metadata.files import ExpiredKind
from lakemuster.metadata.snapshot import MAIN, Ref, TableMetadata
from lakemuster.planner.columns import partition_type, single_array
from lakemuster.planner.history.partition_texts import partition_texts
from lakemuster.planner.rows import conform
from lakemuster.planner.view import View

UNKNOWN_SIZE = "no metadata records its size"


@dataclass(frozen=True, slots=True)
class Policy:
    """The arguments of an expiry; None where the table's own properties decide.

    Attributes:
        older_than_ms: snapshots from this time on are retained, Unix epoch milliseconds.
        retain_last: minimum number of snapshots of each branch to retain, the newest ones.
        retain_max: Paimon: maximum number of snapshots to retain, however young they are.
        max_deletes: Paimon: maximum number of snapshots to remove at a time.
        cleanup: Iceberg: ``reachable`` removes every file that no snapshot refers to any more; ``library`` removes the
            files that the Java library removes, which retains some of them longer.
        paimon: the major version of Paimon: version 1 removes a snapshot if it is old enough itself, version 2 if its
            successor is.
    """

    older_than_ms: int | None = None
    retain_last: int | None = None
    retain_max: int | None = None
    max_deletes: int | None = None
    cleanup: Literal["reachable", "library"] = "reachable"
    paimon: Literal[1, 2] = 2

    @property
    def is_default(self) -> bool:
        """Whether the table's own properties decide everything."""
        return (self.older_than_ms, self.retain_last, self.retain_max, self.max_deletes) == (None,) * 4


@dataclass(frozen=True, slots=True)
class ExpiryState:
    """The state of a table before an expiry, and the time.

    Attributes:
        records: all snapshots of the table.
        branch: the branch to expire, in formats where each has its own snapshots.
    """

    table: TableRecord
    metadata: TableMetadata
    records: Sequence[SnapshotRecord]
    now_ms: int
    branch: str = MAIN

    def view(self, record: SnapshotRecord) -> View:
        """Return the table at a snapshot."""
        return View(self.table, self.metadata, record)


@dataclass(frozen=True, slots=True)
class Retention:
    """The decisions of an expiry.

    Attributes:
        expired: the snapshots that would be removed.
        needed: the snapshots whose files must be known to determine the files that would be removed.
        refs: the branches and tags that would be removed, with the reasons.
        settings: the values that were applied, by the names of the format's properties; times in milliseconds.
        refused: why the expiry would fail; then nothing else is set.
    """

    expired: tuple[SnapshotRecord, ...] = ()
    needed: tuple[SnapshotRecord, ...] = ()
    refs: tuple[tuple[Ref, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    refused: str | None = None


def expired_schema(state: ExpiryState) -> pa.Schema:
    """Return the columns of the list of files. ``file_size_in_bytes`` is null with a ``reason`` where it is unknown."""
    newest_first = sorted(state.metadata.schemas, key=lambda schema: -schema.schema_id)
    return pa.schema(
        [
            pa.field("kind", pa.string()),
            pa.field("file_path", pa.string()),
            pa.field("file_size_in_bytes", pa.int64()),
            pa.field("record_count", pa.int64()),
            pa.field("spec_id", pa.int32()),
            pa.field("partition", partition_type(state.metadata.specs, newest_first)),
            pa.field("reason", pa.string()),
        ]
    )


def content_rows(state: ExpiryState, rows: pa.RecordBatch, kind: pa.Array | str) -> pa.Table:
    """Convert rows of a list of entries to rows of the list of files."""
    names = rows.schema.names
    kept = [
        name for name in ("file_path", "file_size_in_bytes", "record_count", "spec_id", "partition") if name in names
    ]
    kinds = pa.repeat(kind, rows.num_rows) if isinstance(kind, str) else kind
    batch = pa.RecordBatch.from_arrays(
        [kinds, *(rows.column(name) for name in kept)],
        schema=pa.schema([pa.field("kind", pa.string()), *(rows.schema.field(name) for name in kept)]),
    )
    return pa.Table.from_batches([conform(batch, expired_schema(state))])


def metadata_rows(state: ExpiryState, kind: ExpiredKind, files: Mapping[str, int | None]) -> pa.Table:
    """Return rows of the list for metadata files, given by location with their sizes in bytes."""
    sizes = list(files.values())
    columns = {
        "kind": pa.repeat(kind, len(sizes)),
        "file_path": pa.array(list(files), pa.string()),
        "file_size_in_bytes": pa.array(sizes, pa.int64()),
        "reason": pa.array([UNKNOWN_SIZE if size is None else None for size in sizes], pa.string()),
    }
    schema = expired_schema(state)
    arrays = [columns.get(one.name, pa.nulls(len(sizes), one.type)) for one in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def joined(state: ExpiryState, tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate lists of files; keep each file once, at its first position."""
    whole = pa.concat_tables([expired_schema(state).empty_table(), *tables]).combine_chunks()
    if not whole.num_rows:
        return whole
    numbered = pa.table({"path": whole.column("file_path"), "row": pa.array(range(whole.num_rows), pa.int64())})
    first = numbered.group_by("path", use_threads=False).aggregate([("row", "min")]).column("row_min")
    return whole.take(pc.take(first, pc.sort_indices(first)))


CONTENT_KINDS = ("data", "position-deletes", "equality-deletes", "changelog")
"""The kinds of files that belong to a partition."""


def by_partition(files: pa.Table) -> pa.Table:
    """Return a row for each partition of a list of files: files by kind, records of data files, bytes of all."""
    own = files.filter(pc.is_in(files.column("kind"), value_set=pa.array(CONTENT_KINDS))).combine_chunks()
    kind, records = single_array(own.column("kind")), single_array(own.column("record_count"))
    is_data, is_changelog = pc.equal(kind, "data"), pc.equal(kind, "changelog")
    numbers = {
        "data_files": is_data.cast(pa.int64()),
        "delete_files": pc.invert(pc.or_(is_data, is_changelog)).cast(pa.int64()),
        "changelog_files": is_changelog.cast(pa.int64()),
        "records": pc.if_else(is_data, records, 0),
        "bytes": single_array(own.column("file_size_in_bytes")),
    }
    specs, partitions = single_array(own.column("spec_id")), single_array(own.column("partition"))
    rows = pa.table({"text": partition_texts(specs, partitions), "row": pa.array(range(own.num_rows)), **numbers})
    grouped = rows.group_by("text", use_threads=False).aggregate([("row", "min"), *((name, "sum") for name in numbers)])
    first = grouped.column("row_min")
    sums = {name: grouped.column(f"{name}_sum") for name in numbers}
    return pa.table({"spec_id": specs.take(first), "partition": partitions.take(first), **sums}).sort_by(
        [("bytes", "descending")]
    )
