"""Segment files: the immutable columnar image of one manifest, as an Arrow IPC file.

The file is uncompressed, so a column is read by mapping it. All batches but the last have :data:`BATCH_ROWS` rows.
The schema's metadata records the decoder version and the number of rows; together with the footer at the end of the
file, these detect an incomplete segment.

Each batch has the checksums of its columns (:mod:`~lakemuster.index.checksums`), verified when a column is first read.

The zones of the entries follow the batches (:mod:`~lakemuster.index.zone_block`), unless there are fewer entries than
a zone has: such a segment is opened just as fast.

This module imports no SQL: decoder processes and Spark executors write segments, too.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from lakemuster.errors import IndexUnavailable, SegmentCorrupt, SegmentMissing
from lakemuster.index.checksums import schema_checksum, with_checksums
from lakemuster.index.mapped_segment import BATCH_ROWS, DECODER_KEY, ROWS_KEY, MappedSegment
from lakemuster.index.zone_block import zone_block
from lakemuster.index.zones import ZONE_ROWS, segment_zones

DECODER_VERSION = 11
"""Incremented when the decoders return other columns or values for the same bytes; manifests are then decoded again."""

_BUFFER_BYTES = 1 << 20
_OPEN_BYTES, _COLUMN_BYTES = 4_000, 430
"""Approximate memory of an open segment, and of each column of a batch."""
_WRITE_BACK: int = getattr(os, "POSIX_FADV_DONTNEED", 0)
"""On Linux this advice starts writing a file's dirty pages to disk; they stay in memory until they are written."""


@dataclass(frozen=True, slots=True)
class Written:
    """The numbers of entries and bytes of a written segment file."""

    rows: int
    bytes: int


def segment_name(manifest_location: str, length: int | None, decoder_version: int = DECODER_VERSION) -> str:
    """Return the name of a manifest's segment, safe as a file name.

    Args:
        manifest_location: where the manifest was *read*, after rewrites: two tables may record the same
            location for different files.
        length: recorded length of the manifest; None if it is not recorded (Iceberg v1 without a manifest list).
    """
    identity = f"{decoder_version}\n{length}\n{manifest_location}"
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def write_segment(
    table: pa.Table, path: str | Path, manifest_rows: Sequence[int] | None = None, *, flush: bool = True
) -> Written:
    """Write a segment at ``path``, completely or not at all.

    The file is written under another name, flushed to disk and renamed: SQL must not register a segment whose bytes a
    power failure can still lose. Losing the directory entry loses the whole file, which :class:`Segment` detects.

    Args:
        manifest_rows: number of entries of each manifest in the segment; None for one manifest.
        flush: if false, the caller must call :func:`flush_segments` before it puts the file into the store.

    Raises:
        IndexUnavailable: the file cannot be written.
    """
    path = Path(path)
    metadata = {**(table.schema.metadata or {}), DECODER_KEY: b"%d" % DECODER_VERSION, ROWS_KEY: b"%d" % table.num_rows}
    schema = table.schema.with_metadata(metadata)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        # Columns of a batch are small: buffering saves system calls.
        with part.open("wb", buffering=_BUFFER_BYTES) as file:
            with pa.ipc.new_file(file, schema) as writer:
                checksum = schema_checksum(schema)
                for start in range(0, table.num_rows, BATCH_ROWS):
                    for batch in table.slice(start, BATCH_ROWS).combine_chunks().to_batches():
                        writer.write_batch(batch, with_checksums(batch, checksum))
                if table.num_rows >= ZONE_ROWS:
                    file.write(zone_block(segment_zones(table, manifest_rows or [table.num_rows])))
            file.flush()
            if flush:
                os.fsync(file.fileno())
            size = file.tell()
        part.replace(path)
    except OSError as cause:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise _refusal(cause) from cause
    return Written(table.num_rows, size)


def flush_segments(paths: Sequence[str | Path]) -> None:
    """Flush written files to disk together, with one commit of the file system's journal.

    Raises:
        IndexUnavailable: a file cannot be flushed.
    """
    try:
        with contextlib.ExitStack() as opened:
            files = [opened.enter_context(open(path, "rb")).fileno() for path in paths]
            for file in files if _WRITE_BACK else ():
                os.posix_fadvise(file, 0, 0, _WRITE_BACK)
            for file in files:
                os.fsync(file)
    except OSError as cause:
        raise _refusal(cause) from cause


def _refusal(cause: OSError) -> IndexUnavailable:
    refusal = IndexUnavailable(f"cannot write a segment: {cause.strerror or type(cause).__name__}")
    if cause.filename:
        refusal.add_note(str(cause.filename))
    return refusal


def place(file: Path, target: Path) -> None:
    """Move a file atomically; copy it first if it is on another disk."""
    try:
        file.replace(target)
    except OSError as cause:
        if cause.errno != errno.EXDEV:
            raise
        part = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.part")
        with file.open("rb") as source, part.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())
        part.replace(target)
        file.unlink()


Restore = Callable[[SegmentCorrupt], None]
"""Restores the file of a damaged segment, or raises."""


class Segment:
    """A memory-mapped segment. Reading a column maps it; only the accessed values are read from disk.

    Columns are verified by their checksums when they are first read. Tables and arrays taken from a segment stay valid
    after it is closed, or its file deleted. Thread-safe.

    Args:
        restore: called when the file is found to be damaged; afterwards the file is mapped again, once.

    Raises:
        FileNotFoundError: the file does not exist.
        SegmentCorrupt: the file is not a complete segment.
    """

    def __init__(self, name: str, path: str | Path, restore: Restore | None = None) -> None:
        self.name, self.path = name, path
        self._restore = restore
        self._lock = threading.Lock()
        self._mapped = MappedSegment.of(name, path)
        self.decoder_version, self.num_rows = self._mapped.decoder_version, self._mapped.num_rows
        self.schema: pa.Schema = self._mapped.columns.schema
        self.size = self._mapped.size

    @property
    def is_another_file(self) -> bool:
        """Whether the file was replaced, overwritten or truncated since it was mapped."""
        status = self._status()
        return status is not None and (status.st_ino != self._mapped.inode or self._differs(status))

    @property
    def is_overwritten(self) -> bool:
        """Whether the mapped file itself was written to or truncated: reading beyond its end kills the process."""
        status = self._status()
        return status is not None and status.st_ino == self._mapped.inode and self._differs(status)

    def _status(self) -> os.stat_result | None:
        try:
            return os.stat(self.path)
        except OSError:
            return None  # the mapping outlives the file

    def _differs(self, status: os.stat_result) -> bool:
        return status.st_size != self.size or status.st_mtime_ns != self._mapped.modified_ns

    def release(self) -> None:
        """Release the mapping's resident memory. Later reads load it again, mostly from the page cache.

        Tables and arrays stay valid.
        """
        self._mapped.release()

    @property
    def weight(self) -> int:
        """The approximate memory in bytes besides the mapping and the shared schema: of each batch's columns."""
        return _OPEN_BYTES + len(self.names) * _COLUMN_BYTES * -(-self.num_rows // BATCH_ROWS)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns; segments with equal columns have the same tuple, which is compared quickly."""
        return self._mapped.columns.names

    @property
    def columns_of(self) -> Mapping[int, tuple[str, ...]]:
        """The names of the per-field columns, by field id."""
        return self._mapped.columns.by_field

    @property
    def batches(self) -> tuple[pa.RecordBatch, ...]:
        """All batches with all columns.

        Raises:
            SegmentCorrupt: the segment is damaged.
        """
        return tuple(self._batches(0, None))

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the named columns (all if None) of all rows, in the given order.

        Raises:
            KeyError: the segment has no such column; columns with only nulls are not stored.
            SegmentCorrupt: the segment is damaged.
        """
        if columns is None:
            return pa.Table.from_batches(self.batches, self.schema)
        missing = set(columns).difference(self.names)
        if missing:
            raise KeyError(*sorted(missing))
        if not columns:
            return self.table().select([])
        found = self._batches(0, None, columns)
        if not found:
            return self.schema.empty_table().select(columns)
        return pa.Table.from_batches(found)

    def rows(self, start: int, end: int, columns: Sequence[str]) -> pa.Table:
        """Return the named columns of rows ``start`` to before ``end``, in the given order; reads only their batches.

        Raises:
            KeyError: the segment has no such column.
            SegmentCorrupt: the segment is damaged.
        """
        first, last = start // BATCH_ROWS, -(-end // BATCH_ROWS)
        if first >= last:
            return self.table(columns).slice(0, 0)
        found = pa.Table.from_batches(self._batches(first, last, columns))
        return found.slice(start - first * BATCH_ROWS, end - start)

    def batch(self, number: int, columns: Sequence[str]) -> pa.RecordBatch:
        """Return the named columns of one batch, in the given order.

        Raises:
            KeyError: the segment has no such column.
            SegmentCorrupt: the segment is damaged.
        """
        return self._batches(number, number + 1, columns)[0]

    def check(self) -> None:
        """Verify all checksums.

        Raises:
            SegmentCorrupt: one differs.
        """
        mapped = MappedSegment.of(self.name, self.path)
        mapped.batches(0, None, None)

    def _batches(self, first: int, end: int | None, columns: Sequence[str] | None = None) -> list[pa.RecordBatch]:
        mapped = self._mapped
        try:
            return mapped.batches(first, end, columns)
        except SegmentCorrupt as damage:
            if self._restore is None:
                raise
            self._restore(damage)
        with self._lock:
            if self._mapped is mapped:
                try:
                    self._mapped = MappedSegment.of(self.name, self.path)
                except FileNotFoundError as cause:
                    raise SegmentMissing("a segment file is missing", segment=self.name) from cause
        return self._mapped.batches(first, end, columns)
