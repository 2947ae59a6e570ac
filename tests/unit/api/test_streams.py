"""Streams close what they read from, whatever becomes of the client."""

from __future__ import annotations

from collections.abc import Generator

import anyio
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from lakemuster.api.streams import Stream


class Parts:
    """Parts of an answer, and whether their source was closed."""

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


def run(stream: Stream, sent: list[Message], *, refuse_after: int = 100) -> None:
    """Send a stream to a client that goes away after some messages."""

    async def send(message: Message) -> None:
        if len(sent) >= refuse_after:
            raise OSError
        sent.append(message)

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


def test_a_client_that_goes_away_ends_the_reading() -> None:
    parts = Parts()
    with pytest.raises(ClientDisconnect):
        run(Stream(parts(), "text/plain", {}), [], refuse_after=2)
    assert parts.closed
    assert parts.read < 5


def test_a_stream_that_fails_is_not_ended() -> None:
    parts = Parts(RuntimeError("cut"))
    sent: list[Message] = []
    with pytest.raises(RuntimeError):
        run(Stream(parts(), "text/plain", {}), sent)
    assert all(message.get("more_body", True) for message in sent)
    assert parts.closed


def test_what_fails_at_once_fails_before_anything_is_sent() -> None:
    def parts() -> Generator[bytes, None, None]:
        raise RuntimeError("at once")
        yield b""

    with pytest.raises(RuntimeError):
        Stream(parts(), "text/plain", {})
