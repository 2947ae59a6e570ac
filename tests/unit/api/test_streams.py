"""Streams always close their source, also when the client disconnects."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from threading import Semaphore
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.to_thread
import pyarrow as pa
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from lakemuster.api import streams
from lakemuster.api.stream_memory import MANY, STREAM_MEMORY, StreamMemory, release_unused_memory
from lakemuster.api.streams import Stream
from lakemuster.api.vectored_body import VectoredBody


class Parts:
    """Parts of a response, with a flag that tells whether their source was closed."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.closed = False
        self.read = 0
        self.failure = failure

    def __call__(self) -> Generator[bytes, None, None]:
        try:
            for _ in range(5):
                self.read += 1
                yield b"part"
            if self.failure is not None:
                raise self.failure
        finally:
            self.closed = True


@pytest.fixture(autouse=True)
def _one_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PREFETCH_BYTES", 1)
    monkeypatch.setattr(streams, "FAST_PREFETCH_BYTES", 1)


def test_a_batch_is_one_part_with_its_length() -> None:
    batches = [pa.record_batch({"a": [number] * 3, "b": ["text"] * 3}) for number in range(4)]
    listing: Any = SimpleNamespace(schema=batches[0].schema, batches=lambda: iter(batches))
    parts = [*streams.arrow(listing, 7, {})]
    assert len(parts) == len(batches) + 1  # and the end of the stream
    whole = VectoredBody.of([b"", *parts])
    assert [len(part) for part in parts] == [len(VectoredBody.of([part]).joined()) for part in parts]
    assert len(whole) == len(whole.joined()) == sum(map(len, parts))
    with pa.ipc.open_stream(whole.joined()) as reader:
        assert reader.read_all() == pa.Table.from_batches(batches)


def run(
    stream: Stream,
    sent: list[Message],
    *,
    refuse_after: int = 100,
    seen: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Send a stream to a client that disconnects after ``refuse_after`` messages; ``seen`` delays each body."""

    async def send(message: Message) -> None:
        if len(sent) >= refuse_after:
            raise OSError
        sent.append(message)
        if seen is not None and message.get("body"):
            await seen()

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    scope = {"type": "http", "asgi": {"spec_version": "2.4"}, "method": "GET"}
    anyio.run(stream, scope, receive, send)


def test_a_stream_sends_every_part_and_ends() -> None:
    parts = Parts()
    sent: list[Message] = []
    run(Stream(parts(), "text/plain", {}), sent)
    start, *bodies = sent
    assert start["status"] == 200
    assert b"".join(message["body"] for message in bodies) == b"part" * 5
    assert bodies[-1]["more_body"] is False
    assert parts.closed


def test_the_next_part_is_produced_while_one_is_sent() -> None:
    parts, sent, made = Parts(), list[Message](), Semaphore(0)

    def counted() -> Generator[bytes, None, None]:
        for part in parts():
            made.release()
            yield part

    async def seen() -> None:
        bodies = len(sent) - 1
        if bodies == 1:
            assert parts.read == 1, "no part is read ahead before the client takes the first one"
            return
        if bodies == 2:
            made.acquire()  # the part being sent
        if bodies < 5:
            assert await anyio.to_thread.run_sync(made.acquire, True, 10)
        assert bodies <= parts.read <= bodies + 1

    stream = Stream(counted(), "text/plain", {})
    made.acquire()
    run(stream, sent, seen=seen)
    assert len(sent) == 1 + 5 + 1


def test_small_parts_are_produced_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PREFETCH_BYTES", 2 * len(b"part"))
    monkeypatch.setattr(streams, "FAST_PREFETCH_BYTES", 2 * len(b"part"))
    parts, threads = Parts(), list[int]()

    def made() -> Generator[bytes, None, None]:
        for part in parts():
            threads.append(parts.read)
            yield part

    turns = 0

    async def in_thread(work: Callable[[], object]) -> object:
        nonlocal turns
        turns += 1
        return work()

    monkeypatch.setattr(streams, "run_in_threadpool", in_thread)
    run(Stream(made(), "text/plain", {}), [])
    assert threads == [1, 2, 3, 4, 5]
    assert turns == 2 + 1 + 1  # 2 per two parts, 1 for the end, 1 for closing


@pytest.mark.parametrize(("is_slow", "read"), [(True, [1, 3, 4, 5, 5]), (False, [1, 2, 3, 5])])
def test_more_is_produced_at_a_time_for_fast_clients(
    monkeypatch: pytest.MonkeyPatch, is_slow: bool, read: list[int]
) -> None:
    monkeypatch.setattr(streams, "FAST_PREFETCH_BYTES", 2 * len(b"part"))
    parts, made = Parts(), list[int]()

    async def in_thread(work: Callable[[], object]) -> object:
        return work()

    async def seen() -> None:
        if is_slow:
            await anyio.sleep(0.01)
        made.append(parts.read)

    monkeypatch.setattr(streams, "run_in_threadpool", in_thread)
    run(Stream(parts(), "text/plain", {}), [], seen=seen)
    assert made == read


def test_large_parts_are_sent_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "CHUNK_BYTES", 3)
    sent: list[Message] = []
    run(Stream(Parts()(), "text/plain", {}), sent)
    bodies = [bytes(message["body"]) for message in sent[1:]]
    assert bodies == [b"par", b"t"] * 5 + [b""]


def test_a_disconnected_client_stops_the_stream() -> None:
    parts = Parts()
    with pytest.raises(ClientDisconnect):
        run(Stream(parts(), "text/plain", {}), [], refuse_after=2)
    assert parts.closed
    assert parts.read < 5


def test_a_failed_stream_has_no_end() -> None:
    parts = Parts(RuntimeError("cut"))
    sent: list[Message] = []
    with pytest.raises(RuntimeError):
        run(Stream(parts(), "text/plain", {}), sent)
    assert all(message.get("more_body", True) for message in sent)
    assert parts.closed


def test_an_early_failure_is_raised_before_anything_is_sent() -> None:
    def parts() -> Generator[bytes, None, None]:
        raise RuntimeError("at once")
        yield b""

    with pytest.raises(RuntimeError):
        Stream(parts(), "text/plain", {})


def test_nothing_is_produced_ahead_above_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_HELD_BYTES", len(b"part"))
    parts, sent, read = Parts(), list[Message](), list[int]()

    async def seen() -> None:
        assert len(b"part") == STREAM_MEMORY.bytes
        assert stream._making is None
        read.append(parts.read)

    stream = Stream(parts(), "text/plain", {})
    run(stream, sent, seen=seen)
    assert read == [1, 2, 3, 4, 5]
    assert STREAM_MEMORY.bytes == 0


@pytest.mark.parametrize("refuse_after", [1, 2, 3, 100])
def test_an_ended_stream_holds_no_memory(refuse_after: int) -> None:
    with suppress(ClientDisconnect):
        run(Stream(Parts()(), "text/plain", {}), [], refuse_after=refuse_after)
    assert STREAM_MEMORY.bytes == 0


def test_memory_is_released_after_the_last_of_many_streams() -> None:
    held = StreamMemory()
    for _ in range(MANY):
        held.begin()
    assert [held.end() for _ in range(MANY)] == [False] * (MANY - 1) + [True]
    held.begin()
    assert not held.end()
    release_unused_memory()


@pytest.mark.parametrize(
    ("setting", "expected"), [({}, "system"), ({"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}, "mimalloc")]
)
def test_arrow_allocates_from_the_arenas_that_are_trimmed(setting: dict[str, str], expected: str) -> None:
    program = (
        "import pyarrow as pa; from lakemuster.api.stream_memory import share_arenas; share_arenas();"
        "print(pa.default_memory_pool().backend_name)"
    )
    inherited = {key: value for key, value in os.environ.items() if key != "ARROW_DEFAULT_MEMORY_POOL"}
    found = subprocess.run(
        [sys.executable, "-c", program], env=inherited | setting, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == expected
