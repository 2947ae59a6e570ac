"""One request to a receiver: the responses that count as success, and its deadlines."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from lakemuster.jobs.webhook_sender import MAX_ANSWER_BYTES, Answer, Sender, Stopped
from lakemuster.jobs.webhooks import LONGEST_PAUSE, LONGEST_RETRY_AFTER, pause_after
from tests.certificates import write_certificate
from tests.polling import until
from tests.webhook_receiver import Verdict, receiving

BODY = b"{}"
HEADERS = {"webhook-id": "1", "Content-Type": "application/cloudevents+json"}


def send(url: str, answer_seconds: float = 30.0, goes_on: Callable[[], bool] = lambda: True) -> Answer:
    with Sender(url, goes_on, answer_seconds) as sender:
        return sender.send(HEADERS, BODY)


@pytest.mark.parametrize(
    ("verdict", "status", "error"),
    [
        (Verdict(status=204), 204, None),
        (Verdict(status=302, headers={"Location": "/hook"}), 302, "it redirects, which is not followed"),
        (Verdict(status=410), 410, "it answers with the status 410"),
        (Verdict(status=500), 500, "it answers with the status 500"),
        (Verdict("reset"), None, "the connection broke before the answer"),
    ],
)
def test_only_a_status_of_success_takes_a_message(verdict: Verdict, status: int | None, error: str | None) -> None:
    with receiving(lambda _: verdict) as receiver:
        answer = send(receiver.url)
        assert (answer.status, answer.error) == (status, error)
        assert len(receiver.got) == 1


@pytest.mark.parametrize("target", ["mailto:x", "http://xn--a.com/", "http://[::1", "http://256.256.256.256/"])
def test_a_redirect_to_an_invalid_url_is_a_failure_like_any_other(target: str) -> None:
    with receiving(lambda _: Verdict(status=307, headers={"Location": target})) as receiver:
        assert send(receiver.url) == Answer(307, "it redirects, which is not followed")


def test_a_receiver_that_does_not_answer_is_left() -> None:
    with receiving(lambda _: Verdict("hang")) as receiver:
        assert send(receiver.url, answer_seconds=0.2) == Answer(None, "it has not answered in time")


def test_a_request_under_way_is_given_up_when_the_run_ends() -> None:
    with receiving(lambda _: Verdict("hang")) as receiver, pytest.raises(Stopped):
        send(receiver.url, goes_on=lambda: not receiver.got)


def test_nobody_there_is_said_without_the_url() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        answer = send(f"http://127.0.0.1:{probe.getsockname()[1]}/hidden")
    assert answer == Answer(None, "no connection: connection refused")


def test_one_connection_serves_many_messages() -> None:
    with receiving() as receiver, Sender(receiver.url, lambda: True) as sender:
        assert [sender.send(HEADERS, b"{}").status for _ in range(3)] == [200] * 3
        assert len({one.headers["peer"] for one in receiver.got}) == 1


@pytest.mark.parametrize(
    "rest", [b"Content-Length: 2\r\n\r\nok", b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"], ids=["length", "chunks"]
)
def test_a_body_of_a_response_that_has_none_is_not_taken_for_the_next_response(rest: bytes) -> None:
    def serve() -> None:
        for _ in range(3):
            with listener.accept()[0] as connection, suppress(OSError):
                received = b"-"
                while received:
                    received = connection.recv(2**16)
                    if received.endswith(BODY):
                        connection.sendall(b"HTTP/1.1 204 No Content\r\n" + rest)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with Sender(f"http://127.0.0.1:{listener.getsockname()[1]}", lambda: True) as sender:
            assert [sender.send(HEADERS, BODY) for _ in range(3)] == [Answer(204, None)] * 3
        thread.join(30)


@contextmanager
def answering(parts: Callable[[], Iterator[bytes]], context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Serve one request with these bytes until the client stops reading; yield the port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            try:
                connection, _ = listener.accept()
                with connection if context is None else context.wrap_socket(connection, server_side=True) as peer:
                    received = b"-"
                    # Read the whole request: closing with unread data resets the connection and discards the response.
                    while not received.endswith(BODY) and (more := peer.recv(65536)):
                        received += more
                    for part in parts():
                        peer.sendall(part)
            except OSError:
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.close()
        until(lambda: not thread.is_alive())


def test_a_head_that_drips_has_the_same_limit_of_time() -> None:
    gone = threading.Event()

    def drips() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        while not gone.wait(0.02):
            yield b"X-Drip: 1\r\n"

    with answering(drips) as port:
        assert send(f"http://127.0.0.1:{port}/", answer_seconds=0.5) == Answer(None, "it has not answered in time")
        gone.set()


@pytest.mark.parametrize("length", [10**12, MAX_ANSWER_BYTES * 2])
def test_a_long_answer_is_not_read(length: int) -> None:
    sent = 0

    def floods() -> Iterator[bytes]:
        nonlocal sent
        yield f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()
        while sent < 2**28:
            sent += 65536
            yield b"x" * 65536

    with answering(floods) as port:
        assert send(f"http://127.0.0.1:{port}/") == Answer(200, None)
    assert sent < 2**26


def test_a_certificate_must_be_of_a_known_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    taken = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with answering(lambda: iter([taken]), context) as port:
        answer = send(f"https://127.0.0.1:{port}/")
        assert answer == Answer(None, "no connection: its TLS certificate is not trusted")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with answering(lambda: iter([taken]), context) as port:
        assert send(f"https://127.0.0.1:{port}/") == Answer(200, None)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", Answer(None, "the connection broke before the answer")),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", Answer(200, None)),
    ],
    ids=["before the head", "after the head"],
)
def test_bytes_outside_of_tls_break_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes, expected: Answer
) -> None:
    certificate, key = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with suppress(OSError), context.wrap_socket(connection, server_side=True) as peer:
                peer.recv(65536)
                peer.sendall(head)
                with socket.socket(fileno=os.dup(peer.fileno())) as bare:
                    bare.sendall(b"no record of TLS")
                while peer.recv(65536):
                    pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        assert send(f"https://127.0.0.1:{listener.getsockname()[1]}/") == expected


def test_authorities_that_cannot_be_read_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    error = "the authorities of TLS certificates cannot be read: see SSL_CERT_FILE"
    assert send("https://127.0.0.1:1/") == Answer(None, error)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("7", 7, 7),
        ("9999999999999", 999_999_999, 999_999_999),
        # Collection may be long before the test runs.
        (format_datetime(datetime.now(UTC) + timedelta(hours=10)), 5 * 3600, 10 * 3600),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("soon", None, None),
        ("Wed, 21 Oct 2015 99999999999999999999:28:00 GMT", None, None),
        ("-1", None, None),
    ],
    ids=["seconds", "many seconds", "a date", "a date of the past", "a word", "20 digits", "less than nothing"],
)
def test_a_receiver_may_ask_for_a_pause(text: str, low: float | None, high: float | None) -> None:
    with receiving(lambda _: Verdict(status=429, headers={"Retry-After": text})) as receiver:
        found = send(receiver.url).retry_after
        assert found is None if low is None or high is None else found is not None and low <= found <= high


def test_pauses_grow_within_limits() -> None:
    longest = [pause_after(failures, None, 1.0, lambda: 1.0) for failures in range(1, 12)]
    assert longest == [1, 2, 4, 8, 16, 32, 64, 128, 256, LONGEST_PAUSE, LONGEST_PAUSE]
    assert [pause_after(failures, None, 1.0, lambda: 0.0) for failures in (1, 4)] == [0.5, 4]
    assert pause_after(10**6, None, 1.0, lambda: 1.0) == LONGEST_PAUSE
    assert pause_after(1, 90.0, 1.0, lambda: 1.0) == 90
    assert pause_after(9, 90.0, 1.0, lambda: 1.0) == 256
    assert pause_after(1, 10.0**9, 1.0, lambda: 1.0) == LONGEST_RETRY_AFTER
