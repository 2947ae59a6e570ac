"""Statistics of entries, partitions and zones: a higher level never drops what a lower one keeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.index.zones import PARTITION, segment_zones, zone_count, zone_starts
from lakemuster.metadata.files import column
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.pruning import zones
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats, can_match
from lakemuster.planner.pruning.statistics import Arrays, EntryStatistics, PartitionStatistics, covering
from lakemuster.planner.pruning.zones import written_zones, zones_of
from lakemuster.predicates import Bound, BoundLeaf, Op
from tests.unit.planner.pruning.test_prune import FIELDS, LONG, files, predicates, statistics


def entries(of: Any) -> pa.Table:
    """Return the same statistics as the columns of a decoded manifest."""
    found = statistics(of)
    columns: dict[str, pa.Array] = {"record_count": pa.array(found.record_count)}
    for field_id in FIELDS:
        stats = found.fields[field_id]
        for kind, values in (
            ("lower", stats.lower),
            ("upper", stats.upper),
            ("null_count", stats.null_count),
            ("nan_count", stats.nan_count),
            ("value_count", stats.value_count),
        ):
            assert values is not None
            array = (
                values if isinstance(values, pa.Array) else pa.array([None if n < 0 else n for n in values], pa.int64())
            )
            if array.null_count < len(array):
                columns[column(kind, field_id)] = array
    return pa.table(columns)


@given(files, predicates)
def test_entry_statistics_are_those_recorded(of: Any, predicate: Bound) -> None:
    assert (can_match(predicate, EntryStatistics(entries(of))) == can_match(predicate, statistics(of))).all()


@pytest.mark.parametrize(
    ("values", "records", "nulls", "nulls_of_member"),
    [(2, 2, 1, 1), (1, 2, -1, -1), (3, 2, -1, -1), (None, 2, 1, -1), (None, -1, 1, 1), (2, -1, 1, 1), (0, 2, -1, -1)],
)
def test_counts_are_known_where_they_cover_all_rows(
    values: int | None, records: int, nulls: int, nulls_of_member: int
) -> None:
    stated = UNKNOWN if values is None else values
    recorded = FieldStats(None, None, np.array([1]), None, np.array([stated]))
    for is_member, expected in ((False, nulls), (True, nulls_of_member)):
        found = covering(recorded, np.array([records]), is_member=is_member)
        assert found.null_count is not None
        assert found.value_count is not None
        assert (found.null_count[0], found.value_count[0]) == (expected, stated if expected > 0 else UNKNOWN)
    assert covering(FieldStats(null_count=np.array([0])), np.array([2]), is_member=True).null_count is None


def test_nulls_beside_as_many_values_do_not_make_a_column_null() -> None:
    """StarRocks counted the values that are not null."""
    leaf = BoundLeaf(Op.NOT_NULL, 1, "x", LONG)
    counts_of = {"record_count": 4, "null_count.1": 2, "value_count.1": 2}
    table = pa.table({name: pa.array([number], pa.int64()) for name, number in counts_of.items()})
    assert can_match(leaf, EntryStatistics(table, frozenset())).all()
    assert not can_match(leaf, EntryStatistics(table)).any()


@given(files, predicates, st.integers(1, 3))
def test_what_a_zone_drops_every_entry_of_it_drops(of: Any, predicate: Bound, size: int) -> None:
    below = EntryStatistics(entries(of))
    above = {field_id: zones_of(below.field(field_id), kind, [below.rows], size) for field_id, kind in FIELDS.items()}
    kept = can_match(predicate, Arrays(zone_count(below.rows, size), above))
    for row in np.flatnonzero(can_match(predicate, below)):
        assert kept[row // size]


@given(files, predicates, st.integers(1, 3), st.integers(0, 2))
def test_what_a_written_zone_drops_every_entry_of_it_drops(of: Any, predicate: Bound, size: int, first: int) -> None:
    table = entries(of)
    below = EntryStatistics(table)
    rows = [first, below.rows - first] if first < below.rows else [below.rows]
    written = segment_zones(table, rows, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zones, "ZONE_ROWS", size)
        found = {field_id: written_zones(written, "", field_id, kind) for field_id, kind in FIELDS.items()}
    assert all(stats is not None for stats in found.values())
    kept = can_match(predicate, Arrays(written.num_rows, {n: stats for n, stats in found.items() if stats is not None}))
    zone_of = np.searchsorted(zone_starts(rows, size), np.arange(below.rows), side="right") - 1
    for row in np.flatnonzero(can_match(predicate, below)):
        assert kept[zone_of[row]]


@given(st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=9), st.integers(1, 3))
def test_written_partition_zones_equal_computed_ones(values: list[int | None], size: int) -> None:
    table = pa.table({"partition.1000": pa.array(values, pa.int64()), "record_count": [1] * len(values)})
    if all(value is None for value in values):
        table = table.drop_columns(["partition.1000"])  # as decoders do
    of_entries = PartitionStatistics(table, len(values), frozenset({1000}))
    made = zones_of(of_entries.field(1000), LONG, [len(values)], size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zones, "ZONE_ROWS", size)
        written = written_zones(segment_zones(table, [len(values)], size), PARTITION, 1000, LONG)
    assert written is not None
    for name in ("lower", "upper", "null_count", "nan_count", "value_count"):
        own, other = getattr(written, name), getattr(made, name)
        assert (own is None) == (other is None)
        assert own is None or own.tolist() == other.tolist()


def test_a_zone_is_read_in_a_promoted_type_and_in_no_other() -> None:
    table = pa.table({"lower.1": pa.array([3, 5], pa.int32()), "upper.1": pa.array([4, 9], pa.int32())})
    written = segment_zones(table, [2])
    found = written_zones(written, "", 1, LONG)
    assert found is not None
    assert found.upper is not None
    assert (found.upper.type, found.upper.to_pylist()) == (pa.int64(), [9])
    assert written_zones(written, "", 1, Primitive(Kind.STRING, "string")) is None
    assert written_zones(segment_zones(table, [2], 7), "", 1, LONG) is None


def test_columns_of_several_types_are_unknown_in_zones_too() -> None:
    table = pa.table({"lower.1": [1, None], "lower.1@string": pa.array([None, "a"]), "null_count.1": [0, 0]})
    found = written_zones(segment_zones(table, [2]), "", 1, LONG)
    assert found == FieldStats()
    assert EntryStatistics(table).field(1) is None


def test_a_zone_drops_by_the_extremes_of_its_entries() -> None:
    table = pa.table(
        {"record_count": [1, 1], "lower.1": [3, 5], "upper.1": [4, 9], "null_count.1": [0, 0], "value_count.1": [1, 1]}
    )
    zone = zones_of(EntryStatistics(table).field(1), LONG, [2])
    assert can_match(BoundLeaf(Op.GT, 1, "f", LONG, (9,)), Arrays(1, {1: zone})).tolist() == [False]
    assert can_match(BoundLeaf(Op.LT, 1, "f", LONG, (4,)), Arrays(1, {1: zone})).tolist() == [True]


def test_one_missing_bound_makes_a_zone_keep() -> None:
    table = pa.table({"record_count": [1, 1], "upper.1": pa.array([4, None], pa.int64())})
    zone = zones_of(EntryStatistics(table).field(1), LONG, [2])
    assert can_match(BoundLeaf(Op.GT, 1, "f", LONG, (9,)), Arrays(1, {1: zone})).tolist() == [True]


def test_a_file_of_nulls_has_no_bound_to_miss() -> None:
    table = pa.table(
        {
            "record_count": [1, 2],
            "upper.1": pa.array([4, None], pa.int64()),
            "null_count.1": [0, 2],
            "value_count.1": [1, 2],
        }
    )
    zone = zones_of(EntryStatistics(table).field(1), LONG, [2])
    assert can_match(BoundLeaf(Op.GT, 1, "f", LONG, (9,)), Arrays(1, {1: zone})).tolist() == [False]


@given(st.lists(st.none() | st.floats(allow_nan=True), min_size=1), st.floats(allow_nan=False))
def test_partition_values_are_exact(values: list[float | None], limit: float) -> None:
    of = FIELDS[2]
    table = pa.table({column("partition", 1000): pa.array(values, arrow_type(of))})
    keep = can_match(
        BoundLeaf(Op.LT, 1000, "p", of, (limit,)), PartitionStatistics(table, table.num_rows, frozenset({1000}))
    )
    assert keep.tolist() == [v is not None and not math.isnan(v) and v < limit for v in values]


def test_an_absent_partition_field_is_null_everywhere() -> None:
    table = pa.table({"record_count": [1]})
    of = PartitionStatistics(table, table.num_rows, frozenset({1000}))
    assert can_match(BoundLeaf(Op.IS_NULL, 1000, "p", LONG), of).tolist() == [True]
    assert can_match(BoundLeaf(Op.EQ, 1000, "p", LONG, (1,)), of).tolist() == [False]


def test_a_count_that_was_not_recorded_is_unknown() -> None:
    table = pa.table({"record_count": [1, 1], "null_count.1": pa.array([0, None], pa.int64())})
    stats = EntryStatistics(table).field(1)
    assert stats is not None
    assert stats.null_count is not None
    assert stats.null_count.tolist() == [0, UNKNOWN]


def test_a_file_without_values_keeps_its_zone() -> None:
    table = pa.table({"record_count": [-1, 3], "null_count.1": [0, 3], "value_count.1": [0, 3]})
    below = EntryStatistics(table)
    leaf = BoundLeaf(Op.NOT_NULL, 1, "f", LONG)
    assert can_match(leaf, below).tolist() == [True, False]
    assert can_match(leaf, Arrays(1, {1: zones_of(below.field(1), LONG, [2])})).tolist() == [True]
