"""Iceberg entries and files as rows, in the names of the specification."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg.avro_fields import STATISTICS
from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.index.segments import BATCH_ROWS, Segment
from lakemuster.metadata.files import ADDED, DATA, DELETED, ICEBERG_COLUMNS, split_column
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.columns import (
    column_name,
    field_struct,
    names_of_codes,
    partition_struct,
    partition_type,
    repeated,
    repeated_fields,
    single_array,
    sparse,
    statistics_type,
    struct,
)
from lakemuster.planner.inherited import Inheritance, inherited
from lakemuster.planner.row_projection import CONTENTS, ManifestPart, ViewRows
from lakemuster.planner.view import View

STATUSES = ("existing", "added", "deleted")
RAW: dict[str, Literal["lower", "upper"]] = {"lower_bounds_raw": "lower", "upper_bounds_raw": "upper"}
_LOCATIONS = frozenset({"file_path", "referenced_data_file"})
_CHANGED = frozenset({"file_format", *_LOCATIONS})
"""Columns whose values are converted."""
_MADE = frozenset({"status", "content", "partition", "manifest", *STATISTICS, *RAW})
"""Columns that are computed, since entries do not have them in this form."""
REMEMBERED = 64
"""Limit of cached sets of constant columns; a set is for one row count, spec and set of present columns."""

_Columns: TypeAlias = list[tuple[int, int]]
_Made: TypeAlias = list[tuple[int, str]]
_ONE_MANIFEST = np.zeros(BATCH_ROWS, np.int64)
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
class IcebergRows(ViewRows):
    """The columns of a list of Iceberg entries."""

    @cached_property
    def _specs(self) -> dict[int, PartitionSpec]:
        return {spec.spec_id: spec for spec in self.view.metadata.specs}

    @cached_property
    def schema(self) -> pa.Schema:
        """Entry fields, partition and statistics, in the specification's order."""
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
    def _typed_fields(self) -> tuple[tuple[pa.Field, pa.DataType], ...]:
        return tuple((field, field.type) for field in self.schema)

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the entry's own columns, partitions, and the requested statistics."""
        return list(_needed(tuple(present), self.wanted.statistics))

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Fill in the snapshot ids, sequence numbers and row ids that entries inherit."""
        return inherit(table, part.manifest.header)

    def row_mask(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """Select entries of the requested contents; not deleted ones, unless the status is shown."""
        mask = None if self.wanted.status else pc.not_equal(table.column("status"), DELETED)
        if self.wanted.contents is not None:
            codes = [code for code, name in enumerate(CONTENTS) if name in self.wanted.contents]
            chosen = pc.is_in(_contents(table), value_set=pa.array(codes, pa.int8()))
            mask = chosen if mask is None else pc.and_(mask, chosen)
        return mask

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Tell whether a data manifest assigns no row ids and all of its entries belong to the list."""
        if part.manifest.header.content != "data" or part.manifest.header.first_row_id is not None:
            return False
        if self.wanted.contents is not None and CONTENTS[DATA] not in self.wanted.contents:
            return False
        highest = {"content": DATA} if self.wanted.status else {"content": DATA, "status": ADDED}
        own = {name: code for name, code in highest.items() if name in segment.names}
        table = segment.table(list(own))
        return all(_is_at_most(chunk, code) for name, code in own.items() for chunk in table.column(name).chunks)

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Build rows with the snapshot ids and sequence numbers that entries inherit."""
        return self.rows(part, inherited(batch, _inheritance(part.manifest.header), _ONE_MANIFEST[: batch.num_rows]))

    def cache_key(self, part: ManifestPart) -> Hashable | None:
        """Return the manifest's spec and numbers, location rewrites and shown columns; None with statistics."""
        header = part.manifest.header
        spec = self._specs.get(header.spec_id)
        if spec is None or self._shows_statistics:
            return None
        numbers = (header.sequence_number, header.added_snapshot_id)
        return spec, numbers, self.view.table.rewrites, self.wanted.status, self.wanted.manifest

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Build rows in the order of ``schema``; statistics only of columns that the manifest has."""
        arrays, own, made = self._begun(tuple(table.schema.names), part.manifest.header.spec_id, table.num_rows)
        for number, index in own:
            arrays[number] = single_array(table.column(index))
        others: dict[int, pa.Field] = {}
        for number, name in made:
            values = self._made(name, part, table)
            field, kind = self._typed_fields[number]
            if values.type != kind:
                others[number] = field.with_type(values.type)
            arrays[number] = values
        schema = self.schema
        if others:
            schema = pa.schema([others.get(number, field) for number, (field, _) in enumerate(self._typed_fields)])
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _begun(self, present: tuple[str, ...], spec_id: int, count: int) -> tuple[list[pa.Array], _Columns, _Made]:
        """Return arrays with the constant columns (None for others), the columns to copy, and those to compute."""
        key = (present, spec_id, count)
        if (known := self._beginnings.get(key)) is None:
            arrays: list[pa.Array] = []
            own: _Columns = []
            made: _Made = []
            for number, (field, kind) in enumerate(self._typed_fields):
                name, values = field.name, None
                if name == "spec_id":
                    values = repeated(spec_id, kind, count)
                elif name in _MADE or (name in _CHANGED and name in present):
                    made.append((number, name))
                elif name in present:
                    own.append((number, present.index(name)))
                else:
                    values = repeated(None, kind, count)
                arrays.append(values)
            if len(self._beginnings) >= REMEMBERED:
                self._beginnings.clear()
            known = self._beginnings[key] = (arrays, own, made)
        arrays, own, made = known
        return list(arrays), own, made

    @cached_property
    def _beginnings(self) -> dict[tuple[tuple[str, ...], int, int], tuple[list[pa.Array], _Columns, _Made]]:
        return {}

    def _made(self, name: str, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.Array:
        header, count = part.manifest.header, table.num_rows
        match name:
            case "status":
                return names_of_codes(single_array(table.column("status")), STATUSES)
            case "content":
                return names_of_codes(_contents(table), CONTENTS)
            case "file_format":
                return _in_small_letters(single_array(table.column(name)))
            case _ if name in _LOCATIONS:
                return self._rewrites.apply_array(single_array(table.column(name)))
            case "partition":
                return partition_struct(table, self._specs.get(header.spec_id), self._partition_names)
            case "manifest":
                return pa.repeat(pa.scalar(self._rewrites.apply(header.location)), count)
            case _ if name in RAW:
                return self._raw(table, RAW[name])
        return field_struct(table, STATISTICS[name], self.view.names, self.wanted.statistics, self._unordered)

    @cached_property
    def _unordered(self) -> frozenset[int]:
        """Fields that are lists and maps: the specification gives their bounds no type."""
        return repeated_fields(self.view.schemas)

    def _raw(self, table: pa.Table | pa.RecordBatch, kind: Literal["lower", "upper"]) -> pa.Array:
        ids = dict.fromkeys(
            split[1]
            for name in table.column_names
            if (split := split_column(name)) and split[0] in (kind, kind + "_raw")
        )
        wanted = self.wanted.statistics
        names = {i: column_name(self.view.names, i) for i in ids if wanted is None or i in wanted}
        arrays = [raw_bounds(table, kind, i) for i in names]
        return struct(arrays, [pa.field(name, pa.binary()) for name in names.values()], table.num_rows)


@lru_cache(maxsize=256)
def _needed(present: tuple[str, ...], statistics: frozenset[int] | None) -> tuple[str, ...]:
    """Select the needed columns; cached, since most segments of one table have the same columns."""
    return tuple(
        name
        for name in present
        if (split := split_column(name)) is None
        or split[0] == "partition"
        or statistics is None
        or split[1] in statistics
    )


@lru_cache(maxsize=256)
def _inheritance(header: ManifestHeader) -> Inheritance:
    return Inheritance.of([header])


def _is_at_most(codes: pa.Array, highest: int) -> bool:
    return not len(codes) or (not codes.null_count and int(codes.to_numpy().max()) <= highest)


def _in_small_letters(texts: pa.Array) -> pa.Array:
    """Convert to lower case; fast if all texts are equal, as in most lists."""
    count = len(texts)
    if count and not texts.null_count and texts.slice(1).equals(texts.slice(0, count - 1)):
        return repeated(_small(texts[0].as_py()), pa.string(), count)
    return pc.utf8_lower(texts)


@lru_cache(maxsize=64)
def _small(text: str) -> str:
    """Convert one text to lower case with Arrow, like whole columns."""
    return cast("str", pc.utf8_lower(text).as_py())


def _contents(table: pa.Table | pa.RecordBatch) -> pa.Array:
    """Return content codes; version 1 has data files only."""
    if table.schema.get_field_index("content") < 0:
        return repeated(DATA, pa.int8(), table.num_rows)
    contents = single_array(table.column("content"))
    return contents.fill_null(DATA) if contents.null_count else contents
