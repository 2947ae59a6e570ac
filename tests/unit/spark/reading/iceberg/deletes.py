"""Local delete files, and their rows of a plan."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyroaring import BitMap64

from lakemuster.client.model import Row
from tests.unit.spark.reading.iceberg.lake import data_file, file_row

FILE_PATH, POS = 2147483546, 2147483545


def position_deletes(path: Path, rows: Iterable[tuple[str, int]], *, row_group_size: int | None = None) -> Row:
    """Write a position delete file of ``(data file, position)`` pairs; return its row of a plan."""
    pairs = list(rows)
    columns = [
        (FILE_PATH, "file_path", pa.array([location for location, _ in pairs], pa.string())),
        (POS, "pos", pa.array([position for _, position in pairs], pa.int64())),
    ]
    return data_file(path, columns, content="position-deletes", row_group_size=row_group_size)  # type: ignore[arg-type]


def vector_blob(positions: Iterable[int]) -> bytes:
    """Return a deletion vector as a Puffin blob."""
    body = b"\xd1\xd3\x39\x64" + BitMap64(positions).serialize()
    return len(body).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")


def vectors(path: Path, by_file: Mapping[str, Iterable[int]]) -> dict[str, Row]:
    """Write a Puffin file with a vector for each data file; return the vectors' rows of a plan by data file."""
    data, found = b"PFA1", {}
    for location, deleted in by_file.items():
        positions = list(deleted)
        blob = vector_blob(positions)
        found[location] = (len(data), len(blob), len(set(positions)))
        data += blob
    path.write_bytes(data)
    return {
        location: file_row(
            path,
            count,
            content="position-deletes",
            file_format="puffin",
            referenced_data_file=location,
            content_offset=offset,
            content_size_in_bytes=size,
        )
        for location, (offset, size, count) in found.items()
    }


def equality_deletes(path: Path, columns: list[tuple[int | None, str, pa.Array]], ids: list[int], **more: Any) -> Row:
    """Write an equality delete file with columns, compared by those of ``ids``; return its row of a plan."""
    return {**data_file(path, columns), "content": "equality-deletes", "equality_ids": ids, **more}
