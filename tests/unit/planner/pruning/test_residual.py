"""Residuals select the predicate's rows of a partition, without the conditions that the partition decides."""

from __future__ import annotations

import contextlib
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.caching import MEMORY
from lakemuster.metadata.files import column
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.transforms import apply, transformed_type
from lakemuster.metadata.types import Field, Kind, Primitive, arrow_type
from lakemuster.planner.columns import internal_array
from lakemuster.planner.pruning import residual as module
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.pruning.residual import PartitionResiduals, residuals
from lakemuster.predicates import FALSE, TRUE, Bound, BoundLeaf, BoundOr, bind, matches, text_of
from lakemuster.predicates.sql import parse_sql
from tests.caches import memory_limit

LONG, STRING = Primitive(Kind.LONG, "long"), Primitive(Kind.STRING, "string")
DOUBLE, TIMESTAMP = Primitive(Kind.DOUBLE, "double"), Primitive(Kind.TIMESTAMP, "timestamp")
COLUMNS = {1: ("a", LONG), 2: ("s", STRING), 3: ("x", DOUBLE), 4: ("t", TIMESTAMP)}
SCHEMA = Schema(0, tuple(Field(number, name, of) for number, (name, of) in COLUMNS.items()))
DAY = 86_400_000_000
VALUES: dict[int, st.SearchStrategy[Any]] = {
    1: st.none() | st.integers(-5, 12),
    2: st.none() | st.sampled_from(["", "a", "ab", "abc", "b", "ba"]),
    3: st.none() | st.sampled_from([float("nan"), -0.0, 0.0, 1.0, 2.5]),
    4: st.none() | st.integers(-3, 3).map(lambda half: half * DAY // 2),
}
SPECS = st.lists(
    st.sampled_from(
        [
            ("identity", 1),
            ("bucket[3]", 1),
            ("truncate[4]", 1),
            ("truncate[2]", 2),
            ("identity", 3),
            ("day", 4),
            ("void", 1),
        ]
    ),
    max_size=3,
    unique=True,
).map(
    lambda fields: PartitionSpec(
        0, tuple(PartitionField(1000 + n, f"p{n}", transform, (of,)) for n, (transform, of) in enumerate(fields))
    )
)
ATOMS = [
    "a = 3", "a != 3", "a < 4", "a >= 4", "a in (1, 4, 9)", "a not in (1, 4)", "a is null", "a is not null",
    "s = 'ab'", "s != 'ab'", "s like 'a%'", "s not like 'ab%'", "s > 'ab'", "s is null",
    "x > 1", "x = 0", "x != 0", "x is nan", "not (x < 2)",
    "t >= timestamp '1970-01-01 00:00:00'", "t < timestamp '1970-01-02 00:00:00'", "length(s) > 1",
]  # fmt: skip


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda a, op, b: f"({a} {op} {b})", parts, st.sampled_from(["and", "or"]), parts)


TEXTS = st.recursive(st.sampled_from(ATOMS), _joined, max_leaves=5)
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=6)


def partitions(spec: PartitionSpec, rows: list[dict[int, Any]]) -> pa.Table:
    """Return entries with the partition values of each row as one file."""
    columns = {"record_count": pa.array([1] * len(rows))}
    for field in spec.fields:
        source = COLUMNS[field.source_ids[0]][1]
        of = transformed_type(field.transform, source)
        assert of is not None
        values = [apply(field.transform, source, row[field.source_ids[0]]) for row in rows]
        if any(value is not None for value in values):
            target = arrow_type(of)
            assert target is not None
            columns[column("partition", field.field_id)] = internal_array(values, target)
    return pa.table(columns)


@pytest.mark.parametrize("negations_match_null", [False, True])
@given(TEXTS, SPECS, ROWS)
def test_a_residual_is_the_predicate_for_the_rows_of_its_partition(
    negations_match_null: bool, text: str, spec: PartitionSpec, rows: list[dict[int, Any]]
) -> None:
    bound = bind(parse_sql(text), SCHEMA, negations_match_null=negations_match_null)
    left = residuals(bound, partitions(spec, rows), PartitionPredicates(spec, (SCHEMA,)))
    for row, number in zip(rows, left.of_file.tolist(), strict=True):
        # Compare truth only: FALSE and UNKNOWN are equivalent at the top level.
        assert (matches(left.distinct[number], row) is True) == (matches(bound, row) is True) or _is_doubtful(bound)


@given(TEXTS, SPECS, ROWS)
def test_tuples_have_the_same_residuals_one_by_one_and_in_bulk(
    text: str, spec: PartitionSpec, rows: list[dict[int, Any]]
) -> None:
    """This holds for each way of grouping tuples, and for few files."""
    bound, table = bind(parse_sql(text), SCHEMA), partitions(spec, rows)
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"FEW_ROWS": 0},
        {"FEW_ROWS": 0, "_is_plain": lambda *_: False, "_SLOTS": 0},
    )
    told = []
    for way in ways:
        with mock.patch.multiple(module, **way) if way else contextlib.nullcontext():
            found = PartitionResiduals(bound, PartitionPredicates(spec, (SCHEMA,))).of(table.num_rows, lambda: table)
        told.append([found.distinct[number] for number in found.of_file])
    assert told[0] == told[1] == told[2]


def _is_doubtful(bound: Bound) -> bool:
    return "length" in text_of(bound)


def left_of(text: str, transform: str, of: int, values: list[Any]) -> list[Bound]:
    spec = PartitionSpec(0, (PartitionField(1000, "p", transform, (of,)),))
    rows = [dict.fromkeys(COLUMNS) | {of: value} for value in values]
    found = residuals(bind(parse_sql(text), SCHEMA), partitions(spec, rows), PartitionPredicates(spec, (SCHEMA,)))
    return [found.distinct[number] for number in found.of_file.tolist()]


def test_conditions_that_the_partition_decides_are_removed() -> None:
    assert left_of("a = 3", "identity", 1, [3, 4, None]) == [TRUE, FALSE, FALSE]
    assert left_of("a != 3", "identity", 1, [3, 4, None]) == [FALSE, TRUE, FALSE]
    assert left_of("x is nan", "identity", 3, [float("nan"), 1.0, None]) == [TRUE, FALSE, FALSE]


def test_a_day_inside_the_interval_leaves_no_residual() -> None:
    days = [0, DAY, 2 * DAY, -DAY]
    left = left_of("t > '1970-01-01 12:00:00' and t < '1970-01-03 00:00:00'", "day", 4, days)
    assert [text_of(residual) for residual in left] == ["t > '1970-01-01 12:00:00'", "TRUE", "FALSE", "FALSE"]


def test_conditions_that_the_partition_cannot_decide_remain() -> None:
    left = left_of("a = 3 and (s = 'ab' or length(s) > 1)", "bucket[16]", 1, [3])
    assert [text_of(residual) for residual in left] == ["a = 3 and (s = 'ab' or length(s) > 1)"]


def test_a_tuple_is_decided_once() -> None:
    spec = PartitionSpec(0, (PartitionField(1000, "p", "identity", (1,)),))
    rows = [dict.fromkeys(COLUMNS) | {1: number % 3} for number in range(300)]
    found = residuals(
        bind(parse_sql("a = 1 and s = 'a'"), SCHEMA), partitions(spec, rows), PartitionPredicates(spec, (SCHEMA,))
    )
    assert {text_of(residual) for residual in found.distinct} == {"FALSE", "s = 'a'"}
    assert [text_of(found.distinct[n]) for n in found.of_file[:3].tolist()] == ["FALSE", "s = 'a'", "FALSE"]


def test_the_text_of_a_residual_means_the_residual() -> None:
    left = left_of("(a = 1 or s = 'b') and a < 9 and x > 1", "identity", 3, [2.0])
    assert [text_of(residual) for residual in left] == ["(a = 1 or s = 'b') AND a < 9"]


def test_cached_projections_are_bounded() -> None:
    projection = PartitionPredicates(PartitionSpec(0, (PartitionField(1000, "p", "bucket[4]", (1,)),)), (SCHEMA,))
    with memory_limit(20_000):
        for number in range(200):
            bound = bind(parse_sql(f"a = {number} or s = '{number}'"), SCHEMA)
            assert isinstance(bound, BoundOr)
            known, unknown = bound.children
            assert isinstance(known, BoundLeaf)
            assert isinstance(unknown, BoundLeaf)
            assert projection.inclusive(known) is projection.inclusive(known) is not None
            assert projection.strict(known) is projection.inclusive(unknown) is None
            assert MEMORY.bytes <= 20_000
