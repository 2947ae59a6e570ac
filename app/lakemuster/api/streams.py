"""Streaming responses of whole lists, whose last record proves that they are complete.

NDJSON ends with ``{"end": {"count": n, "snapshot_id": "…"}}``; an Arrow stream ends with a batch without rows,
whose metadata has ``count`` and ``snapshot_id``. Further keys may describe the whole list. CSV cannot have such a
record. A failure after the start breaks the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator, Mapping

import anyio
import orjson
import pyarrow as pa
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lakemuster import tracing
from lakemuster.api.stream_memory import STREAM_MEMORY, release_unused_memory
from lakemuster.api.vectored_body import VECTORED, Buffer, Part, VectoredBody
from lakemuster.catalog.listings import Streamed
from lakemuster.cpu_semaphore import CPU
from lakemuster.wire.csv_rows import cells_of, csv_lines

CHUNK_BYTES = 2**20
"""Bytes per message to a server that copies bodies: larger copies need newly allocated memory."""

PREFETCH_BYTES = 2 * 2**20
"""Bytes produced at a time, while the previous ones are sent: fewer would not be worth a thread switch."""

FAST_PREFETCH_BYTES = 6 * 2**20
"""Like ``PREFETCH_BYTES``, for clients that receive faster than the server produces: the bytes are soon sent."""

MAX_HELD_BYTES = 128 * 2**20
"""Limit of bytes produced and not yet sent, per process; above it, streams produce less at a time, and not ahead."""


def ndjson(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[Part, None, None]:
    """Yield every row as a line, then the end record."""
    count = 0
    for rows, lines in listing.lines():
        count += rows
        yield lines
    end = {"count": count, "snapshot_id": None if snapshot_id is None else str(snapshot_id), **about}
    yield orjson.dumps({"end": end}) + b"\n"


def arrow(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[Part, None, None]:
    """Yield the list as an Arrow IPC stream: the column buffers uncopied, and the bytes between them."""
    schema, count, written = listing.schema, 0, _Written()
    with pa.ipc.new_stream(pa.PythonFile(written, "w"), schema) as writer:
        for batch in listing.batches():
            count += batch.num_rows
            writer.write_batch(batch)
            yield written.taken()
        end = {"count": str(count)} | ({} if snapshot_id is None else {"snapshot_id": str(snapshot_id)})
        end |= {key: orjson.dumps(value).decode() for key, value in about.items()}
        writer.write_batch(pa.RecordBatch.from_pylist([], schema=schema), custom_metadata=end)
    yield written.taken()


def csv(listing: Streamed, _snapshot_id: int | None, _about: Mapping[str, object]) -> Generator[Part, None, None]:
    """Yield a line of names, then every row as a line."""
    names = listing.schema.names
    yield csv_lines([names])
    for _, lines in listing.lines():
        yield csv_lines(cells_of(orjson.loads(line), names) for line in bytes(lines).splitlines())


class _Written:
    """A file object that collects the buffers written to it, without copying them."""

    closed = False

    def __init__(self) -> None:
        self._buffers: list[Buffer] = []
        self._bytes = 0

    def write(self, buffer: Buffer) -> int:
        self._buffers.append(buffer)
        size = len(buffer)
        self._bytes += size
        return size

    def flush(self) -> None:
        """Do nothing; required by the file interface."""

    def taken(self) -> VectoredBody:
        """Return the buffers written since the last call."""
        taken = VectoredBody(self._buffers, self._bytes)
        self._buffers, self._bytes = [], 0
        return taken


class Stream(StreamingResponse):
    """A streaming response whose first part is produced before its status is sent.

    So an early failure gets its own status, and only a later one breaks the connection. The generator runs in worker
    threads, a little ahead of sending, and is closed when the client disconnects.
    """

    def __init__(self, parts: Generator[Part, None, None], media_type: str, headers: dict[str, str]) -> None:
        self._parts = parts
        self._making: asyncio.Task[list[Part]] | None = None
        self._ahead = PREFETCH_BYTES
        self._is_vectored = False
        self._span = tracing.begin("encode")
        try:
            self._first = next(parts)
        except BaseException:
            self._span.end()
            raise
        self._held = 0
        super().__init__((), media_type=media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the whole response."""
        self._is_vectored = VECTORED in scope.get("extensions", ())
        STREAM_MEMORY.begin()
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                if self._making is not None:
                    await asyncio.gather(self._making, return_exceptions=True)
                await run_in_threadpool(self._parts.close)
            self._making = None
            self._span.end()
            STREAM_MEMORY.bytes -= self._held
            if STREAM_MEMORY.end():
                await run_in_threadpool(release_unused_memory)

    async def stream_response(self, send: Send) -> None:
        """Send the status and the body."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for body in self._bodies():
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _bodies(self) -> AsyncIterator[VectoredBody | memoryview]:
        made, self._first = VectoredBody.of([self._first]), b""
        is_reading = False
        while made.buffers:
            self._hold(len(made))
            # Produce nothing ahead until the client has received the first part.
            is_ahead = is_reading and STREAM_MEMORY.bytes < MAX_HELD_BYTES
            if is_ahead:
                self._making = asyncio.create_task(run_in_threadpool(self._more))
            for body in [made] if self._is_vectored else _copied(made):
                yield body
            size, made = len(made), _NOTHING
            self._hold(-size)
            is_reading = True
            if not is_ahead:
                self._making = asyncio.create_task(run_in_threadpool(self._more))
            assert self._making is not None
            is_waited_for = is_ahead and not self._making.done()
            some = await asyncio.shield(self._making)
            made, self._making, some = VectoredBody.of(some), None, []
            is_tight = STREAM_MEMORY.bytes >= MAX_HELD_BYTES
            self._ahead = CHUNK_BYTES if is_tight else FAST_PREFETCH_BYTES if is_waited_for else PREFETCH_BYTES

    def _hold(self, size: int) -> None:
        self._held += size
        STREAM_MEMORY.bytes += size

    def _more(self) -> list[Part]:
        """Return the next parts; an empty list at the end."""
        made: list[Part] = []
        size = 0
        with CPU.permit():
            for part in self._parts:
                made.append(part)
                size += len(part)
                if size >= self._ahead:
                    break
        return made


_NOTHING = VectoredBody([])


def _copied(body: VectoredBody) -> Iterator[memoryview]:
    whole = memoryview(body.buffers[0] if len(body.buffers) == 1 else body.joined())
    for at in range(0, len(whole), CHUNK_BYTES):
        yield whole[at : at + CHUNK_BYTES]
