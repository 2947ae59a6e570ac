"""Conversion of the server's Arrow tables for Spark."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from lakemuster.spark.file_lists import with_deletes
from lakemuster.spark.frames import fitted, rows, without_voids
from lakemuster.spark.lake_columns import lake_columns, lake_schema, text

FILES = pa.table({"file_path": ["a", "b", "c", "d"], "deletes": [[1], [], [0, 1], None], "residual": [None] * 4})
DELETES = pa.table({"content": ["position-deletes", "equality-deletes"], "file_path": ["x", "y"]})


def test_deletes_are_the_delete_files_themselves():
    found = with_deletes(FILES, DELETES)
    assert found.column_names == FILES.column_names
    paths = [[one["file_path"] for one in of] for of in found.column("deletes").to_pylist()]
    assert paths == [["y"], [], ["x", "y"], []]
    assert found.column("deletes").to_pylist()[0] == [{"content": "equality-deletes", "file_path": "y"}]


def test_deletes_of_pieces_and_of_nothing():
    pieces = pa.concat_tables([FILES.slice(0, 1), FILES.slice(2, 2)])
    paths = [[one["file_path"] for one in of] for of in with_deletes(pieces, DELETES).column("deletes").to_pylist()]
    assert paths == [["y"], ["x", "y"], []]
    typed = FILES.set_column(1, "deletes", pa.array([[]] * 4, pa.list_(pa.int64())))
    assert with_deletes(typed, DELETES.slice(0, 0)).column("deletes").to_pylist() == [[]] * 4
    assert with_deletes(typed.slice(0, 0), DELETES.slice(0, 0)).num_rows == 0


def test_types_that_spark_lacks_become_text_or_bytes():
    nanos = pa.array([1_700_000_000_000_000_001], pa.timestamp("ns"))
    given = pa.table(
        {
            "at": pa.array([dt.time(1, 2, 3)], pa.time64("us")),
            "bounds": pa.StructArray.from_arrays([nanos, pa.array([b"ab"], pa.binary(2))], ["n", "u"]),
            "kept": pa.array([Decimal("1.50")], pa.decimal128(9, 2)),
            "void": pa.array([{}], pa.struct([])),
        }
    )
    found = fitted(without_voids(given))
    assert found.to_pylist() == [
        {
            "at": "01:02:03.000000",
            "bounds": {"n": "2023-11-14 22:13:20.000000001", "u": b"ab"},
            "kept": Decimal("1.50"),
        }
    ]
    assert rows(found.select(["kept"])) == [(Decimal("1.50"),)]


def test_rows_for_an_older_spark_have_maps_as_dictionaries():
    given = pa.table({"m": pa.array([[("k", "v")], None], pa.map_(pa.string(), pa.string())), "s": [{"a": 1}, None]})
    assert rows(given) == [({"k": "v"}, {"a": 1}), (None, None)]


def test_tables_of_both_formats_fit_into_one():
    iceberg = pa.table(
        {
            "partition": pa.array([{"day": dt.date(2024, 5, 1)}, {"day": None}]),
            "spec_id": pa.array([0, 0], pa.int32()),
            "last_updated_at": pa.array([0, None], pa.timestamp("ms", "UTC")),
        }
    )
    paimon = pa.table(
        {
            "partition": pa.array([{}], pa.struct([])),
            "last_updated_at": pa.array([0], pa.timestamp("ms")),
            "of a newer server": [1],
        }
    )
    found = lake_columns("partitions", {"a.b": iceberg, "a.c": paimon, "a.none": iceberg.slice(0, 0)})
    assert found.schema == lake_schema("partitions")
    assert found.select(["table", "partition", "spec_id", "last_updated_at"]).to_pylist() == [
        {"table": "a.b", "partition": [("day", "2024-05-01")], "spec_id": 0,
         "last_updated_at": "1970-01-01T00:00:00+00:00"},
        {"table": "a.b", "partition": [("day", None)], "spec_id": 0, "last_updated_at": None},
        {"table": "a.c", "partition": [], "spec_id": None, "last_updated_at": "1970-01-01T00:00:00"},
    ]  # fmt: skip


def test_bounds_that_are_null_are_left_out():
    entries = pa.table({"lower_bounds": [{"a": 1, "b": None}, None], "min_key": [{"k": None}, None]})
    found = lake_columns("entries", {"t": entries}).select(["lower_bounds", "min_key"]).to_pylist()
    assert found == [{"lower_bounds": [("a", "1")], "min_key": [("k", None)]}, {"lower_bounds": None, "min_key": None}]


@pytest.mark.parametrize("kind", ["snapshots", "manifests", "entries", "files", "partitions"])
def test_no_tables_have_the_columns_of_all(kind):
    found = lake_columns(kind, {})
    assert found.num_rows == 0
    assert found.column_names[0] == "table"
    assert len(set(found.column_names)) == len(found.column_names)


def test_values_as_text():
    assert [text(value) for value in (None, True, 3, 1.5, float("nan"), float("-inf"), "x", b"\x01\xff")] == [
        None, "true", "3", "1.5", "NaN", "-Infinity", "x", "01ff",
    ]  # fmt: skip
    assert text(Decimal("1E+2")) == "100"
    assert text({"at": dt.datetime(2024, 5, 1, 2, tzinfo=dt.UTC), "n": [dt.date(2024, 5, 1), None, float("inf")]}) == (
        '{"at": "2024-05-01T02:00:00+00:00", "n": ["2024-05-01", null, "Infinity"]}'
    )
