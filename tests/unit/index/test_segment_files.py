"""A segment reads back as written, or is reported as corrupt."""

from __future__ import annotations

import gc
import os
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.failure_reasons import operator_message
from lakemuster.index.mapped_segment import BATCH_ROWS
from lakemuster.index.segment_files import Segment, place, segment_name, write_segment
from lakemuster.metadata.files import ICEBERG_COLUMNS, PAIMON_COLUMNS, PAIMON_INDEX_COLUMNS, typed_field

ROWS = 2 * BATCH_ROWS + 17


def entries(rows: int = ROWS) -> pa.Table:
    """Return columns of the types that manifests have, in uneven chunks."""
    numbers = pa.chunked_array([pa.array(range(rows // 3), pa.int64()), pa.array(range(rows // 3, rows), pa.int64())])
    schema = pa.schema(
        [
            pa.field("record_count", pa.int64()),
            pa.field("file_path", pa.string()),
            pa.field("split_offsets", pa.list_(pa.int64())),
            typed_field("lower.1", pa.decimal128(9, 2), "decimal(9, 2)"),
        ],
        metadata={b"kept": b"yes"},
    )
    columns = [
        numbers,
        pa.array([f"s3://b/{i}" if i % 5 else None for i in range(rows)]),
        pa.array([[i, i + 1] for i in range(rows)], pa.list_(pa.int64())),
        pa.array([None if i % 7 else Decimal(i) for i in range(rows)], pa.decimal128(9, 2)),
    ]
    return pa.table(columns, schema=schema)


def written(folder: Path, table: pa.Table | None = None) -> Path:
    path = folder / "segment.arrow"
    write_segment(entries() if table is None else table, path)
    return path


def test_a_segment_reads_back_as_written(tmp_path: Path) -> None:
    segment = Segment("n", written(tmp_path))
    assert segment.schema.equals(entries().schema, check_metadata=True)
    assert segment.num_rows == ROWS
    table = segment.table()
    assert table.equals(entries())
    assert table.schema.equals(entries().schema, check_metadata=True)


def test_batches_have_one_size_for_any_chunking(tmp_path: Path) -> None:
    segment = Segment("n", written(tmp_path))
    assert [batch.num_rows for batch in segment.batches] == [BATCH_ROWS, BATCH_ROWS, 17]


@pytest.mark.parametrize(
    ("start", "end"), [(0, 0), (0, 1), (5, BATCH_ROWS), (BATCH_ROWS - 1, BATCH_ROWS + 1), (7, ROWS), (ROWS, ROWS)]
)
def test_a_range_of_rows_equals_the_tables(tmp_path: Path, start: int, end: int) -> None:
    names = ["lower.1", "record_count"]
    found = Segment("n", written(tmp_path)).rows(start, end, names)
    assert found.equals(entries().select(names).slice(start, end - start))


@pytest.mark.parametrize("columns", [ICEBERG_COLUMNS, PAIMON_COLUMNS, PAIMON_INDEX_COLUMNS])
def test_an_empty_manifest_has_a_segment(tmp_path: Path, columns: dict[str, pa.DataType]) -> None:
    table = pa.schema(list(columns.items())).empty_table()
    report = write_segment(table, tmp_path / "s")
    segment = Segment("n", tmp_path / "s")
    assert (report.rows, report.bytes, segment.num_rows) == (0, (tmp_path / "s").stat().st_size, 0)
    assert segment.table().equals(table)
    assert segment.table(["status"]).schema.names == ["status"]


def test_columns_have_the_requested_order(tmp_path: Path) -> None:
    segment = Segment("n", written(tmp_path))
    assert segment.table(["lower.1", "record_count"]).equals(entries().select(["lower.1", "record_count"]))
    assert segment.table([]).num_rows == ROWS
    with pytest.raises(KeyError, match="upper"):
        segment.table(["lower.1", "upper.1"])


def test_only_the_named_columns_are_read(tmp_path: Path) -> None:
    megabyte = 2**20
    wide = {f"c{i}": np.arange(megabyte // 8) + i for i in range(40)}
    path = written(tmp_path, pa.table(wide))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    before = pa.total_allocated_bytes()
    segment = Segment("n", path)
    column = segment.table(["c7"]).column("c7")
    assert np.concatenate([chunk.to_numpy() for chunk in column.chunks]).sum() == wide["c7"].sum()
    assert pa.total_allocated_bytes() - before < megabyte
    # The kernel maps up to 64 KiB around each page that is read.
    assert _resident_bytes(path) < 15 * megabyte


def _resident_bytes(path: Path) -> int:
    found = 0
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(path))
        elif inside and line.startswith("Rss:"):
            found += int(line.split()[1]) * 1024
    return found


def test_read_data_outlives_the_segment_and_its_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    segment = Segment("n", path)
    path.unlink()
    table = segment.table()
    del segment
    gc.collect()
    assert table.equals(entries())


def test_open_segments_hold_no_file_open(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = len(os.listdir("/dev/fd"))
    segments = [Segment("n", path) for _ in range(40)]
    assert all(segment.batches for segment in segments)
    assert len(os.listdir("/dev/fd")) <= before + 1


@given(cut=st.integers(0, 10_000))
def test_a_truncated_file_is_not_a_segment(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = written(tmp_path_factory.mktemp("cut"), entries(300))
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole) - 1)])
    with pytest.raises(SegmentCorrupt):
        Segment("n", path)


def test_a_file_with_fewer_rows_than_recorded_is_not_a_segment(tmp_path: Path) -> None:
    for rows, batches in ((ROWS, 2), (ROWS, 3)):
        metadata = {b"lakemuster.decoder": b"1", b"lakemuster.rows": b"%d" % rows}
        short = pa.table({"a": range(1000)}).replace_schema_metadata(metadata)
        with pa.ipc.new_file(tmp_path / "s", short.schema) as writer:
            for _ in range(batches):
                writer.write_table(short)
        with pytest.raises(SegmentCorrupt, match="lacks rows"):
            Segment("n", tmp_path / "s").table()


def test_another_arrow_file_is_not_a_segment(tmp_path: Path) -> None:
    with pa.ipc.new_file(tmp_path / "s", pa.schema([("a", pa.int64())])):
        pass
    with pytest.raises(SegmentCorrupt):
        Segment("n", tmp_path / "s")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SegmentCorrupt):
        Segment("n", tmp_path / "folder")


def test_a_missing_file_is_not_a_corrupt_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Segment("n", tmp_path / "none")


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IndexUnavailable, match="No space left"):
        write_segment(entries(10), tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_a_file_moves_to_another_disk_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"content")
    rename = Path.replace

    def other_disk(self: Path, to: Path) -> Path:
        if self == source:
            raise OSError(18, "Invalid cross-device link")
        return rename(self, to)

    monkeypatch.setattr(Path, "replace", other_disk)
    place(source, target)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert target.read_bytes() == b"content"


LOCATIONS = st.text(st.characters(exclude_categories=[]) | st.sampled_from("\n0123456789"), max_size=6)
IDENTITIES = st.tuples(LOCATIONS, st.none() | st.integers(0, 20), st.integers(1, 3))


@given(IDENTITIES, IDENTITIES)
def test_names_are_equal_only_for_the_same_manifest_and_decoder(
    one: tuple[str, int | None, int], other: tuple[str, int | None, int]
) -> None:
    assert (segment_name(*one) == segment_name(*other)) == (one == other)
    assert re.fullmatch("[0-9a-f]{64}", segment_name(*one))


def test_the_operator_is_told_which_file_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable) as told:
        write_segment(pa.table({"status": pa.array([0], pa.int8())}), tmp_path / "missing/a.arrow")
    assert str(tmp_path) not in told.value.message
    assert str(tmp_path) in operator_message(told.value)
