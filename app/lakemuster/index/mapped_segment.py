"""A memory-mapped segment file: its columns, shared with other segments, and its batches, verified when first read."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from lakemuster.caching import Cache
from lakemuster.errors import SegmentCorrupt
from lakemuster.index.checksums import Sums, damaged, read_checksums, schema_checksum
from lakemuster.metadata.files import split_column

BATCH_ROWS = 8192
"""Rows of a batch: position *i* of a segment is row ``i % BATCH_ROWS`` of batch ``i // BATCH_ROWS``."""

DECODER_KEY, ROWS_KEY = b"lakemuster.decoder", b"lakemuster.rows"
"""Metadata keys of a file's schema: its decoder's version and its number of rows."""

_MAGIC_BYTES = 8
"""Before the first message of an Arrow file."""
_DONTNEED = getattr(mmap, "MADV_DONTNEED", 0)
_MADVISE = getattr(ctypes.CDLL(None), "madvise", None) if _DONTNEED else None
if _MADVISE is not None:
    _MADVISE.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_FIELD_BYTES = 400
"""Approximate memory of a field of a schema, with its name."""


class SegmentColumns:
    """The columns of segments. Segments with equal columns share one object, as most segments of a table do.

    Attributes:
        schema: without the decoder's version and the number of rows.
        names: the names of all columns.
        positions: their positions.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.names: tuple[str, ...] = tuple(schema.names)
        self.positions: Mapping[str, int] = {name: position for position, name in enumerate(self.names)}

    @cached_property
    def by_field(self) -> Mapping[int, tuple[str, ...]]:
        """The names of the per-field columns, by field id."""
        found: dict[int, list[str]] = {}
        for name in self.names:
            if (split := split_column(name)) is not None:
                found.setdefault(split[1], []).append(name)
        return {field_id: tuple(own) for field_id, own in found.items()}


_columns: Cache[bytes, SegmentColumns] = Cache(
    "segment columns", lambda key, columns: len(key) + _FIELD_BYTES * len(columns.names)
)

_Batch = tuple[pa.RecordBatch, Sums | None, bytearray]
"""A batch, its checksums, and for each column whether it has been verified."""


class MappedSegment:
    """A mapped segment file, and which of its columns have been verified.

    Raises:
        SegmentCorrupt: the file is not a complete segment.
    """

    def __init__(self, name: str, buffer: pa.Buffer, file: os.stat_result) -> None:
        self._name, self._buffer = name, buffer
        self.inode, self.modified_ns = file.st_ino, file.st_mtime_ns
        reader = self._open()
        stored: pa.Schema = reader.schema
        metadata = dict(stored.metadata or {})
        try:
            self.decoder_version = int(metadata.pop(DECODER_KEY))
            self.num_rows = int(metadata.pop(ROWS_KEY))
            schema = stored.with_metadata(metadata or None)
            self.columns = _columns.get_or_make(schema.serialize().to_pybytes(), lambda: SegmentColumns(schema))
        except (KeyError, ValueError) as cause:  # a name is not UTF-8, for example
            raise SegmentCorrupt("a segment file is unreadable", segment=name) from cause
        self.size, self._address = buffer.size, buffer.address
        self._num_batches = -(-self.num_rows // BATCH_ROWS)
        if reader.num_record_batches != self._num_batches:
            raise SegmentCorrupt("a segment file lacks rows", segment=name)
        # Verify the schema at once: callers select columns by name before they read any.
        first = self._read_batches(reader, min(1, self._num_batches))
        sums = first[0][1] if first else None
        if sums is not None and sums[0] != schema_checksum(stored):
            raise SegmentCorrupt("a segment file's schema does not match its checksum", segment=name)
        self._read = first if len(first) == self._num_batches else None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, name: str, path: str | Path) -> MappedSegment:
        """Map a file.

        Raises:
            FileNotFoundError: the file does not exist.
            SegmentCorrupt: the file is not a complete segment.
        """
        try:
            with pa.memory_map(str(path)) as file:
                # The buffer keeps the mapping but not the file descriptor: thousands of segments may be open at once.
                status, buffer = os.fstat(file.fileno()), file.read_buffer()
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException, ValueError) as cause:
            raise SegmentCorrupt("a segment file is unreadable", segment=name) from cause
        return cls(name, buffer, status)

    def release(self) -> None:
        """Release the mapping's resident memory. Columns that are read from disk again are verified again."""
        for _, _, checked in self._read or ():
            checked[:] = bytes(len(checked))
        if _MADVISE is not None:
            _MADVISE(self._address, self.size, _DONTNEED)

    def batches(self, first: int, end: int | None, columns: Sequence[str] | None) -> list[pa.RecordBatch]:
        """Return verified batches with the named columns; with all columns if None.

        Raises:
            SegmentCorrupt: a batch is unreadable, or one of its columns differs from its checksum.
        """
        if self._read is None:
            with self._lock:
                if self._read is None:
                    self._read = self._read_all()
        of = self.columns.positions
        positions = range(len(of)) if columns is None else [of[name] for name in columns]
        found = []
        for batch, sums, checked in self._read[first:end]:
            if sums is not None and (unchecked := [position for position in positions if not checked[position]]):
                self._check(batch, sums, unchecked)
                for position in unchecked:
                    checked[position] = 1
            found.append(batch if columns is None else batch.select(columns))
        return found

    def _check(self, batch: pa.RecordBatch, sums: Sums, positions: Sequence[int]) -> None:
        try:
            position = damaged(batch, sums, positions)
        except (pa.ArrowException, ValueError, IndexError) as cause:
            raise SegmentCorrupt("a segment file is unreadable", segment=self._name) from cause
        if position is not None:
            raise SegmentCorrupt(
                "a column of a segment file does not match its checksum",
                segment=self._name,
                column=self.columns.names[position],
            )

    def _read_all(self) -> tuple[_Batch, ...]:
        # The reader is not kept: it has a schema of its own, which takes half as much memory as a batch.
        return self._read_batches(self._open(), self._num_batches)

    def _open(self) -> pa.RecordBatchFileReader:
        try:
            return pa.ipc.open_file(pa.BufferReader(self._buffer))
        except (OSError, pa.ArrowException, ValueError) as cause:
            raise SegmentCorrupt("a segment file is unreadable", segment=self._name) from cause

    def _read_batches(self, reader: pa.RecordBatchFileReader, count: int) -> tuple[_Batch, ...]:
        """Return the first batches, with the shared schema; an Arrow file is a stream of messages and a footer."""
        found = []
        try:
            messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(self._buffer.slice(_MAGIC_BYTES)))
            messages.read_next_message()
            for number in range(count):
                batch = pa.ipc.read_record_batch(messages.read_next_message(), self.columns.schema)
                _, metadata = reader.get_batch_with_custom_metadata(number)
                found.append((batch, read_checksums(metadata), bytearray(batch.num_columns)))
        except (OSError, pa.ArrowException, ValueError, StopIteration) as cause:
            raise SegmentCorrupt("a segment file is unreadable", segment=self._name) from cause
        for number, (batch, sums, _) in enumerate(found):
            if batch.num_rows != min(BATCH_ROWS, self.num_rows - number * BATCH_ROWS):
                raise SegmentCorrupt("a segment file lacks rows", segment=self._name)
            if sums is not None and len(sums) != 1 + batch.num_columns:
                raise SegmentCorrupt("a segment file's schema does not match its checksum", segment=self._name)
        return tuple(found)
