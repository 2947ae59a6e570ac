"""Parquet files are read in pieces, and without row groups that a filter rules out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster.client.model import Row
from lakemuster.spark import planning
from lakemuster.spark.options import Options
from lakemuster.spark.planning import TaskInput, task_rows
from lakemuster.spark.reading import row_groups
from lakemuster.spark.reading.iceberg import parquet
from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from lakemuster.spark.reading.model import BYTE_RANGE, Split, TableToRead
from lakemuster.spark.splits import Packing, cut
from tests.unit.spark.reading.iceberg.deletes import position_deletes, vectors
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, file_row, rows, table, with_id

GROUPS, OF = 20, 100
COUNT = GROUPS * OF
COLUMNS = [
    column(1, "id", "long"),
    column(2, "ratio", "double"),
    column(3, "name", "string"),
    column(4, "price", "decimal(20, 2)"),
    column(5, "day", "date"),
    column(6, "at", "timestamptz"),
    column(7, "place", {"type": "struct", "fields": [column(8, "lat", "float")]}),
    column(9, "flag", "boolean"),
    column(10, "data", "binary"),
    column(11, "empty", "int"),
]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the row groups that a test reads."""
    numbers: list[int] = []
    batches = ParquetRows.batches

    def counted(self: ParquetRows, leaves: set[int], piece: Any) -> Any:
        if piece.num_rows == OF:  # the data file, not a delete file
            numbers.append(piece.number)
        return batches(self, leaves, piece)

    monkeypatch.setattr(ParquetRows, "batches", counted)
    monkeypatch.setattr(planning, "files_here", LocalFiles)
    return numbers


def written(folder: Path, **options: Any) -> Row:
    """Write a file of twenty row groups, ascending in every column, with older types and names than the table's."""
    numbers = np.arange(COUNT)
    lat = pa.array(numbers / 2, pa.float32())
    columns = [
        (1, "one", pa.array(numbers, pa.int32())),
        (2, "two", pa.array(numbers / 2, pa.float32())),
        (3, "three", pa.array([f"é{number:05}" for number in numbers])),
        (4, "id", pa.array([Decimal(int(number) - 1000).scaleb(-2) for number in numbers], pa.decimal128(9, 2))),
        (5, "five", pa.array(numbers, pa.int32()).cast(pa.date32())),
        (6, "six", pa.array(numbers * 1000, pa.timestamp("ms", "UTC"))),
        (7, "seven", pa.StructArray.from_arrays([lat], fields=[with_id(pa.field("x", pa.float32()), 8)])),
        (9, "nine", pa.array(numbers >= COUNT / 2)),
        (10, "ten", pa.array([int(number).to_bytes(2, "big") for number in numbers])),
        (11, "eleven", pa.array([None if number < COUNT - OF else 1 for number in numbers], pa.int32())),
    ]
    fields = [with_id(pa.field(name, array.type), field_id) for field_id, name, array in columns]
    path = folder / "data.parquet"
    pq.write_table(
        pa.table([array for _, _, array in columns], schema=pa.schema(fields)), path, row_group_size=OF, **options
    )
    return file_row(path, COUNT)


def ids(part: TaskInput, **options: Any) -> list[int]:
    pushed = options.pop("pushed", None)
    of: TableToRead = table(*COLUMNS, columns=("id",))
    asked = Options("http://127.0.0.1:1", "db.t", **options)
    return [value for batch in task_rows(asked, of, part, pushed) for value in batch.column(0).to_pylist()]


AT = datetime(1970, 1, 1, 0, 10, 30)  # noqa: DTZ001
FILTERS = {
    "id = 1234": (slice(1234, 1235), 1),
    "id IN (7, 1999, 5000)": (None, 2),
    "id >= 250 AND id < 310": (slice(250, 310), 2),
    "id > 5000 OR id < 3": (slice(0, 3), 1),
    "NOT (id >= 100)": (slice(0, 100), 1),
    "NOT (id <= 1899)": (slice(1900, None), 1),
    "id <> 3 AND id <= 99": (None, 1),
    "ratio < 25": (slice(0, 50), 1),
    "ratio = 999.5": (slice(1999, 2000), 1),
    "ratio > 990": (slice(1981, 2000), GROUPS),  # bounds do not include NaN
    "name = 'é00150'": (slice(150, 151), 1),
    "name LIKE 'é0170%'": (slice(1700, 1710), 1),
    "name >= 'z' AND name < 'é00001'": (slice(0, 1), 1),
    "price < -9.50": (slice(0, 50), 1),
    "price = 9.99": (slice(1999, 2000), 1),
    f"day = DATE '{date.fromordinal(719163 + 777)}'": (slice(777, 778), 1),
    f"at < TIMESTAMPTZ '{AT.isoformat()}Z'": (slice(0, 630), 7),
    "place.lat < 25": (slice(0, 50), 1),
    "flag": (slice(1000, None), 10),
    "NOT flag": (slice(0, 1000), 10),
    "data = X'0005'": (slice(5, 6), 1),
    "empty IS NOT NULL": (slice(1900, None), 1),
    "empty = 1": (slice(1900, None), 1),
    "empty = 2": (slice(0, 0), 0),
    "empty IS NULL AND id > 1850": (slice(1851, 1900), 1),
}


@pytest.mark.parametrize("where", FILTERS)
def test_row_groups_without_a_matching_row_are_not_read(tmp_path, read, where):
    expected, groups = FILTERS[where]
    part = TaskInput((Split((written(tmp_path),)),))
    found = ids(part, filter=where)
    assert len(read) == groups
    if expected is not None:
        assert found == list(range(COUNT))[expected]
    read.clear()
    pushed = ids(part, pushed=f"rand() < 2 AND ({where})")
    assert len(read) == groups
    assert set(found) <= set(pushed), "Spark must evaluate pushed filters on rows"


def test_nothing_is_known_without_statistics(tmp_path, read):
    part = TaskInput((Split((written(tmp_path, write_statistics=False),)),))
    assert ids(part, filter="id = 1234") == [1234]
    assert len(read) == GROUPS


def test_a_lower_bound_above_the_upper_one_says_nothing(tmp_path, read, monkeypatch):
    def inverted(*given):
        found = row_groups.row_group_stats(*given)
        return found and replace(found, low=found.high, high=found.low)

    monkeypatch.setattr(parquet, "row_group_stats", inverted)
    part = TaskInput((Split((written(tmp_path),)),))
    for where in ("id = 1234", "id <= 1234 AND id >= 1234"):
        assert ids(part, filter=where) == [1234]


def test_delete_files_of_a_file_without_wanted_rows_are_not_opened(tmp_path, read, monkeypatch):
    by = LocalFiles()
    monkeypatch.setattr(planning, "files_here", lambda: by)
    file = written(tmp_path)
    delete = position_deletes(tmp_path / "p.parquet", [(file["file_path"], 0)])
    assert ids(TaskInput((Split(({**file, "deletes": [delete]},)),)), filter="id < 0") == []
    assert by.opened == [file["file_path"]]


@pytest.mark.parametrize("says_offsets", [True, False])
@pytest.mark.parametrize("by_vector", [True, False])
def test_positions_are_those_of_the_file(tmp_path, read, says_offsets, by_vector):
    file = written(tmp_path)
    gone = [0, 99, 100, 555, 1234, 1999]
    if by_vector:
        file["deletes"] = [vectors(tmp_path / "v.puffin", {file["file_path"]: gone})[file["file_path"]]]
    else:
        file["deletes"] = [position_deletes(tmp_path / "p.parquet", [(file["file_path"], place) for place in gone])]
    if says_offsets:
        file["split_offsets"] = offsets(file)
    pieces = list(cut([Split((file,))], Packing(file["file_size_in_bytes"] // 5, 1)))
    assert len(pieces) >= 5
    found = [ids(TaskInput((piece,))) for piece in pieces]
    assert sorted(read) == list(range(GROUPS)), "each row group is read once"
    assert [number for part in found for number in part] == [number for number in range(COUNT) if number not in gone]
    assert all(len(part) <= 700 for part in found)
    assert ids(TaskInput(tuple(pieces)), filter="id BETWEEN 1233 AND 1235") == [1233, 1235]


def offsets(file: Row) -> list[int]:
    metadata = pq.read_metadata(file["file_path"])
    columns = [metadata.row_group(number).column(0) for number in range(metadata.num_row_groups)]
    return [column.dictionary_page_offset or column.data_page_offset for column in columns]


def test_a_range_that_no_row_group_starts_in_has_no_rows(tmp_path, read):
    file = written(tmp_path)
    assert rows(table(*COLUMNS), {**file, BYTE_RANGE: (1, 4)}) == []
    assert len(rows(table(*COLUMNS), {**file, BYTE_RANGE: (4, 5)})) == OF
    assert len(rows(table(*COLUMNS), {**file, BYTE_RANGE: (5, None)})) == COUNT - OF
