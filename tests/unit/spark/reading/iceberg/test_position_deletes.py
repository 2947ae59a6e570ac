"""Rows that position deletes name by file and position are not returned."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from lakemuster.formats.iceberg.deletion_vectors import parse_deletion_vector
from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.deletes import position_deletes, vector_blob, vectors
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, data_file, rows, table, with_id

TABLE = table(column(1, "a", "long"))


def numbers(path, count=10, **more):
    return data_file(path, [(1, "a", pa.array(range(count), pa.int64()))], **more)


def left(*files, of=TABLE, by=None):
    return [row["a"] for row in rows(of, *files, by=by)]


def test_rows_of_the_file_alone_are_deleted(tmp_path):
    one, other = numbers(tmp_path / "1.parquet"), numbers(tmp_path / "2.parquet")
    delete = position_deletes(
        tmp_path / "d.parquet", [(one["file_path"], 0), (one["file_path"], 9), (other["file_path"], 5)]
    )
    assert left({**one, "deletes": [delete]}) == [1, 2, 3, 4, 5, 6, 7, 8]


LIST = {"type": "list", "element-id": 2, "element": "string", "element-required": False}
PLACE = {"type": "struct", "fields": [column(2, "x", "binary")]}
COUNTS = {"type": "map", "key-id": 2, "key": "string", "value-id": 3, "value": "string", "value-required": False}


def with_ids(of: pa.DataType) -> pa.DataType:
    """Return a nested type with field ids from 2."""
    if pa.types.is_map(of):
        return pa.map_(with_id(of.key_field, 2), with_id(of.item_field, 3))
    if pa.types.is_struct(of):
        return pa.struct([with_id(of.field(0), 2)])
    size = of.list_size if pa.types.is_fixed_size_list(of) else -1
    return pa.list_(with_id(of.value_field, 2), size)


@pytest.mark.parametrize(
    ("type", "form", "values"),
    [
        ("string", pa.string_view(), ["a", "long enough to be out of line", None]),
        ("binary", pa.binary_view(), [b"a", None, b"long enough to be out of line"]),
        ("string", pa.large_string(), ["a", "b", None]),
        ("decimal(9, 2)", pa.decimal32(9, 2), [Decimal("1.00"), Decimal("2.50"), None]),
        ("double", pa.float16(), [0.5, 1.5, None]),
        (LIST, pa.list_(pa.string_view()), [["a", None], [], None]),
        # Arrow 22, the lowest version, cannot read null lists of a fixed size from Parquet.
        (LIST, pa.list_(pa.string_view(), 1), [["a"], ["b"], ["c"]]),
        (PLACE, pa.struct([("x", pa.binary_view())]), [{"x": b"a"}, {"x": None}, None]),
        (COUNTS, pa.map_(pa.string_view(), pa.string_view()), [[("a", "b")], [], None]),
    ],
)
def test_rows_of_every_arrow_type_are_deleted(tmp_path, type, form, values):
    array = pa.array(values, with_ids(form) if pa.types.is_nested(form) else form)
    file = data_file(tmp_path / "a.parquet", [(1, "a", array)])
    deletes = position_deletes(tmp_path / "d.parquet", [(file["file_path"], 0)])
    found = rows(table(column(1, "a", type)), {**file, "deletes": [deletes]})
    assert found == [{"a": value} for value in values[1:]]


def test_positions_go_on_over_row_groups(tmp_path):
    file = numbers(tmp_path / "a.parquet", row_group_size=3)
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], at) for at in (2, 3, 8)])
    assert left({**file, "deletes": [delete]}) == [0, 1, 4, 5, 6, 7, 9]


def test_many_delete_files_and_a_position_twice(tmp_path):
    file = numbers(tmp_path / "a.parquet")
    deletes = [position_deletes(tmp_path / f"d{at}.parquet", [(file["file_path"], at // 2)]) for at in range(8)]
    assert left({**file, "deletes": deletes}) == [4, 5, 6, 7, 8, 9]


def test_positions_beyond_the_file_delete_nothing(tmp_path):
    file = numbers(tmp_path / "a.parquet", 3)
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], 2**40)])
    assert left({**file, "deletes": [delete]}) == [0, 1, 2]


def test_a_shared_delete_file_is_read_once(tmp_path):
    files = [numbers(tmp_path / f"{at}.parquet", 3) for at in range(4)]
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], at % 3) for at, file in enumerate(files)])
    by = LocalFiles()
    assert left(*({**file, "deletes": [delete]} for file in files), by=by) == [1, 2, 0, 2, 0, 1, 1, 2]
    assert by.opened.count(delete["file_path"]) == 1


def test_row_groups_of_other_files_are_not_read(tmp_path, monkeypatch):
    files = [numbers(tmp_path / f"{at}.parquet", 3) for at in range(5)]
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], 1) for file in files], row_group_size=1)
    read = []
    fetch = ParquetRows._batch_rows
    monkeypatch.setattr(
        ParquetRows, "_batch_rows", lambda self, group, indices: read.append(group) or fetch(self, group, indices)
    )
    assert left({**files[3], "deletes": [delete]}) == [0, 2]
    assert read.count(3) == 1
    assert sorted(read) == [0, 3]  # row groups of the data file and of the delete file


def test_a_moved_table_finds_its_files_by_their_old_locations(tmp_path):
    file = numbers(tmp_path / "a.parquet", 3)
    delete = position_deletes(tmp_path / "d.parquet", [("s3a://old/t/a.parquet", 1)])
    moved = table(column(1, "a", "long"), rewrites=(("s3://old/t", str(tmp_path)),))
    assert left({**file, "deletes": [delete]}, of=moved) == [0, 2]


def test_rows_of_no_column_are_deleted_too(tmp_path):
    file = numbers(tmp_path / "a.parquet", 3)
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], 1)])
    assert rows(table(column(1, "a", "long"), columns=()), {**file, "deletes": [delete]}) == [{}, {}]


def test_a_truncated_delete_file_is_named(tmp_path):
    file = numbers(tmp_path / "a.parquet")
    delete = position_deletes(tmp_path / "d.parquet", [(file["file_path"], 1)])
    path = Path(delete["file_path"])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(NotReadable, match=r"d\.parquet"):
        left({**file, "deletes": [delete]})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"record_count": 2}, "1 rows, not 2"),
        ({"key_metadata": b"k"}, "encrypted"),
        ({"referenced_data_file": "elsewhere"}, "not of"),
        ({"content": "sketches"}, "holds sketches"),
        ({"file_format": "lance"}, "lance"),
    ],
)
def test_a_delete_file_that_cannot_be_applied_is_refused(tmp_path, change, reason):
    file = numbers(tmp_path / "a.parquet")
    delete = {**position_deletes(tmp_path / "d.parquet", [(file["file_path"], 1)]), **change}
    with pytest.raises(NotReadable, match=rf"{reason}.*d\.parquet"):
        left({**file, "deletes": [delete]})


def test_vectors_of_one_puffin_file_are_told_apart(tmp_path):
    one, other = numbers(tmp_path / "1.parquet", 5), numbers(tmp_path / "2.parquet", 5)
    of = vectors(tmp_path / "v.puffin", {one["file_path"]: [0, 4], other["file_path"]: [2]})
    with_vectors = [{**file, "deletes": [of[file["file_path"]]]} for file in (one, other)]
    assert left(*with_vectors) == [1, 2, 3, 0, 1, 3, 4]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"record_count": 2}, "a different number of rows"),
        ({"referenced_data_file": "elsewhere"}, "not of"),
        ({"content_offset": None}, "not recorded"),
        ({"content_offset": 5}, "recorded size"),
        ({"content_size_in_bytes": 9}, "recorded size"),
        ({"key_metadata": b"k"}, "encrypted"),
    ],
)
def test_a_vector_that_is_not_as_recorded_is_refused(tmp_path, change, reason):
    file = numbers(tmp_path / "a.parquet")
    vector = {**vectors(tmp_path / "v.puffin", {file["file_path"]: [1]})[file["file_path"]], **change}
    with pytest.raises(NotReadable, match=rf"{reason}.*v\.puffin"):
        left({**file, "deletes": [vector]})


def test_a_vector_with_any_bit_flipped_is_refused():
    blob = vector_blob([0, 1, 2, 70_000, 2**33])
    assert list(parse_deletion_vector(blob, 5)) == [0, 1, 2, 70_000, 2**33]
    for place in range(len(blob)):
        flipped = blob[:place] + bytes([blob[place] ^ 1]) + blob[place + 1 :]
        with pytest.raises(Exception, match="deletion vector"):
            parse_deletion_vector(flipped)
