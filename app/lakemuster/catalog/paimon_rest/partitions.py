"""A snapshot's partitions, named and summed as in the Paimon REST catalog."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakemuster.catalog.services import Services
from lakemuster.formats.paimon.partition_names import DEFAULT_NAME, partition_text
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.planner.paimon.system.sums import partition_sums
from lakemuster.planner.paimon.system.texts import partition_columns
from lakemuster.planner.view import View
from lakemuster.wire.paimon_rest.catalog import PartitionOut

_UNKNOWN = -1


def partitions_of(
    services: Services, table: TableRecord, metadata: TableMetadata, record: SnapshotRecord, schema: Schema
) -> dict[str, PartitionOut]:
    """Return the partitions that hold a live file, by name. Null and blank values share one name, so one partition.

    Raises:
        SnapshotQuarantined, SnapshotUnpublished: the snapshot cannot be read.
    """
    view = View(table, metadata, services.refresher.ensure_published(table, record))
    found: dict[str, PartitionOut] = {}
    for partition in _spelled(partition_sums(services.index, view), view, schema):
        name = "/".join(f"{key}={value}" for key, value in partition.spec.items())
        found[name] = _together(found[name], partition) if name in found else partition
    return found


def _together(one: PartitionOut, other: PartitionOut) -> PartitionOut:
    newer = max(one, other, key=lambda partition: partition.last_file_creation_time)
    sums = ("record_count", "file_size_in_bytes", "file_count")
    return newer.model_copy(update={name: getattr(one, name) + getattr(other, name) for name in sums})


def _spelled(sums: pa.Table, view: View, schema: Schema) -> Iterator[PartitionOut]:
    """Yield partitions, with values spelled as in the table's directories."""
    options = dict(schema.options)
    legacy = options.get("partition.legacy-name", "true").strip().lower() == "true"
    default = options.get("partition.default-name", DEFAULT_NAME)
    columns = partition_columns(sums, view.metadata.specs[0], view.schemas)
    updated = sums.column("last_update_time").cast(pa.int64()).to_pylist()
    numbers = sums.select(["record_count", "file_size_in_bytes", "file_count", "total_buckets"]).to_pylist()
    for row, counts in enumerate(numbers):
        yield PartitionOut(
            spec={
                name: partition_text(of, values[row], legacy=legacy, default=default) for name, of, values in columns
            },
            record_count=counts["record_count"],
            file_size_in_bytes=counts["file_size_in_bytes"],
            file_count=counts["file_count"],
            last_file_creation_time=_UNKNOWN if updated[row] is None else updated[row],
            total_buckets=_UNKNOWN if counts["total_buckets"] is None else counts["total_buckets"],
            done=False,
        )
