"""W3 and W4, warm plans: in process and over HTTP, beside PyIceberg's ``plan_files`` on the same table and predicate.

``python -m benchmarks.warm_plan --files 1000000`` prints one JSON object: medians in milliseconds, the files that both
plans have, and how many times as long PyIceberg takes. A plan is everything from the filter's text to the last file.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from pyiceberg.table import StaticTable

from benchmarks.generate import iceberg_table
from lakemuster.api.services import Services
from lakemuster.config import Settings
from lakemuster.main import build_services
from lakemuster.metadata.predicate import TRUE, bind
from lakemuster.metadata.predicate_sql import parse_sql
from lakemuster.planner.scan.outline import outline_of
from lakemuster.planner.scan.plan import Plan

NAME = "b.t"
FILTERS = {
    "one day": "ts >= '2023-05-01T00:00:00+00:00' and ts < '2023-05-02T00:00:00+00:00'",
    "one day and bucket": "ts >= '2023-05-01T00:00:00+00:00' and ts < '2023-05-02T00:00:00+00:00' and user_id = 12345",
    "clustered range": "id >= 400000000 and id < 400500000",
    "day and range": "ts >= '2023-05-01T00:00:00+00:00' and ts < '2023-05-02T00:00:00+00:00' and price < -900",
    "unclustered": "price < -950",
    "none": None,
}


def median(run: Callable[[], int], times: int) -> tuple[float, int]:
    """The median of some runs, after one more, in milliseconds; and what the last returned."""
    run()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        files = run()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken), files


def in_process(services: Services, text: str | None) -> int:
    """Plan a filter, and look at every file of the plan."""
    view = services.view(NAME)
    bound = TRUE if text is None else bind(parse_sql(text), view.schemas[0])
    return sum(len(batch.rows) for batch in Plan(outline_of(services.index, view), bound).batches())


def over_http(client: httpx.Client, text: str | None, page_size: int) -> int:
    """The first page of a plan, and how many files the whole has."""
    answer = client.post(f"/api/v1/tables/{NAME}/plan", json={"filter": text, "page_size": page_size} if text else {})
    answer.raise_for_status()
    return int(answer.json()["counts"]["files"])


def pyiceberg(table: StaticTable, text: str | None) -> tuple[float, int]:
    """PyIceberg's plan of the same; milliseconds and files."""
    started = time.perf_counter()
    files = len(list((table.scan(row_filter=text) if text else table.scan()).plan_files()))
    return (time.perf_counter() - started) * 1000, files


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def serve(folder: Path) -> tuple[subprocess.Popen[bytes], httpx.Client]:
    """A server on the index of a folder, and a client of it."""
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
    """Index the table into ``folder``, unless it is there already, then plan."""
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
    results: dict[str, object] = {}
    try:
        for name, text in FILTERS.items():
            cold = time.perf_counter()
            in_process(services, text)
            cold = (time.perf_counter() - cold) * 1000
            few = repeat if text is not None else 5
            own, files = median(lambda text=text: in_process(services, text), few)  # type: ignore[misc]
            http, counted = median(lambda text=text: over_http(client, text, 1000), few)  # type: ignore[misc]
            if counted != files:
                raise SystemExit(f"{name}: {files} files in process, {counted} over HTTP")
            found: dict[str, object] = {
                "files": files,
                "first_ms": round(cold, 2),
                "in_process_ms": round(own, 2),
                "http_ms": round(http, 2),
            }
            if name in peer:
                theirs, their_files = pyiceberg(static, text)
                if their_files != files:
                    raise SystemExit(f"{name}: {files} files here, {their_files} in PyIceberg's plan")
                found |= {
                    "pyiceberg_ms": round(theirs),
                    "ratio": round(theirs / own),
                    "ratio_http": round(theirs / http),
                }
            results[name] = found
    finally:
        process.terminate()
        process.wait(30)
        client.close()
        services.close()
    return results


def main() -> None:
    """Measure, and print what came out."""
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
