"""Equality deletes compare columns by field id, and values as Java does."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.deletes import equality_deletes
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, data_file, rows, table

TABLE = table(column(1, "a", "long"), column(2, "b", "string"))
A = pa.array([1, 2, None, 2, None], pa.int64())
B = pa.array(["x", "y", "x", None, None])


@pytest.fixture
def file(tmp_path):
    return data_file(tmp_path / "a.parquet", [(1, "a", A), (2, "b", B)])


def test_null_equals_null(tmp_path, file):
    delete = equality_deletes(tmp_path / "d.parquet", [(1, "a", pa.array([None, 1], pa.int64()))], [1])
    assert [row["b"] for row in rows(TABLE, {**file, "deletes": [delete]})] == ["y", None]


def test_all_columns_of_a_row_must_be_equal(tmp_path, file):
    keys = [(1, "a", pa.array([1, 2, None], pa.int64())), (2, "b", pa.array(["y", None, "x"]))]
    delete = equality_deletes(tmp_path / "d.parquet", keys, [1, 2])
    assert rows(TABLE, {**file, "deletes": [delete]}) == [
        {"a": 1, "b": "x"},
        {"a": 2, "b": "y"},
        {"a": None, "b": None},
    ]


def test_columns_beside_the_delete_columns_do_not_count(tmp_path, file):
    keys = [(1, "a", pa.array([2], pa.int64())), (2, "b", pa.array(["other"]))]
    delete = equality_deletes(tmp_path / "d.parquet", keys, [1])
    assert [row["a"] for row in rows(TABLE, {**file, "deletes": [delete]})] == [1, None, None]


def test_files_of_different_columns_all_apply(tmp_path, file):
    by_a = equality_deletes(tmp_path / "d1.parquet", [(1, "a", pa.array([1], pa.int64()))], [1])
    by_b = equality_deletes(tmp_path / "d2.parquet", [(2, "b", pa.array(["y"]))], [2])
    also_a = equality_deletes(tmp_path / "d3.parquet", [(1, "a", pa.array([None], pa.int64()))], [1])
    assert rows(TABLE, {**file, "deletes": [by_a, by_b, also_a]}) == [{"a": 2, "b": None}]


def test_delete_columns_that_are_not_wanted_are_read_and_not_given(tmp_path, file):
    delete = equality_deletes(tmp_path / "d.parquet", [(9, "named otherwise", pa.array(["x"]))], [9])
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([1, 2])), (9, "b", pa.array(["x", "y"]))])
    of = table(column(1, "a", "long"), column(9, "b", "string"), columns=("a",))
    assert rows(of, {**data, "deletes": [delete]}) == [{"a": 2}]


def test_a_dropped_column_deletes_still(tmp_path, file):
    before = {"schema_id": 0, "fields": [column(1, "a", "long"), column(2, "b", "string")]}
    of = table(column(1, "a", "long"), schemas=(before,), schema={"schema_id": 1, "fields": [column(1, "a", "long")]})
    delete = equality_deletes(tmp_path / "d.parquet", [(2, "b", pa.array(["x"]))], [2])
    assert [row["a"] for row in rows(of, {**file, "deletes": [delete]})] == [2, 2, None]


def test_a_column_added_later_is_null_in_older_files(tmp_path, file):
    of = table(column(1, "a", "long"), column(3, "c", "int"))
    nulls = equality_deletes(tmp_path / "d1.parquet", [(3, "c", pa.array([None], pa.int32()))], [3])
    others = equality_deletes(tmp_path / "d2.parquet", [(3, "c", pa.array([5], pa.int32()))], [3])
    assert rows(of, {**file, "deletes": [nulls]}) == []
    assert len(rows(of, {**file, "deletes": [others]})) == 5


def test_a_promoted_column_is_compared_by_value(tmp_path):
    of = table(column(1, "a", "long"))
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([1, 2], pa.int32()))])
    delete = equality_deletes(tmp_path / "d.parquet", [(1, "a", pa.array([2], pa.int64()))], [1])
    assert rows(of, {**data, "deletes": [delete]}) == [{"a": 1}]


NAN = float("nan")
EQUAL = {
    "double": (pa.array([NAN, -0.0, 0.0, 1.5]), pa.array([NAN, 0.0]), [-0.0, 1.5]),
    "float": (pa.array([NAN, -0.0, 0.0], pa.float32()), pa.array([-0.0], pa.float32()), [NAN, 0.0]),
    "boolean": (pa.array([True, False, None]), pa.array([False]), [True, None]),
    "date": (pa.array([date(2020, 1, 1), date(1969, 12, 31)]), pa.array([date(1969, 12, 31)]), [date(2020, 1, 1)]),
    "decimal(9, 2)": (
        pa.array([Decimal("1.10"), Decimal("-1.10")], pa.decimal128(9, 2)),
        pa.array([Decimal("-1.10")], pa.decimal128(5, 2)),
        [Decimal("1.10")],
    ),
    "uuid": (
        pa.array([bytes(16), bytes(15) + b"\1", None], pa.binary(16)),
        pa.array([bytes(16)], pa.binary(16)),
        ["00000000-0000-0000-0000-000000000001", None],
    ),
    "fixed[2]": (pa.array([b"ab", b"a\0"], pa.binary(2)), pa.array([b"a\0"], pa.binary(2)), [b"ab"]),
    "binary": (pa.array([b"", None, b"\0"]), pa.array([b""]), [None, b"\0"]),
    "string": (pa.array(["e\u0301", "\u00e9", "A"]), pa.array(["\u00e9", "a"]), ["e\u0301", "A"]),
    "timestamp": (pa.array([0, 1], pa.timestamp("us")), pa.array([1], pa.timestamp("us")), None),
    "timestamptz": (pa.array([0, 1], pa.timestamp("us", "UTC")), pa.array([1], pa.timestamp("us", "UTC")), None),
}


@pytest.mark.parametrize("type", EQUAL)
def test_values_are_compared_as_java_does(tmp_path, type):
    values, keys, expected = EQUAL[type]
    data = data_file(tmp_path / "b.parquet", [(1, "a", values)])
    delete = equality_deletes(tmp_path / "d.parquet", [(1, "a", keys)], [1])
    found = [row["a"] for row in rows(table(column(1, "a", type)), {**data, "deletes": [delete]})]
    assert repr(found) == repr(expected if expected is not None else values[:1].to_pylist())


@pytest.mark.parametrize(
    ("type", "array"),
    [
        ("time", pa.array([1, 2], pa.time64("us"))),
        ("timestamp_ns", pa.array([1, 2], pa.timestamp("ns"))),
    ],
)
def test_columns_that_spark_has_no_type_for_delete_too(tmp_path, type, array):
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([1, 2])), (2, "t", array)])
    of = table(column(1, "a", "long"), column(2, "t", type), columns=("a",))
    delete = equality_deletes(tmp_path / "d.parquet", [(2, "t", array[:1])], [2])
    assert rows(of, {**data, "deletes": [delete]}) == [{"a": 2}]


def test_a_member_of_a_null_struct_is_null(tmp_path):
    inner = pa.struct([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "3"}),
                       pa.field("y", pa.int64(), metadata={"PARQUET:field_id": "4"})])  # fmt: skip
    values = pa.array([{"x": 1, "y": 1}, None, {"x": None, "y": 3}, {"x": 2, "y": 4}], inner)
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([0, 1, 2, 3])), (2, "s", values)])
    struct = {"type": "struct", "fields": [column(3, "x", "long"), column(4, "y", "long")]}
    of = table(column(1, "a", "long"), column(2, "s", struct), columns=("a",))
    keys = pa.array([{"x": None}, {"x": 1}], pa.struct([inner.field(0)]))
    delete = equality_deletes(tmp_path / "d.parquet", [(2, "s", keys)], [3])
    assert rows(of, {**data, "deletes": [delete]}) == [{"a": 3}]


def test_a_member_of_a_struct_with_a_default(tmp_path):
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([0, 1]))])
    struct = {"type": "struct", "fields": [column(3, "x", "long", **{"initial-default": 5}), column(4, "y", "long")]}
    of = table(column(1, "a", "long"), column(2, "s", struct, **{"initial-default": {}}))
    inner = pa.struct([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "3"})])
    for key, left in ((5, 0), (6, 2)):
        keys = pa.array([{"x": key}], inner)
        delete = equality_deletes(tmp_path / f"d{key}.parquet", [(2, "s", keys)], [3])
        assert len(rows(of, {**data, "deletes": [delete]})) == left


def test_a_partition_value_stands_in_for_the_missing_column(tmp_path):
    spec = {"spec_id": 0, "fields": [{"field_id": 1000, "name": "b", "transform": "identity", "source_ids": [2]}]}
    data = data_file(tmp_path / "b.parquet", [(1, "a", pa.array([1]))], partition={"b": "x"})
    of = table(column(1, "a", "long"), column(2, "b", "string"), specs=(spec,))
    for key, expected in (("x", 0), ("y", 1)):
        delete = equality_deletes(tmp_path / f"{key}.parquet", [(2, "b", pa.array([key]))], [2])
        assert len(rows(of, {**data, "deletes": [delete]})) == expected


def test_shared_delete_files_are_read_once(tmp_path):
    files = [data_file(tmp_path / f"{at}.parquet", [(1, "a", pa.array([at, at + 1]))]) for at in range(3)]
    one = equality_deletes(tmp_path / "d1.parquet", [(1, "a", pa.array([1]))], [1])
    other = equality_deletes(tmp_path / "d2.parquet", [(1, "a", pa.array([2]))], [1])
    by = LocalFiles()
    applied = [{**files[0], "deletes": [one, other]}, {**files[1], "deletes": [other]}, {**files[2], "deletes": [one]}]
    assert [row["a"] for row in rows(table(column(1, "a", "long")), *applied, by=by)] == [0, 1, 2, 3]
    assert [by.opened.count(delete["file_path"]) for delete in (one, other)] == [1, 1]


@pytest.mark.parametrize(
    ("columns", "ids", "reason"),
    [
        ([(1, "a", A)], [], "not recorded"),
        ([(1, "a", A)], [7], "field 7, which is unknown"),
        ([(1, "a", A)], [1, 2], "field 2, which it does not hold"),
        ([(1, "a", B)], [1], "another type"),
    ],
)
def test_a_delete_file_that_cannot_be_applied_is_refused(tmp_path, file, columns, ids, reason):
    delete = equality_deletes(tmp_path / "d.parquet", columns, ids)
    with pytest.raises(NotReadable, match=rf"{reason}.*d\.parquet"):
        rows(TABLE, {**file, "deletes": [delete]})
