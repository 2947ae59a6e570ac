"""Bound codes give the verdicts of the bounds that they encode, leaf by leaf and file by file."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.columns import internal_array
from lakemuster.planner.pruning import coded_statistics as module
from lakemuster.planner.pruning.bound_codes import CodedValues, bound_codes_of
from lakemuster.planner.pruning.coded_statistics import MARKED, CodedField, marks_of, outside
from lakemuster.planner.pruning.prune import FieldStats, cannot
from lakemuster.predicates import NEGATIVE, BoundLeaf, Op
from tests.examples import examples

LONG, INT = Primitive(Kind.LONG, "long"), Primitive(Kind.INT, "int")
DOUBLE, STRING = Primitive(Kind.DOUBLE, "double"), Primitive(Kind.STRING, "string")
BINARY, DATE = Primitive(Kind.BINARY, "binary"), Primitive(Kind.DATE, "date")
TIMESTAMP = Primitive(Kind.TIMESTAMP, "timestamp")
DECIMAL, WIDE = Primitive(Kind.DECIMAL, "decimal(9, 2)", 9, 2), Primitive(Kind.DECIMAL, "decimal(30, 2)", 30, 2)
ORDERED = (Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.EQ, Op.IN)


def near(least: int, most: int) -> st.SearchStrategy[int]:
    """Return a strategy of integers, many of them close to each other and to both limits."""
    ends = st.sampled_from([least, least + 1, most - 1, most])
    return st.one_of(st.integers(least, most), st.integers(-3, 3), ends)


def exact(unscaled: int) -> Decimal:
    """Return a decimal of scale 2 and any precision."""
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -2))


VALUES: dict[Primitive, st.SearchStrategy[Any]] = {
    LONG: near(-(2**63), 2**63 - 1),
    INT: near(-(2**31), 2**31 - 1),
    DATE: near(-(2**31), 2**31 - 1),
    TIMESTAMP: near(-(2**63), 2**63 - 1),
    DOUBLE: st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 5e-324, float("inf"), float("-inf")])),
    STRING: st.text(st.sampled_from("a\x00\x7féz\U0001f600"), max_size=10),
    BINARY: st.binary(max_size=10).map(lambda raw: raw.replace(b"\x01", b"\xff")),
    DECIMAL: near(-(10**9) + 1, 10**9 - 1).map(exact),
    WIDE: near(-(10**30) + 1, 10**30 - 1).map(exact),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[BoundLeaf, FieldStats, int]:
    """Draw a leaf and statistics of files, with missing and NaN bounds."""
    kind = draw(st.sampled_from(list(VALUES)))
    value = VALUES[kind]
    rows = draw(st.integers(1, 12))
    bounds = draw(st.lists(st.tuples(value, value).map(sorted), min_size=rows, max_size=rows))
    missing = st.lists(st.sampled_from(["", "", "lower", "upper", "both"]), min_size=rows, max_size=rows)
    gone = draw(missing)
    lower = [None if gap in ("lower", "both") else pair[0] for pair, gap in zip(bounds, gone, strict=True)]
    upper = [None if gap in ("upper", "both") else pair[1] for pair, gap in zip(bounds, gone, strict=True)]
    if kind is DOUBLE and draw(st.booleans()):
        lower[0] = float("nan")
    counts = [draw(st.sampled_from([(0, 5), (5, 5), (2, 5), (-1, 5), (0, -1), (-1, -1)])) for _ in range(rows)]
    nulls, values = (np.array(of, np.int64) for of in zip(*counts, strict=True))
    nans = np.where(values < 0, -1, values - nulls) if kind is DOUBLE and draw(st.booleans()) else None
    target = arrow_type(kind)
    assert target is not None
    field = FieldStats(internal_array(lower, target), internal_array(upper, target), nulls, nans, values)
    prefixes = (Op.STARTS_WITH, Op.NOT_STARTS_WITH) if kind in (STRING, BINARY) else ()
    op = draw(st.sampled_from((*ORDERED, Op.NOT_EQ, Op.NOT_IN, *MARKED, *prefixes)))
    if op in MARKED:
        return BoundLeaf(op, 1, "a", kind), field, rows
    pool = st.one_of(value, st.sampled_from([each for pair in bounds for each in pair]))
    many = op in (Op.IN, Op.NOT_IN)
    asked = draw(st.lists(pool, min_size=2, max_size=40, unique=True)) if many else [draw(pool)]
    return BoundLeaf(op, 1, "a", kind, tuple(sorted(asked)), nulls=op in NEGATIVE and draw(st.booleans())), field, rows


def keyed(field: FieldStats, kind: Primitive, rows: int) -> CodedField:
    def bounds(places: Any) -> FieldStats:
        if places is None:
            return field
        taken = pa.array(places)
        counts = (None if of is None else of[places] for of in (field.null_count, field.nan_count, field.value_count))
        assert field.lower is not None
        assert field.upper is not None
        return FieldStats(field.lower.take(taken), field.upper.take(taken), *counts)

    return CodedField(
        rows, kind, lambda: bound_codes_of(field, kind, rows), lambda: marks_of(field, kind, rows), bounds, {}
    )


@settings(max_examples=examples(400), deadline=None)
@given(cases())
def test_codes_agree_with_bounds(case: tuple[BoundLeaf, FieldStats, int]) -> None:
    leaf, field, rows = case
    found = keyed(field, leaf.type, rows).cannot(leaf)
    assert found.tolist() == cannot(leaf, field, rows).tolist()


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_without_ties_codes_alone_are_right(case: tuple[BoundLeaf, FieldStats, int]) -> None:
    leaf, field, rows = case
    keys, values = bound_codes_of(field, leaf.type, rows), CodedValues.of(leaf)
    if keys is None or values is None or leaf.op in NEGATIVE:
        return
    sure, ties = outside(leaf, values, keys)
    plain = cannot(leaf, field, rows)
    told = np.ones(rows, np.bool_) if ties is None else sure | ~ties
    assert sure[told].tolist() == plain[told].tolist()


@pytest.mark.parametrize("count", [3, 900, 20_000])
def test_many_files_and_many_values(count: int) -> None:
    numbers = np.random.default_rng(count)
    lower = numbers.integers(0, 10**12, 50_000)
    field = FieldStats(pa.array(lower), pa.array(lower + numbers.integers(0, 10**9, 50_000)))
    values = tuple(sorted({int(value) for value in numbers.integers(-(10**6), 10**12, count)} | {int(lower[7])}))
    leaf = BoundLeaf(Op.IN, 1, "a", LONG, values)
    assert (keyed(field, LONG, 50_000).cannot(leaf) == cannot(leaf, field, 50_000)).all()


def test_types_without_codes_have_none() -> None:
    none = pa.nulls(2, pa.bool_())
    assert bound_codes_of(FieldStats(none, none), Primitive(Kind.BOOLEAN, "boolean"), 2) is None
    assert bound_codes_of(FieldStats(None, None), WIDE, 2) is None


def test_a_wrong_shift_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bounds with equal codes are a tie; without handling of ties, the file is not dropped."""
    (bits,) = struct.unpack("<q", struct.pack("<d", 1.5))
    field = FieldStats(pa.array([-(2**62), bits + 1]), pa.array([2**62, bits + 1]))
    leaf = BoundLeaf(Op.EQ, 1, "a", LONG, (bits + 1,))
    assert not keyed(field, LONG, 2).cannot(leaf).any()
    assert keyed(field, LONG, 2).cannot(BoundLeaf(Op.EQ, 1, "a", LONG, (bits,))).tolist() == [False, True]
    monkeypatch.setattr(module, "outside", lambda *asked: (outside(*asked)[0], None))
    assert keyed(field, LONG, 2).cannot(BoundLeaf(Op.EQ, 1, "a", LONG, (bits,))).tolist() == [False, False]
