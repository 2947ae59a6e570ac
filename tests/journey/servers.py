"""Start the server and the command line as a user does."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.journey.preloaded import APP, Forked, run, started

START_SECONDS = 240
"""Limit of a server's start, on a machine that many processes share."""
LOG_SECONDS = 10


@dataclass
class Running:
    """A server process with its URI, a client and its log."""

    uri: str
    process: subprocess.Popen[bytes] | Forked
    http: httpx.Client
    log: Path

    def logged(self, text: str, at_least: int = 0) -> int:
        """Return how often the log contains a text; wait for ``at_least``: a request is logged after its response."""
        deadline = time.monotonic() + LOG_SECONDS
        while (count := self.log.read_text().count(text)) < at_least and time.monotonic() < deadline:
            time.sleep(0.01)
        return count

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        """Return a JSON response of the native API; assert that the status is 200."""
        response = self.http.get(f"/api/v1{path}", params=params)
        assert response.status_code == 200, (path, response.status_code, response.text[:2000])
        answer: dict[str, Any] = response.json()
        return answer

    def rows(self, path: str, **params: Any) -> list[dict[str, Any]]:
        """Return all rows of a list, page by page."""
        key = path.rsplit("/", 1)[-1]
        rows: list[dict[str, Any]] = []
        answer = self.get(path, page_size=1000, **params)
        rows += answer[key]
        while answer["next_page_token"] is not None:
            answer = self.get(path, page_size=1000, page_token=answer["next_page_token"], **params)
            rows += answer[key]
        return rows

    def post(self, path: str, body: object = None, status: int = 200) -> dict[str, Any]:
        """Send a POST request; assert its status, and return the JSON response."""
        response = self.http.post(f"/api/v1{path}", json=body)
        assert response.status_code == status, (path, response.status_code, response.text[:2000])
        answer: dict[str, Any] = response.json()
        return answer


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the index in ``folder``, without other settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAKEMUSTER_")}
    defaults = {
        "DATABASE_URL": f"sqlite:///{folder}/index.db",
        "SEGMENTS_URL": f"{folder}/segments",
        "CACHE_DIR": f"{folder}/cache",
        "MAX_STALENESS": "0",
        "DECODERS": "1",
    }
    named = {f"LAKEMUSTER_{name}": value for name, value in {**defaults, **settings}.items()}
    return {**kept, "PYTHONPATH": str(APP), **named}


def lakemuster(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return run(words, folder, environment(folder, settings))


def lakemuster_on_terminal(folder: Path, *words: str, columns: int = 300) -> tuple[int, str]:
    """Run the command line on a terminal with this width; return its status and output."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    known = {name: value for name, value in environment(folder, {}).items() if name not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "lakemuster", *words],
        cwd=folder,
        env=known | {"TERM": "xterm", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=there,
    )
    os.close(there)
    printed = b""
    with suppress(OSError):  # Linux: the other side is closed
        while some := os.read(here, 2**16):
            printed += some
    os.close(here)
    text = re.sub(r"\x1b\[[0-9;]*m", "", printed.decode())
    return process.wait(), text.replace("\r\n", "\n")


def start(folder: Path, *words: str, **settings: str) -> Running:
    """Start a server and wait until it is ready."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    log = folder / "server.log"
    with log.open("ab") as output:
        process = started(["serve", "--port", str(port), *words], folder, environment(folder, settings), output)
    certificate = settings.get("TLS_CERT")
    uri = f"{'http' if certificate is None else 'https'}://127.0.0.1:{port}"
    trusted = ssl.create_default_context(cafile=certificate)
    client = httpx.Client(base_url=uri, timeout=120, verify=trusted)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"the server ended with {process.returncode}: {log.read_text()[-4000:]}")
        try:
            if client.get("/readyz").status_code == 200:
                return Running(uri, process, client, log)
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)  # its workers too
    raise AssertionError(f"the server was not ready within {START_SECONDS} s: {log.read_text()[-4000:]}")


def stop(running: Running) -> int:
    """Stop a server as an operator would; return its exit status."""
    running.http.close()
    if running.process.poll() is None:
        running.process.send_signal(signal.SIGTERM)
        try:
            running.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            running.process.kill()
    return running.process.wait()


@contextmanager
def served(folder: Path, *words: str, **settings: str) -> Iterator[Running]:
    """Run a server until the block ends."""
    running = start(folder, *words, **settings)
    try:
        yield running
    finally:
        stop(running)
