"""Pruning by statistics: a dropped file holds no matching row, and exact bounds drop files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.columns import internal_array
from lakemuster.planner.pruning.bounds import comparable, passes, scalar
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats, can_match
from lakemuster.predicates import (
    FALSE,
    TRUE,
    Bound,
    BoundLeaf,
    Op,
    Opaque,
    all_of,
    any_of,
    matches,
)

LONG, DOUBLE, TEXT = Primitive(Kind.LONG, "long"), Primitive(Kind.DOUBLE, "double"), Primitive(Kind.STRING, "string")
PRICE, DAY = Primitive(Kind.DECIMAL, "decimal(9,2)", precision=9, scale=2), Primitive(Kind.DATE, "date")
BLOB, FLAG = Primitive(Kind.BINARY, "binary"), Primitive(Kind.BOOLEAN, "boolean")
FIELDS = {1: LONG, 2: DOUBLE, 3: TEXT, 4: PRICE, 5: DAY, 6: BLOB, 7: FLAG}
VALUES: dict[int, st.SearchStrategy[Any]] = {
    1: st.integers(-3, 3),
    2: st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.5, math.inf, -math.inf]),
    3: st.text("ab\U0001d11e", max_size=3),
    4: st.integers(-3, 3).map(lambda cents: Decimal(cents) / 100),
    5: st.integers(-3, 3),
    6: st.binary(max_size=2).map(lambda raw: bytes(b % 3 * 127 for b in raw)),
    7: st.booleans(),
}
ORDERED = (Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.EQ, Op.NOT_EQ)
PREFIX = (Op.STARTS_WITH, Op.NOT_STARTS_WITH)


@dataclass
class Files:
    """Statistics over files of rows, as a writer may record them."""

    rows: int
    fields: dict[int, FieldStats] = field(default_factory=dict)
    record_count: Any = None

    def field(self, field_id: int) -> FieldStats | None:
        return self.fields.get(field_id)

    def projected(self, leaf: BoundLeaf) -> None:
        return None


@st.composite
def leaves(draw: st.DrawFn) -> Bound:
    field_id = draw(st.sampled_from(sorted(FIELDS)))
    ops = [Op.IS_NULL, Op.NOT_NULL, Op.IN, Op.NOT_IN, *ORDERED]
    ops += [Op.IS_NAN, Op.NOT_NAN] if field_id == 2 else []
    ops += PREFIX if field_id in (3, 6) else []
    op = draw(st.sampled_from(ops))
    value = VALUES[field_id]
    count = {Op.IN: 3, Op.NOT_IN: 3, Op.IS_NULL: 0, Op.NOT_NULL: 0, Op.IS_NAN: 0, Op.NOT_NAN: 0}.get(op, 1)
    values: tuple[Any, ...] = tuple(draw(value) for _ in range(count))
    if count == 3:
        values = tuple(sorted(set(values), key=order(field_id)))
        if len(values) < 2:
            op = Op.EQ if op is Op.IN else Op.NOT_EQ
    nulls = draw(st.booleans()) if op in (Op.NOT_EQ, Op.NOT_IN, Op.NOT_STARTS_WITH) else False
    return BoundLeaf(op, field_id, f"f{field_id}", FIELDS[field_id], values, nulls=nulls)


def order(field_id: int) -> Any:
    return (lambda value: value.encode()) if field_id == 3 else (lambda value: value)


predicates = st.recursive(
    leaves() | st.sampled_from([TRUE, FALSE, Opaque("f(x)", "a function")]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(all_of) | st.lists(inner, min_size=1, max_size=3).map(any_of)
    ),
    max_leaves=5,
)
row = st.fixed_dictionaries(
    {i: st.none() | (value | st.just(math.nan) if i == 2 else value) for i, value in VALUES.items()}
)
recorded = st.fixed_dictionaries(
    {name: st.booleans() for name in ("lower", "upper", "nulls", "nans", "values", "wide")}
)
files = st.lists(st.tuples(st.lists(row, max_size=4), recorded), min_size=1, max_size=6)


def statistics(of: Sequence[tuple[list[dict[int, Any]], dict[str, bool]]]) -> Files:
    found = Files(len(of), record_count=np.array([len(rows) for rows, _ in of], np.int64))
    for field_id, kind in FIELDS.items():
        lower, upper, nulls, nans, counts = [], [], [], [], []
        for rows, said in of:
            values = [one[field_id] for one in rows]
            ordered = sorted(
                (v for v in values if v is not None and not (isinstance(v, float) and math.isnan(v))),
                key=order(field_id),
            )
            low, high = (ordered[0], ordered[-1]) if ordered else (None, None)
            if said["wide"] and field_id == 3 and ordered:
                low, high = ordered[0][:1], ordered[-1] + "z"
            lower.append(low if said["lower"] else None)
            upper.append(high if said["upper"] else None)
            nulls.append(sum(v is None for v in values) if said["nulls"] else UNKNOWN)
            nans.append(sum(isinstance(v, float) and math.isnan(v) for v in values) if said["nans"] else UNKNOWN)
            counts.append(len(values) if said["values"] else UNKNOWN)
        target = arrow_type(kind)
        plain = pa.int32() if kind is DAY else target

        def bounds(values: list[Any], plain: pa.DataType = plain, target: Any = target) -> pa.Array:
            array = pa.array(values, plain)
            return array if plain == target else array.view(target)

        found.fields[field_id] = FieldStats(
            bounds(lower), bounds(upper), np.array(nulls), np.array(nans), np.array(counts)
        )
    return found


@given(files, predicates)
def test_a_dropped_file_holds_no_matching_row(
    of: list[tuple[list[dict[int, Any]], dict[str, bool]]], predicate: Bound
) -> None:
    keep = can_match(predicate, statistics(of))
    for (rows, _), kept in zip(of, keep, strict=True):
        if not kept:
            assert not any(matches(predicate, one) is True for one in rows)


def one(field_id: int, values: list[Any]) -> Files:
    said = dict.fromkeys(("lower", "upper", "nulls", "nans", "values"), True) | {"wide": False}
    rows = [{i: value if i == field_id else None for i in FIELDS} for value in values]
    return statistics([(rows, said)])


@pytest.mark.parametrize(
    ("op", "field_id", "values", "rows"),
    [
        (Op.LT, 1, (3,), [3, 4]),
        (Op.LT_EQ, 1, (2,), [3, 4]),
        (Op.GT, 1, (4,), [3, 4]),
        (Op.GT_EQ, 1, (5,), [3, 4]),
        (Op.EQ, 1, (5,), [3, 4]),
        (Op.EQ, 2, (0.5,), [math.nan, math.nan]),
        (Op.EQ, 1, (5,), [None, None]),
        (Op.NOT_EQ, 1, (3,), [3, 3]),
        (Op.NOT_IN, 2, (-0.0, 1.0), [0.0, 0.0]),
        (Op.IN, 1, (1, 5), [2, 4]),
        (Op.IN, 3, ("a", "c"), ["b", "bb"]),
        (Op.IN, 2, (1.0, 5.0), [2.0, 4.0]),
        (Op.IN, 4, (Decimal("0.01"), Decimal("0.05")), [Decimal("0.02"), Decimal("0.04")]),
        (Op.IN, 5, (1, 5), [2, 4]),
        (Op.IN, 6, (b"\x00", b"\xff"), [b"\x01", b"\x02"]),
        (Op.STARTS_WITH, 3, ("b",), ["a", "az"]),
        (Op.STARTS_WITH, 3, ("b",), ["c", "cz"]),
        (Op.NOT_STARTS_WITH, 3, ("ab",), ["ab", "abz"]),
        (Op.IS_NULL, 1, (), [1, 2]),
        (Op.NOT_NULL, 1, (), [None, None]),
        (Op.IS_NAN, 2, (), [1.0, None]),
        (Op.NOT_NAN, 2, (), [math.nan]),
        (Op.EQ, 7, (True,), [False, False]),
    ],
)
def test_exact_bounds_drop(op: Op, field_id: int, values: tuple[Any, ...], rows: list[Any]) -> None:
    """A planner that keeps every file would pass the tests of soundness."""
    leaf = BoundLeaf(op, field_id, "f", FIELDS[field_id], values)
    assert can_match(leaf, one(field_id, rows)).tolist() == [False]


def test_a_promoted_bound_still_compares() -> None:
    narrow = Files(1, {1: FieldStats(pa.array([5], pa.int32()), pa.array([9], pa.int32()))})
    assert can_match(BoundLeaf(Op.LT, 1, "f", LONG, (5,)), narrow).tolist() == [False]
    assert can_match(BoundLeaf(Op.LT, 1, "f", LONG, (6,)), narrow).tolist() == [True]


def test_a_bound_of_another_type_proves_nothing() -> None:
    text = Files(1, {1: FieldStats(pa.array(["x"]), pa.array(["y"]))})
    assert can_match(BoundLeaf(Op.LT, 1, "f", LONG, (5,)), text).tolist() == [True]


@pytest.mark.parametrize("of", [LONG, Primitive(Kind.INT, "int"), DOUBLE, Primitive(Kind.FLOAT, "float"), DAY])
@given(data=st.data())
def test_numbers_compare_in_numpy_as_they_do_in_arrow(of: Primitive, data: st.DataObject) -> None:
    value = st.sampled_from([math.nan, -0.0, 0.0, 0.5, 1.0, math.inf]) if of.text in ("double", "float") else VALUES[1]
    target = arrow_type(of)
    assert target is not None
    recorded = internal_array(data.draw(st.lists(st.none() | value, min_size=1, max_size=6)), target)
    bounds: Any = comparable(recorded.slice(data.draw(st.integers(0, len(recorded) - 1))), of)
    against = data.draw(value)
    for test in (pc.less, pc.less_equal, pc.greater, pc.greater_equal):
        expected = pc.fill_null(test(bounds, scalar(against, bounds.type)), False).to_pylist()
        assert passes(bounds, test, against, len(bounds)).tolist() == expected
