"""Mapped segments share equal columns, whatever their numbers of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.caching import MEMORY
from lakemuster.errors import SegmentCorrupt
from lakemuster.index.mapped_segment import BATCH_ROWS, MappedSegment
from lakemuster.index.segment_files import write_segment


def mapped(folder: Path, table: pa.Table) -> MappedSegment:
    path = folder / f"{len(list(folder.iterdir()))}.arrow"
    write_segment(table, path)
    return MappedSegment.of(path.stem, path)


def rows(count: int, name: str = "lower.7", metadata: dict[bytes, bytes] | None = None) -> pa.Table:
    paths = pa.array([f"f{number}" for number in range(count)], pa.string())
    columns = {"file_path": paths, name: np.arange(count)}
    return pa.table(columns).replace_schema_metadata(metadata)


@pytest.mark.parametrize("count", [0, 1, BATCH_ROWS, BATCH_ROWS + 1, 3 * BATCH_ROWS])
def test_segments_with_equal_columns_share_them(tmp_path: Path, count: int) -> None:
    first, second = mapped(tmp_path, rows(5)), mapped(tmp_path, rows(count))
    assert second.columns is first.columns
    assert first.columns.names == ("file_path", "lower.7")
    assert first.columns.by_field == {7: ("lower.7",)}
    for segment, table in ((first, rows(5)), (second, rows(count))):
        assert segment.num_rows == table.num_rows
        assert pa.Table.from_batches(segment.batches(0, None, None), segment.columns.schema) == table


def test_segments_with_other_columns_or_metadata_do_not(tmp_path: Path) -> None:
    tables = rows(5), rows(5, "lower.8"), rows(5, metadata={b"a": b"1"}), rows(5, metadata={b"a": b"2"})
    found = [mapped(tmp_path, table).columns for table in tables]
    assert len(set(map(id, found))) == len(found)
    assert [columns.schema.metadata or None for columns in found] == [None, None, {b"a": b"1"}, {b"a": b"2"}]
    assert MEMORY.statistics()["segment columns"].entries >= len(found)


def test_a_segment_whose_messages_end_early_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    write_segment(rows(2 * BATCH_ROWS), path)
    data = bytearray(path.read_bytes())
    # Overwrite the second batch's header, which the footer still refers to, with an end-of-stream marker.
    at = data.index(b"\xff\xff\xff\xff", data.index(b"\xff\xff\xff\xff", 12) + 4)
    data[at : at + 8] = b"\xff\xff\xff\xff\x00\x00\x00\x00"
    path.write_bytes(data)
    with pytest.raises(SegmentCorrupt):
        MappedSegment.of("a", path).batches(0, None, None)
