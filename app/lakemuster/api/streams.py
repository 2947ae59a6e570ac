"""Whole lists as streams that say when they are complete.

NDJSON ends with ``{"end": {"count": n, "snapshot_id": "…"}}``; an Arrow stream with a batch of no rows
whose metadata are ``count`` and ``snapshot_id``. More may be said there of the whole list. What fails on the
way breaks the connection.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from itertools import chain
from typing import cast

import anyio
import orjson
import pyarrow as pa
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lakemuster.api.listings import Streamed


def ndjson(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[bytes, None, None]:
    """Every row as a line, and the line that says that this was all."""
    count = 0
    for rows, lines in listing.lines():
        count += rows
        yield lines
    end = {"count": count, "snapshot_id": None if snapshot_id is None else str(snapshot_id), **about}
    yield orjson.dumps({"end": end}) + b"\n"


def arrow(listing: Streamed, snapshot_id: int | None, about: Mapping[str, object]) -> Generator[bytes, None, None]:
    """The list as an Arrow IPC stream."""
    sink = _Sink()
    schema, count = listing.schema, 0
    writer = pa.ipc.new_stream(sink, schema)
    for batch in listing.batches():
        count += batch.num_rows
        writer.write_batch(batch)
        yield sink.take()
    end = {"count": str(count)} | ({} if snapshot_id is None else {"snapshot_id": str(snapshot_id)})
    end |= {key: orjson.dumps(value).decode() for key, value in about.items()}
    empty = pa.RecordBatch.from_pylist([], schema=schema)
    writer.write_batch(empty, custom_metadata=end)
    writer.close()
    yield sink.take()


class Stream(StreamingResponse):
    """A streamed answer whose first part is at hand before its status is sent.

    So a failure that shows at once has its proper status, and only later ones break the connection.
    The generator runs in worker threads, and is closed when the client goes away.
    """

    def __init__(self, parts: Generator[bytes, None, None], media_type: str, headers: dict[str, str]) -> None:
        self._parts = parts
        super().__init__(chain([next(parts)], parts), media_type=media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await run_in_threadpool(self._parts.close)


class _Sink:
    """A file for Arrow to write to, emptied part by part."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: object) -> int:
        part = bytes(cast("memoryview", data))
        self._parts.append(part)
        return len(part)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        """What was written since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)

    def close(self) -> None:
        """Nothing to close."""

    def writable(self) -> bool:
        """Always."""
        return True
