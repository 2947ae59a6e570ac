"""Segments as files: the immutable columnar image of one manifest.

An uncompressed Arrow IPC file, so that reading a column is mapping it. Its batches have
:data:`BATCH_ROWS` rows but the last one. The schema's metadata says which decoder made it and how many
rows it has; with the footer at the end of the file that tells a segment that is not whole.

After its batches it has the zones of its entries (:mod:`~lakemuster.index.zone_block`), unless it has less than one:
opening it then takes no longer.

Free of SQL: decoder processes and Spark executors write segments, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import mmap
import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import pyarrow as pa

from lakemuster.errors import IndexUnavailable, SegmentCorrupt
from lakemuster.index.zone_block import zone_block
from lakemuster.index.zones import ZONE_ROWS, segment_zones
from lakemuster.metadata.files import split_column

DECODER_VERSION = 2
"""Grows whenever the decoders make other columns or values of the same bytes: manifests are then decoded anew."""

BATCH_ROWS = 8192
"""Rows of a batch: position *i* of a segment is row ``i % BATCH_ROWS`` of batch ``i // BATCH_ROWS``."""

_BUFFER_BYTES = 1 << 20
_DONTNEED = getattr(mmap, "MADV_DONTNEED", 0)
_MADVISE = getattr(ctypes.CDLL(None), "madvise", None) if _DONTNEED else None
if _MADVISE is not None:
    _MADVISE.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_DECODER, _ROWS = b"lakemuster.decoder", b"lakemuster.rows"


@dataclass(frozen=True, slots=True)
class Written:
    """A segment file as written: entries and bytes."""

    rows: int
    bytes: int


def segment_name(manifest_location: str, length: int | None, decoder_version: int = DECODER_VERSION) -> str:
    """The name of a manifest's segment, safe as a file name.

    Args:
        manifest_location: where the manifest was *read*, after rewrites: two tables may record one
            location and mean different files by it.
        length: bytes of the manifest as recorded, None when they are not (Iceberg v1 without a manifest list).
    """
    identity = f"{decoder_version}\n{length}\n{manifest_location}"
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def write_segment(table: pa.Table, path: str | Path, manifest_rows: Sequence[int] | None = None) -> Written:
    """Write a segment at ``path``, whole or not at all.

    It is written beside, flushed to the disk and renamed: SQL must not come to know a segment whose
    bytes a power failure can still take back. The folder's entry is not flushed: losing that loses
    the file whole, which :class:`Segment` notices.

    Args:
        manifest_rows: entries of each manifest that it holds; None for one manifest.

    Raises:
        IndexUnavailable: the disk refuses.
    """
    path = Path(path)
    metadata = {**(table.schema.metadata or {}), _DECODER: b"%d" % DECODER_VERSION, _ROWS: b"%d" % table.num_rows}
    schema = table.schema.with_metadata(metadata)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        # Columns of a batch are small, and system calls are not.
        with part.open("wb", buffering=_BUFFER_BYTES) as file:
            with pa.ipc.new_file(file, schema) as writer:
                for start in range(0, table.num_rows, BATCH_ROWS):
                    for batch in table.slice(start, BATCH_ROWS).combine_chunks().to_batches():
                        writer.write_batch(batch)
                if table.num_rows >= ZONE_ROWS:
                    file.write(zone_block(segment_zones(table, manifest_rows or [table.num_rows])))
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        part.replace(path)
    except OSError as cause:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise IndexUnavailable(f"cannot write a segment: {cause.strerror or type(cause).__name__}") from cause
    return Written(table.num_rows, size)


def place(file: Path, target: Path) -> None:
    """Move a file to its place, whole or not at all, from another disk if need be."""
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


@lru_cache(maxsize=256)
def _same(names: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all segments that have these columns: names that are the same are quickly found equal."""
    return names


@lru_cache(maxsize=256)
def _by_field(names: tuple[str, ...]) -> Mapping[int, tuple[str, ...]]:
    """Columns by field id; segments of one table mostly have the same ones."""
    found: dict[int, list[str]] = {}
    for name in names:
        if (split := split_column(name)) is not None:
            found.setdefault(split[1], []).append(name)
    return {field_id: tuple(own) for field_id, own in found.items()}


class Segment:
    """A mapped segment. Reading columns maps them; only what is then looked at is read from the disk.

    Tables and arrays taken from it stay valid when it, or its file, is gone. Safe to share by threads.

    Raises:
        FileNotFoundError: there is no such file.
        SegmentCorrupt: it is not a whole segment.
    """

    def __init__(self, name: str, path: str | Path) -> None:
        self.name = name
        try:
            with pa.memory_map(str(path)) as file:
                # The buffer keeps the mapping, not the file: thousands may be open at once.
                buffer = file.read_buffer()
            self._reader = pa.ipc.open_file(pa.BufferReader(buffer))
            metadata = dict(self._reader.schema.metadata or {})
            self.decoder_version = int(metadata.pop(_DECODER))
            self.num_rows = int(metadata.pop(_ROWS))
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException, KeyError, ValueError) as cause:
            raise SegmentCorrupt("a segment does not read back", segment=name) from cause
        self.schema: pa.Schema = self._reader.schema.with_metadata(metadata or None)
        self.size = buffer.size
        self._address = buffer.address
        if self._reader.num_record_batches != -(-self.num_rows // BATCH_ROWS):
            raise SegmentCorrupt("a segment lacks rows", segment=name)
        self._batches: tuple[pa.RecordBatch, ...] | None = None
        self._lock = threading.Lock()

    def release(self) -> None:
        """Let go of the memory that the mapping occupies: what is looked at again is read again, mostly from the cache.

        Tables and arrays stay valid.
        """
        if _MADVISE is not None:
            _MADVISE(self._address, self.size, _DONTNEED)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of all columns."""
        return _same(tuple(self.schema.names))

    @cached_property
    def columns_of(self) -> Mapping[int, tuple[str, ...]]:
        """The names of the per-field columns, by field id."""
        return _by_field(self.names)

    @property
    def batches(self) -> tuple[pa.RecordBatch, ...]:
        """All batches with all columns, none of them looked at yet.

        Raises:
            SegmentCorrupt: the segment does not read back.
        """
        if self._batches is None:
            with self._lock:
                if self._batches is None:
                    self._batches = self._read()
        return self._batches

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The named columns (all when None), in the order given, of all rows.

        Raises:
            KeyError: the segment has no such column: columns in which all rows are null are left out.
            SegmentCorrupt: the segment does not read back.
        """
        if columns is None:
            whole = pa.Table.from_batches(self.batches, self._reader.schema)
            return whole.replace_schema_metadata(self.schema.metadata)
        missing = set(columns).difference(self.names)
        if missing:
            raise KeyError(*sorted(missing))
        if not columns:
            return self.table().select([])
        if not self.batches:
            return self.schema.empty_table().select(columns)
        chosen = pa.Table.from_batches([batch.select(columns) for batch in self.batches])
        return chosen.replace_schema_metadata(self.schema.metadata)

    def rows(self, start: int, end: int, columns: Sequence[str]) -> pa.Table:
        """The named columns of the rows from ``start`` to before ``end``, in the order given; the rest is not touched.

        Raises:
            KeyError: the segment has no such column.
            SegmentCorrupt: the segment does not read back.
        """
        first, last = start // BATCH_ROWS, -(-end // BATCH_ROWS)
        if first >= last:
            return self.table(columns).slice(0, 0)
        found = pa.Table.from_batches([batch.select(columns) for batch in self.batches[first:last]])
        return found.slice(start - first * BATCH_ROWS, end - start)

    def batch(self, number: int, columns: Sequence[str]) -> pa.RecordBatch:
        """The named columns of the rows of one batch, in the order given.

        Raises:
            KeyError: the segment has no such column.
            SegmentCorrupt: the segment does not read back.
        """
        return self.batches[number].select(columns)

    def _read(self) -> tuple[pa.RecordBatch, ...]:
        batches = []
        try:
            for number in range(self._reader.num_record_batches):
                batch = self._reader.get_batch(number)
                if batch.num_rows != min(BATCH_ROWS, self.num_rows - number * BATCH_ROWS):
                    raise SegmentCorrupt("a segment lacks rows", segment=self.name)
                batches.append(batch)
        except (OSError, pa.ArrowException) as cause:
            raise SegmentCorrupt("a segment does not read back", segment=self.name) from cause
        return tuple(batches)
