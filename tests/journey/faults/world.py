"""The system under fault injection: a store, a database, a proxy for each, growing tables, and servers."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from tests.journey.faults import serve
from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.growing_paimon import PaimonTable
from tests.journey.faults.proxies import DatabaseProxy, Loop, StorageProxy
from tests.journey.faults.questions import Table
from tests.journey.faults.stores import Store, until
from tests.journey.servers import environment, free_port
from tests.postgres import PostgresServer
from tests.tree import ROOT

STALENESS = 2.0
SICK, WELL, SEGMENTS = "sick", "well", "segments"
KEEP = 12
"""Snapshots that expiry retains."""

_START_SECONDS = 90.0


@dataclass(slots=True)
class Replica:
    """A server process that can be killed and restarted."""

    folder: Path
    settings: dict[str, str]
    variables: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def clock(self) -> Path:
        """The file with the offset of the server's wall clock."""
        return self.folder / "clock"

    def start(self) -> None:
        """Start the process; do not wait until it is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.clock.exists():
            serve.set_offset(self.clock, 0.0)
        variables = environment(self.folder, self.settings) | self.variables
        variables["PYTHONPATH"] = os.pathsep.join([str(ROOT / "app"), str(ROOT)])
        variables[serve.CLOCK] = str(self.clock)
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.journey.faults.serve", "serve", "--port", str(self.port)],
                cwd=self.folder,
                env=variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def ready(self) -> bool:
        """Return whether the server reports that it is ready.

        Raises:
            AssertionError: the process has ended.
        """
        assert self.process is not None
        if self.process.poll() is not None:
            log = (self.folder / "server.log").read_text(errors="replace")
            raise AssertionError(f"the server ended with {self.process.returncode}: {log[-3000:]}")
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status_code == 200
        return False

    def kill(self) -> None:
        """Send SIGKILL to the server, not to its decoders."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def kill_decoders(self) -> None:
        """Send SIGKILL to the server's child processes, if the server runs."""
        assert self.process is not None
        if self.process.poll() is not None:
            return
        for child in children(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def memory(self) -> int:
        """Return the resident bytes."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def descriptors(self) -> int:
        """Return the number of open files and sockets."""
        assert self.process is not None
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def children(process: int) -> list[int]:
    """Return the ids of a process's children."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


@dataclass(slots=True)
class World:
    """Tables, proxies and servers of one schedule."""

    storage: StorageProxy
    database: DatabaseProxy | None
    replicas: list[Replica]
    tables: list[Table]
    _stop: threading.Event = field(default_factory=threading.Event)
    _down: set[int] = field(default_factory=set)
    _writer: threading.Thread | None = None
    failures: list[BaseException] = field(default_factory=list)

    def ports(self) -> list[int]:
        """Return the ports of the ready servers."""
        return [replica.port for replica in self.replicas if replica.port not in self._down]

    def kill(self, number: int) -> None:
        """Kill a server and hide its port."""
        self._down.add(self.replicas[number].port)
        self.replicas[number].kill()

    def start(self, number: int) -> None:
        """Restart a killed server; clients use it once it is ready."""
        self.replicas[number].start()

    def notice_ready(self) -> None:
        """Add the servers that are ready again to :meth:`ports`."""
        for replica in self.replicas:
            runs = replica.process is not None and replica.process.poll() is None
            if runs and replica.port in self._down and replica.ready():
                self._down.discard(replica.port)

    def begin_commits(self, seed: int, pause_seconds: float = 0.5) -> None:
        """Start a thread that commits to random tables."""
        self._writer = threading.Thread(target=self._commit, args=(seed, pause_seconds), daemon=True)
        self._writer.start()

    def end_commits(self) -> None:
        """Stop the commits.

        Raises:
            BaseException: a commit failed.
        """
        self._stop.set()
        if self._writer is not None:
            self._writer.join(60)
        if self.failures:
            raise self.failures[0]

    def _commit(self, seed: int, pause_seconds: float) -> None:
        drawn = random.Random(seed)
        try:
            while not self._stop.wait(pause_seconds):
                commit_to_one(self.tables, drawn)
        except BaseException as failure:  # noqa: BLE001 - the test fails with it
            self.failures.append(failure)


def commit_to_one(tables: Sequence[Table], drawn: random.Random) -> None:
    """Append to a random table, or remove files, compact or expire."""
    table = drawn.choice(tables)
    match drawn.randrange(10):
        case 0:
            table.remove()
        case 1:
            table.compact()
        case 2:
            table.expire(KEEP)
        case _:
            table.append(drawn.randrange(1, 8))


@contextmanager
def made(
    folder: Path,
    store: Store,
    seed: int,
    *,
    postgres: PostgresServer | None = None,
    remote_segments: bool = False,
    replicas: int = 1,
    number: int = 0,
    variables: dict[str, str] | None = None,
) -> Iterator[World]:
    """Yield four tables with three commits each, registered and served.

    Args:
        number: an index that makes bucket names unique in a shared store.
        variables: environment variables of the servers, read by ``serve``.
    """
    drawn = random.Random(seed)
    loop = Loop()
    with contextlib.ExitStack() as after:
        after.callback(loop.close)
        proxy = StorageProxy(loop, store.port, store.content, seed)
        after.callback(proxy.close)
        names = {kind: f"{kind}-{number}" for kind in (SICK, WELL, SEGMENTS)}
        buckets = {kind: store.bucket(name) for kind, name in names.items()}
        urls = {kind: store.url(name, proxy.port) for kind, name in names.items()}
        # Paimon tables need listings.
        kinds = ((IcebergTable, "i"), (PaimonTable if store.lists else IcebergTable, "p"))
        tables: list[Table] = []
        for kind in (SICK, WELL):
            for make, name in kinds:
                url = f"{urls[kind]}/{name}"
                tables.append(make(f"{kind}.{name}", buckets[kind], url, name, random.Random(drawn.random())))
        for table in tables:
            for _ in range(3):
                table.append()
        told = {
            "STORAGE": json.dumps(store.storage(proxy.port)),
            "ROOTS": f"{urls[SICK]},{urls[WELL]}",
            "MAX_STALENESS": str(STALENESS),
        }
        database = None
        if postgres is not None:
            url = after.enter_context(postgres.database())
            database = DatabaseProxy(loop, postgres.socket_path)
            after.callback(database.close)
            address = f"@127.0.0.1:{database.port}/"
            told["DATABASE_URL"] = url.partition("?")[0].replace("@/", address)
            _run(folder, told, "migrate")
        if remote_segments:
            told["SEGMENTS_URL"] = f"{urls[SEGMENTS]}/segments"
        servers = []
        for place in range(replicas):
            own = {"CACHE_DIR": str(folder / f"cache-{place}")} if remote_segments else {}
            servers.append(Replica(folder / f"server-{place}", _shared(folder, told) | own, variables or {}))
        world = World(proxy, database, servers, tables)
        after.callback(_end, servers)
        for replica in servers:
            replica.start()
        for replica in servers:
            until(replica.ready, _START_SECONDS, "the server")
        first = servers[0].port
        for table in tables:
            body = {"name": table.name, "location": table.url}
            answer = httpx.post(f"http://127.0.0.1:{first}/api/v1/tables", json=body, timeout=60)
            assert answer.status_code == 201, answer.text
            until(partial(_is_planned, first, table.name), _START_SECONDS, f"a plan of {table.name}")
        yield world


def _is_planned(port: int, table: str) -> bool:
    """Return whether a plan succeeds. The first read may take longer than a request waits for storage."""
    answer = httpx.post(f"http://127.0.0.1:{port}/api/v1/tables/{table}/plan", json={}, timeout=60)
    assert answer.status_code in (200, 503), answer.text
    return answer.status_code == 200


def _shared(folder: Path, told: dict[str, str]) -> dict[str, str]:
    places = {"DATABASE_URL": f"sqlite:///{folder}/index.db", "SEGMENTS_URL": f"{folder}/segments"}
    return places | told


def _run(folder: Path, told: dict[str, str], *words: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "lakemuster", *words],
        cwd=folder,
        env=environment(folder, _shared(folder, told)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _end(servers: list[Replica]) -> None:
    for replica in servers:
        if replica.process is not None:
            decoders = children(replica.process.pid) if replica.process.poll() is None else []
            replica.kill()
            for child in decoders:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
