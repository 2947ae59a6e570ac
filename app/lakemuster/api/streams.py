"""Whole lists as streams that say when they are complete.

NDJSON ends with ``{"end": {"count": n, "snapshot_id": "…"}}``; an Arrow stream with a batch of no rows
whose metadata are ``count`` and ``snapshot_id``. More may be said there of the whole list. What fails on the
way breaks the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from typing import TypeAlias

import anyio
import orjson
import pyarrow as pa
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lakemuster.api.listings import Streamed
from lakemuster.index.turns import COMPUTING

Part: TypeAlias = bytes | memoryview

PIECE_BYTES = 2**20
"""Bytes that are handed to the connection at once: it copies what it is given, and larger copies take new memory."""

AHEAD_BYTES = 2 * 2**20
"""Bytes that are made at a time, while those before are sent: fewer are not worth the change of threads."""

FAST_AHEAD_BYTES = 6 * 2**20
"""The same for clients that take what is sent sooner than more is made: nothing of it lies about for long."""


def ndjson(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[Part, None, None]:
    """Every row as a line, and the line that says that this was all."""
    count = 0
    for rows, lines in listing.lines():
        count += rows
        yield lines
    end = {"count": count, "snapshot_id": None if snapshot_id is None else str(snapshot_id), **about}
    yield orjson.dumps({"end": end}) + b"\n"


def arrow(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[Part, None, None]:
    """The list as an Arrow IPC stream."""
    schema, count = listing.schema, 0
    begun: Part = _bytes(schema.serialize())
    for batch in listing.batches():
        count += batch.num_rows
        part = _bytes(batch.serialize())
        yield b"".join((begun, part)) if begun else part
        begun = b""
    end = {"count": str(count)} | ({} if snapshot_id is None else {"snapshot_id": str(snapshot_id)})
    end |= {key: orjson.dumps(value).decode() for key, value in about.items()}
    yield b"".join((begun, _ending(schema, end)))


def _ending(schema: pa.Schema, metadata: Mapping[str, str]) -> Part:
    """A batch of no rows, and the mark of the stream's end."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_pylist([], schema=schema), custom_metadata=metadata)
    return _bytes(sink.getvalue())[schema.serialize().size :]


def _bytes(buffer: pa.Buffer) -> memoryview:
    return memoryview(buffer).cast("B")


def _pieces(part: Part) -> Iterator[memoryview]:
    whole = memoryview(part)
    for at in range(0, len(whole), PIECE_BYTES):
        yield whole[at : at + PIECE_BYTES]


class Stream(StreamingResponse):
    """A streamed answer whose first part is at hand before its status is sent.

    So a failure that shows at once has its proper status, and only later ones break the connection.
    The generator runs in worker threads, a little ahead of what is sent, and is closed when the client goes away.
    """

    def __init__(self, parts: Generator[Part, None, None], media_type: str, headers: dict[str, str]) -> None:
        self._parts = parts
        self._making: asyncio.Task[list[Part]] | None = None
        self._ahead = AHEAD_BYTES
        super().__init__(self._sent(next(parts)), media_type=media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                if self._making is not None:
                    await asyncio.gather(self._making, return_exceptions=True)
                await run_in_threadpool(self._parts.close)

    async def _sent(self, first: Part) -> AsyncIterator[Part]:
        some = [first]
        while some:
            self._making = asyncio.create_task(run_in_threadpool(self._more))
            for part in some:
                for piece in _pieces(part):
                    yield piece
            is_waited_for = not self._making.done()
            some = await asyncio.shield(self._making)
            self._ahead = FAST_AHEAD_BYTES if is_waited_for else AHEAD_BYTES

    def _more(self) -> list[Part]:
        """The next parts; none at the end."""
        made: list[Part] = []
        size = 0
        with COMPUTING.taken():
            for part in self._parts:
                made.append(part)
                size += len(part)
                if size >= self._ahead:
                    break
        return made
