"""Definitions of Paimon's system tables: names, columns, and whether they belong to a snapshot or a table.

Columns have Paimon's names and types, so that programs written for Paimon's own tables can read these; texts that
Paimon composes (partitions, keys, statistics) have its format. Times without a zone are UTC, as in a
Paimon process in UTC; creation times of files are the wall clock of their writer, as recorded.
``audit_log``, ``binlog``, ``ro`` and ``row_tracking`` show the table's rows, and ``file_indexes``
reads data files: they are not metadata, and are not provided here.

Source: Paimon ``table.system``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pyarrow as pa

from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.files import typed_field
from lakemuster.metadata.types import arrow_type

_NESTED: dict[str, pa.DataType] = {
    "ARRAY<STRING>": pa.list_(pa.string()),
    "ARRAY<ROW<`f0` STRING NOT NULL, `f1` INT NOT NULL, `f2` INT NOT NULL, `_CARDINALITY` BIGINT>>": pa.list_(
        pa.struct([("f0", pa.string()), ("f1", pa.int32()), ("f2", pa.int32()), ("_CARDINALITY", pa.int64())])
    ),
}


@dataclass(frozen=True)
class SystemTable:
    """One system table.

    Attributes:
        name: the name after the ``$``.
        of: ``snapshot`` if its rows belong to a snapshot; ``table`` if they belong to the table or a branch.
        key: its primary key.
        columns: (name, Paimon's type).
    """

    name: str
    of: Literal["snapshot", "table"]
    key: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns as an Arrow schema; each field's metadata holds Paimon's type as text."""
        return pa.schema([typed_field(name, _arrow(text), text) for name, text in self.columns])

    def build(self, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
        """Build a batch of the table's columns from arrays by name."""
        arrays = [columns[of.name].cast(of.type) for of in self.schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def of_rows(self, rows: Sequence[Mapping[str, object]]) -> pa.Table:
        """Build a table from rows; keys that a row lacks become null."""
        arrays = [pa.array([_storable(row.get(field.name)) for row in rows], field.type) for field in self.schema]
        return pa.Table.from_arrays(arrays, schema=self.schema)


def _arrow(text: str) -> pa.DataType:
    plain = text.removesuffix(" NOT NULL")
    return _NESTED[plain] if plain in _NESTED else arrow_type(parse_type(plain, 0)[0])


def _storable(value: object) -> object:
    # Documents may hold lone surrogates, which UTF-8 cannot encode.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


_FILE = (
    ("partition", "STRING"),
    ("bucket", "INT NOT NULL"),
    ("file_path", "STRING NOT NULL"),
    ("file_format", "STRING NOT NULL"),
    ("schema_id", "BIGINT NOT NULL"),
    ("level", "INT NOT NULL"),
    ("record_count", "BIGINT NOT NULL"),
    ("file_size_in_bytes", "BIGINT NOT NULL"),
    ("min_key", "STRING"),
    ("max_key", "STRING"),
)
_SUMS = (
    ("record_count", "BIGINT NOT NULL"),
    ("file_size_in_bytes", "BIGINT NOT NULL"),
    ("file_count", "BIGINT NOT NULL"),
    ("last_update_time", "TIMESTAMP(3)"),
)

_TABLES = (
    SystemTable(
        "snapshots",
        "table",
        ("snapshot_id",),
        (
            ("snapshot_id", "BIGINT NOT NULL"),
            ("schema_id", "BIGINT NOT NULL"),
            ("commit_user", "STRING NOT NULL"),
            ("commit_identifier", "BIGINT NOT NULL"),
            ("commit_kind", "STRING NOT NULL"),
            ("commit_time", "TIMESTAMP(3) NOT NULL"),
            ("base_manifest_list", "STRING NOT NULL"),
            ("delta_manifest_list", "STRING NOT NULL"),
            ("changelog_manifest_list", "STRING"),
            ("total_record_count", "BIGINT"),
            ("delta_record_count", "BIGINT"),
            ("changelog_record_count", "BIGINT"),
            ("watermark", "BIGINT"),
            ("next_row_id", "BIGINT"),
            ("operation", "STRING"),
            ("writer_version", "STRING"),
        ),
    ),
    SystemTable(
        "schemas",
        "table",
        ("schema_id",),
        (
            ("schema_id", "BIGINT NOT NULL"),
            ("fields", "STRING NOT NULL"),
            ("partition_keys", "STRING NOT NULL"),
            ("primary_keys", "STRING NOT NULL"),
            ("options", "STRING NOT NULL"),
            ("comment", "STRING"),
            ("update_time", "TIMESTAMP(3) NOT NULL"),
        ),
    ),
    SystemTable("options", "table", ("key",), (("key", "STRING NOT NULL"), ("value", "STRING NOT NULL"))),
    SystemTable(
        "tags",
        "table",
        ("tag_name",),
        (
            ("tag_name", "STRING NOT NULL"),
            ("snapshot_id", "BIGINT NOT NULL"),
            ("schema_id", "BIGINT NOT NULL"),
            ("commit_time", "TIMESTAMP(3) NOT NULL"),
            ("record_count", "BIGINT"),
            ("create_time", "TIMESTAMP(3)"),
            ("time_retained", "STRING"),
        ),
    ),
    SystemTable(
        "branches",
        "table",
        ("branch_name",),
        (("branch_name", "STRING NOT NULL"), ("create_time", "TIMESTAMP(3) NOT NULL")),
    ),
    SystemTable(
        "consumers",
        "table",
        ("consumer_id",),
        (("consumer_id", "STRING NOT NULL"), ("next_snapshot_id", "BIGINT NOT NULL")),
    ),
    SystemTable(
        "aggregation_fields",
        "table",
        ("field_name",),
        (
            ("field_name", "STRING NOT NULL"),
            ("field_type", "STRING NOT NULL"),
            ("function", "STRING"),
            ("function_options", "STRING"),
            ("comment", "STRING"),
        ),
    ),
    SystemTable(
        "manifests",
        "snapshot",
        ("file_name",),
        (
            ("file_name", "STRING NOT NULL"),
            ("file_size", "BIGINT NOT NULL"),
            ("num_added_files", "BIGINT NOT NULL"),
            ("num_deleted_files", "BIGINT NOT NULL"),
            ("schema_id", "BIGINT NOT NULL"),
            ("min_partition_stats", "STRING"),
            ("max_partition_stats", "STRING"),
            ("min_row_id", "BIGINT"),
            ("max_row_id", "BIGINT"),
        ),
    ),
    SystemTable(
        "files",
        "snapshot",
        ("file_path",),
        (
            *_FILE,
            ("null_value_counts", "STRING NOT NULL"),
            ("min_value_stats", "STRING NOT NULL"),
            ("max_value_stats", "STRING NOT NULL"),
            ("min_sequence_number", "BIGINT"),
            ("max_sequence_number", "BIGINT"),
            ("creation_time", "TIMESTAMP(3)"),
            ("deleteRowCount", "BIGINT"),
            ("file_source", "STRING"),
            ("first_row_id", "BIGINT"),
            ("write_cols", "ARRAY<STRING>"),
        ),
    ),
    SystemTable("file_key_ranges", "snapshot", ("file_path",), (*_FILE, ("first_row_id", "BIGINT"))),
    SystemTable(
        "partitions",
        "snapshot",
        ("partition",),
        (
            ("partition", "STRING"),
            *_SUMS,
            ("created_at", "TIMESTAMP(3)"),
            ("created_by", "STRING"),
            ("updated_by", "STRING"),
            ("options", "STRING"),
            ("total_buckets", "INT NOT NULL"),
            ("done", "BOOLEAN NOT NULL"),
            ("deleted_record_count", "BIGINT"),
        ),
    ),
    SystemTable(
        "buckets", "snapshot", ("partition", "bucket"), (("partition", "STRING"), ("bucket", "INT NOT NULL"), *_SUMS)
    ),
    SystemTable(
        "table_indexes",
        "snapshot",
        ("file_name",),
        (
            ("partition", "STRING"),
            ("bucket", "INT NOT NULL"),
            ("index_type", "STRING NOT NULL"),
            ("file_name", "STRING NOT NULL"),
            ("file_size", "BIGINT NOT NULL"),
            ("row_count", "BIGINT NOT NULL"),
            ("dv_ranges", next(name for name in _NESTED if "f0" in name)),
            ("row_range_start", "BIGINT"),
            ("row_range_end", "BIGINT"),
            ("index_field_id", "INT"),
            ("index_field_name", "STRING"),
        ),
    ),
    SystemTable(
        "statistics",
        "snapshot",
        ("snapshot_id",),
        (
            ("snapshot_id", "BIGINT NOT NULL"),
            ("schema_id", "BIGINT NOT NULL"),
            ("mergedRecordCount", "BIGINT"),
            ("mergedRecordSize", "BIGINT"),
            ("colstat", "STRING"),
        ),
    ),
)

SYSTEM_TABLES: Mapping[str, SystemTable] = {table.name: table for table in _TABLES}
"""The system tables by name."""
