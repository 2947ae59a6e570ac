"""The rules of the tiny format for the planner and the catalog: the rows of its entries; all else is the default."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.catalog.catalog_rules import CatalogRules
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import DELETED, split_column
from lakemuster.planner.columns import (
    field_struct,
    partition_struct,
    partition_type,
    single_array,
    sparse,
    statistics_type,
)
from lakemuster.planner.list_rules import ListRules
from lakemuster.planner.row_projection import ManifestPart, ViewRows
from lakemuster.planner.view import View

STATISTICS = {"null_value_counts": "null_count", "lower_bounds": "lower", "upper_bounds": "upper"}
DELETED_POSITIONS = "deletion_vector"
"""The column of entries that holds the positions of a file's deleted rows; null if no row is deleted."""


@dataclass(frozen=True)
class TinyRows(ViewRows):
    """Builds the rows of a list of files."""

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of a file: its path, partition, statistics and deleted positions."""
        schemas, wanted = self.view.schemas, self.wanted.statistics
        fields = [
            pa.field("content", pa.string()),
            pa.field("file_path", pa.string()),
            pa.field("file_format", pa.string()),
            pa.field("spec_id", pa.int32()),
            pa.field("partition", partition_type(self.view.metadata.specs, schemas)),
            pa.field("record_count", pa.int64()),
            pa.field("file_size_in_bytes", pa.int64()),
        ]
        if self._shows_statistics:
            fields += [sparse(name, statistics_type(schemas, kind, wanted)) for name, kind in STATISTICS.items()]
        return pa.schema([*fields, pa.field(DELETED_POSITIONS, pa.list_(pa.int64()))])

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the entry's own columns, its partition columns, and the requested statistics."""
        wanted = self.wanted.statistics
        return [
            name
            for name in present
            if (split := split_column(name)) is None or split[0] == "partition" or wanted is None or split[1] in wanted
        ]

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Return the entries unchanged: they inherit nothing from the manifest."""
        return table

    def row_mask(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """Select live data files."""
        is_data = self.wanted.contents is None or "data" in self.wanted.contents
        return pc.and_(pc.not_equal(table.column("status"), DELETED), is_data)

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Return False: rows are always selected by the mask."""
        return False

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Build rows as :meth:`rows` does."""
        return self.rows(part, batch)

    def cache_key(self, part: ManifestPart) -> Hashable | None:
        """Return None, since no segment is taken whole."""
        return None

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Build rows in the order of ``schema``."""
        count = table.num_rows
        spec = next((own for own in self.view.metadata.specs if own.spec_id == part.manifest.header.spec_id), None)
        arrays, fields = [], []
        for field in self.schema:
            match field.name:
                case "content":
                    values = pa.repeat("data", count)
                case "file_format":
                    values = pa.repeat("parquet", count)
                case "file_path":
                    values = self._rewrites.apply_array(single_array(table.column("file_path")))
                case "spec_id":
                    values = pa.repeat(pa.scalar(part.manifest.header.spec_id, pa.int32()), count)
                case "partition":
                    values = partition_struct(table, spec, self._partition_names)
                case name if name in STATISTICS:
                    values = field_struct(table, STATISTICS[name], self.view.names, self.wanted.statistics)
                case name if name in table.schema.names:
                    values = single_array(table.column(name))
                case _:
                    values = pa.nulls(count, field.type)
            arrays.append(values)
            fields.append(field.with_type(values.type))
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


TINY_LISTS = ListRules(TinyRows)
TINY_RULES = CatalogRules("a tiny table")
