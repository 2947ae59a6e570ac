"""Convert statistics of Paimon files to the table's present schema.

A file's statistics follow the schema that it was written with. Columns are found by field id; a column that the file's
schema does not have is null in all of its rows. If the column's type has changed, its statistics are used only if an
integer type was widened: other changes may not preserve the order of values, or nulls.

Source: Paimon ``SimpleStatsEvolution``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.files import column, split_column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats, Mask
from lakemuster.planner.pruning.statistics import counts
from lakemuster.predicates import BoundLeaf

StatisticsKind = Literal["values", "keys"]
"""Statistics of all columns of a file, or of its primary key columns."""

_COLUMNS: dict[StatisticsKind, tuple[str, str, str]] = {
    "values": ("lower", "upper", "null_count"),
    "keys": ("key_lower", "key_upper", "key_null_count"),
}
_INTEGERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG)

DESCRIBING = ("record_count", "schema_id", "write_cols")
"""The columns of an entry that are needed to interpret its statistics."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """How the present columns map to each schema of a table.

    Attributes:
        schemas: all schemas, the present one first.
        filled_columns: names of columns whose nulls are read as other values: their statistics count as unknown.
        spread: the columns of a row may be in several files, none of which needs to have all.
    """

    schemas: tuple[Schema, ...]
    filled_columns: frozenset[str] = frozenset()
    spread: bool = False

    def __hash__(self) -> int:
        return hash((tuple(schema.schema_id for schema in self.schemas), self.filled_columns, self.spread))

    def today(self, field_id: int) -> Primitive | None:
        """Return the column's present type; None if it has no primitive type, or its statistics count as unknown."""
        now = self.schemas[0]
        return None if now.names.get(field_id) in self.filled_columns else now.primitive(field_id)

    def absent_in(self, field_id: int) -> tuple[int, ...]:
        """Return the ids of schemas that do not have the column."""
        return tuple(schema.schema_id for schema in self.schemas if field_id not in schema.by_id)

    def read_alike(self, field_id: int, now: Primitive) -> tuple[int, ...]:
        """Return the ids of schemas whose recorded statistics are valid for the column's present type."""
        return tuple(
            schema.schema_id
            for schema in self.schemas
            if (then := schema.primitive(field_id)) is not None and _reads_alike(then, now)
        )

    def name_in(self, field_id: int) -> dict[int, str]:
        """Return the column's name by schema id."""
        return {s.schema_id: s.names[field_id] for s in self.schemas if field_id in s.names}


def _reads_alike(then: Primitive, now: Primitive) -> bool:
    if then == now:
        return True
    if then.kind in _INTEGERS and now.kind in _INTEGERS:
        return _INTEGERS.index(then.kind) <= _INTEGERS.index(now.kind)
    return False


def statistics_columns(own: Iterable[str], of: StatisticsKind) -> list[str]:
    """Return the columns of a field in a segment that hold the given kind of statistics."""
    return [name for name in own if name.partition(".")[0] in _COLUMNS[of]]


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """Statistics of a segment's entries, read lazily for the columns that a predicate names.

    Attributes:
        table: entries with their statistics columns and the columns of :data:`DESCRIBING`.
        of: the kinds of statistics; a field's bounds and counts are taken from the first kind that has them.
    """

    table: pa.Table
    evolution: Evolution
    of: tuple[StatisticsKind, ...] = ("values",)
    _found: dict[int, FieldStats | None] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of entries."""
        return int(self.table.num_rows)

    @property
    def record_count(self) -> Counts | None:
        """The number of rows in each file."""
        return counts(self.table.column("record_count"))

    def projected(self, leaf: BoundLeaf) -> None:
        """Return None: there are no partition values."""

    def field(self, field_id: int) -> FieldStats | None:
        """Return one column's statistics; None if they are unknown."""
        if field_id not in self._found:
            self._found[field_id] = self._read(field_id)
        return self._found[field_id]

    def _read(self, field_id: int) -> FieldStats | None:
        now = self.evolution.today(field_id)
        if now is None:
            return None
        known = self.held(field_id, self.evolution.read_alike(field_id, now))
        absent = (
            np.zeros(self.rows, np.bool_)
            if self.evolution.spread or "values" not in self.of
            else self._of_schemas(self.evolution.absent_in(field_id))
        )
        found = FieldStats()
        for of in reversed(self.of):
            found = _preferred(_recorded(self.table, field_id, of, arrow_type(now), known), found)
        rows = self.record_count
        assert rows is not None
        nulls = np.full(self.rows, UNKNOWN, np.int64) if found.null_count is None else found.null_count
        return FieldStats(found.lower, found.upper, np.where(absent, rows, nulls), None, rows)

    def held(self, field_id: int, schema_ids: Sequence[int]) -> Mask:
        """Mark (N,) the files that have one of these schemas and were written with the column."""
        held = self._of_schemas(schema_ids)
        written = single_array(self.table.column("write_cols")) if "write_cols" in self.table.column_names else None
        if written is None or written.null_count == len(written) or not held.any():
            return held
        names = self.evolution.name_in(field_id)
        some = held & written.is_valid().to_numpy(zero_copy_only=False)
        places = np.flatnonzero(some)
        ids = self._schema_ids()[places]
        lists = written.take(pa.array(places))
        parents = pc.list_parent_indices(lists).to_numpy()
        values = pc.list_flatten(lists)
        has = np.zeros(len(places), np.bool_)
        for schema_id in np.unique(ids).tolist():
            equal = pc.equal(values, names[schema_id]).to_numpy(zero_copy_only=False)
            has |= (np.bincount(parents[equal], minlength=len(places)) > 0) & (ids == schema_id)
        held[places] = has
        return held

    def _schema_ids(self) -> Counts:
        return np.asarray(single_array(self.table.column("schema_id")).to_numpy(zero_copy_only=False), np.int64)

    def _of_schemas(self, schema_ids: Sequence[int]) -> Mask:
        return np.isin(self._schema_ids(), np.asarray(schema_ids, np.int64))


def _recorded(
    table: pa.Table, field_id: int, of: StatisticsKind, target: pa.DataType | None, known: Mask
) -> FieldStats:
    """Return a column's recorded statistics, unknown for files that ``known`` excludes."""
    low, high, nulls = _COLUMNS[of]
    null_count = None
    if column(nulls, field_id) in table.column_names:
        null_count = np.where(known, counts(table.column(column(nulls, field_id))), UNKNOWN)
    return FieldStats(
        _bounds(table, field_id, low, target, known), _bounds(table, field_id, high, target, known), null_count
    )


def _bounds(table: pa.Table, field_id: int, kind: str, target: pa.DataType | None, known: Mask) -> pa.Array | None:
    """Return a column's lower or upper bounds, merged from all types that they were recorded in; null if unknown."""
    if target is None:
        return None
    found: pa.Array | None = None
    for name in table.column_names:
        split = split_column(name)
        if split is None or split[:2] != (kind, field_id):
            continue
        values = single_array(table.column(name))
        values = pc.if_else(pa.array(known), values, pa.scalar(None, values.type))
        if values.null_count == len(values) or (cast := cast_or_none(values, target)) is None:
            continue
        found = cast if found is None else pc.coalesce(found, cast)
    return found


def _preferred(first: FieldStats, second: FieldStats) -> FieldStats:
    return FieldStats(
        _either(first.lower, second.lower),
        _either(first.upper, second.upper),
        _either_count(first.null_count, second.null_count),
    )


def _either(first: pa.Array | None, second: pa.Array | None) -> pa.Array | None:
    if first is None or second is None:
        return first if second is None else second
    return pc.coalesce(first, second)


def _either_count(first: Counts | None, second: Counts | None) -> Counts | None:
    if first is None or second is None:
        return first if second is None else second
    return np.where(first >= 0, first, second)
