"""Read the rows of a split's data files as the table's columns, with deletes applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.iceberg.defaults import UNKNOWN
from lakemuster.spark.reading.iceberg.equality import EqualityDeletes, KeyGroup
from lakemuster.spark.reading.iceberg.keys import KeySet
from lakemuster.spark.reading.iceberg.metadata_columns import MetadataColumns
from lakemuster.spark.reading.iceberg.open_rows import OpenRows, naming
from lakemuster.spark.reading.iceberg.positions import PositionDeletes, live_mask
from lakemuster.spark.reading.iceberg.projection import Column, leaves_of, projection
from lakemuster.spark.reading.iceberg.schema import read_schema, wanted_fields
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead
from lakemuster.spark.reading.row_groups import matching_ranges

_DELETES = frozenset({"position-deletes", "equality-deletes"})


def read(
    table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a split, in ``schema.read_schema(table)``, with deletes applied.

    Args:
        conditions: rows that do not match all of them may be omitted.

    Raises:
        NotReadable: a file, or one of its delete files, cannot be read; some rows may have been yielded before.
        OSError: from storage.
    """
    reading = _SplitReader(table, split, files, conditions)
    for file in split.files:
        with naming(table, file["file_path"]):
            yield from reading.rows(file)


class _SplitReader:
    """Reads the files of one split."""

    def __init__(self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition]) -> None:
        self._table, self._files = table, files
        self._schema, self._fields = read_schema(table), wanted_fields(table)
        self._positions = PositionDeletes(table, split, files)
        self._equality = EqualityDeletes(table, files)
        self._conditions = conditions

    def rows(self, file: Row) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one data file that are not deleted."""
        unknown = next((delete for delete in file["deletes"] if delete["content"] not in _DELETES), None)
        if unknown is not None:
            raise NotReadable(self._table.name, f"it holds {unknown['content']}", unknown["file_path"])
        rows = OpenRows(self._table, file, self._files)
        row_ranges = matching_ranges(rows.row_ranges, file, self._conditions, rows.column_stats)
        if not row_ranges:
            return
        groups = self._equality.of(file)
        wanted = [*self._fields, *(field for group in groups for field in group.fields)]
        leaves = leaves_of(wanted, rows.columns)
        columns, constants = rows.read_columns(leaves), partition_constants(self._table, file)
        make = projection(self._fields, columns, constants)
        metadata_columns = MetadataColumns(self._table, file)
        filters = [_Filter(group, self._equality.keys(group), projection(group.fields, columns, constants))
                   for group in groups]  # fmt: skip
        positions = self._positions.of(file)
        for start, batch in rows.batches(leaves, row_ranges):
            mask = live_mask(positions, start, batch.num_rows)
            left = metadata_columns.numbered(batch, start)
            left = left if mask is None else left.filter(mask)
            for one in filters:
                left = one.left(left)
            if left.num_rows:
                yield _made(left, make, metadata_columns, self._schema)


@dataclass(frozen=True, slots=True)
class _Filter:
    """Applies the equality deletes of one key group."""

    group: KeyGroup
    keys: KeySet
    make: tuple[Column, ...]

    def left(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows that are not deleted."""
        if not batch.num_rows:
            return batch
        values = [column.values(one(batch)) for column, one in zip(self.group.columns, self.make, strict=True)]
        hit = self.keys.among(values)
        return batch.filter(pa.array(np.logical_not(hit))) if hit.any() else batch


def _made(
    batch: pa.RecordBatch, make: Sequence[Column], metadata_columns: MetadataColumns, schema: pa.Schema
) -> pa.RecordBatch:
    if not schema:
        return batch.select([])
    return pa.RecordBatch.from_arrays([*(column(batch) for column in make), *metadata_columns.of(batch)], schema=schema)


def partition_constants(table: TableToRead, file: Row) -> Mapping[int, object]:
    """Return the values of identity partition sources, constant in the file, by field id.

    Raises:
        NotReadable: the file's spec is not known.
    """
    # A plan has the values of all specs by name, in the type of the oldest field of that name.
    types: dict[str, str | None] = {}
    for older in sorted(table.specs, key=lambda spec: spec["spec_id"]):
        for field in older["fields"]:
            types.setdefault(field["name"], field.get("type"))
    spec = next((spec for spec in table.specs if spec["spec_id"] == file["spec_id"]), None)
    if spec is None:
        raise NotReadable(table.name, f"its partition spec {file['spec_id']} is not known", file["file_path"])
    values = file.get("partition") or {}
    return {
        field["source_ids"][0]: values[field["name"]] if types[field["name"]] == field.get("type") else UNKNOWN
        for field in spec["fields"]
        if field["transform"] == "identity" and field["name"] in values
    }
