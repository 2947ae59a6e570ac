"""Files packed into parts: each once, in order, what belongs together in one part."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.spark.splits import Packing, pack, splits_of

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


def weighed(file, cost):
    return max(file["file_size_in_bytes"] + sum(mark["file_size_in_bytes"] for mark in file["deletes"]), cost)
