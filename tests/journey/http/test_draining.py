"""A server that is told to stop fails its readiness check first, still handles requests, ends streams, and exits."""

from __future__ import annotations

import json
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import Running, served, stop
from tests.polling import until

DATA = pa.table({"id": pa.array(range(10), pa.int64())})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    made = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    made.create_namespace("db")
    made.create_table("db.t", DATA.schema).append(DATA)
    return tmp_path / "lake"


def is_ready(server: Running) -> tuple[int, dict[str, str]]:
    answer = httpx.get(f"{server.uri}/readyz", timeout=60)
    return answer.status_code, answer.json()["checks"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_readiness_says_no_first_and_everything_else_is_answered_until_the_end(
    tmp_path: Path, lake: Path, workers: str
) -> None:
    of = {"ROOTS": str(lake), "MAX_STALENESS": "3600", "DRAIN_SECONDS": "300"}
    with served(tmp_path / "server", "--workers", workers, **of) as server:
        server.post("/tables", {"name": "db.t", "location": f"{lake}/db/t"}, 201)
        server.post("/tables/db.t/plan", {})
        assert is_ready(server)[0] == 200
        with (
            httpx.Client(base_url=server.uri, timeout=60) as other,
            ThreadPoolExecutor() as pool,
            other.stream("GET", "/api/v1/events") as events,
        ):
            lines = events.iter_lines()
            assert next(lines).startswith("retry: ")
            half = _begun(server)
            server.process.send_signal(signal.SIGTERM)
            until(lambda: is_ready(server)[0] == 503)
            checks = is_ready(server)[1]
            if workers == "1":  # the signal may not have reached every worker yet
                assert checks["server"].startswith("stopping"), checks
            assert {checks[name] for name in ("database", "segments", "clock")} == {"ok"}
            # A request on an open connection succeeds, and its response closes the connection.
            plan = server.http.post("/api/v1/tables/db.t/plan", json={})
            assert (plan.status_code, len(plan.json()["files"])) == (200, 1)
            if workers == "1":  # the signal may not have reached every worker yet
                assert plan.headers["connection"] == "close"
            # A request that began before the signal completes.
            assert len(pool.submit(_ended, half).result()["files"]) == 1
            os.killpg(server.process.pid, signal.SIGINT)
            # The stream ends like a complete response, so that its client reconnects elsewhere.
            assert not [line for line in lines if line.startswith("data:")]
        assert server.process.wait(60) == 0
        assert "Traceback" not in server.log.read_text()


def _begun(server: Running) -> socket.socket:
    """Return a connection on which half of a request has been sent."""
    sent = socket.create_connection(("127.0.0.1", httpx.URL(server.uri).port or 0), 60)
    sent.sendall(b"POST /api/v1/tables/db.t/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
    return sent


def _ended(half: socket.socket) -> dict[str, list[object]]:
    """Send the rest of the request and return the response."""
    with half, half.makefile("rb") as answer:
        half.sendall(b"Content-Length: 2\r\n\r\n{}")
        assert answer.readline() == b"HTTP/1.1 200 OK\r\n"
        length = 0
        while (line := answer.readline().strip().lower()) != b"":
            length = int(line.partition(b":")[2]) if line.startswith(b"content-length:") else length
        found: dict[str, list[object]] = json.loads(answer.read(length))
        return found


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_ends_a_server_at_once_while_it_drains(tmp_path: Path, workers: str) -> None:
    with served(tmp_path / "server", DRAIN_SECONDS="600", WORKERS=workers) as server:
        server.process.send_signal(signal.SIGTERM)
        until(lambda: is_ready(server)[0] == 503)
        server.process.send_signal(signal.SIGTERM)  # a second signal, as from a supervisor, has no effect
        until(lambda: is_ready(server)[0] == 503)  # another worker may not have the first one yet
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0


@pytest.mark.parametrize("seconds", ["0", "0.5"])
def test_a_server_ends_when_it_has_drained(tmp_path: Path, seconds: str) -> None:
    with served(tmp_path / "server", DRAIN_SECONDS=seconds) as server:
        assert stop(server) == 0
        with pytest.raises(httpx.TransportError):
            is_ready(server)
