"""Read position delete files and deletion vectors: the positions of deleted rows.

Source: Iceberg spec, "Position Delete Files", "Deletion Vectors", "Reserved Field IDs".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakemuster.caching import Budget, Cache, nbytes
from lakemuster.client.model import Row
from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.deletion_vectors import parse_deletion_vector
from lakemuster.formats.iceberg.schemas import RESERVED
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.iceberg.field_ids import mapping_of
from lakemuster.spark.reading.iceberg.open_rows import OpenRows, naming
from lakemuster.spark.reading.iceberg.projection import leaves_of, projection
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead
from lakemuster.spark.reading.row_groups import RowRange
from lakemuster.storage.locations import Rewrites

Positions = npt.NDArray[np.int64]

_MAX_BYTES = 128 * 2**20
_FIELDS = (
    Field(2147483546, "file_path", RESERVED[2147483546], required=True),
    Field(2147483545, "pos", RESERVED[2147483545], required=True),
)


class PositionDeletes:
    """The position deletes of a split's data files. The contents of delete files are cached, with a limit in bytes.

    Args:
        split: only positions in its data files are read from delete files.
    """

    def __init__(self, table: TableToRead, split: Split, files: Files) -> None:
        self._table, self._files = table, files
        self._rewrites = Rewrites(table.rewrites)
        self._by_file: Cache[str, Mapping[str, Positions]] = Cache(
            "position deletes", lambda _, found: sum(map(nbytes, found.values())), Budget(_MAX_BYTES)
        )
        self._wanted: dict[str, set[str]] = {}
        for file in split.files:
            for delete in file["deletes"]:
                self._wanted.setdefault(delete["file_path"], set()).add(file["file_path"])

    def of(self, file: Row) -> Positions:
        """Return the positions of a data file's deleted rows, from 0, ascending and distinct.

        Raises:
            NotReadable: a delete file cannot be applied.
        """
        deletes = [delete for delete in file["deletes"] if delete["content"] == "position-deletes"]
        found = [self._positions(file, delete) for delete in deletes]
        return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)

    def _positions(self, file: Row, delete: Row) -> Positions:
        path: str = delete["file_path"]
        referenced = delete.get("referenced_data_file")
        if referenced is not None and referenced != file["file_path"]:
            raise NotReadable(self._table.name, f"it is of {referenced}, not of {file['file_path']}", path)
        with naming(self._table, path):
            if delete["file_format"] == "puffin":
                return self._vector(delete)
            by_file = self._by_file.get_or_make(path, lambda: self._read(delete))
        return by_file.get(file["file_path"], np.empty(0, np.int64))

    def _vector(self, delete: Row) -> Positions:
        path, offset, size = delete["file_path"], delete.get("content_offset"), delete.get("content_size_in_bytes")
        if offset is None or size is None:
            raise NotReadable(self._table.name, "the position of its deletion vector is not recorded", path)
        if delete.get("key_metadata") is not None:
            raise NotReadable(self._table.name, "it is encrypted", path)
        try:
            bits = parse_deletion_vector(self._files.read(path, offset, size), delete.get("record_count"))
        except MetadataCorrupt as cause:
            raise NotReadable(self._table.name, str(cause), path) from cause
        if bits and bits.max() >= 2**63:
            raise NotReadable(self._table.name, "a deletion vector exceeds the largest row position", path)
        return np.frombuffer(bits.to_array(), np.uint64).astype(np.int64)

    def _read(self, delete: Row) -> Mapping[str, Positions]:
        """Return the positions in a delete file for the split's data files, by data file."""
        wanted = self._wanted[delete["file_path"]]
        rows = OpenRows(self._table, delete, self._files, mapping_of(_FIELDS))
        leaves = leaves_of(_FIELDS, rows.columns)
        paths, positions = projection(_FIELDS, rows.read_columns(leaves), {})
        found: dict[str, list[Positions]] = {}
        for _, batch in rows.batches(leaves, self._row_ranges(rows, wanted)):
            of = paths(batch).dictionary_encode()
            places = positions(batch)
            if of.null_count or places.null_count:
                raise NotReadable(self._table.name, "a row lacks its file or position", delete["file_path"])
            numbers, which = places.to_numpy(), of.indices.to_numpy()
            for code, location in enumerate(of.dictionary.to_pylist()):
                if (now := self._rewrites.apply(location)) in wanted:
                    found.setdefault(now, []).append(numbers[which == code])
        return {location: np.unique(np.concatenate(parts)) for location, parts in found.items()}

    def _row_ranges(self, rows: OpenRows, wanted: set[str]) -> Sequence[RowRange]:
        """Return the row ranges whose bounds may contain a wanted file's path; all if locations are rewritten."""
        if self._table.rewrites:
            return rows.row_ranges
        paths = [path.encode() for path in wanted]
        return [
            row_range
            for row_range in rows.row_ranges
            if _may_hold(paths, rows.column_stats(_FIELDS[0].field_id, row_range))
        ]


def _may_hold(paths: Sequence[bytes], stats: ColumnStats | None) -> bool:
    if stats is None or not isinstance(stats.low, bytes) or not isinstance(stats.high, bytes):
        return True
    return any(stats.low <= path <= stats.high for path in paths)


def live_mask(positions: Positions, start: int, count: int) -> pa.Array | None:
    """Return a mask of ``count`` rows from ``start``, False for deleted ones; None when none is deleted."""
    first, last = np.searchsorted(positions, [start, start + count])
    if first == last:
        return None
    mask = np.ones(count, np.bool_)
    mask[positions[first:last] - start] = False
    return pa.array(mask)
