"""Streams whose clients do not read: their memory is bounded, they time out, and other requests succeed meanwhile."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from benchmarks.generate import iceberg_table
from tests.journey.servers import served

STREAMS = 260
BYTES_A_STREAM = 8 * 2**20
"""Memory of each of the at most 128 streams of a caller: the bytes being sent, the next ones, and their source."""
RETAINED_BYTES = 100 * 2**20
PLAN = "/api/v1/tables/b.t/plan"
ARROW = "application/vnd.apache.arrow.stream"
LATE_SECONDS = 90.0


def memory(process: int) -> int:
    """Return the anonymous resident memory of a process, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) * 1024


def is_open(client: socket.socket) -> bool:
    """Return whether the connection is established, without reading from it."""
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1


def test_unread_streams_have_limits_and_time_out(tmp_path: Path) -> None:
    iceberg_table(tmp_path / "lake/t", files=30_000, columns=20, manifests=10, level=1)
    with (
        served(tmp_path / "server", ROOTS=str(tmp_path / "lake"), MAX_STALENESS="1000") as running,
        ExitStack() as stack,
    ):
        running.post("/tables", {"name": "b.t", "location": str(tmp_path / "lake/t")}, 201)
        whole = running.http.post(PLAN, json={}, headers={"Accept": ARROW}).content
        assert len(whole) > 6 * 2**20, "more than the system holds of a connection"
        process = running.process.pid
        before = peak = memory(process)
        address = urlsplit(running.uri)
        lines = (f"POST {PLAN} HTTP/1.1", "Host: 127.0.0.1", f"Accept: {ARROW}", "Content-Type: application/json")
        request = "\r\n".join((*lines, "Content-Length: 2", "", "{}")).encode()
        clients = []
        for _ in range(STREAMS):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
            client.settimeout(20)
            client.connect((address.hostname, address.port))
            client.sendall(request)
            clients.append(client)
        until = time.monotonic() + LATE_SECONDS
        with httpx.Client(base_url=running.uri, timeout=20) as http:
            while (waiting := sum(map(is_open, clients))) and time.monotonic() < until:
                peak = max(peak, memory(process))
                assert http.get("/api/v1/tables").status_code == 200
                assert http.post(PLAN, json={"page_size": 1, "limit": 1}).status_code == 200
                time.sleep(0.1)
                refused = [client for client in clients if is_open(client) and _is_refused(client)]
                for client in refused:
                    clients.remove(client)
        assert not waiting, f"{waiting} streams are still open"
        assert peak - before < 128 * BYTES_A_STREAM
        while (after := memory(process)) - before > RETAINED_BYTES and time.monotonic() < until + LATE_SECONDS:
            time.sleep(0.1)
        assert after - before <= RETAINED_BYTES
        assert running.http.post(PLAN, json={}, headers={"Accept": ARROW}).content == whole


def _is_refused(client: socket.socket) -> bool:
    """Return whether the response is 503, for too many streams."""
    client.setblocking(False)
    try:
        return client.recv(12, socket.MSG_PEEK).startswith(b"HTTP/1.1 503")
    except BlockingIOError:
        return False
    except OSError:
        return True
