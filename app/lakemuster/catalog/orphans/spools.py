"""Store the objects of a listing that may be orphans in a file until the references are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

SPOOLED = pa.schema([("name", pa.string()), ("size", pa.int64()), ("modified_ms", pa.int64())])
"""``name`` is the path below the location."""
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


class Spool:
    """A file of objects, written once and read once; one batch at a time is in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = pa.ipc.new_stream(str(path), SPOOLED, options=_OPTIONS)

    def add(self, batch: pa.RecordBatch) -> None:
        """Write objects, with the columns of ``SPOOLED``."""
        if batch.num_rows:
            self._writer.write_batch(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Finish writing, and yield the written batches."""
        self._writer.close()
        with pa.ipc.open_stream(pa.OSFile(str(self._path))) as reader:
            yield from reader
