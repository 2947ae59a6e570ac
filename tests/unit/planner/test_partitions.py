"""Sets of partitions, by which one branch of a table falls back to another."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa

from lakemuster.planner.scan.partitions import Partitions


def entries(**columns: pa.Array) -> pa.Table:
    """Return entries with partition columns by field id."""
    count = len(next(iter(columns.values())))
    return pa.table({"status": pa.nulls(count), **{f"partition.{name[1:]}": own for name, own in columns.items()}})


def test_tuples_with_nulls_are_distinguished() -> None:
    one = entries(f0=pa.array(["a", "a", None, "b"]), f2=pa.array([1, None, 1, 1], pa.int32()))
    held = Partitions.of((0, 2), [one.slice(0, 2), one.slice(2, 1)])
    assert held.holds(one).tolist() == [True, True, True, False]
    other = entries(f0=pa.array([None, "a", "a"]), f2=pa.array([None, 2, 1], pa.int32()))
    assert held.holds(other).tolist() == [False, False, True]


def test_an_absent_column_is_null() -> None:
    nulls = entries(f0=pa.array(["a", "b"]))
    held = Partitions.of((0, 2), [nulls])
    assert held.values == {("a", None), ("b", None)}
    assert held.holds(entries(f0=pa.array(["a", "a"]), f2=pa.array([None, 1]))).tolist() == [True, False]


def test_floats_are_compared_by_their_bits() -> None:
    held = Partitions.of((0,), [entries(f0=pa.array([math.nan, 0.0, 1.5]))])
    assert held.holds(entries(f0=pa.array([math.nan, -0.0, 0.0, 1.5, 2.0]))).tolist() == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_values_of_other_types() -> None:
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2)])
    prices = pa.array([Decimal("1.50"), Decimal("1.5")], pa.decimal128(5, 2))
    held = Partitions.of((1, 0), [entries(f1=days, f0=prices)])
    assert held.holds(entries(f1=days, f0=prices.take(pa.array([1, 0])))).tolist() == [True, True]
    assert held.holds(entries(f1=days.take(pa.array([1, 0])), f0=pa.array([None, None], prices.type))).tolist() == [
        False,
        False,
    ]


def test_an_empty_set_contains_no_partition() -> None:
    none = Partitions.of((0,), [])
    assert none.holds(entries(f0=pa.array(["a"]))).tolist() == [False]
    assert Partitions.of((), [entries(f0=pa.array(["a"]))]).holds(entries(f0=pa.array(["b"]))).tolist() == [True]
    assert none.holds(entries(f0=pa.array([], pa.string()))).tolist() == []
