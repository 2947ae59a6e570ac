"""A long run under load: ``python -m tests.journey.faults.soak --minutes 120 --plot soak.svg``.

Clients send requests; tables receive commits and expiry; a table is registered, planned and unregistered repeatedly;
the server sweeps its segments; slow readers read a long list a few bytes at a time. Every response is compared with the
writers' history. Memory and descriptors of the server are sampled and must not grow. The output is one JSON object; the
exit status is 1 if a law was broken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from tests.journey.faults import serve
from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.questions import PAGE, Answer, Asker, Clients
from tests.journey.faults.stores import s3_process
from tests.journey.faults.world import STALENESS, World, children, made
from tests.postgres import running_postgres

SAMPLE_SECONDS = 5.0
CLIENTS, SLOW_READERS = 8, 16
LONG_LIST = 20_000
"""Files of the table that slow readers list: more bytes than socket buffers hold."""
CLIENT_PAUSE_SECONDS = 0.2
SWEEP_SECONDS, GRACE_SECONDS = 60.0, 120.0
RETRIES = 20
"""Largest number of requests for the first plan of a table; each waits for the ``Retry-After`` of the one before."""
GROWTH = 1.15
"""Limit of the last third's median relative to the second's; caches warm up in the first."""


class SlowReaders:
    """Clients that read a long list slowly and often disconnect before its end."""

    def __init__(self, port: int, table: str, seed: int) -> None:
        self._port, self._table = port, table
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(random.Random(seed + number),), daemon=True)
            for number in range(SLOW_READERS)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Disconnect all readers."""
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _work(self, drawn: random.Random) -> None:
        path = f"/api/v1/tables/{self._table}/files"
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/x-ndjson\r\n\r\n"
        while not self._stop.is_set():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 10) as peer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                peer.sendall(head.encode())
                for _ in range(drawn.randrange(5, 200)):
                    if self._stop.wait(0.1) or not peer.recv(4096):
                        break


class Registrar:
    """A client that repeatedly registers a table under a new name, plans it and unregisters it."""

    def __init__(self, uri: str, table: IcebergTable) -> None:
        self.rounds = 0
        self.problems: list[str] = []
        self._uri, self._table = f"{uri}/api/v1/tables", table
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current round."""
        self._stop.set()
        self._thread.join(60)

    def _work(self) -> None:
        with httpx.Client(timeout=60) as client:
            while not self._stop.wait(1.0):
                self._commit()
                try:
                    self._round(client, f"{self._table.name}{self.rounds}")
                except (httpx.HTTPError, AssertionError) as error:
                    self.problems.append(f"{type(error).__name__}: {error}")
                self.rounds += 1

    def _commit(self) -> None:
        self._table.append(3)
        if self.rounds % 10 == 9:  # the table's size stays about the same
            self._table.remove()
            self._table.compact()
        self._table.expire(5)

    def _round(self, client: httpx.Client, name: str) -> None:
        client.post(self._uri, json={"name": name, "location": self._table.url}).raise_for_status()
        answer = self._plan(client, name).raise_for_status().json()
        paths = {file["file_path"] for file in answer["files"]}
        assert paths == set(self._table.history.newest().files), f"{name}: {len(paths)} files"
        client.delete(f"{self._uri}/{name}").raise_for_status()
        gone = client.post(f"{self._uri}/{name}/plan", json={}).status_code
        assert gone == 404, f"{name}: {gone} after it was unregistered"

    def _plan(self, client: httpx.Client, name: str) -> httpx.Response:
        """Request a plan of a table without an index; retry while the response is 503."""
        for _ in range(RETRIES):
            response = client.post(f"{self._uri}/{name}/plan", json={"page_size": PAGE})
            if response.status_code != 503:
                break
            assert "Retry-After" in response.headers, f"{name}: 503 without Retry-After"
            if self._stop.wait(float(response.headers["Retry-After"])):
                break
        return response


def sampled(world: World) -> tuple[int, int, int]:
    """Return the resident bytes of the server and of its decoders, and the server's descriptors."""
    replica = world.replicas[0]
    assert replica.process is not None
    decoders = 0
    for child in children(replica.process.pid):
        with contextlib.suppress(OSError, IndexError, ValueError):
            status = Path(f"/proc/{child}/status").read_text()
            decoders += int(status.partition("VmRSS:")[2].split()[0]) * 1024
    return replica.memory(), decoders, replica.descriptors()


def soak(minutes: float, folder: Path, seed: int) -> dict[str, object]:
    """Run for ``minutes`` and return the results."""
    swept = {serve.SWEEP: f"{SWEEP_SECONDS} {GRACE_SECONDS}"}
    with (
        s3_process() as store,
        running_postgres() as server,
        made(folder, store, seed, postgres=server, variables=swept) as world,
    ):
        long, other = (
            IcebergTable(f"well.{name}", beside.bucket, _beside(beside.url, name), name, random.Random(seed))
            for beside, name in ((world.tables[-2], "long"), (world.tables[-2], "other"))
        )
        long.append(LONG_LIST)
        uri = f"http://127.0.0.1:{world.replicas[0].port}"
        httpx.post(f"{uri}/api/v1/tables", json={"name": long.name, "location": long.url}).raise_for_status()
        httpx.get(f"{uri}/api/v1/tables/{long.name}/files", timeout=60).raise_for_status()
        clients = Clients(CLIENTS, world.ports, world.tables, STALENESS, seed, pause_seconds=CLIENT_PAUSE_SECONDS)
        registrar = Registrar(uri, other)
        readers = SlowReaders(world.replicas[0].port, long.name, seed)
        world.begin_commits(seed, pause_seconds=1.0)
        samples: list[tuple[float, int, int, int]] = []
        began = time.monotonic()
        while (spent := time.monotonic() - began) < minutes * 60:
            samples.append((spent, *sampled(world)))
            time.sleep(SAMPLE_SECONDS)
        world.end_commits()
        readers.stop()
        registrar.stop()
        findings = clients.stop()
        exact = [
            name
            for table in world.tables
            if (name := _wrong(Asker(world.ports, world.tables, STALENESS, seed), table)) is not None
        ]
        return {
            "minutes": round((time.monotonic() - began) / 60, 1),
            "answers": len(findings.answers),
            "not_200": sum(answer.status != 200 for answer in findings.answers),
            "violations": (findings.violations + registrar.problems)[:10],
            "registered_and_unregistered": registrar.rounds,
            "sweeps": _metric(uri, 'lakemuster_work_total{kind="sweeps"}'),
            "segments_swept": _metric(uri, 'lakemuster_work_total{kind="segments_swept"}'),
            "wrong_at_the_end": exact,
            "commits": {table.name: table.history.newest().number + 1 for table in world.tables},
            "known_p99_seconds": round(_p99(findings.answers), 3),
            "memory": _flatness([memory for _, memory, _, _ in samples]),
            "decoders_memory": _flatness([decoders for _, _, decoders, _ in samples]),
            "descriptors": _flatness([descriptors for _, _, _, descriptors in samples]),
            "samples": samples,
        }


def _beside(url: str, name: str) -> str:
    return f"{url.rpartition('/')[0]}/{name}"


def _metric(uri: str, name: str) -> float:
    lines = httpx.get(f"{uri}/metrics").raise_for_status().text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def _wrong(asker: Asker, table: object) -> str | None:
    try:
        answer = asker.plan(table)  # type: ignore[arg-type]
    except Exception as error:  # noqa: BLE001 - it is reported
        return str(error)
    return None if answer.status == 200 and not answer.stale else f"{answer}"


def _p99(answers: Sequence[Answer]) -> float:
    ordered = sorted(answer.seconds for answer in answers if answer.known)
    return ordered[int(len(ordered) * 0.99)] if ordered else 0.0


def _flatness(values: Sequence[int]) -> dict[str, float | int]:
    """Return the medians of the thirds of a run, and the maximum."""
    third = max(1, len(values) // 3)
    thirds = [statistics.median(values[start : start + third]) for start in (0, third, len(values) - third)]
    return {"first": thirds[0], "second": thirds[1], "last": thirds[2], "most": max(values)}


def broken(found: dict[str, object]) -> list[str]:
    """Return the laws that a run broke."""
    problems = [*map(str, found["violations"]), *map(str, found["wrong_at_the_end"])]  # type: ignore[call-overload]
    for name in ("memory", "descriptors"):
        thirds = found[name]
        assert isinstance(thirds, dict)
        if thirds["last"] > thirds["second"] * GROWTH:
            problems.append(f"{name} grew from {thirds['second']} to {thirds['last']}")
    return problems


def plot(samples: Sequence[tuple[float, int, int, int]]) -> str:
    """Return an SVG of memory (MiB) and descriptors over minutes."""
    width, height, left, below = 720, 320, 60, 40
    lines = {
        "server, MiB": [memory / 2**20 for _, memory, _, _ in samples],
        "decoders, MiB": [decoders / 2**20 for _, _, decoders, _ in samples],
        "descriptors": [float(descriptors) for _, _, _, descriptors in samples],
    }
    longest = max(at for at, *_ in samples) / 60 or 1
    most = max(max(values) for values in lines.values()) * 1.1

    def x(minutes: float) -> float:
        return left + minutes / longest * (width - left - 130)

    def y(value: float) -> float:
        return height - below - value / most * (height - below - 20)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for share in range(5):
        value = most * share / 4
        parts.append(f'<path d="M{left} {y(value):.1f}H{width - 130}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end">{value:.0f}</text>')
        at = longest * share / 4
        parts.append(f'<text x="{x(at):.1f}" y="{height - 18}" font-size="11" text-anchor="middle">{at:.0f} min</text>')
    for (name, values), colour in zip(lines.items(), ("#4269d0", "#efb118", "#ff725c"), strict=True):
        path = "L".join(f"{x(at / 60):.1f} {y(value):.1f}" for (at, *_), value in zip(samples, values, strict=True))
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(
            f'<text x="{width - 124}" y="{y(values[-1]) + 4:.1f}" font-size="12" fill="{colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    """Run with the options of the command line."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="an SVG of memory and descriptors")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        found = soak(given.minutes, Path(folder), given.seed)
    samples = found.pop("samples")
    if given.plot is not None:
        given.plot.write_text(plot(samples))  # type: ignore[arg-type]
    problems = broken(found)
    sys.stdout.write(json.dumps({**found, "problems": problems}, indent=1) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
