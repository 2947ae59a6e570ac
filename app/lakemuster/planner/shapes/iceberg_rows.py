"""Iceberg entries and files as rows, in the names of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.files import DATA, DELETED, ICEBERG_COLUMNS, split_column
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.planner.columns import (
    column_name,
    flat,
    gather,
    partition_names,
    partition_struct,
    partition_type,
    repeated,
    sparse,
    statistics_type,
    struct,
    words,
)
from lakemuster.planner.shape import Part, Wanted
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

STATUSES = ("existing", "added", "deleted")
CONTENTS = ("data", "position-deletes", "equality-deletes")
STATISTICS = {
    "column_sizes": "column_size",
    "value_counts": "value_count",
    "null_value_counts": "null_count",
    "nan_value_counts": "nan_count",
    "lower_bounds": "lower",
    "upper_bounds": "upper",
}
RAW: dict[str, Literal["lower", "upper"]] = {"lower_bounds_raw": "lower", "upper_bounds_raw": "upper"}
_LOCATIONS = ("file_path", "referenced_data_file")
_MADE = frozenset({"status", "content", "spec_id", "partition", "manifest", *STATISTICS, *RAW})
"""Columns that entries do not have as they are shown."""
_REST = (
    "key_metadata",
    "split_offsets",
    "equality_ids",
    "sort_order_id",
    "first_row_id",
    "referenced_data_file",
    "content_offset",
    "content_size_in_bytes",
)


@dataclass(frozen=True)
class IcebergShape:
    """The columns of a list of Iceberg entries."""

    view: View
    wanted: Wanted

    @cached_property
    def _specs(self) -> dict[int, PartitionSpec]:
        return {spec.spec_id: spec for spec in self.view.metadata.specs}

    @cached_property
    def _partition_names(self) -> dict[int, str]:
        return partition_names(self.view.metadata.specs)

    @cached_property
    def _rewrites(self) -> Rewrites:
        return Rewrites(self.view.table.rewrites)

    @property
    def _shows_statistics(self) -> bool:
        return self.wanted.statistics is None or bool(self.wanted.statistics)

    @cached_property
    def schema(self) -> pa.Schema:
        """Entry fields, partition, statistics, in the specification's order."""
        schemas, wanted = self.view.schemas, self.wanted
        fields = [pa.field("status", pa.string())] if wanted.status else []
        fields += [
            pa.field("snapshot_id", pa.int64()),
            pa.field("sequence_number", pa.int64()),
            pa.field("file_sequence_number", pa.int64()),
            pa.field("content", pa.string()),
            pa.field("file_path", pa.string()),
            pa.field("file_format", pa.string()),
            pa.field("spec_id", pa.int32()),
            pa.field("partition", partition_type(self.view.metadata.specs, schemas)),
            pa.field("record_count", pa.int64()),
            pa.field("file_size_in_bytes", pa.int64()),
        ]
        if self._shows_statistics:
            kinds = {**STATISTICS, **({name: f"{kind}_raw" for name, kind in RAW.items()} if wanted.raw else {})}
            fields += [sparse(name, statistics_type(schemas, kind, wanted.statistics)) for name, kind in kinds.items()]
        fields += [pa.field(name, ICEBERG_COLUMNS[name]) for name in _REST]
        if wanted.manifest:
            fields.append(pa.field("manifest", pa.string()))
        return pa.schema(fields)

    @cached_property
    def _typed_fields(self) -> tuple[tuple[str, pa.Field, pa.DataType], ...]:
        return tuple((field.name, field, field.type) for field in self.schema)

    @cached_property
    def _columns_of(self) -> dict[tuple[str, ...], list[str]]:
        return {}

    def columns(self, present: Sequence[str]) -> list[str]:
        """The entry's own columns, partitions, and the statistics that are wanted."""
        key = tuple(present)
        if key not in self._columns_of:  # segments of one table are alike
            self._columns_of[key] = [name for name in present if self._needs(name)]
        return list(self._columns_of[key])

    def _needs(self, name: str) -> bool:
        split = split_column(name)
        if split is None or split[0] == "partition":
            return True
        wanted = self.wanted.statistics
        return wanted is None or split[1] in wanted

    def prepare(self, part: Part, table: pa.Table) -> pa.Table:
        """Snapshot ids, sequence numbers and row ids that entries inherit."""
        return inherit(table, part.manifest.header)

    def keep(self, view: View, part: Part, table: pa.Table) -> pa.Array | None:
        """Entries that are not deleted, of the wanted contents."""
        mask = None if self.wanted.status else pc.not_equal(table.column("status"), DELETED)
        if self.wanted.contents is not None:
            codes = [code for code, name in enumerate(CONTENTS) if name in self.wanted.contents]
            chosen = pc.is_in(_contents(table), value_set=pa.array(codes, pa.int8()))
            mask = chosen if mask is None else pc.and_(mask, chosen)
        return mask

    def rows(self, part: Part, table: pa.Table) -> pa.RecordBatch:
        """Rows in the order of ``schema``; statistics only of the columns that the manifest has."""
        present = {name: index for index, name in enumerate(table.schema.names)}
        arrays: list[pa.Array] = []
        others: dict[int, pa.Field] = {}
        for name, field, kind in self._typed_fields:
            if name in _MADE:
                values = self._made(name, part, table)
            elif name in present:
                values = flat(table.column(present[name]))
                if name in _LOCATIONS:
                    values = self._rewrites.apply_array(values)
                elif name == "file_format":
                    values = pc.utf8_lower(values)
            else:
                arrays.append(repeated(None, kind, table.num_rows))
                continue
            if values.type != kind:
                others[len(arrays)] = field.with_type(values.type)
            arrays.append(values)
        schema = self.schema
        if others:
            schema = pa.schema([others.get(number, field) for number, (_, field, _) in enumerate(self._typed_fields)])
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _made(self, name: str, part: Part, table: pa.Table) -> pa.Array:
        header, count = part.manifest.header, table.num_rows
        match name:
            case "status":
                return words(flat(table.column("status")), STATUSES)
            case "content":
                return words(_contents(table), CONTENTS)
            case "spec_id":
                return repeated(header.spec_id, pa.int32(), count)
            case "partition":
                return partition_struct(table, self._specs.get(header.spec_id), self._partition_names)
            case "manifest":
                return pa.repeat(pa.scalar(self._rewrites.apply(header.location)), count)
            case _ if name in RAW:
                return self._raw(table, RAW[name])
        return gather(table, STATISTICS[name], self.view.names, self.wanted.statistics)

    def _raw(self, table: pa.Table, kind: Literal["lower", "upper"]) -> pa.Array:
        ids = dict.fromkeys(
            split[1]
            for name in table.column_names
            if (split := split_column(name)) and split[0] in (kind, kind + "_raw")
        )
        wanted = self.wanted.statistics
        names = {i: column_name(self.view.names, i) for i in ids if wanted is None or i in wanted}
        arrays = [raw_bounds(table, kind, i) for i in names]
        return struct(arrays, [pa.field(name, pa.binary()) for name in names.values()], table.num_rows)


def _contents(table: pa.Table) -> pa.Array:
    """Content codes; version 1 knows data files only."""
    if table.schema.get_field_index("content") < 0:
        return repeated(DATA, pa.int8(), table.num_rows)
    contents = flat(table.column("content"))
    return contents.fill_null(DATA) if contents.null_count else contents
