"""Tell from column statistics which equality delete files can delete rows of which data files.

Pure. A pair is dropped only when the statistics of a delete column prove that the two files
have no equal value; unknown statistics keep the pair.

Source: the behaviour of Iceberg Java's ``DeleteFileIndex``, stricter where that relies on what
statistics do not prove: required members of optional structs, NaN, zero counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive, StructType, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats
from lakemuster.planner.pruning.statistics import EntryStatistics

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EqualityBounds:
    """Statistics of equality delete files, by their delete columns."""

    _columns: tuple[_DeleteColumn, ...]

    @classmethod
    def of(cls, tables: Sequence[pa.Table], ids: pa.ListArray, schemas: Sequence[Schema]) -> EqualityBounds:
        """Collect the statistics of delete files.

        Args:
            tables: entries of delete manifests; delete file *i* is row *i* of the concatenated tables.
            ids: each delete file's equality ids, null for other deletes.
            schemas: all schemas of the table; the newest that has a column gives its type.
        """
        parents, values = pc.list_parent_indices(ids).to_numpy(), pc.list_flatten(ids)
        found = []
        for field_id in pc.unique(values).to_pylist():
            kind = _delete_column(field_id, schemas)
            if kind is None:
                continue
            of_column = np.zeros(len(ids), np.bool_)
            of_column[parents[pc.equal(values, field_id).to_numpy(zero_copy_only=False)]] = True
            sides = [_Side.read(table, kind) for table in tables]
            found.append(_DeleteColumn(kind, of_column, _Side.joined(sides)))
        return cls(tuple(found))

    @property
    def stat_columns(self) -> frozenset[str]:
        """The statistics columns of data files that the comparison reads."""
        return frozenset(name for held in self._columns for name in held.kind.names)

    def against(self, table: pa.Table) -> BoundsComparison:
        """Prepare the statistics of data files for comparison."""
        return BoundsComparison(tuple((held, _Side.read(table, held.kind)) for held in self._columns))


@dataclass(frozen=True, slots=True)
class BoundsComparison:
    """A comparison of the delete files with the data files of one Arrow table."""

    _columns: tuple[tuple[_DeleteColumn, _Side], ...]

    def can_delete(self, rows: Numbers, deletes: Numbers) -> Mask:
        """Mark the pairs whose delete file can delete a row of their data file.

        Args:
            rows: rows of the table of data files (P,).
            deletes: numbers of delete files (P,).
        """
        keep = np.ones(len(rows), np.bool_)
        for held, data in self._columns:
            kept = np.flatnonzero(keep & held.of_column[deletes])
            if len(kept):
                keep[kept] = ~_cannot(data, held.side, rows[kept], deletes[kept])
        return keep


@dataclass(frozen=True, slots=True)
class _Kind:
    field_id: int
    type: Primitive
    arrow: pa.DataType
    required: bool
    is_member: bool

    @property
    def has_nan(self) -> bool:
        return self.type.kind in (Kind.FLOAT, Kind.DOUBLE)

    @property
    def names(self) -> list[str]:
        kinds = ("lower", "upper", "null_count", "value_count", *(("nan_count",) if self.has_nan else ()))
        return [*(column(kind, self.field_id) for kind in kinds), "record_count"]


@dataclass(frozen=True, slots=True)
class _DeleteColumn:
    """A delete column: which delete files use it, and its statistics in all delete files."""

    kind: _Kind
    of_column: Mask
    side: _Side


@dataclass(frozen=True, slots=True)
class _Side:
    """One column's statistics in N files: whether null and NaN may occur, whether all values are null, bounds."""

    null: Mask
    only_null: Mask
    nan: Mask
    lower: _Bounds
    upper: _Bounds

    @classmethod
    def read(cls, table: pa.Table, kind: _Kind) -> _Side:
        rows, schema = table.num_rows, table.schema
        places = [place for name in kind.names if (place := schema.get_field_index(name)) >= 0]
        own = EntryStatistics(table.select(places), frozenset((kind.field_id,)) if kind.is_member else frozenset())
        stats = own.field(kind.field_id) or FieldStats()
        unknown = np.full(rows, UNKNOWN, np.int64)
        nulls = unknown if stats.null_count is None else stats.null_count
        values = unknown if stats.value_count is None else stats.value_count
        nans = unknown if stats.nan_count is None else stats.nan_count
        return cls(
            np.zeros(rows, np.bool_) if kind.required else nulls != 0,
            np.zeros(rows, np.bool_) if kind.required else (values > 0) & (nulls == values),
            nans != 0 if kind.has_nan else np.zeros(rows, np.bool_),
            _Bounds.of(stats.lower, rows, kind),
            _Bounds.of(stats.upper, rows, kind),
        )

    @classmethod
    def joined(cls, sides: Sequence[_Side]) -> _Side:
        return cls(
            np.concatenate([side.null for side in sides]),
            np.concatenate([side.only_null for side in sides]),
            np.concatenate([side.nan for side in sides]),
            _Bounds.joined([side.lower for side in sides]),
            _Bounds.joined([side.upper for side in sides]),
        )


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Lower or upper bounds in the column's type, null where unknown; comparisons with NaN are false.

    Attributes:
        numbers: numeric bounds as a NumPy array, arbitrary where unknown: it compares much faster.
        unknown: a mask of unknown bounds; None when all are known.
    """

    values: pa.Array
    numbers: NDArray[np.number] | None
    unknown: Mask | None

    @classmethod
    def of(cls, recorded: pa.Array | None, rows: int, kind: _Kind) -> _Bounds:
        values = None if recorded is None else cast_or_none(recorded, kind.arrow)
        if values is None:
            values = pa.nulls(rows, kind.arrow)
        return cls.typed(values.cast(pa.binary()) if pa.types.is_fixed_size_binary(kind.arrow) else values)

    @classmethod
    def joined(cls, parts: Sequence[_Bounds]) -> _Bounds:
        return cls.typed(pa.concat_arrays([part.values for part in parts]))

    @classmethod
    def typed(cls, values: pa.Array) -> _Bounds:
        kind, numbers = values.type, values
        unknown = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
        if pa.types.is_temporal(kind):
            numbers = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            return cls(values, None, unknown)
        if unknown is not None:
            numbers = numbers.fill_null(0)
        return cls(values, numbers.to_numpy(), unknown)


def _cannot(data: _Side, deletes: _Side, rows: Numbers, numbers: Numbers) -> Mask:
    """Mark pairs without a common value; null equals null, NaN equals NaN."""
    one_is_null = (data.only_null[rows] & ~deletes.null[numbers]) | (deletes.only_null[numbers] & ~data.null[rows])
    shared = (data.null[rows] & deletes.null[numbers]) | (data.nan[rows] & deletes.nan[numbers])
    if shared.all():
        return one_is_null
    apart = _above(data.lower, rows, deletes.upper, numbers) | _above(deletes.lower, numbers, data.upper, rows)
    return one_is_null | (~shared & apart)


def _above(lower: _Bounds, at: Numbers, upper: _Bounds, other: Numbers) -> Mask:
    """Mark pairs whose lower bound is known to exceed the other file's upper bound."""
    if lower.numbers is None or upper.numbers is None:
        verdicts = pc.greater(lower.values.take(pa.array(at)), upper.values.take(pa.array(other)))
        return np.asarray(pc.fill_null(verdicts, False).to_numpy(zero_copy_only=False), np.bool_)
    above = np.asarray(lower.numbers[at] > upper.numbers[other], np.bool_)
    if lower.unknown is not None:
        above &= ~lower.unknown[at]
    if upper.unknown is not None:
        above &= ~upper.unknown[other]
    return above


def _delete_column(field_id: int, schemas: Sequence[Schema]) -> _Kind | None:
    """Return a primitive column with its type in the newest schema; None where statistics cannot be compared."""
    found = [
        (schema.schema_id, field, required)
        for schema in schemas
        for field, required in _members(schema.fields, required=True)
        if field.field_id == field_id
    ]
    if not found:
        return None
    _, newest, _ = max(found, key=lambda known: known[0])
    arrow = arrow_type(newest.type)
    if arrow is None or not isinstance(newest.type, Primitive):
        return None
    is_member = any(field_id in schema.members for schema in schemas)
    return _Kind(field_id, newest.type, arrow, all(required for _, _, required in found), is_member)


def _members(fields: Sequence[Field], *, required: bool) -> Iterator[tuple[Field, bool]]:
    """Yield columns and struct members, and whether every row must have a value of each."""
    for field in fields:
        yield field, required and field.required
        if isinstance(field.type, StructType):
            yield from _members(field.type.fields, required=required and field.required)
