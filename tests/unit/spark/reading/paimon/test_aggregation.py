"""Merging the rows of a key, against a plain fold as in Paimon's merge functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.spark.reading.model import NotReadable
from lakemuster.spark.reading.paimon import aggregation
from lakemuster.spark.reading.paimon.aggregation import AggregationFailed, ColumnMerge, KeyRuns, SequenceGroup
from lakemuster.spark.reading.paimon.engines import merging_of
from lakemuster.spark.reading.paimon.tables import PaimonTable

INT, DOUBLE, TEXT = Primitive(Kind.INT, "INT"), Primitive(Kind.DOUBLE, "DOUBLE"), Primitive(Kind.STRING, "STRING")
NUMBERS = st.none() | st.integers(-3, 3)
FLOATS = st.none() | st.sampled_from([-0.0, 0.0, 1.5, -2.0, math.inf, -math.inf, math.nan])
LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=6)


def runs_of(lengths: list[int]) -> KeyRuns:
    return KeyRuns(np.cumsum([0, *lengths[:-1]]), sum(lengths))


def by_order(left: float, right: float) -> bool:
    """Return whether Java's Double.compare orders ``left`` below ``right``."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(right) and not math.isnan(left)
    return (left, math.copysign(1, left)) < (right, math.copysign(1, right))


def choose(better: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    """Return a fold that keeps the better value and ignores nulls."""
    return lambda held, value: held if value is None or (held is not None and not better(value, held)) else value


PLAIN: dict[str, tuple[aggregation.Function, Callable[[Any, Any], Any]]] = {
    "last_non_null": (aggregation.last_non_null, lambda held, value: held if value is None else value),
    "first_non_null": (aggregation.first_non_null, lambda held, value: value if held is None else held),
    "last": (aggregation.last, lambda held, value: value),
    "greatest": (aggregation.greatest, choose(lambda value, held: by_order(held, value))),
    "least": (aggregation.least, choose(by_order)),
}


@pytest.mark.parametrize("name", PLAIN)
@given(data=st.data(), lengths=LENGTHS)
def test_functions(name: str, data: st.DataObject, lengths: list[int]) -> None:
    function, fold = PLAIN[name]
    values = data.draw(st.lists(FLOATS, min_size=sum(lengths), max_size=sum(lengths)))
    found = function(pa.array(values, pa.float64()), Field(0, "a", DOUBLE, required=False), runs_of(lengths))
    expected, rest = [], iter(values)
    for length in lengths:
        held = None
        for _ in range(length):
            held = fold(held, next(rest))
        expected.append(held)
    assert list(map(repr, found.to_pylist())) == list(map(repr, expected))


@given(data=st.data(), lengths=LENGTHS)
def test_sums(data: st.DataObject, lengths: list[int]) -> None:
    values = data.draw(st.lists(NUMBERS, min_size=sum(lengths), max_size=sum(lengths)))
    found = aggregation.total(pa.array(values, pa.int8()), Field(0, "a", INT, required=False), runs_of(lengths))
    rest = iter(values)
    parts = [[one for one in (next(rest) for _ in range(length)) if one is not None] for length in lengths]
    assert found.to_pylist() == [sum(part) if part else None for part in parts]


@pytest.mark.parametrize(("of", "most"), [(pa.int8(), 127), (pa.int64(), 2**63 - 1), (pa.decimal128(2, 1), Decimal(9))])
def test_sums_beyond_their_type(of: pa.DataType, most: object) -> None:
    with pytest.raises(AggregationFailed):
        aggregation.total(pa.array([most, most], of), Field(0, "a", INT, required=False), runs_of([2]))


@given(data=st.data(), lengths=LENGTHS)
def test_sequence_groups(data: st.DataObject, lengths: list[int]) -> None:
    """There are two groups, one of them with two sequence columns; the column ``free`` is in no group."""
    names = ("one", "two", "of_both", "three", "of_three", "free")
    rows = data.draw(
        st.lists(st.fixed_dictionaries(dict.fromkeys(names, NUMBERS)), min_size=sum(lengths), max_size=sum(lengths))
    )
    field = {name: Field(number, name, INT, required=False) for number, name in enumerate(names)}
    groups = (
        SequenceGroup((field["one"], field["two"]), frozenset({"one", "two", "of_both"})),
        SequenceGroup((field["three"],), frozenset({"three", "of_three"})),
    )
    schema = pa.schema([(name, pa.int32()) for name in names])
    made = ColumnMerge("partial-update", {}, groups, {})
    found = made.merged(pa.Table.from_pylist(rows, schema), runs_of(lengths).starts).to_pylist()
    rest = iter(rows)
    assert found == [grouped([next(rest) for _ in range(length)], groups) for length in lengths]


def grouped(rows: list[dict[str, Any]], groups: tuple[SequenceGroup, ...]) -> dict[str, Any]:
    """Merge rows into one, group by group."""
    if len(rows) == 1:
        return rows[0]
    held: dict[str, Any] = dict.fromkeys(rows[0])
    for row in rows:
        for group in groups:
            names = [field.name for field in group.sequence]
            if any(row[name] is not None for name in names) and place(row, names) >= place(held, names):
                held |= {name: row[name] for name in group.columns}
        held["free"] = held["free"] if row["free"] is None else row["free"]
    return held


def place(row: dict[str, Any], names: list[str]) -> list[tuple[bool, int]]:
    """Return a sort key of some columns, nulls first."""
    return [(row[name] is not None, row[name] or 0) for name in names]


def keyed(options: dict[str, str]) -> PaimonTable:
    fields = tuple(
        Field(n, name, of, required=False) for n, (name, of) in enumerate([("id", INT), ("a", TEXT), ("b", INT)])
    )
    return PaimonTable("db.t", fields, fields, (), ("id",), {0: fields}, options)


REFUSED = {
    "the aggregate function sum of the column a, of type STRING": {
        "merge-engine": "aggregation",
        "fields.a.aggregate-function": "sum",
    },
    "the aggregate function rbm64 of the column a": {
        "merge-engine": "aggregation",
        "fields.default-aggregate-function": "rbm64",
    },
    "the aggregate function sum of the column b in partial-update": {
        "merge-engine": "partial-update",
        "fields.b.aggregate-function": "sum",
    },
    "its sequence-group c is not a column": {"merge-engine": "partial-update", "fields.c.sequence-group": "a"},
}


@pytest.mark.parametrize("said", REFUSED)
def test_refused(said: str) -> None:
    table = keyed(REFUSED[said])
    with pytest.raises(NotReadable, match=said):
        merging_of(table, table.wanted)


def test_functions_of_columns_that_are_not_read_do_not_matter() -> None:
    table = keyed(REFUSED["the aggregate function sum of the column a, of type STRING"])
    made = merging_of(table, [field for field in table.fields if field.name != "a"]).column_merge
    assert made is not None
    assert list(made.functions) == ["b"]
