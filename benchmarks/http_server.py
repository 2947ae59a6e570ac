"""A separate server process on 127.0.0.1, raw connections to it, and its use of CPU and memory."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.main import build_services

NAME = "b.t"
HOST = "127.0.0.1"
_START_SECONDS = 60
_RECEIVED_BYTES, _LAST_CHUNK = 1 << 20, b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request."""

    method: str
    path: str
    body: bytes = b""
    accept: str = "application/json"

    def head(self, port: int) -> bytes:
        """Return the request as bytes."""
        lines = [
            f"{self.method} {self.path} HTTP/1.1",
            f"Host: {HOST}:{port}",
            f"Accept: {self.accept}",
            "Content-Type: application/json",
            f"Content-Length: {len(self.body)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


def plan(text: str | None, **rest: object) -> Ask:
    """Return a plan request for the table ``NAME``."""
    return plan_of(NAME, text, **rest)


def plan_of(name: str, text: str | None, **rest: object) -> Ask:
    """Return a plan request of the native API for a table."""
    return Ask("POST", f"/api/v1/tables/{name}/plan", json.dumps({"filter": text, **rest}).encode())


@dataclass(frozen=True, slots=True)
class Server:
    """A server process."""

    process: subprocess.Popen[bytes]
    port: int
    ready_seconds: float

    def cpu(self) -> float:
        """Return the CPU seconds of the process and its children (Linux; elsewhere 0)."""
        return cpu_of(family(self.process.pid))

    def anonymous_bytes(self) -> int:
        """Return resident memory without mapped files."""
        return self._sum("RssAnon:")

    def resident_bytes(self) -> int:
        """Return resident memory; files that several processes map count in each."""
        return self._sum("VmRSS:")

    def _sum(self, name: str) -> int:
        found = 0
        for pid in family(self.process.pid):
            with contextlib.suppress(OSError, IndexError):
                found += 1024 * int(Path(f"/proc/{pid}/status").read_text().split(name)[1].split()[0])
        return found


def family(pid: int) -> list[int]:
    """Return a process and all of its descendants."""
    try:
        children = " ".join(task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")).split()
    except OSError:
        children = []
    return [pid, *(member for child in children for member in family(int(child)))]


def cpu_of(pids: Sequence[int]) -> float:
    """Return the CPU seconds of processes (Linux; elsewhere 0)."""
    spent = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def children_cpu() -> float:
    """Return the CPU seconds of the living descendants of this process."""
    return cpu_of(family(os.getpid())[1:])


class Connection:
    """A persistent connection; of a response's head, it parses only the length."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = socket.create_connection((HOST, port), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def ask(self, ask: Ask) -> bytes:
        """Send a request, and return the response's body, which must have a ``Content-Length``."""
        self._socket.sendall(ask.head(self._port))
        head, rest = self._head()
        length = length_of(head)
        assert length is not None
        parts, missing = [rest], length - len(rest)
        while missing > 0:
            parts.append(self._some())
            missing -= len(parts[-1])
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{head[:80]!r} {rest[:300]!r}")
        return b"".join(parts)

    def stream(self, ask: Ask) -> Iterator[int]:
        """Send a request, and yield the sizes of the parts of a chunked response as they arrive."""
        self._socket.sendall(ask.head(self._port))
        head, rest = self._head()
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{head[:80]!r} {rest[:300]!r}")
        yield len(rest)
        # One buffer is reused: otherwise the reader's allocations would be measured too.
        room = memoryview(bytearray(_RECEIVED_BYTES))
        while not rest.endswith(_LAST_CHUNK):
            size = self._socket.recv_into(room)
            if not size:
                raise SystemExit("the server hung up")
            rest = rest[-len(_LAST_CHUNK) :] + room[:size][-len(_LAST_CHUNK) :]
            yield size

    def status(self, ask: Ask) -> int:
        """Send a request, and return the status of the response, whose body is not read."""
        self._socket.sendall(ask.head(self._port))
        status = int(self._head()[0][9:12])
        self.close()
        return status

    def _head(self) -> tuple[bytes, bytes]:
        read = b""
        while b"\r\n\r\n" not in read:
            read += self._some()
        head, _, rest = read.partition(b"\r\n\r\n")
        return head, rest

    def _some(self) -> bytes:
        some = self._socket.recv(_RECEIVED_BYTES)
        if not some:
            raise SystemExit("the server hung up")
        return some


def length_of(head: bytes) -> int | None:
    """Return the ``Content-Length`` in a response's head; None without one."""
    found = [line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return int(found[0]) if found else None


def settings_of(folder: Path, root: Path) -> Settings:
    """Return settings of an index in a folder, for tables below a root."""
    return Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=f"{folder}/segments",
        cache_dir=f"{folder}/cache",
        max_staleness=3600.0,
        roots=(str(root),),
    )


def indexed(table: Path, folder: Path) -> None:
    """Index a table into a folder, if the index lacks it."""
    folder.mkdir(exist_ok=True, parents=True)
    services = build_services(settings_of(folder, table.parent))
    if not services.tables():
        services.add(NAME, str(table), None, (), operator=True)
    services.refresh(NAME)
    services.close()


def variables(settings: Settings) -> dict[str, str]:
    """Return settings as environment variables."""
    given = settings.model_dump(include={"database_url", "segments_url", "cache_dir", "max_staleness"})
    found = {f"LAKEMUSTER_{name.upper()}": str(value) for name, value in given.items()}
    return found | {"LAKEMUSTER_ROOTS": json.dumps(settings.roots)}


@contextmanager
def serving(folder: Path, root: Path, workers: int = 1, **settings: object) -> Iterator[Server]:
    """Serve the index of a folder with Lakemuster.

    Args:
        settings: settings besides those of :func:`settings_of`, by name.
    """
    environment = variables(settings_of(folder, root))
    environment |= {f"LAKEMUSTER_{name.upper()}": str(value) for name, value in settings.items()}
    environment["LAKEMUSTER_WORKERS"] = str(workers)
    with process([sys.executable, "-m", "lakemuster", "serve"], folder, environment, "/readyz") as server:
        yield server


@contextmanager
def empty(folder: Path, workers: int = 1) -> Iterator[Server]:
    """Serve the empty app."""
    words = [sys.executable, "-m", "uvicorn", "benchmarks.empty_endpoint:app", "--no-access-log"]
    words += ["--workers", str(workers)]
    with process(words, folder, {}, "/") as server:
        yield server


@contextmanager
def process(words: Sequence[str], folder: Path, settings: Mapping[str, str], path: str) -> Iterator[Server]:
    """Run a server's command line; enter the block once the server responds to a path."""
    with socket.socket() as chosen:
        chosen.bind((HOST, 0))
        port = int(chosen.getsockname()[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), **settings}
    started = time.perf_counter()
    with (folder / "server.log").open("wb") as log:
        running = subprocess.Popen([*words, "--port", str(port)], cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        yield Server(running, port, _ready(port, path, started))
    finally:
        running.terminate()
        running.wait(60)


def _ready(port: int, path: str, started: float) -> float:
    """Wait until the server responds; return the seconds since its start."""
    while time.perf_counter() - started < _START_SECONDS:
        with contextlib.suppress(OSError, SystemExit):
            if Connection(port).status(Ask("GET", path)) in (200, 404):
                return time.perf_counter() - started
        time.sleep(0.01)
    raise SystemExit("the server does not start")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the table and its index."""
    parser.add_argument("--table", help="a generated table's root; made when left out")
    parser.add_argument("--index", help="a folder for the index, used again when it is there")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=100)


@contextmanager
def prepared(given: argparse.Namespace) -> Iterator[tuple[Path, Path]]:
    """Yield a table, written if it is not given, and the folder of its index."""
    with tempfile.TemporaryDirectory() as scratch:
        table = Path(given.table).absolute() if given.table else Path(scratch, "lake", "t")
        if not given.table:
            shape = {"files": given.files, "columns": given.columns, "manifests": given.manifests}
            iceberg_table(table, **shape, processes=2)
        folder = Path(given.index or Path(scratch, "index")).absolute()
        indexed(table, folder)
        yield table, folder


def run(prog: str, about: str | None, times: int, measure: Callable[[Path, Path, int], dict[str, object]]) -> None:
    """Run a program that measures one table: parse its arguments, and print its results as JSON.

    Args:
        times: the default number of measurements.
        measure: takes the table, the folder of its index, and the number of measurements.
    """
    parser = argparse.ArgumentParser(prog=prog, description=about)
    arguments(parser)
    parser.add_argument("--times", type=int, default=times)
    given = parser.parse_args()
    with prepared(given) as (table, folder):
        results = measure(table, folder, given.times)
    sys.stdout.write(json.dumps(results, indent=1) + "\n")
