"""W15, warm plans of Paimon tables: in process and over HTTP, compared with pypaimon's Python and native planners.

``python -m benchmarks.paimon_plan --files 200000`` prints one JSON object by table (append, primary key) and filter:
milliseconds, and names of files, which must be the same in all plans. pypaimon's environment is built on first use.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.generate import paimon_table
from benchmarks.warm_plan import median, serve
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.main import build_services
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.predicates import TRUE, bind
from lakemuster.predicates.sql import parse_sql

ROOT = Path(__file__).parents[1]
TABLES = ("append", "keyed")
FILTERS: dict[str, list[tuple[str, object]] | None] = {
    "full": None,
    "one partition": [("dt", "2023-05-01")],
    "point": [("id", 100_000_000)],
}


def text_of(equal: list[tuple[str, object]] | None) -> str | None:
    """Return a filter as SQL text."""
    if equal is None:
        return None
    return " and ".join(f"{column} = {value!r}" for column, value in equal)


def in_process(services: Services, name: str, text: str | None) -> int:
    """Plan, and count the files of all batches, which include section, deletion vector and residual."""
    view = services.view(name)
    bound = TRUE if text is None else bind(parse_sql(text), view.schemas[0])
    return sum(len(batch.rows) for batch in Plan(scan_index_of(services.index, view), bound).batches())


def names(services: Services, name: str, text: str | None) -> list[str]:
    """Return the sorted file names of a plan."""
    view = services.view(name)
    bound = TRUE if text is None else bind(parse_sql(text), view.schemas[0])
    batches = Plan(scan_index_of(services.index, view), bound).batches()
    return sorted(file for batch in batches for file in batch.table.column("file_name").to_pylist())


def over_http(client: httpx.Client, name: str, text: str | None) -> int:
    """Read the first page of a plan, and return the number of files in the whole plan."""
    answer = client.post(f"/api/v1/tables/{name}/plan", json={} if text is None else {"filter": text})
    answer.raise_for_status()
    return int(answer.json()["counts"]["files"])


def pypaimon(warehouse: Path, name: str, *, native: bool, repeat: int) -> dict[str, dict[str, Any]]:
    """Plan with pypaimon in its own environment; return the milliseconds and the names of the files."""
    build = ["sh", str(ROOT / "scripts" / "environment.sh"), str(ROOT / "requirements-pypaimon.lock")]
    python = subprocess.run(build, capture_output=True, text=True, check=True).stdout.strip()
    script = ROOT / "benchmarks" / "pypaimon_plans.py"
    words = [
        python,
        "-I",
        str(script),
        str(warehouse),
        name,
        "true" if native else "false",
        str(repeat),
        json.dumps(FILTERS),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {title: dict(found) for title, found in json.loads(done.stdout).items()}


def measure(warehouse: Path, folder: Path, repeat: int, peer_repeat: int) -> dict[str, object]:
    """Index the tables into ``folder``, unless they are already indexed, and measure plans."""
    settings = Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=f"{folder}/segments",
        cache_dir=f"{folder}/cache",
        max_staleness=3600.0,
        roots=(str(warehouse),),
    )
    services = build_services(settings)
    known = {table.name for table in services.tables()}
    for table in TABLES:
        if f"db.{table}" not in known:
            services.add(f"db.{table}", str(warehouse / "db.db" / table), None, (), operator=True)
        services.refresh(f"db.{table}")
    process, client = serve(folder)
    results: dict[str, object] = {}
    try:
        for table in TABLES:
            results[table] = _table(services, client, warehouse, f"db.{table}", repeat, peer_repeat)
    finally:
        process.terminate()
        process.wait(30)
        client.close()
        services.close()
    return results


def _table(
    services: Services, client: httpx.Client, warehouse: Path, name: str, repeat: int, peer_repeat: int
) -> dict[str, Any]:
    peers = {
        kind: pypaimon(warehouse, name, native=kind == "native", repeat=peer_repeat)
        for kind in (["python", "native"] if peer_repeat else [])
    }
    found: dict[str, Any] = {}
    for title, equal in FILTERS.items():
        text = text_of(equal)
        started = time.perf_counter()
        in_process(services, name, text)
        first = (time.perf_counter() - started) * 1000
        own, files = median(lambda text=text: in_process(services, name, text), repeat)  # type: ignore[misc]
        again, _ = median(lambda text=text: in_process(services, name, text), repeat)  # type: ignore[misc]
        http, counted = median(lambda text=text: over_http(client, name, text), repeat)  # type: ignore[misc]
        theirs = {kind: answers[title] for kind, answers in peers.items()}
        ours = names(services, name, text)
        for kind, answer in theirs.items():
            if sorted(answer["files"]) != ours:
                raise SystemExit(
                    f"{name}, {title}: {files} files here, {len(answer['files'])} of pypaimon's {kind} plan"
                )
        if counted != files:
            raise SystemExit(f"{name}, {title}: {files} files in process, {counted} over HTTP")
        found[title] = {"files": files, "first_ms": round(first, 2), "in_process_ms": round(own, 3)}
        found[title]["noise"] = round(abs(own - again) / max(own, again), 3)
        found[title]["http_ms"] = round(http, 2)
        for kind, answer in theirs.items():
            found[title][f"pypaimon_{kind}_ms"] = round(answer["ms"])
            found[title][f"ratio_{kind}"] = round(answer["ms"] / own)
    return found


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.paimon_plan", description=__doc__)
    parser.add_argument("--warehouse", help="a folder with db.db/append and db.db/keyed; made when left out")
    parser.add_argument("--index", help="a folder for the index, used again when it is there")
    parser.add_argument("--files", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--peer-repeat", type=int, default=1, help="plans of pypaimon; 0 for none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        warehouse = Path(given.warehouse or Path(scratch, "lake")).absolute()
        if not given.warehouse:
            size = {"files": given.files, "columns": given.columns, "manifests": given.manifests, "processes": 2}
            for table in TABLES:
                paimon_table(warehouse / "db.db" / table, primary_key=table == "keyed", **size)
        folder = Path(given.index or Path(scratch, "index")).absolute()
        folder.mkdir(exist_ok=True, parents=True)
        results = measure(warehouse, folder, given.repeat, given.peer_repeat)
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
