"""Statistics to prune with: of a segment's entries, of their partitions, of whole segments, of a manifest list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.files import column, split_column
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import flat
from lakemuster.planner.prune import UNKNOWN, Counts, FieldStats

_COUNTS = ("null_count", "nan_count", "value_count")


@dataclass(frozen=True, slots=True)
class Arrays:
    """Statistics that are at hand."""

    rows: int
    fields: Mapping[int, FieldStats]
    record_count: Counts | None = None

    def field(self, field_id: int) -> FieldStats | None:
        """Of one field."""
        return self.fields.get(field_id)


@dataclass(frozen=True, slots=True)
class EntryStatistics:
    """Column statistics of a segment's entries; only what a predicate names is looked at."""

    table: pa.Table
    _found: dict[int, FieldStats | None] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The entries."""
        return int(self.table.num_rows)

    @property
    def record_count(self) -> Counts | None:
        """Records of each file."""
        return counts(self.table.column("record_count"))

    def field(self, field_id: int) -> FieldStats | None:
        """Of one column, as its manifest recorded it; None when it recorded nothing."""
        if field_id not in self._found:
            self._found[field_id] = self._read(field_id)
        return self._found[field_id]

    def _read(self, field_id: int) -> FieldStats | None:
        names = set(self.table.column_names)
        if any(split is not None and split[1] == field_id and split[2] for split in map(split_column, names)):
            return None  # files disagree on the column's type
        own = {
            kind: self.table.column(column(kind, field_id))
            for kind in ("lower", "upper", *_COUNTS)
            if column(kind, field_id) in names
        }
        if not own:
            return None
        return FieldStats(
            flat(own["lower"]) if "lower" in own else None,
            flat(own["upper"]) if "upper" in own else None,
            *(counts(own[kind]) if kind in own else None for kind in _COUNTS),
        )


def partition_statistics(table: pa.Table, field_ids: Sequence[int]) -> Arrays:
    """Partition values of entries as statistics: exact, one value each."""
    rows = table.num_rows
    one = np.ones(rows, np.int64)
    fields: dict[int, FieldStats] = {}
    for field_id in field_ids:
        name = column("partition", field_id)
        if name not in table.column_names:
            fields[field_id] = FieldStats(None, None, one, np.zeros(rows, np.int64), one)
            continue
        values = flat(table.column(name))
        nulls = np.asarray(values.is_null().to_numpy(zero_copy_only=False), np.int64)
        nans = np.zeros(rows, np.int64)
        if pa.types.is_floating(values.type):
            nans = np.asarray(pc.fill_null(pc.is_nan(values), False).to_numpy(zero_copy_only=False), np.int64)
        fields[field_id] = FieldStats(values, values, nulls, nans, one)
    return Arrays(rows, fields)


def counts(values: pa.ChunkedArray) -> Counts:
    """Counts as numbers, the missing ones ``UNKNOWN``."""
    array = flat(values)
    if array.null_count:
        array = pc.fill_null(array, UNKNOWN)
    return np.asarray(array.to_numpy(zero_copy_only=False), np.int64)


def zone_of(stats: FieldStats | None, kind: Primitive) -> FieldStats | None:
    """One field's statistics over all entries together: what each entry's bounds lie within.

    An entry without a bound makes the zone's unknown, unless it holds nothing but nulls.
    """
    target = arrow_type(kind)
    if stats is None or target is None:
        return None
    rows = max(
        (len(part) for part in (stats.lower, stats.upper, stats.null_count, stats.value_count) if part is not None),
        default=0,
    )
    unknown = np.full(rows, UNKNOWN, np.int64)
    nulls = unknown if stats.null_count is None else stats.null_count
    values = unknown if stats.value_count is None else stats.value_count
    blank = (values > 0) & (nulls == values)
    return FieldStats(
        _extreme(stats.lower, target, blank, "min"),
        _extreme(stats.upper, target, blank, "max"),
        *(_total(part) for part in (stats.null_count, stats.nan_count, stats.value_count)),
    )


def _extreme(bounds: pa.Array | None, target: pa.DataType, blank: np.ndarray, side: str) -> pa.Array:
    nothing = pa.nulls(1, target)
    bounds = None if bounds is None else cast_or_none(bounds, target)
    if bounds is None:
        return nothing
    if blank.any():
        bounds = bounds.filter(pa.array(~blank))
    if bounds.null_count or not len(bounds):
        return nothing
    if pa.types.is_floating(target) and pc.any(pc.is_nan(bounds)).as_py():
        return nothing
    if pa.types.is_fixed_size_binary(target):
        plain = pc.min_max(bounds.cast(pa.binary()))[side]
        return pa.array([plain.as_py()], target)
    return pa.array([pc.min_max(bounds)[side]], target) if not pa.types.is_decimal(target) else _decimal(bounds, side)


def _decimal(bounds: pa.Array, side: str) -> pa.Array:
    return pa.array([pc.min_max(bounds)[side].as_py()], bounds.type)


def _total(part: Counts | None) -> Counts:
    if part is None or (part < 0).any():
        return np.full(1, UNKNOWN, np.int64)
    return np.asarray([part.sum()], np.int64)
