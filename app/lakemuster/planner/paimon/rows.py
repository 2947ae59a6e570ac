"""Paimon entries and files as rows: Iceberg's names for fields of both formats, Paimon's for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.paths import data_file_paths
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import ADDED, PAIMON_COLUMNS, split_column
from lakemuster.planner.columns import (
    field_struct,
    names_of_codes,
    partition_struct,
    partition_type,
    single_array,
    sparse,
    statistics_type,
)
from lakemuster.planner.row_projection import BRANCH, ManifestPart, ViewRows
from lakemuster.planner.view import View

STATUSES = ("existing", "added", "deleted")
SOURCES = ("append", "compact")
STATISTICS = {
    "null_value_counts": "null_count",
    "lower_bounds": "lower",
    "upper_bounds": "upper",
}
KEYS = {
    "min_key": "min_key",
    "max_key": "max_key",
    "key_null_value_counts": "key_null_count",
    "key_lower_bounds": "key_lower",
    "key_upper_bounds": "key_upper",
}
PLANNED = {
    "raw_convertible": pa.bool_(),
    "section": pa.int64(),
    "deletion_vector": pa.struct(
        [("file_path", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("cardinality", pa.int64())]
    ),
    "split": pa.int64(),
}
"""The columns that a plan adds to a file."""
_FORMAT = r"\.(?:cc-)?(?P<format>[A-Za-z0-9]+)(?:\.(?i:gz|bz2|deflate|snappy|lz4|zst))?$"
_HANDLED = {"status", "file_name", "bucket", "total_buckets", "record_count", "file_size_in_bytes", "file_source"}
_REST = tuple(name for name in PAIMON_COLUMNS if name not in _HANDLED)


@dataclass(frozen=True)
class PaimonRows(ViewRows):
    """The columns of a list of Paimon entries."""

    @cached_property
    def schema(self) -> pa.Schema:
        """Entry fields, partition, keys, statistics, then Paimon's own fields."""
        schemas, wanted = self.view.schemas, self.wanted
        fields = [pa.field("status", pa.string())] if wanted.status else []
        fields += [
            pa.field("content", pa.string()),
            pa.field("file_path", pa.string()),
            pa.field("file_name", pa.string()),
            pa.field("file_format", pa.string()),
            pa.field("spec_id", pa.int32()),
            pa.field("partition", partition_type(self.view.metadata.specs, schemas)),
            pa.field("bucket", pa.int32()),
            pa.field("total_buckets", pa.int32()),
            pa.field("record_count", pa.int64()),
            pa.field("file_size_in_bytes", pa.int64()),
            pa.field("file_source", pa.string()),
        ]
        kinds = {name: KEYS[name] for name in ("min_key", "max_key")}
        if self._shows_statistics:
            kinds = {**KEYS, **STATISTICS}
        keys = frozenset(self._key_ids)
        fields += [
            sparse(name, statistics_type(schemas, kind, keys if name in KEYS else wanted.statistics))
            for name, kind in kinds.items()
        ]
        fields += [pa.field(name, PAIMON_COLUMNS[name]) for name in _REST]
        if wanted.manifest:
            fields.append(pa.field("manifest", pa.string()))
        if wanted.planned:
            fields += [pa.field(name, form) for name, form in PLANNED.items()]
        if wanted.branch:
            fields.append(pa.field(BRANCH, pa.string()))
        return pa.schema(fields)

    @cached_property
    def _key_ids(self) -> tuple[int, ...]:
        return tuple(
            field.field_id
            for schema in self.view.schemas
            for name in schema.primary_keys
            if name not in schema.partition_keys and (field := schema.by_name.get(name)) is not None
        )

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the entry's own columns, partitions, keys, and the requested statistics."""
        return [name for name in present if self._needs(name)]

    def _needs(self, name: str) -> bool:
        split = split_column(name)
        if split is None or split[0] in ("partition", "min_key", "max_key"):
            return True
        wanted = self.wanted.statistics
        return wanted is None or (split[1] in wanted) or (split[0] in KEYS.values() and bool(wanted))

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Number the entries, so that cancelled ones can be identified; Paimon's entries inherit nothing."""
        rows = pa.array(np.arange(part.first_row, part.first_row + table.num_rows))
        return table.append_column("row", rows)

    def row_mask(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """Select entries of the requested contents; only live added ones, unless the status is shown."""
        content = self._content(part)
        if self.wanted.contents is not None and content not in self.wanted.contents:
            return pa.repeat(False, table.num_rows)
        if self.wanted.status:
            return None
        added = pc.equal(table.column("status"), ADDED)
        dead = None if view.snapshot is None else view.snapshot.dead_rows
        if dead is None or not len(dead):
            return added
        return pc.and_(added, pc.invert(pc.is_in(table.column("row"), value_set=pa.array(dead, pa.int64()))))

    def _content(self, part: ManifestPart) -> str:
        return "changelog" if part.manifest.role == "changelog" else "data"

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Return False: entries must be numbered."""
        return False

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Like :meth:`rows`."""
        return self.rows(part, batch)

    def cache_key(self, part: ManifestPart) -> None:
        """Return None: no segment is taken whole."""

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Build rows in the order of ``schema``; statistics only of columns that the files recorded."""
        header, count = part.manifest.header, table.num_rows
        names = self.view.names
        arrays: list[pa.Array] = []
        fields: list[pa.Field] = []
        for field in self.schema:
            match field.name:
                case "status":
                    values = names_of_codes(single_array(table.column("status")), STATUSES)
                case "content":
                    values = pa.repeat(self._content(part), count)
                case "file_path":
                    values = self._rewrites.apply_array(self._paths(table))
                case "file_format":
                    values = file_formats(table)
                case "spec_id":
                    values = pa.repeat(pa.scalar(header.spec_id, pa.int32()), count)
                case "partition":
                    values = partition_struct(table, self.view.metadata.specs[0], self._partition_names)
                case "file_source":
                    values = names_of_codes(single_array(table.column("file_source")), SOURCES)
                case "manifest":
                    values = pa.repeat(header.location, count)
                case name if name in KEYS:
                    values = field_struct(table, KEYS[name], names)
                case name if name in STATISTICS:
                    values = field_struct(table, STATISTICS[name], names, self.wanted.statistics)
                case name if name in table.column_names:
                    values = single_array(table.column(name))
                case _:
                    values = pa.nulls(count, field.type)
            arrays.append(values)
            fields.append(field.with_type(values.type))
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _paths(self, table: pa.Table) -> pa.Array:
        return data_file_paths(table, self.view.metadata.location, self.view.metadata, self.view.schemas)


def file_formats(table: pa.Table | pa.RecordBatch) -> pa.Array:
    """Return the format of each file: the ending of its name, before the compression's that text files have.

    Source: Paimon ``DataFilePathFactory.formatIdentifier``.
    """
    found = pc.extract_regex(single_array(table.column("file_name")), _FORMAT)
    return pc.utf8_lower(pc.struct_field(found, [0]))
