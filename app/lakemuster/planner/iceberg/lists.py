"""Iceberg's rules of lists."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from lakemuster.planner.iceberg.rows import IcebergRows
from lakemuster.planner.list_rules import ListRules, ManifestColumn

_MANIFEST_COLUMNS: Mapping[str, ManifestColumn] = {
    "manifest_length": (pa.int64(), lambda record: record.header.length),
    "partition_spec_id": (pa.int32(), lambda record: record.header.spec_id),
    "content": (pa.string(), lambda record: record.header.content),
    "sequence_number": (pa.int64(), lambda record: record.header.sequence_number),
    "min_sequence_number": (pa.int64(), lambda record: record.header.min_sequence_number),
    "added_snapshot_id": (pa.int64(), lambda record: record.header.added_snapshot_id),
    "added_files_count": (pa.int64(), lambda record: record.header.added_files_count),
    "existing_files_count": (pa.int64(), lambda record: record.header.existing_files_count),
    "deleted_files_count": (pa.int64(), lambda record: record.header.deleted_files_count),
    "added_rows_count": (pa.int64(), lambda record: record.header.added_rows_count),
    "existing_rows_count": (pa.int64(), lambda record: record.header.existing_rows_count),
    "deleted_rows_count": (pa.int64(), lambda record: record.header.deleted_rows_count),
    "key_metadata": (pa.binary(), lambda record: record.header.key_metadata),
    "first_row_id": (pa.int64(), lambda record: record.header.first_row_id),
}

ICEBERG_LISTS = ListRules(IcebergRows, _MANIFEST_COLUMNS)
