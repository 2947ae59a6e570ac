"""Paimon's rules of lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.planner.columns import single_array
from lakemuster.planner.list_rules import ListRules, ManifestColumn
from lakemuster.planner.paimon.rows import PaimonRows

_MANIFEST_COLUMNS: Mapping[str, ManifestColumn] = {
    "list": (pa.string(), lambda record: record.role),
    "manifest_length": (pa.int64(), lambda record: record.header.length),
    "content": (pa.string(), lambda record: record.header.content),
    "added_files_count": (pa.int64(), lambda record: record.header.added_files_count),
    "deleted_files_count": (pa.int64(), lambda record: record.header.deleted_files_count),
    "schema_id": (pa.int64(), lambda record: record.header.schema_id),
    "min_bucket": (pa.int32(), lambda record: record.header.min_bucket),
    "max_bucket": (pa.int32(), lambda record: record.header.max_bucket),
    "min_level": (pa.int32(), lambda record: record.header.min_level),
    "max_level": (pa.int32(), lambda record: record.header.max_level),
    "min_row_id": (pa.int64(), lambda record: record.header.min_row_id),
    "max_row_id": (pa.int64(), lambda record: record.header.max_row_id),
    "total_buckets": (pa.int32(), lambda record: record.header.total_buckets),
    "extra_files": (pa.list_(pa.string()), lambda record: record.header.extra_files),
}


@dataclass(frozen=True, slots=True)
class CreationTimes:
    """Updates by the creation times of files, which are wall clocks of their writers."""

    @property
    def order_type(self) -> pa.DataType:
        """Milliseconds, without a zone."""
        return pa.timestamp("ms")

    def of(self, entries: pa.Table, times: Mapping[int, int]) -> tuple[pa.Array, pa.Array]:
        """Return the files' creation times, and no snapshots."""
        return single_array(entries.column("creation_time")), pa.nulls(entries.num_rows, pa.int64())

    def columns(self, sums: Mapping[str, pa.Array], order: pa.Array, snapshot_id: pa.Array) -> dict[str, pa.Array]:
        """Return the sums of data files, and the latest creation time: Paimon has no delete files."""
        own = {name: values for name, values in sums.items() if "delete" not in name}
        return {**own, "last_updated_at": order}


PAIMON_LISTS = ListRules(PaimonRows, _MANIFEST_COLUMNS, cancels_entries=True, partition_updates=CreationTimes())
