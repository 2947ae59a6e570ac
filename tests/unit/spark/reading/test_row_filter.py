"""The option ``filter`` on rows, with Spark's semantics of null and NaN; ``journey/spark`` compares with Spark."""

from __future__ import annotations

import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.spark.reading.model import NotReadable, TableToRead
from lakemuster.spark.reading.row_filter import RowFilter

FIELDS = {
    "id": "long",
    "ratio": "double",
    "single": "float",
    "name": "string",
    "price": "decimal(9, 2)",
    "day": "date",
    "instant": "timestamptz",
    "fine": "timestamp_ns",
    "key": "uuid",
    "place": {"type": "struct", "fields": [{"id": 50, "name": "lat", "required": False, "type": "double"}]},
    "words": {"type": "list", "element-id": 60, "element": "string", "element-required": False},
}
NAN = math.nan
KEY = "f79c3e09-677c-4bbd-a479-3f349cb785e7"


def table(*columns: str, format: str = "iceberg") -> TableToRead:
    fields = [
        {"id": number, "name": name, "required": False, "type": kind}
        for number, (name, kind) in enumerate(FIELDS.items(), 1)
    ]
    if format == "paimon":
        fields = [{"id": 0, "name": "id", "required": True, "type": "BIGINT"}]
    schema = {"schema_id": 0, "fields": fields, "branch": "main"}
    return TableToRead("a.b", format, schema, (schema,), (), {}, (), columns)


def kept(where: str, **columns: pa.Array) -> list[int]:
    """Return the positions of the rows that a filter keeps."""
    count = len(next(iter(columns.values())))
    found = RowFilter.of(where, table("words"))
    given = {"words": pa.array([[str(number)] for number in range(count)]), **columns}
    batch = pa.RecordBatch.from_pydict({name: given[name] for name in found.table.columns})
    rows = found.applied(batch)
    assert rows.schema.names == ["words"]
    return [int(value[0]) for value in rows.column(0).to_pylist()]


RATIOS = pa.array([1.0, 5.0, 9.0, NAN, None, -0.0])
PLACES = pa.array([{"lat": 1.0}, {"lat": None}, None, {"lat": 7.0}], pa.struct([("lat", pa.float64())]))
CASES = [
    ("ratio > 5", {"ratio": RATIOS}, [2, 3]),
    ("NOT ratio > 5", {"ratio": RATIOS}, [0, 1, 5]),
    ("ratio <> 5", {"ratio": RATIOS}, [0, 2, 3, 5]),
    ("ratio = 0", {"ratio": RATIOS}, [5]),
    ("ratio IN (0, 9)", {"ratio": RATIOS}, [2, 5]),
    ("ratio IN (9, NULL)", {"ratio": RATIOS}, [2]),
    ("ratio NOT IN (9, NULL)", {"ratio": RATIOS}, []),
    ("NOT (ratio IN (9, NULL))", {"ratio": RATIOS}, []),
    ("ratio = CAST('NaN' AS DOUBLE)", {"ratio": RATIOS}, [3]),
    ("ratio <> CAST('NaN' AS DOUBLE)", {"ratio": RATIOS}, [0, 1, 2, 5]),
    ("ratio <= CAST('NaN' AS DOUBLE)", {"ratio": RATIOS}, [0, 1, 2, 3, 5]),
    ("ratio IS NOT NAN", {"ratio": RATIOS}, [0, 1, 2, 4, 5]),
    ("ratio IS NULL OR ratio < 0.5", {"ratio": RATIOS}, [4, 5]),
    ("ratio = NULL", {"ratio": RATIOS}, []),
    ("NULL OR ratio = 5", {"ratio": RATIOS}, [1]),
    ("NOT (ratio = 5 AND NULL)", {"ratio": RATIOS}, [0, 2, 3, 5]),
    ("ratio <=> 5", {"ratio": RATIOS}, [1]),
    ("NOT ratio <=> 5", {"ratio": RATIOS}, [0, 2, 3, 4, 5]),
    ("ID BETWEEN 2 AND 3", {"id": pa.array([1, 2, 3, None])}, [1, 2]),
    ("id > 99999999999999999999", {"id": pa.array([1, None])}, []),
    ("NOT id > 99999999999999999999", {"id": pa.array([1, None])}, [0]),
    ("name LIKE 'a%'", {"name": pa.array(["ab", "b", None, "A"])}, [0]),
    ("name NOT LIKE 'a%'", {"name": pa.array(["ab", "b", None, "A"])}, [1, 3]),
    ("name LIKE '%a'", {"name": pa.array(["ba", "b", None, "\na", "A"])}, [0, 3]),
    ("name LIKE 'a_c'", {"name": pa.array(["abc", "ac", "a𝄞c", "a\nc"])}, [0, 2, 3]),
    ("NAME NOT LIKE '%b%'", {"name": pa.array(["abc", "ac", None])}, [1]),
    ("NOT (name LIKE 'a%c' OR name LIKE '.%')", {"name": pa.array(["abc", ".b", "xbc", None])}, [2]),
    ("name LIKE '%" + "long" * 1000 + "'", {"name": pa.array(["x" + "long" * 1000, "long", None])}, [0]),
    ("name >= 'é'", {"name": pa.array(["z", "é", "𝄞"])}, [1, 2]),
    ("price = 1.50", {"price": pa.array([Decimal("1.50"), Decimal("1.51"), None])}, [0]),
    ("day < DATE '1970-01-02'", {"day": pa.array([0, 1, None], pa.date32())}, [0]),
    (
        "instant >= TIMESTAMPTZ '1970-01-01T01:00:00+01:00'",
        {"instant": pa.array([-1, 0, 1], pa.timestamp("us", "UTC"))},
        [1, 2],
    ),
    ("key = 'F79C3E09-677C-4BBD-A479-3F349CB785E7'", {"key": pa.array([KEY, "x"])}, [0]),
    ("place.lat > 5", {"place": PLACES}, [3]),
    ("place.lat IS NULL", {"place": PLACES}, [1, 2]),
    ("single > 0.5", {"single": pa.array([0.5, 0.75, NAN], pa.float32())}, [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("where", "columns", "expected"), CASES, ids=[case[0] for case in CASES])
def test_rows_for_which_it_is_true_are_kept(where, columns, expected):
    assert kept(where, **columns) == expected


@pytest.mark.parametrize(
    "where",
    [
        "lower(name) = 'a'",
        "name LIKE '%a\\_'",
        "name LIKE 'a!%b%c' ESCAPE '!'",
        "lower(name) LIKE '%a'",
        "words[0] = 'a'",
        "place IS NULL",
        "bucket(4, id) = 1",
        "single > 0.1",
        "fine > TIMESTAMP '2024-01-01'",
        "ratio < CAST('NaN' AS DOUBLE)",
        "id = 1 AND rand() < 2",
    ],
)
def test_what_cannot_be_asked_in_just_that_way_is_refused(where):
    with pytest.raises(NotReadable, match="cannot be evaluated on rows: use where"):
        RowFilter.of(where, table("id"))


@pytest.mark.parametrize("where", ["nothing = 1", "place.nothing LIKE '%a'", "id = 'a'", "id >", "1"])
def test_what_is_no_condition_on_the_table_is_refused(where):
    with pytest.raises(NotReadable, match="option filter: "):
        RowFilter.of(where, table("id"))


def test_columns_that_it_names_are_read_besides():
    assert RowFilter.of("TRUE", table("words")).table.columns == ("words",)
    assert RowFilter.of("id = 1 OR ID = 2 AND name = ''", table("words")).table.columns == ("words", "id", "name")


def test_paimons_columns_too():
    assert RowFilter.of("ID = 1", table("id", format="paimon")).table.columns == ("id",)


numbers = st.none() | st.integers(-2, 2) | st.just(NAN)
leaves = st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), st.integers(-2, 2))
trees = st.recursive(leaves, lambda inner: st.tuples(st.sampled_from(["AND", "OR", "NOT"]), inner, inner), max_leaves=6)


def said(tree) -> str:
    if len(tree) == 2:
        return f"ratio {tree[0]} {tree[1]}"
    return f"NOT ({said(tree[1])})" if tree[0] == "NOT" else f"({said(tree[1])}) {tree[0]} ({said(tree[2])})"


def truth(tree, value) -> bool | None:
    """Return a tree's truth as in Spark: null is unknown, NaN is above all numbers."""
    if len(tree) == 2:
        if value is None:
            return None
        value, other = (math.inf if math.isnan(value) else value), tree[1]
        answers: dict[str, bool] = {
            "=": value == other, "<>": value != other, "<": value < other,
            "<=": value <= other, ">": value > other, ">=": value >= other,
        }  # fmt: skip
        return answers[tree[0]]
    one, two = truth(tree[1], value), truth(tree[2], value)
    if tree[0] == "NOT":
        return None if one is None else not one
    decisive = tree[0] == "OR"
    return decisive if decisive in (one, two) else None if None in (one, two) else not decisive


@given(st.lists(numbers, min_size=1, max_size=8), trees)
def test_three_values_as_spark_has_them(values, tree):
    ratios = pa.array([None if value is None else float(value) for value in values], pa.float64())
    assert kept(said(tree), ratio=ratios) == [place for place, value in enumerate(values) if truth(tree, value) is True]
