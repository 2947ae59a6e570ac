"""A webhook receiver with faults that tests choose, and checks of the deliveries that it received.

It shares no code with the sender: OpenSSL's command line verifies signatures.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback_http import listening

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()


@dataclass(frozen=True)
class Got:
    """A received request.

    Attributes:
        is_taken: whether the receiver accepted it.
    """

    headers: Mapping[str, str]
    body: bytes
    is_taken: bool

    @property
    def message_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass(frozen=True)
class Verdict:
    """The response to a request.

    Attributes:
        kind: ``answer``, ``reset`` (of the connection, without a response), ``hang`` (until the receiver stops) or
            ``take and reset``: the request is processed, and its response lost.
    """

    kind: str = "answer"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


OK = Verdict()


@dataclass
class Receiver:
    """A receiver, and all received requests in order."""

    decide: Callable[[int], Verdict]
    port: int = 0
    got: list[Got] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=hidden"

    def taken(self) -> list[Got]:
        """Return each accepted message once, in the order of first acceptance."""
        return list({one.message_id: one for one in reversed(self.got) if one.is_taken}.values())[::-1]

    def events(self) -> list[dict[str, Any]]:
        return [one.event for one in self.taken()]


@contextmanager
def receiving(decide: Callable[[int], Verdict] = lambda _: OK) -> Iterator[Receiver]:
    """Run a receiver.

    Args:
        decide: returns the verdict for the number of a request, from 0.
    """
    receiver = Receiver(decide)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with receiver.lock:
                verdict = receiver.decide(len(receiver.got))
                is_taken = verdict.kind == "take and reset" or (verdict.kind == "answer" and verdict.status < 300)
                headers = {name.lower(): value for name, value in self.headers.items()}
                headers["peer"] = str(self.client_address)
                receiver.got.append(Got(headers, body, is_taken))
            if verdict.kind == "hang":
                receiver.over.wait(600)
            if verdict.kind != "answer":
                # With SO_LINGER at zero, closing sends a reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                return
            self.send_response(verdict.status)
            for name, value in verdict.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Suppress log messages."""

        def handle(self) -> None:
            """Ignore errors of connections, which a sender may close at any time."""
            try:
                super().handle()
            except OSError:
                self.close_connection = True

    with listening(Handler) as port:
        receiver.port = port
        try:
            yield receiver
        finally:
            receiver.over.set()


def is_signed(one: Got, key: bytes = KEY) -> bool:
    """Return whether a request has the signature of its id, time and body that OpenSSL computes."""
    content = f"{one.message_id}.{one.headers['webhook-timestamp']}.".encode() + one.body
    options = ("-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key.hex()}", "-binary")
    made = subprocess.run(["openssl", "dgst", *options], input=content, capture_output=True, check=True).stdout
    return f"v1,{base64.b64encode(made).decode()}" in one.headers["webhook-signature"].split()


def check_deliveries(
    got: Sequence[Got], expected: Sequence[tuple[str, dict[str, Any]]], *, is_signed_by: bytes
) -> None:
    """Check that a receiver got exactly the expected events, in order, each at least once.

    Args:
        expected: message ids and events that it must have accepted, in order.
    """
    ids = [name for name, _ in expected]
    events = dict(expected)
    taken: list[str] = []
    for one in got:
        assert one.message_id in events, f"{one.message_id} is not an expected event"
        assert one.event == events[one.message_id]
        at = ids.index(one.message_id)
        # All earlier events were accepted; this one perhaps too, if its response was lost.
        assert set(ids[:at]) <= set(taken), f"{one.message_id} was delivered before an earlier event was accepted"
        if one.is_taken:
            taken.append(one.message_id)
    assert list(dict.fromkeys(taken)) == ids
    assert all(is_signed(one, is_signed_by) for one in got)
