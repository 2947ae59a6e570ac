"""Files are packed into parts once each, in order, and files that belong together share a part."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.spark.reading.model import BYTE_RANGE, Split
from lakemuster.spark.splits import Packing, cut, pack, shared, splits_of

sizes = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 3)), max_size=20)


def plan(sizes: list[tuple[int, int]], marks: list[int], *, in_splits: bool) -> tuple[pa.Table, pa.Table]:
    files = {
        "file_path": pa.array([f"f{number}" for number in range(len(sizes))]),
        "file_size_in_bytes": pa.array([size for size, _ in sizes], pa.int64()),
        "deletes": pa.array([list(range(min(count, len(marks)))) for _, count in sizes], pa.list_(pa.int32())),
    }
    if in_splits:
        files["split"] = pa.array([number // 2 for number in range(len(sizes))], pa.int32())
    deletes = {"file_path": [f"d{number}" for number in range(len(marks))], "file_size_in_bytes": marks}
    return pa.table(files), pa.table(
        deletes, schema=pa.schema({"file_path": pa.string(), "file_size_in_bytes": "int64"})
    )


@given(sizes, st.lists(st.integers(0, 9), max_size=3), st.booleans(), st.integers(1, 60), st.integers(1, 8))
def test_each_file_is_read_once_with_its_deletes_and_splits_are_whole(sizes, marks, in_splits, target, cost):
    files, deletes = plan(sizes, marks, in_splits=in_splits)
    splits = splits_of(files, deletes)
    parts = list(pack(splits, Packing(target, cost)))
    read = [file for part in parts for split in part for file in split.files]
    assert [file["file_path"] for file in read] == [f"f{number}" for number in range(len(sizes))]
    for file, (_, count) in zip(read, sizes, strict=True):
        assert [mark["file_path"] for mark in file["deletes"]] == [f"d{n}" for n in range(min(count, len(marks)))]
    if in_splits:
        assert all(len(split.files) == 2 for split in splits[:-1])
    for part in parts:
        weight = sum(weighed(file, cost) for split in part for file in split.files)
        assert len(part) == 1 or weight <= target
    for one, following in pairwise(parts):
        joined = [*one, following[0]]
        assert sum(weighed(file, cost) for split in joined for file in split.files) > target


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_finer_timestamps_than_pythons_are_rounded_down_as_in_rows(zone):
    instants = pa.array([-1, 1_700_000_000_000_000_999, None], pa.timestamp("ns", zone))
    partition = pa.StructArray.from_arrays([instants, pa.array([1, 2, 3])], names=["at", "number"])
    files = pa.table({"file_path": ["a", "b", "c"], "partition": partition})
    read = [split.files[0]["partition"] for split in splits_of(files, pa.table({"file_path": pa.array([], "string")}))]
    micros = pa.array([-1, 1_700_000_000_000_000, None], pa.timestamp("us", zone)).to_pylist()
    assert read == [{"at": at, "number": number} for at, number in zip(micros, [1, 2, 3], strict=True)]


def weighed(file, cost):
    return max(file["file_size_in_bytes"] + sum(mark["file_size_in_bytes"] for mark in file["deletes"]), cost)


def large(size: int, offsets: list[int] | None, file_format: str = "parquet") -> Split:
    file = {"file_path": "f", "file_size_in_bytes": size, "file_format": file_format, "deletes": []}
    return Split(({**file, "split_offsets": offsets},))


def ranges(splits: Iterable[Split]) -> list[Any]:
    return [file.get(BYTE_RANGE) for split in splits for file in split.files]


CUT = [
    (100, None, 100, [None]),
    (100, None, 40, [(0, 40), (40, 80), (80, None)]),
    (100, [4, 30, 60, 90], 60, [(0, 60), (60, None)]),
    (100, [4, 30, 60, 90], 10, [(0, 30), (30, 60), (60, 90), (90, None)]),
    (100, [4], 40, [None]),  # one row group
    (100, [4, 4], 60, [(0, 60), (60, None)]),  # invalid offsets
    (100, [4, 100], 60, [(0, 60), (60, None)]),
    (100, [], 60, [(0, 60), (60, None)]),
]


@pytest.mark.parametrize(("size", "offsets", "target", "expected"), CUT)
def test_large_files_are_cut_where_row_groups_start(size, offsets, target, expected):
    assert ranges(cut([large(size, offsets)], Packing(target, 1))) == expected


def test_files_of_other_formats_are_read_whole():
    for name in ("orc", "avro"):
        assert ranges(cut([large(100, [3, 50], name)], Packing(10, 1))) == [None]
        assert [ranges(shared([large(100, None, name)], number, 3)) for number in range(3)] == [[None], [], []]


def test_pieces_are_no_smaller_than_what_opening_costs():
    assert ranges(cut([large(100, None)], Packing(1, 50))) == [(0, 50), (50, None)]


@given(st.integers(0, 1000), st.integers(1, 12))
def test_shares_are_the_file(size, count):
    found = [one for number in range(count) for one in ranges(shared([large(size, None)], number, count))]
    assert found == ([None] if count == 1 else [*pairwise([0, *(size * n // count for n in range(1, count)), None])])


def test_pieces_are_packed_by_their_own_size():
    pieces = list(cut([large(100, None), large(10, None)], Packing(40, 1)))
    assert [len(part) for part in pack(pieces, Packing(40, 1))] == [1, 1, 2]
