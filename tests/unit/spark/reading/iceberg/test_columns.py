"""A file's columns are mapped to the table's by field id."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakemuster.spark.reading.iceberg import check, read_schema
from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.lake import column, data_file, rows, table


def test_columns_are_matched_by_id_and_not_by_name(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "b", pa.array([1, 2])), (2, "a", pa.array(["x", None]))])
    of = table(column(1, "a", "long"), column(2, "b", "string"))
    assert rows(of, file) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_columns_come_in_the_order_that_they_are_wanted_in(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1])), (2, "b", pa.array(["x"]))])
    of = table(column(1, "a", "long"), column(2, "b", "string"), columns=("b", "a"))
    assert list(rows(of, file)[0]) == ["b", "a"]
    assert read_schema(of) == pa.schema([("b", pa.string()), ("a", pa.int64())])


def test_rows_of_no_column_are_counted(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1, 2, 3]))])
    assert rows(table(column(1, "a", "long"), columns=()), file) == [{}, {}, {}]


def test_a_column_that_the_table_does_not_have_is_refused():
    with pytest.raises(NotReadable, match="no column z"):
        check(table(column(1, "a", "long"), columns=("z",)))


NESTED = {
    "type": "struct",
    "fields": [
        column(3, "new", "long"),
        column(4, "renamed", {"type": "list", "element-id": 5, "element-required": False, "element": "long"}),
    ],
}


def test_nested_columns_are_matched_by_id_at_every_level(tmp_path):
    element = pa.field("element", pa.int32(), metadata={"PARQUET:field_id": "5"})
    inner = pa.struct(
        [
            pa.field("gone", pa.string(), metadata={"PARQUET:field_id": "9"}),
            pa.field("old", pa.list_(element), metadata={"PARQUET:field_id": "4"}),
        ]
    )
    values = pa.array([{"gone": "x", "old": [1, None]}, None, {"gone": None, "old": None}], inner)
    file = data_file(tmp_path / "a.parquet", [(2, "s", values)])
    assert rows(table(column(2, "t", NESTED)), file) == [
        {"t": {"new": None, "renamed": [1, None]}},
        {"t": None},
        {"t": {"new": None, "renamed": None}},
    ]


def test_a_struct_of_new_members_alone_keeps_its_nulls(tmp_path):
    inner = pa.struct([pa.field("gone", pa.string(), metadata={"PARQUET:field_id": "9"})])
    file = data_file(tmp_path / "a.parquet", [(2, "s", pa.array([{"gone": None}, None], inner))])
    of = table(column(2, "s", {"type": "struct", "fields": [column(3, "new", "long", **{"initial-default": 7})]}))
    assert rows(of, file) == [{"s": {"new": 7}}, {"s": None}]


def test_a_file_of_another_count_than_recorded_is_refused(tmp_path):
    file = {**data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1]))]), "record_count": 2}
    with pytest.raises(NotReadable, match=r"1 rows, not 2 as recorded \(.*a\.parquet\)"):
        rows(table(column(1, "a", "long")), file)


def test_a_truncated_file_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    file = data_file(path, [(1, "a", pa.array(range(1000)))])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(NotReadable, match=r"a\.parquet"):
        rows(table(column(1, "a", "long")), file)


def test_encrypted_files_are_refused(tmp_path):
    file = {**data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1]))]), "key_metadata": b"k"}
    with pytest.raises(NotReadable, match="encrypted"):
        rows(table(column(1, "a", "long")), file)
