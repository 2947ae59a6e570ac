"""Compress the responses of lists with zstd or gzip, if the client accepts it (RFC 9110).

Each form of a response has its own strong ETag; the ETag of a compressed form ends in its coding: ``"1f-gzip"``.
If-None-Match may name the tag of any form. A stream is compressed as one frame while it is sent.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Protocol

import pyarrow as pa
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster.api import media
from lakemuster.api.vectored_body import VectoredBody
from lakemuster.cpu_semaphore import CPU

CODINGS = ("zstd", "gzip")
"""Content codings in the order of preference."""

FEWEST_BYTES = 1000
"""Shorter bodies are not compressed: they fit in one packet."""

FEW_BYTES = 16 * 1024
"""Maximum length of bodies that are compressed on the event loop, without a thread."""

_PREFIX = "/api/v1/"
_IF_NONE_MATCH = b"if-none-match"
_CODED_TAG = re.compile(rb'("[^"]*)-(?:%s)"' % "|".join(CODINGS).encode())
_GZIP_LEVEL = 1
_GZIP_WINDOW = zlib.MAX_WBITS | 16


class Compression:
    """ASGI middleware that compresses the responses of native lists."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the app's response, compressed if the client prefers it."""
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(_PREFIX):
            await self._app(scope, receive, send)
            return
        accepted = [value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-encoding"]
        given = b",".join(value for name, value in scope["headers"] if name == _IF_NONE_MATCH)
        if _CODED_TAG.search(given) is not None:
            others = [pair for pair in scope["headers"] if pair[0] != _IF_NONE_MATCH]
            scope = {**scope, "headers": [*others, (_IF_NONE_MATCH, _CODED_TAG.sub(rb'\1"', given))]}
        await self._app(scope, receive, _Encoded(send, preferred(",".join(accepted)), given).send)


def preferred(accepted: str) -> str | None:
    """Return the coding of the highest quality in an Accept-Encoding header; None for no compression."""
    qualities = dict(media.ranges(accepted))
    others = qualities.get("*", 0.0)
    found = {"zstd": qualities.get("zstd", 0.0), "gzip": qualities.get("gzip", others)}
    best = max(CODINGS, key=lambda coding: found[coding])
    return best if found[best] > 0 and found[best] >= qualities.get("identity", 0.0) else None


class _Compressor(Protocol):
    def add(self, data: bytes | memoryview | pa.Buffer) -> bytes: ...

    def flush(self) -> bytes: ...

    def end(self) -> bytes: ...


class _Gzip:
    def __init__(self) -> None:
        self._state = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)

    def add(self, data: bytes | memoryview | pa.Buffer) -> bytes:
        return self._state.compress(data)

    def flush(self) -> bytes:
        return self._state.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._state.flush()


class _Zstd:
    def __init__(self) -> None:
        self._written = _Written()
        self._stream = pa.CompressedOutputStream(pa.PythonFile(self._written, "w"), "zstd")

    def add(self, data: bytes | memoryview | pa.Buffer) -> bytes:
        self._stream.write(data)
        return self._written.taken()

    def flush(self) -> bytes:
        self._stream.flush()
        return self._written.taken()

    def end(self) -> bytes:
        self._stream.close()
        return self._written.taken()


class _Written:
    """A file object that collects the bytes written to it, including those at its close."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing; required by the file interface."""

    close = flush

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


class _Encoded:
    """Wraps ``send``: holds the start of a response until the first part of its body decides whether to compress.

    Args:
        given: the request's If-None-Match.
    """

    def __init__(self, send: Send, coding: str | None, given: bytes) -> None:
        self._send = send
        self._coding = coding
        self._given = given
        self._start: Message | None = None
        self._compressor: _Compressor | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = {**message, "headers": self._described(message)}
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        body, more = message.get("body", b""), bool(message.get("more_body"))
        if self._start is not None:
            start, self._start = self._start, None
            if self._is_compressed(start, len(body), more):
                self._compressor = _Zstd() if self._coding == "zstd" else _Gzip()
                coding = (self._coding or "").encode()
                start["headers"] = [
                    *(
                        (name, _coded(value, coding) if name.lower() == b"etag" else value)
                        for name, value in start["headers"]
                        if name.lower() != b"content-length"
                    ),
                    (b"content-encoding", coding),
                ]
                if not more:
                    whole = await self._compressed(body, more)
                    start["headers"].append((b"content-length", str(len(whole)).encode()))
                    await self._send(start)
                    await self._send({**message, "body": whole})
                    return
            await self._send(start)
        if self._compressor is not None:
            body = await self._compressed(body, more)
            if more and not body:
                return
        await self._send({**message, "body": body})

    def _is_compressed(self, start: Message, length: int, more: bool) -> bool:
        names = {name.lower(): value for name, value in start["headers"]}
        form = names.get(b"content-type", b"").split(b";")[0].decode("latin-1")
        return (
            self._coding is not None
            and start["status"] == 200
            and form in media.LISTS
            and b"content-encoding" not in names
            and (more or length >= FEWEST_BYTES)
        )

    async def _compressed(self, body: bytes | VectoredBody, more: bool) -> bytes:
        if len(body) <= FEW_BYTES:
            return self._compress(body, more)
        return await run_in_threadpool(self._compress_in_turn, body, more)

    def _compress_in_turn(self, body: bytes | VectoredBody, more: bool) -> bytes:
        with CPU.permit():
            return self._compress(body, more)

    def _compress(self, body: bytes | VectoredBody, more: bool) -> bytes:
        assert self._compressor is not None
        buffers: Iterable[bytes | memoryview | pa.Buffer] = body.buffers if isinstance(body, VectoredBody) else [body]
        found = [self._compressor.add(buffer) for buffer in buffers]
        # Flush each part, so that a client can read rows as they are produced.
        return b"".join([*found, self._compressor.flush() if more else self._compressor.end()])

    def _described(self, start: Message) -> list[tuple[bytes, bytes]]:
        """Return the headers with Accept-Encoding in Vary; a 304 response gets the ETag of the form the client has."""
        found, vary = [], [b"Accept-Encoding"]
        for name, value in start["headers"]:
            if name.lower() == b"vary":
                vary.insert(len(vary) - 1, value)
            elif name.lower() == b"etag" and start["status"] == 304:
                forms = [value, *(_coded(value, coding.encode()) for coding in CODINGS)]
                found.append((name, next((form for form in forms if form in self._given), value)))
            else:
                found.append((name, value))
        return [*found, (b"vary", b", ".join(vary))]


def _coded(etag: bytes, coding: bytes) -> bytes:
    """Return the ETag of a response's compressed form."""
    return etag.removesuffix(b'"') + b"-" + coding + b'"'
