"""Proxies that inject faults: one for an object store, one for PostgreSQL.

Both run in one event loop in a separate thread. A seeded generator selects the requests that fail.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args
from urllib.parse import unquote

T = TypeVar("T")

StorageFault = Literal["500", "503", "403", "404", "hang", "reset", "truncate", "short", "flip", "drip"]
STORAGE_FAULTS: tuple[StorageFault, ...] = get_args(StorageFault)
DatabaseFault = Literal["hang", "reset", "refuse"]
DATABASE_FAULTS: tuple[DatabaseFault, ...] = ("hang", "reset", "refuse")

_CODES = {"500": "InternalError", "503": "SlowDown", "403": "AccessDenied", "404": "NoSuchKey"}
_DRIP_SECONDS = 0.2
_SERVER, _ELSEWHERE = re.compile(r"http://[^/:]+:([0-9]+)"), re.compile(r"/@([0-9]+)")


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault for a share (``probability``) of the requests whose path matches ``pattern``."""

    pattern: str
    fault: StorageFault
    probability: float


class Loop:
    """An event loop in a separate thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxies", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def close(self) -> None:
        """Cancel all tasks and stop the loop."""

        async def cancel() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self.run(cancel())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def _close(server: asyncio.Server) -> None:
    """Close the server within the loop, where no connection handler runs at the same time."""
    server.close()


class StorageProxy:
    """A proxy for an object store: it returns the store's responses, except where a rule injects a fault.

    It follows redirects, such as those of HDFS to a data node, through itself.

    ``asked`` counts the requests for each object and listing, ``most_at_once`` the largest number of concurrent ones.

    ``short`` and ``flip`` change an object's bytes and keep the response well-formed: ``short`` drops bytes at the end
    and adjusts the length, ``flip`` inverts one bit. They skip listings, which have no digest that could reveal the
    change.

    Args:
        content: a pattern of the paths of requests for the bytes of an object.
    """

    def __init__(self, loop: Loop, upstream_port: int, content: str, seed: int) -> None:
        self._loop, self._upstream, self._content = loop, upstream_port, content
        self._random = random.Random(seed)
        self.rules: tuple[Rule, ...] = ()
        self.done: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.most_at_once: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._server = loop.run(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def tell(self, *rules: Rule) -> None:
        """Apply these rules from now on; requests that hang under earlier rules end."""

        async def change() -> None:
            self.rules = rules
            self._changed.set()
            self._changed = asyncio.Event()

        self._loop.run(change())

    def forget(self) -> None:
        """Reset the counters."""
        self.asked.clear()
        self.most_at_once.clear()

    def close(self) -> None:
        """Stop accepting connections."""
        self._loop.run(_close(self._server))

    def _fault(self, method: str, path: str) -> StorageFault | None:
        plain = unquote(path)
        for rule in self.rules:
            if re.search(rule.pattern, plain) and self._random.random() < rule.probability:
                content_only = rule.fault in ("short", "flip")
                if content_only and (method != "GET" or not re.search(self._content, path)):
                    continue
                self.done[rule.fault] += 1
                return rule.fault
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handle one request; return whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
        if re.search(rb"(?i)\r\nexpect: *100-continue", head):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(int(length[1])) if length else b""
        key = path.partition("?")[0] + "".join(re.findall(r"[?&](?:op|prefix)=[^&]*", path))
        self.asked[key] += 1
        self._under_way[key] += 1
        self.most_at_once[key] = max(self.most_at_once[key], self._under_way[key])
        try:
            return await self._answer(method, path, head, body, writer)
        finally:
            self._under_way[key] -= 1

    async def _answer(self, method: str, path: str, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> bool:
        fault = self._fault(method, path)
        if fault in _CODES:
            text = f"<Error><Code>{_CODES[fault]}</Code></Error>".encode()
            writer.write(_answer(f"HTTP/1.1 {fault} Fault".encode(), {}, b"" if method == "HEAD" else text))
            await writer.drain()
            return True
        if fault == "hang":
            await self._changed.wait()
            return False
        if fault == "reset":
            _reset(writer)
            return False
        status, headers, answer = await self._ask(path, head, body)
        if fault == "short":
            answer = answer[: len(answer) // 2]
        elif fault == "flip" and answer:
            place = self._random.randrange(len(answer) * 8)
            changed = bytearray(answer)
            changed[place // 8] ^= 1 << place % 8
            answer = bytes(changed)
        whole = _answer(status, headers, answer, None if method != "HEAD" else headers.get("content-length", "0"))
        if fault == "truncate":
            writer.write(whole[: max(1, len(whole) - len(answer) // 2 - 1)])
            await writer.drain()
            return False
        if fault == "drip":
            await self._drip(writer, whole)
            return False
        writer.write(whole)
        await writer.drain()
        return True

    async def _drip(self, writer: asyncio.StreamWriter, whole: bytes) -> None:
        changed = self._changed
        for place in range(len(whole)):
            writer.write(whole[place : place + 1])
            await writer.drain()
            try:
                await asyncio.wait_for(changed.wait(), _DRIP_SECONDS)
            except TimeoutError:
                continue
            return

    async def _ask(self, path: str, head: bytes, body: bytes) -> tuple[bytes, dict[str, str], bytes]:
        """Return the upstream server's status line, headers and body."""
        elsewhere = _ELSEWHERE.match(path)
        reader, writer = await asyncio.open_connection("127.0.0.1", int(elsewhere[1]) if elsewhere else self._upstream)
        try:
            lines = [line for line in head.rstrip().split(b"\r\n") if not line.lower().startswith(b"connection:")]
            method = lines[0].partition(b" ")[0]
            target = path[elsewhere.end() :] if elsewhere else path
            # With HTTP/1.0, servers send the body unchunked and close the connection.
            lines[0] = b" ".join((method, target.encode("latin-1"), b"HTTP/1.0"))
            writer.write(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)
            await writer.drain()
            answer = await reader.read()
        finally:
            writer.close()
        start, _, content = answer.partition(b"\r\n\r\n")
        status, *lines = start.split(b"\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if there := _SERVER.match(headers.get("location", "")):
            headers["location"] = f"http://127.0.0.1:{self.port}/@{there[1]}{headers['location'][there.end() :]}"
        return b"HTTP/1.1 " + status.partition(b" ")[2], headers, content


def _answer(status: bytes, headers: dict[str, str], body: bytes, length: str | None = None) -> bytes:
    told = {name: value for name, value in headers.items() if name not in ("content-length", "connection")}
    told["content-length"] = str(len(body)) if length is None else length
    lines = [status, *(f"{name}: {value}".encode("latin-1") for name, value in told.items())]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def _reset(writer: asyncio.StreamWriter) -> None:
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class DatabaseProxy:
    """A proxy for PostgreSQL's socket that passes bytes both ways.

    ``hang`` stops the transfer, ``reset`` resets connections, ``refuse`` resets new ones too.
    """

    def __init__(self, loop: Loop, socket_path: str) -> None:
        self._loop, self._path = loop, socket_path
        self._fault: DatabaseFault | None = None
        self._clear = asyncio.Event()
        self._clear.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server = loop.run(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=256))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def tell(self, fault: DatabaseFault | None) -> None:
        """Apply a fault to all connections from now on; None ends it."""

        async def change() -> None:
            self._fault = fault
            if fault == "hang":
                self._clear.clear()
            else:
                self._clear.set()
            if fault in ("reset", "refuse"):
                for writer in list(self._writers):
                    _reset(writer)

        self._loop.run(change())

    def close(self) -> None:
        """Stop accepting connections."""
        self._loop.run(_close(self._server))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._fault == "refuse":
            _reset(writer)
            return
        self._writers.add(writer)
        try:
            theirs, ours = await asyncio.open_unix_connection(self._path)
            self._writers.add(ours)
            try:
                await asyncio.gather(self._pass(reader, ours), self._pass(theirs, writer))
            finally:
                self._writers.discard(ours)
                ours.close()
        except OSError:
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(1 << 16):
            await self._clear.wait()
            target.write(data)
            await target.drain()
        target.close()
