"""Row sources: lists of rows that can be read from any position, such as a snapshot's files or partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.planner.casts import cast_or_none

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)


class Position(NamedTuple):
    """A position in a list: the part's number, and the number of the part's rows before it."""

    part: int
    offset: int


START = Position(0, 0)


class RowSource(Protocol):
    """A list of rows in parts, pinned to a snapshot."""

    @property
    def key(self) -> str:
        """The name of the rows, such as ``files``."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The schema of the whole list."""
        ...

    @property
    def snapshot_id(self) -> int | None:
        """The id of the snapshot that the list is pinned to; None for a table without snapshots."""
        ...

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield all rows from ``start`` on; a batch is within one part.

        A batch's sparse structs hold only the members that its part recorded, in the part's types;
        :func:`conform` converts it to ``schema``.
        """
        ...


@dataclass(frozen=True, slots=True)
class TableSource:
    """Rows that are in memory as one Arrow table."""

    key: str
    table: pa.Table
    snapshot_id: int | None

    @property
    def schema(self) -> pa.Schema:
        """The table's schema."""
        schema: pa.Schema = self.table.schema
        return schema

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield the table's rows; the table is one part."""
        if start.part > 0:
            return
        offset = start.offset
        for batch in self.table.slice(offset).to_batches(max_chunksize=8192):
            if batch.num_rows:
                yield Position(0, offset), batch
                offset += batch.num_rows


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Convert a batch to its list's schema: absent members become null, promoted values get their later type.

    A value that the later type cannot hold (a string bound of a column that is now a number)
    becomes null, which means "unknown".
    """
    if batch.schema.metadata != schema.metadata:
        batch = batch.replace_schema_metadata(schema.metadata)
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    if batch.schema.equals(schema, check_metadata=False):
        return pa.RecordBatch.from_arrays(batch.columns, schema=schema)
    arrays = [
        _conform_array(batch.column(field.name), field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _conform_array(array: pa.Array, target: pa.DataType) -> pa.Array:
    if array.type.equals(target):
        return array
    if pa.types.is_struct(target) and pa.types.is_struct(array.type):
        by_name: dict[str, list[pa.Array]] = {}
        for index in range(array.type.num_fields):
            by_name.setdefault(array.type.field(index).name, []).append(array.field(index))
        children = []
        for member in target:
            variants = [_conform_array(variant, member.type) for variant in by_name.get(member.name, [])]
            match variants:
                case []:
                    children.append(pa.nulls(len(array), member.type))
                case [only]:
                    children.append(only)
                case _:
                    children.append(pc.coalesce(*variants))
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=list(target), mask=mask)
    cast = cast_or_none(array, target)
    return pa.nulls(len(array), target) if cast is None else cast


def batched_rows(parts: Iterable[Rows], least: int) -> Iterator[list[Rows]]:
    """Group neighbours: a group ends with the part that brings it to ``least`` rows; the last group may have fewer."""
    group: list[Rows] = []
    rows = 0
    for part in parts:
        group.append(part)
        rows += part.num_rows
        if rows >= least:
            yield group
            group, rows = [], 0
    if group:
        yield group
