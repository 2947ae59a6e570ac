"""Metadata columns: the file's location, the row's position, and the file's spec."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from lakemuster.spark import planning
from lakemuster.spark.options import Options
from lakemuster.spark.planning import TaskInput, task_rows
from lakemuster.spark.reading.iceberg import read_schema
from lakemuster.spark.reading.model import NotReadable, Split, TableToRead
from lakemuster.spark.splits import Packing, cut
from tests.unit.spark.reading.iceberg.deletes import equality_deletes, position_deletes
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, data_file, rows, table
from tests.unit.spark.reading.iceberg.writers import write

COLUMNS = [column(1, "id", "long"), column(2, "word", "string")]
ALL = ("_pos", "_file", "_spec_id")


def wanting(*names: str, columns: tuple[str, ...] = ("id",)) -> TableToRead:
    specs = ({"spec_id": 0, "fields": []}, {"spec_id": 3, "fields": []})
    return table(*COLUMNS, columns=columns, metadata_columns=names, specs=specs)


@pytest.mark.parametrize("format", ["parquet", "orc", "avro"])
def test_each_row_says_where_it_is(tmp_path, format):
    first, second = tmp_path / "first", tmp_path / "second"
    files = [
        write(format, first, COLUMNS, [{"id": number} for number in range(3)]),
        {**write(format, second, COLUMNS, [{"id": 7}, {"id": 8}]), "spec_id": 3},
    ]
    found = rows(wanting(*ALL), *files)
    assert [tuple(row.values()) for row in found] == [
        *((number, number, str(first), 0) for number in range(3)),
        (7, 0, str(second), 3),
        (8, 1, str(second), 3),
    ]
    assert list(found[0]) == ["id", *ALL]
    assert [row["_pos"] for row in rows(wanting("_pos", columns=()), *files)] == [0, 1, 2, 0, 1]


def test_types_are_those_of_icebergs_reader():
    fields = list(read_schema(wanting(*ALL)))[1:]
    assert [(field.type, field.nullable) for field in fields] == [
        (pa.int64(), False), (pa.string(), False), (pa.int32(), True)
    ]  # fmt: skip


def test_places_are_those_of_the_file_whatever_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "files_here", LocalFiles)
    words = pa.array(["a" if number % 3 else None for number in range(1000)])
    file = data_file(tmp_path / "data", [(1, "id", pa.array(range(1000))), (2, "word", words)], row_group_size=10)
    file["deletes"] = [
        position_deletes(tmp_path / "p", [(file["file_path"], place) for place in (0, 555, 600)]),
        equality_deletes(tmp_path / "e", [(1, "id", pa.array([556]))], [1]),
    ]
    splits = tuple(cut([Split((file,))], Packing(2000, 1)))
    assert len(splits) > 3
    asked = Options("http://127.0.0.1:1", "db.t", filter="word = 'a' AND id BETWEEN 550 AND 700")
    for columns in (("id",), ()):
        batches = task_rows(asked, wanting("_pos", columns=columns), TaskInput(splits))
        found = [row for batch in batches for row in batch.to_pylist()]
        expected = [number for number in range(550, 701) if number % 3 and number not in (555, 556, 600)]
        assert [row["_pos"] for row in found] == expected
        assert all(list(row) == [*columns, "_pos"] for row in found)


def test_refused():
    with pytest.raises(NotReadable, match="unknown metadata column _row; known: _file, _pos"):
        read_schema(wanting("_row"))
    own = replace(table(column(1, "_pos", "long")), metadata_columns=("_pos",))
    with pytest.raises(NotReadable, match="it has a column _pos of its own"):
        read_schema(own)
