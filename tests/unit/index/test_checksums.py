"""A segment with one damaged byte is reported as corrupt or reads as written."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from lakemuster.errors import SegmentCorrupt
from lakemuster.index import checksums
from lakemuster.index.mapped_segment import BATCH_ROWS
from lakemuster.index.segment_files import Segment, write_segment
from tests.unit.index.test_segment_files import entries


def small() -> pa.Table:
    return entries(7)


def read(path: Path, table: pa.Table) -> pa.Table | None:
    """Return a segment's table, read column by column; None if the segment is reported as corrupt."""
    try:
        segment = Segment("n", path)
        found = pa.table([segment.table([name]).column(0) for name in table.column_names], schema=segment.schema)
        found.validate(full=True)
        segment.check()
    except SegmentCorrupt:
        return None
    return found


def test_every_flipped_bit_is_found_or_harmless(tmp_path: Path) -> None:
    table, path, chosen = small(), tmp_path / "n.arrow", random.Random(1)
    write_segment(table, path)
    data = path.read_bytes()
    harmless = 0
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << chosen.randrange(8)]) + data[at + 1 :])
        found = read(path, table)
        if found is not None:
            harmless += 1
            assert found.equals(table), at
    # Harmless bytes: padding, the leading schema that no reader uses, and the checksums' name.
    assert harmless < len(data) // 2


def test_flips_of_large_segments_are_found_in_the_column_that_is_read(tmp_path: Path) -> None:
    table, path, chosen = entries(BATCH_ROWS + 100), tmp_path / "n.arrow", random.Random(2)
    write_segment(table, path)
    data = path.read_bytes()
    missed = 0
    for _ in range(40):
        at = chosen.randrange(len(data) // 8, len(data) * 7 // 8)
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        found = read(path, table)
        missed += found is not None
        assert found is None or found.equals(table)
    assert missed < 10


def test_a_damaged_column_leaves_the_others_readable(tmp_path: Path) -> None:
    table, path = small(), tmp_path / "n.arrow"
    write_segment(table, path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"s3://b/1", b"s3://b/7"))
    segment = Segment("n", path)
    assert segment.table(["record_count"]).equals(table.select(["record_count"]))
    with pytest.raises(SegmentCorrupt) as caught:
        segment.rows(0, 3, ["file_path"])
    assert caught.value.context["column"] == "file_path"
    with pytest.raises(SegmentCorrupt):
        segment.batch(0, ["file_path"])
    with pytest.raises(SegmentCorrupt):
        segment.table()
    with pytest.raises(SegmentCorrupt):
        segment.check()


def test_segments_without_checksums_are_read_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.index.segment_files.with_checksums", lambda batch, schema: None)
    write_segment(small(), tmp_path / "n.arrow")
    segment = Segment("n", tmp_path / "n.arrow")
    segment.check()
    assert segment.table().equals(small())


def test_a_slice_has_the_checksums_of_its_written_bytes() -> None:
    table = entries(100)
    (batch,) = table.combine_chunks().to_batches()
    one = checksums.with_checksums(batch.slice(3, 20), 0)
    other = checksums.with_checksums(table.slice(3, 20).combine_chunks().to_batches()[0], 0)
    assert one == other


def test_columns_are_verified_again_after_their_memory_was_released(tmp_path: Path) -> None:
    table, path = small(), tmp_path / "n.arrow"
    write_segment(table, path)
    segment = Segment("n", path)
    assert segment.table().equals(table)
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(data.index(b"s3://b/1"))
        file.write(b"X")
    segment.release()
    with pytest.raises(SegmentCorrupt):
        segment.table(["file_path"])
