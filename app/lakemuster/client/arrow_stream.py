"""Read the server's Arrow streams: record batches, then an empty one whose metadata has the count and snapshot."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from lakemuster.client.errors import AnswerIncomplete

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MEDIA_TYPE = "application/vnd.apache.arrow.stream"


class ArrowStream:
    """An Arrow stream that is complete or raises.

    Args:
        chunks: the bytes of the response, in pieces of any size.
        snapshot_id: the snapshot that was requested by id, if any.

    Attributes:
        schema: the schema of all batches.
        snapshot_id: the snapshot of the closing batch, once the stream was read.

    Raises:
        AnswerIncomplete: the bytes are not an Arrow stream.
    """

    def __init__(self, chunks: Iterator[bytes], *, snapshot_id: str | None) -> None:
        self._expected_id = snapshot_id
        self.snapshot_id: str | None = None
        try:
            # Arrow treats a short read as the end of the stream: only a buffered reader reads on until it has all.
            self._reader = pa.ipc.open_stream(pa.PythonFile(io.BufferedReader(_Chunks(chunks)), mode="r"))
        except (pa.ArrowException, OSError) as cause:
            raise _incomplete(f"not an Arrow stream: {cause}") from cause
        self.schema: pa.Schema = self._reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches that have rows.

        Raises:
            AnswerIncomplete: the stream ends without its closing batch, or count or snapshot differ.
        """
        rows = 0
        while True:
            try:
                batch, metadata = self._reader.read_next_batch_with_custom_metadata()
            except StopIteration:
                raise _incomplete(f"it ends after {rows} rows without its end record") from None
            except (pa.ArrowException, OSError) as cause:
                raise _incomplete(f"it is cut off after {rows} rows: {cause}") from cause
            if batch.num_rows == 0 and metadata is not None and b"count" in metadata:
                self._close(rows, metadata)
                return
            rows += batch.num_rows
            if batch.num_rows:
                yield batch

    def table(self) -> pa.Table:
        """Return all rows; the table's schema metadata has the ``snapshot_id``.

        Raises:
            AnswerIncomplete: as for iteration.
        """
        table = pa.Table.from_batches(list(self), schema=self.schema)
        if self.snapshot_id is None:
            return table
        metadata = {**(self.schema.metadata or {}), b"snapshot_id": self.snapshot_id.encode()}
        return table.replace_schema_metadata(metadata)

    def _close(self, rows: int, metadata: pa.KeyValueMetadata) -> None:
        count = metadata[b"count"].decode()
        if count != str(rows):
            raise _incomplete(f"received {rows} of {count} rows")
        if b"snapshot_id" in metadata:
            self.snapshot_id = metadata[b"snapshot_id"].decode()
        if self._expected_id is not None and self.snapshot_id != self._expected_id:
            raise _incomplete(f"it is of snapshot {self.snapshot_id}, and {self._expected_id} was asked for")


class _Chunks(io.RawIOBase):
    """A file object over chunks of bytes."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _incomplete(reason: str) -> AnswerIncomplete:
    return AnswerIncomplete(f"the server's stream is incomplete: {reason}", code="answer_incomplete")
