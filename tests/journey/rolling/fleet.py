"""Replicas of one or two versions on one database and segment store, with clients that balance load, and commits."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.growing_paimon import PaimonTable
from tests.journey.faults.questions import Clients, Table
from tests.journey.faults.world import commit_to_one
from tests.journey.servers import START_SECONDS, free_port
from tests.polling import until
from tests.replay.revisions import python_of
from tests.replay.server import environment
from tests.tree import ROOT

OURS = ROOT / "app"
STALENESS = 2.0
DRAIN_SECONDS = 600
"""Longer than a test waits until no client uses the server; the test then ends the draining."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder for the objects of tables; each object is written atomically."""

    place: Path

    def put(self, key: str, data: bytes) -> None:
        """See :meth:`Bucket.put`."""
        path = self.place / key
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(data)
        part.replace(path)

    def delete(self, keys: Iterable[str]) -> None:
        """See :meth:`Bucket.delete`."""
        for key in keys:
            (self.place / key).unlink(missing_ok=True)


@dataclass(slots=True)
class Replica:
    """A server that runs the code in a folder.

    Attributes:
        code: the folder of the code.
        words: the arguments of ``python`` that run the program.
    """

    code: Path
    folder: Path
    settings: dict[str, str]
    words: Sequence[str] = ("-m", "lakemuster")
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process; do not wait until it is ready."""
        self.folder.mkdir(parents=True)
        variables = environment(self.code, self.folder, self.settings)
        variables["PYTHONPATH"] = os.pathsep.join([str(self.code), str(ROOT)])
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [python_of(self.code), *self.words, "serve", "--port", str(self.port)],
                cwd=self.folder,
                env=variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        """The server's log."""
        return (self.folder / "server.log").read_text(errors="replace")

    def readiness(self) -> dict[str, Any] | None:
        """Return the response of ``/readyz``; None if there is none."""
        with contextlib.suppress(httpx.HTTPError):
            answer: dict[str, Any] = httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=30).json()
            return answer
        return None

    def is_ready(self) -> bool:
        """Return whether the server accepts requests; assert that it has not ended."""
        assert self.process is not None
        assert self.process.poll() is None, self.log[-3000:]
        return bool((self.readiness() or {}).get("ready"))

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        assert self.process is not None
        return self.process.poll() is not None

    def kill(self) -> None:
        """Send SIGKILL to the server and its decoders."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass(slots=True)
class Fleet:
    """Replicas and the tables that they serve."""

    folder: Path
    settings: dict[str, str]
    tables: list[Table]
    replicas: list[Replica] = field(default_factory=list)
    _number: int = 0

    def ports(self) -> list[int]:
        """Return the ports of the ready replicas, as a load balancer would; of all if none is ready."""
        ready = [replica.port for replica in self.replicas if (replica.readiness() or {}).get("ready")]
        return ready or [replica.port for replica in self.replicas]

    def start(self, code: Path, words: Sequence[str] = ("-m", "lakemuster"), **settings: str) -> Replica:
        """Start another replica, to which no requests are sent yet."""
        self._number += 1
        of = self.settings | {"DRAIN_SECONDS": str(DRAIN_SECONDS)} | settings
        replica = Replica(code, self.folder / f"server-{self._number}", of, words)
        replica.start()
        return replica

    def add(self, code: Path) -> Replica:
        """Start another replica, and wait until it is ready."""
        replica = self.start(code)
        self.join(replica)
        return replica

    def join(self, replica: Replica) -> None:
        """Wait until a replica is ready, and send it requests from then on."""
        until(replica.is_ready, START_SECONDS)
        self.replicas.append(replica)

    def begin_draining(self, replica: Replica, clients: Clients) -> None:
        """Tell a replica to stop, and wait until its clients have left it."""
        assert replica.process is not None
        replica.process.send_signal(signal.SIGTERM)
        until(lambda: not (replica.readiness() or {"ready": True})["ready"])
        assert "stopping" in (replica.readiness() or {})["checks"]["server"]
        asked = [asker.asked for asker in clients.askers]
        # Clients that had chosen this replica have sent a request, and their connections have been closed.
        until(lambda: all(asker.asked >= n + 2 for asker, n in zip(clients.askers, asked, strict=True)), 300)
        assert replica.port not in {asker.port for asker in clients.askers}

    def retire(self, replica: Replica, clients: Clients) -> None:
        """Stop a replica as an operator would, after its clients have left."""
        assert replica.process is not None
        self.begin_draining(replica, clients)
        self.replicas.remove(replica)
        replica.process.send_signal(signal.SIGINT)
        assert replica.process.wait(120) == 0, replica.log[-3000:]

    def plan_from(self, replica: Replica) -> None:
        """Wait until a replica plans the newest commit of every table."""
        for table in self.tables:
            files = set(table.history.newest().files)

            def is_planned(name: str = table.name, files: set[str] = files) -> bool:
                body = {"page_size": 10_000}
                url = f"http://127.0.0.1:{replica.port}/api/v1/tables/{name}/plan"
                answer = httpx.post(url, json=body, timeout=60)
                assert answer.status_code in (200, 503), answer.text
                return answer.status_code == 200 and {one["file_path"] for one in answer.json()["files"]} == files

            until(is_planned, 60)


@contextmanager
def commits(tables: Sequence[Table], seed: int, pause_seconds: float = 0.3) -> Iterator[None]:
    """Commit to random tables until the block ends."""
    stop = threading.Event()
    failures: list[BaseException] = []
    drawn = random.Random(seed)

    def work() -> None:
        try:
            while not stop.wait(pause_seconds):
                commit_to_one(tables, drawn)
        except BaseException as failure:  # noqa: BLE001 - the test fails with it
            failures.append(failure)

    writer = threading.Thread(target=work, daemon=True)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join(60)
    assert failures == []


@contextmanager
def fleet(folder: Path, url: str, seed: int, **settings: str) -> Iterator[Fleet]:
    """Yield a fleet with two tables of three commits each, and without replicas."""
    lake = folder / "lake"
    drawn = random.Random(seed)
    tables: list[Table] = []
    for make, name in ((IcebergTable, "i"), (PaimonTable, "p")):
        tables.append(make(f"shop.{name}", Folder(lake), f"file://{lake}/{name}", name, random.Random(drawn.random())))
    for table in tables:
        for _ in range(3):
            table.append()
    of = {
        "DATABASE_URL": url,
        "SEGMENTS_URL": str(folder / "segments"),
        "ROOTS": str(lake),
        "MAX_STALENESS": str(STALENESS),
        **settings,
    }
    made = Fleet(folder, of, tables)
    try:
        yield made
    finally:
        for replica in made.replicas:
            replica.kill()


def register(replica: Replica, tables: Sequence[Table]) -> None:
    """Register the tables over HTTP."""
    for table in tables:
        body = {"name": table.name, "location": table.url}
        answer = httpx.post(f"http://127.0.0.1:{replica.port}/api/v1/tables", json=body, timeout=60)
        assert answer.status_code == 201, answer.text
