"""Projections of decimals that truncation takes beyond the digits of their type,
of UUIDs to their buckets, and of days and times before 1970 to the partitions in which writers put them.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.metadata.partition import PartitionField
from lakemuster.metadata.transforms import apply
from lakemuster.predicates import BoundAnd, BoundLeaf, BoundOr, Op
from lakemuster.predicates.projection import project, project_strict

OF = parse_primitive("decimal(9,2)")
FIELD = PartitionField(1000, "e_trunc", "truncate[7]", (1,))
LEAST, OTHER = Decimal("-9999999.99"), Decimal("12.34")


@pytest.mark.parametrize(("op", "values"), [(Op.EQ, (LEAST,)), (Op.IN, (LEAST, OTHER))])
def test_no_partition_is_asked_for_a_decimal_truncated_beyond_its_type(op, values):
    assert project(BoundLeaf(op, 1, "e", OF, values), FIELD, OF) is None


@pytest.mark.parametrize(("op", "values"), [(Op.NOT_EQ, (LEAST,)), (Op.NOT_IN, (LEAST, OTHER))])
def test_no_partition_proves_inequality_to_a_decimal_truncated_beyond_its_type(op, values):
    assert project_strict(BoundLeaf(op, 1, "e", OF, values), FIELD, OF) is None


def test_other_decimals_are_projected():
    found = project(BoundLeaf(Op.EQ, 1, "e", OF, (OTHER,)), FIELD, OF)
    assert isinstance(found, BoundLeaf)
    assert found.values == (Decimal("12.32"),)


UUIDS = parse_primitive("uuid")
HASHED = PartitionField(1001, "u_bucket", "bucket[16]", (2,))
SPECIFIED, DUCKDBS = 12, 2
"""The bucket of the specification's example, and the result of DuckDB 1.5.5 for ``iceberg_bucket(16, ...)``."""


@pytest.mark.parametrize(
    ("function", "op", "projected"), [(project, Op.EQ, Op.IN), (project_strict, Op.NOT_EQ, Op.NOT_IN)]
)
def test_a_uuid_is_in_its_bucket_or_in_that_of_duckdb(function, op, projected):
    leaf = BoundLeaf(op, 2, "u", UUIDS, (UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"),))
    found = function(leaf, HASHED, UUIDS)
    assert isinstance(found, BoundLeaf)
    assert (found.op, found.values) == (projected, (DUCKDBS, SPECIFIED))


OF_DAFT = {-300: 8, -1: 14, 177: 9}
"""Results of Daft 0.7.26 for ``partition_iceberg_bucket(16)`` of decimals with two digits after the point."""


def test_a_decimal_is_in_its_bucket_or_in_that_of_daft():
    for number, of_daft in OF_DAFT.items():
        value = Decimal(number).scaleb(-2)
        found = project(BoundLeaf(Op.EQ, 1, "e", OF, (value,)), replace(FIELD, transform="bucket[16]"), OF)
        assert isinstance(found, BoundLeaf)
        assert set(found.values) == {of_daft, apply("bucket[16]", OF, value)}


@pytest.mark.parametrize("of", [UUIDS, OF])
def test_a_bucket_is_not_that_of_the_partition_where_writers_disagree(of):
    leaf = BoundLeaf(Op.EQ, 2, "bucket(16, u)", of, (SPECIFIED,), transform="bucket[16]")
    assert project(leaf, HASHED, of) is None


DAYS = parse_primitive("date")


def held(bound, partition):
    """Return whether a projection holds for a partition."""
    match bound:
        case BoundLeaf(op=Op.EQ | Op.IN, values=values):
            return partition in values
        case BoundLeaf(op=Op.NOT_EQ | Op.NOT_IN, values=values):
            return partition not in values
        case BoundLeaf(op=Op.LT | Op.LT_EQ | Op.GT | Op.GT_EQ as op, values=(value,)):
            tests = {Op.LT: operator.lt, Op.LT_EQ: operator.le, Op.GT: operator.gt, Op.GT_EQ: operator.ge}
            return bool(tests[op](partition, value))
        case BoundAnd(children=children):
            return all(held(child, partition) for child in children)
        case BoundOr(children=children):
            return any(held(child, partition) for child in children)
    raise AssertionError(bound)


TESTS = {
    Op.EQ: operator.eq,
    Op.NOT_EQ: operator.ne,
    Op.LT: operator.lt,
    Op.LT_EQ: operator.le,
    Op.GT: operator.gt,
    Op.GT_EQ: operator.ge,
}


@pytest.mark.parametrize("transform", ["year", "month", "day"])
@given(op=st.sampled_from(list(TESTS)), value=st.integers(-800, 800), day=st.integers(-800, 800))
def test_days_are_in_their_partition_or_in_0_where_they_are_before_1970(transform, op, value, day):
    field = PartitionField(1002, "d", transform, (3,))
    leaf = BoundLeaf(op, 3, "d", DAYS, (value,))
    own = apply(transform, DAYS, day)
    inclusive, strict = project(leaf, field, DAYS), project_strict(leaf, field, DAYS)
    for partition in {own, max(own, 0)}:
        if TESTS[op](day, value):
            assert inclusive is None or held(inclusive, partition)
        else:
            assert strict is None or not held(strict, partition)


def test_later_days_are_projected_exactly():
    field = PartitionField(1002, "d", "day", (3,))
    for op in TESTS:
        leaf = BoundLeaf(op, 3, "d", DAYS, (20_000,))
        found = project(leaf, field, DAYS)
        assert isinstance(found, BoundLeaf)
        assert (found.op, found.values) == (op, (20_000,))


TIMES = parse_primitive("timestamp")
SECOND = 10**6


def read_from_orc(time: int) -> int:
    """Return what readers return for microseconds since 1970 (ORC-763)."""
    return time + SECOND if -SECOND < time < 0 and time % SECOND else time


@pytest.mark.parametrize("transform", ["year", "month", "day", "hour", "bucket[8]"])
@given(
    op=st.sampled_from(list(TESTS)),
    value=st.integers(-2, 2) | st.integers(-2 * SECOND, 2 * SECOND),
    time=st.integers(-2, 2) | st.integers(-2 * SECOND, 2 * SECOND),
)
def test_times_of_orc_files_are_in_the_partition_of_what_was_written(transform, op, value, time):
    field = PartitionField(1003, "t", transform, (4,))
    leaf = BoundLeaf(op, 4, "t", TIMES, (value,))
    partition = apply(transform, TIMES, time)
    inclusive, strict = project(leaf, field, TIMES), project_strict(leaf, field, TIMES)
    if TESTS[op](read_from_orc(time), value):
        assert inclusive is None or held(inclusive, partition)
    else:
        assert strict is None or not held(strict, partition)


@pytest.mark.parametrize("op", TESTS)
@pytest.mark.parametrize("partition", range(-3, 4))
def test_partitions_of_times_of_orc_files_are_compared_as_they_are_read(op, partition):
    field = PartitionField(1003, "t", "hour", (4,))
    leaf = BoundLeaf(op, 4, "t", TIMES, (partition,), transform="hour")
    inclusive, strict = project(leaf, field, TIMES), project_strict(leaf, field, TIMES)
    if TESTS[op](0, partition):
        assert inclusive is None or held(inclusive, -1)
    else:
        assert strict is None or not held(strict, -1)


def test_no_bucket_of_times_is_compared_with_the_partitions_of_orc_files():
    field = PartitionField(1003, "t", "bucket[8]", (4,))
    for bucket in range(8):
        for function, op in ((project, Op.EQ), (project_strict, Op.NOT_EQ)):
            assert function(BoundLeaf(op, 4, "t", TIMES, (bucket,), transform="bucket[8]"), field, TIMES) is None
