"""The columns of a snapshot as rows: counts, bounds, bytes, overlap. A row is computed when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
import pyarrow as pa

from lakemuster.catalog.services import Services
from lakemuster.catalog.statistics import questions_of
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.files import typed_field
from lakemuster.metadata.types import Primitive
from lakemuster.planner.rows import START, Position
from lakemuster.planner.statistics.column_statistics import (
    ColumnStatistics,
    Counted,
    Extreme,
    LeafColumn,
    column_statistics,
    leaf_columns,
)
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.view import View
from lakemuster.wire.rows import JSON_TEXT, json_items

_COUNTED = ("value", "null", "nan")
_OVERLAP = pa.struct(
    [
        pa.field("samples", pa.int64()),
        pa.field("unbounded_files", pa.int64()),
        pa.field("mean", pa.float64()),
        pa.field("p99", pa.int64()),
        pa.field("max", pa.int64()),
        pa.field("max_at", pa.string(), metadata={JSON_TEXT: b"1"}),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("column", pa.string()),
        pa.field("field_id", pa.int32()),
        pa.field("type", pa.string()),
        pa.field("files", pa.int64()),
        pa.field("value_files", pa.int64()),
        *(pa.field(name, pa.int64()) for kind in _COUNTED for name in (f"{kind}_count", f"{kind}_count_files")),
        pa.field("column_size", pa.int64()),
        pa.field("column_size_files", pa.int64()),
        pa.field("lower_bound", pa.string(), metadata={JSON_TEXT: b"1"}),
        pa.field("lower_bound_files", pa.int64()),
        pa.field("upper_bound", pa.string(), metadata={JSON_TEXT: b"1"}),
        pa.field("upper_bound_files", pa.int64()),
        pa.field("bounds_hold", pa.bool_()),
        pa.field("overlap", _OVERLAP),
    ]
)
"""Bounds and ``max_at`` are JSON texts, since each row has its own type."""


@dataclass(frozen=True, slots=True)
class ColumnRows:
    """The rows of some columns of a view, all in part 0."""

    view: View
    questions: tuple[Question, ...]
    columns: tuple[LeafColumn, ...]
    key: str = "columns"

    @property
    def schema(self) -> pa.Schema:
        """The columns of every row."""
        return SCHEMA

    @property
    def snapshot_id(self) -> int | None:
        """The id of the view's snapshot."""
        return self.view.snapshot_id

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield one row after another."""
        if start.part > 0:
            return
        for number, of in enumerate(self.columns[start.offset :], start.offset):
            row = _row(of, column_statistics(self.questions, of))
            yield Position(0, number), pa.RecordBatch.from_pylist([row], SCHEMA)


def columns_of(services: Services, view: View, names: Sequence[str] | None, *, descending: bool = False) -> ColumnRows:
    """Return rows for some columns of a view, by full name; None for all.

    Args:
        descending: whether the rows are in the reverse of the schema's order.

    Raises:
        RequestInvalid: the table has no such column of a primitive type, or no name is given.
        FormatUnsupported: the second branch cannot be read with this one.
    """
    every = leaf_columns(view.schemas[0])
    if names is not None and not names:
        raise RequestInvalid("columns names no column")
    if names is not None and (unknown := set(names) - {of.name for of in every}):
        first = min(unknown)[:100]
        raise RequestInvalid(f"column {first!r} not found, or not of a primitive type", columns=sorted(unknown))
    chosen = tuple(of for of in every if names is None or of.name in names)
    return ColumnRows(view, questions_of(services, view, None, "any"), chosen[::-1] if descending else chosen)


def _row(of: LeafColumn, found: ColumnStatistics) -> dict[str, object]:
    counted = (found.value_count, found.null_count, found.nan_count)
    held = found.holding_files
    row: dict[str, object] = {
        "column": of.name,
        "field_id": of.field_id,
        "type": of.type.text,
        "files": found.files,
        "value_files": held,
    }
    for kind, own in zip(_COUNTED, counted, strict=True):
        row |= _counted(f"{kind}_count", own)
    return row | {
        **_counted("column_size", found.column_size),
        **_extreme("lower_bound", found.lower, of.type),
        **_extreme("upper_bound", found.upper, of.type),
        "bounds_hold": found.lower.files == found.upper.files == held,
        "overlap": _overlap(found, of.type),
    }


def _counted(name: str, found: Counted) -> dict[str, object]:
    return {name: found.total if found.files else None, f"{name}_files": found.files}


def _extreme(name: str, found: Extreme, of: Primitive) -> dict[str, object]:
    return {name: _json(found.value, of), f"{name}_files": found.files}


def _overlap(found: ColumnStatistics, of: Primitive) -> dict[str, object] | None:
    own = found.overlap
    if own is None:
        return None
    return {
        "samples": own.samples,
        "unbounded_files": own.unbounded,
        "mean": own.mean,
        "p99": own.p99,
        "max": own.max,
        "max_at": _json(found.deepest, of),
    }


def _json(value: pa.Array | None, of: Primitive) -> str | None:
    """Return a value in the JSON single-value form."""
    if value is None:
        return None
    batch = pa.RecordBatch.from_arrays([value], schema=pa.schema([typed_field("v", value.type, of.text)]))
    return orjson.dumps(orjson.loads(bytes(json_items(batch)))["v"]).decode()
