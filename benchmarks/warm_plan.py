"""W3 and W4, warm plans: in process and over HTTP, compared with PyIceberg's ``plan_files`` for the same predicate.

``python -m benchmarks.warm_plan --files 1000000`` prints one JSON object: medians in milliseconds, the files that both
plans have, and the ratio of PyIceberg's time. A plan is everything from the filter's text to the last file.

Over HTTP it lasts from a request on an open connection to the last byte of the response, which is parsed after the
measurement. Each filter is repeated, as pages and dashboards do, and then sent with new values each time, so that no
part of its plan is cached. CPU time, of this process or of the server, is measured besides wall-clock time.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx
from pyiceberg.table import StaticTable

from benchmarks.generate import iceberg_table
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.main import build_services
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of

NAME = "b.t"
DAY = "ts >= '2023-05-{:02}T00:00:00+00:00' and ts < '2023-05-{:02}T00:00:00+00:00'"
FILTERS: dict[str, Callable[[int], str | None]] = {
    "one day": lambda n: DAY.format(1 + n % 28, 2 + n % 28),
    "one day and bucket": lambda n: f"{DAY.format(1 + n % 28, 2 + n % 28)} and user_id = {12345 + n}",
    "clustered range": lambda n: f"id >= {400_000_000 + n * 100_000} and id < {400_500_000 + n * 100_000}",
    "day and range": lambda n: f"{DAY.format(1 + n % 28, 2 + n % 28)} and price < {-900 - n}",
    "unclustered": lambda n: f"price < {-950 - n}",
    "none": lambda _: None,
}
"""Filters by number: number 0 is the repeated one, which PyIceberg plans too."""
SELECTIVE = tuple(FILTERS)[:4]
WARMING = range(1, 29)


@dataclass(frozen=True, slots=True)
class Medians:
    """Median milliseconds of wall-clock and CPU time of plans, and the file count of the last one."""

    wall: float
    cpu: float
    files: int


def medians(
    run: Callable[[str | None], Callable[[], int]], cpu: Callable[[], float], texts: Sequence[str | None]
) -> Medians:
    """Measure ``run`` over texts; the function that it returns counts the files after the measurement."""
    walls, used, files = [], [], 0
    for text in texts:
        before, started = cpu(), time.perf_counter()
        count = run(text)
        walls.append((time.perf_counter() - started) * 1000)
        used.append((cpu() - before) * 1000)
        files = count()
    return Medians(statistics.median(walls), statistics.median(used), files)


def median(run: Callable[[], int], times: int) -> tuple[float, int]:
    """Return the median milliseconds of ``times`` runs after a warm-up run, and the result of the last."""
    run()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        files = run()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken), files


def in_process(services: Services, text: str | None) -> int:
    """Plan a filter, and count the files of all batches."""
    view = services.view(NAME)
    bound = Filter(text).bound(view.schemas[0])
    return sum(len(batch.rows) for batch in Plan(scan_index_of(services.index, view), bound).batches())


def over_http(connection: http.client.HTTPConnection, text: str | None, page_size: int) -> Callable[[], int]:
    """Read the first page of a plan; return a function that parses it and returns the number of files in the plan."""
    body = json.dumps({"filter": text, "page_size": page_size})
    connection.request("POST", f"/api/v1/tables/{NAME}/plan", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    read = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status}: {read[:500]!r}")
    return lambda: int(json.loads(read)["counts"]["files"])


def cpu_of(process: int) -> Callable[[], float]:
    """Return a function that returns the CPU seconds of a process's threads (Linux; elsewhere 0)."""

    def seconds() -> float:
        spent = 0
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                spent += int(task.read_text().split()[0])
        return spent / 1e9

    return seconds


def pyiceberg(table: StaticTable, text: str | None) -> tuple[float, set[str]]:
    """Plan a filter with PyIceberg; return the milliseconds and the files."""
    started = time.perf_counter()
    tasks = list((table.scan(row_filter=text) if text else table.scan()).plan_files())
    return (time.perf_counter() - started) * 1000, {task.file.file_path for task in tasks}


def paths(services: Services, text: str | None) -> set[str]:
    """Return the files of a filter's plan, in process."""
    view = services.view(NAME)
    plan = Plan(scan_index_of(services.index, view), Filter(text).bound(view.schemas[0]))
    return {path for batch in plan.batches() for path in batch.table.column("file_path").to_pylist()}


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def serve(folder: Path) -> tuple[subprocess.Popen[bytes], httpx.Client]:
    """Start a server on the index in a folder; return its process and a client."""
    port = _free_port()
    words = [sys.executable, "-m", "lakemuster", "serve", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), **_environment(folder)}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log)
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
    for _ in range(150):
        try:
            if client.get("/readyz").status_code == 200:
                return process, client
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    process.terminate()
    raise SystemExit("the server does not start")


def _environment(folder: Path) -> dict[str, str]:
    return {
        "LAKEMUSTER_DATABASE_URL": f"sqlite:///{folder}/index.db",
        "LAKEMUSTER_SEGMENTS_URL": f"{folder}/segments",
        "LAKEMUSTER_CACHE_DIR": f"{folder}/cache",
        "LAKEMUSTER_MAX_STALENESS": "3600",
    }


def measure(table: Path, folder: Path, repeat: int, peer: list[str]) -> dict[str, object]:
    """Index the table into ``folder``, unless it is already indexed, and measure plans."""
    settings = Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=f"{folder}/segments",
        cache_dir=f"{folder}/cache",
        max_staleness=3600.0,
        roots=(str(table.parent),),
    )
    services = build_services(settings)
    if not services.tables():
        services.add(NAME, str(table), None, (), operator=True)
    services.refresh(NAME)
    newest = max((table / "metadata").glob("v*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
    static = StaticTable.from_metadata(str(newest))
    process, client = serve(folder)
    client.close()
    connection = http.client.HTTPConnection("127.0.0.1", client.base_url.port)

    def here(text: str | None) -> Callable[[], int]:
        files = in_process(services, text)
        return lambda: files

    def there(text: str | None) -> Callable[[], int]:
        return over_http(connection, text, 1000)

    ways = {"in_process": (here, time.process_time), "http": (there, cpu_of(process.pid))}
    results: dict[str, object] = {}
    try:
        for name, make in FILTERS.items():
            found: dict[str, object] = {}
            text, times = make(0), repeat if name in SELECTIVE else 5
            for way, (run, cpu) in ways.items():
                connection.close()  # the server closes connections that are idle for some seconds
                first = medians(run, cpu, [text])
                again = medians(run, cpu, [text] * times)
                if found.setdefault("files", again.files) != again.files:
                    raise SystemExit(f"{name}: {found['files']} files in process, {again.files} over HTTP")
                found |= {f"{way}_first_ms": first.wall, f"{way}_ms": again.wall, f"{way}_cpu_ms": again.cpu}
                if name in SELECTIVE:
                    medians(run, cpu, [make(number) for number in WARMING])
                    new = medians(run, cpu, [make(number) for number in range(len(WARMING) + 1, len(WARMING) + times)])
                    found |= {f"{way}_new_ms": new.wall, f"{way}_new_cpu_ms": new.cpu}
            if name in peer:
                theirs, their_files = pyiceberg(static, text)
                if their_files != paths(services, text):
                    raise SystemExit(f"{name}: {found['files']} files here, not those of PyIceberg's plan")
                found["pyiceberg_ms"] = theirs
                found |= {f"{way}_ratio": theirs / cast("float", found[f"{way}_ms"]) for way in ways}
            results[name] = {
                key: round(value, 2) if isinstance(value, float) else value for key, value in found.items()
            }
    finally:
        process.terminate()
        process.wait(30)
        connection.close()
        services.close()
    return results


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.warm_plan", description=__doc__)
    parser.add_argument("--table", help="a generated table's root; made when left out")
    parser.add_argument("--index", help="a folder for the index, used again when it is there")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=51)
    parser.add_argument("--peer", default=",".join(FILTERS), help="filters that PyIceberg plans, too; commas between")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = Path(given.table).absolute() if given.table else Path(scratch, "lake", "t")
        if not given.table:
            iceberg_table(table, files=given.files, columns=given.columns, manifests=given.manifests, processes=2)
        folder = Path(given.index or Path(scratch, "index")).absolute()
        folder.mkdir(exist_ok=True, parents=True)
        results = measure(table, folder, given.repeat, given.peer.split(","))
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
