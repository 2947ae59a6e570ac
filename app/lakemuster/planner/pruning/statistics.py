"""Statistics for pruning: given arrays, a segment's entries, and their partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from lakemuster.index.zones import counts as counts_of
from lakemuster.index.zones import of_partitions
from lakemuster.metadata.files import column, split_column
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats
from lakemuster.predicates import BoundLeaf

_COUNTS = ("null_count", "nan_count", "value_count")


@dataclass(frozen=True, slots=True)
class Arrays:
    """Statistics that are given as arrays."""

    rows: int
    fields: Mapping[int, FieldStats]
    record_count: Counts | None = None

    def field(self, field_id: int) -> FieldStats | None:
        """Return the statistics of one field."""
        return self.fields.get(field_id)

    def projected(self, leaf: BoundLeaf) -> None:
        """Return None: there are no partitions."""


@dataclass(frozen=True, slots=True)
class EntryStatistics:
    """Column statistics of a segment's entries; only columns that a predicate names are read.

    Attributes:
        table: with ``record_count``, unless counts are returned as recorded.
        members: the ids of columns in structs, for :func:`covering`; None to return counts as recorded.
    """

    table: pa.Table
    members: frozenset[int] | None = None
    _found: dict[int, FieldStats | None] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of entries."""
        return int(self.table.num_rows)

    @property
    def record_count(self) -> Counts | None:
        """The record counts of the entries."""
        return counts(self.table.column("record_count"))

    def field(self, field_id: int) -> FieldStats | None:
        """Return the statistics of one column as its manifest recorded them; None when it recorded none."""
        if field_id not in self._found:
            self._found[field_id] = self._read(field_id)
        return self._found[field_id]

    def projected(self, leaf: BoundLeaf) -> None:
        """Return None: there are no partitions."""

    def _read(self, field_id: int) -> FieldStats | None:
        schema = self.table.schema
        several = [split for name in schema.names if "@" in name and (split := split_column(name)) is not None]
        if any(of == field_id for _, of, _ in several):
            return None  # files disagree on the column's type
        places = [schema.get_field_index(column(kind, field_id)) for kind in ("lower", "upper", *_COUNTS)]
        if max(places) < 0:
            return None
        lower, upper, *numbers = (None if place < 0 else self.table.column(place) for place in places)
        found = FieldStats(
            None if lower is None else single_array(lower),
            None if upper is None else single_array(upper),
            *(None if of is None else counts(of) for of in numbers),
        )
        if self.members is None:
            return found
        return covering(found, counts(self.table.column("record_count")), is_member=field_id in self.members)


def covering(stats: FieldStats, records: Counts, *, is_member: bool) -> FieldStats:
    """Return a column's statistics, its counts unknown where it has fewer values, or more, than the file has rows.

    Iceberg Java leaves rows whose struct is null out of the counts of the struct's members: of float and double members
    in Parquet up to release 1.11, and of members without other nulls in ORC. StarRocks left nulls out of values.

    Source: apache/iceberg issue 17561; Iceberg Java, ``ParquetValueWriters``, ``OrcMetrics``; StarRocks, pull request
    50699.

    Args:
        records: the (N,) numbers of rows.
        is_member: whether the column is in a struct: then nulls count only if values do.
    """
    if stats.value_count is None:
        return replace(stats, null_count=None) if is_member else stats
    doubted = (stats.value_count != records) & (records >= 0)
    if not is_member:
        doubted &= stats.value_count >= 0
    if not doubted.any():
        return stats
    nulls = None if stats.null_count is None else np.where(doubted, UNKNOWN, stats.null_count)
    return replace(stats, null_count=nulls, value_count=np.where(doubted, UNKNOWN, stats.value_count))


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """Partition values of entries as statistics: exact, one value each; computed on demand.

    Attributes:
        table: entries with their ``partition.<id>`` columns; an absent column is null everywhere.
        rows: the number of entries, since ``table`` may have no columns.
        field_ids: the ids of the partition fields of the entries' spec.
    """

    table: pa.Table
    rows: int
    field_ids: frozenset[int]
    _found: dict[int, FieldStats] = field(default_factory=dict)

    @property
    def record_count(self) -> None:
        """None: only column statistics have record counts."""

    def field(self, field_id: int) -> FieldStats | None:
        """Return the statistics of one partition field; None when the spec has no such field."""
        if field_id not in self.field_ids:
            return None
        if field_id not in self._found:
            self._found[field_id] = self._read(field_id)
        return self._found[field_id]

    def projected(self, leaf: BoundLeaf) -> None:
        """Return None: these are partitions already."""

    def _read(self, field_id: int) -> FieldStats:
        name = column("partition", field_id)
        if name not in self.table.column_names:
            one, none = np.ones(self.rows, np.int64), np.zeros(self.rows, np.int64)
            return FieldStats(None, None, one, none, one)
        return FieldStats(*of_partitions(single_array(self.table.column(name))))


def counts(values: pa.ChunkedArray) -> Counts:
    """Return counts as integers, ``UNKNOWN`` where missing."""
    return counts_of(single_array(values))
