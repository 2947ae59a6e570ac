"""W18, lists of tables with sizes and health: pages of a thousand, for any number of tables."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import insert

from benchmarks.http_server import Ask, Connection, Server, serving, settings_of
from benchmarks.lakes import Lakes
from benchmarks.measuring import Row, Times, shown_ms
from benchmarks.planning import Sizes
from lakemuster.index.database import Database
from lakemuster.index.encoding import encode
from lakemuster.index.orm import HealthRow, TableRow
from lakemuster.main import build_services
from lakemuster.table_settings import THRESHOLDS

PAGE = 1_000
NAMESPACES = 500
MOST_MS = 50.0
QUESTIONS = {
    "by name": "",
    "by size": "sort=-total_bytes",
    "by last commit, oldest first": "sort=last_committed_at",
    "of one namespace, by size": "namespace=ns7&sort=-total_bytes",
    "the worst health first": "sort=-health",
    "of critical health, by size": "health=critical&sort=-total_bytes",
    "search, by size": "search=TABLE_1&sort=-total_bytes",
}
AT_ONCE = 5_000


def table_lists(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W18: pages of lists of tables."""
    del lakes
    for tables in sizes.listed:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            _register(folder, tables)
            with serving(folder, folder, role="api") as server:
                yield from _pages(server, tables, sizes.asked)


def _register(folder: Path, tables: int) -> None:
    """Insert the rows of refreshed tables into an index, since lists read nothing else."""
    build_services(settings_of(folder, folder)).close()
    rng = random.Random(18)
    with closing(Database(f"sqlite:///{folder}/index.db")) as database:
        for start in range(0, tables, AT_ONCE):
            rows = [_row(rng, number) for number in range(start, min(tables, start + AT_ONCE))]
            with database.session() as session:
                session.execute(insert(TableRow), rows)
                session.execute(insert(HealthRow), [row for one in rows for row in _components(rng, one)])


def _row(rng: random.Random, number: int) -> dict[str, object]:
    namespace = f"ns{number % NAMESPACES}"
    location = f"s3://lake/{namespace}/table_{number}"
    return {
        "id": number + 1,
        "name": f"{namespace}.table_{number}",
        "namespace": namespace,
        "format": "iceberg",
        "location": location,
        "rewrites": encode(()),
        "allowed_roots": encode(()),
        "created_at_ms": 1,
        "generation": 0,
        "pointer": "p" * 64,
        "metadata_location": f"{location}/metadata/00001.metadata.json",
        "table_location": location,
        "uuid": "11111111-1111-1111-1111-111111111111",
        "format_version": 2,
        "current_snapshot_id": rng.getrandbits(62),
        "properties": b"p" * 300,
        "extra": b"e" * 100,
        "snapshot_log": b"l" * 500,
        "total_records": rng.getrandbits(40),
        "data_files": rng.getrandbits(15),
        "total_bytes": rng.getrandbits(45),
        "delete_files": rng.choice((0, 0, 0, 5)),
        "snapshots": rng.getrandbits(9),
        "last_committed_at_ms": rng.getrandbits(40),
        "health": rng.choice((0, 0, 0, 1, 2, 3)),
    }


def _components(rng: random.Random, table: dict[str, object]) -> Iterator[dict[str, object]]:
    """Yield rows of the components of a table's health."""
    for name in THRESHOLDS:
        yield {
            "table_id": table["id"],
            "component": name,
            "status": rng.choice((0, 0, 0, 0, 1, 2, table["health"])),
            "since_ms": rng.getrandbits(40),
            "computed_at_ms": rng.getrandbits(40),
            "document": b"d" * 300,
        }


def _pages(server: Server, tables: int, times: int) -> Iterator[Row]:
    connection = Connection(server.port)
    questions = {case: ("tables", parameters) for case, parameters in QUESTIONS.items()}
    for case, (path, parameters) in {**questions, "health, the worst first": ("health", "sort=-health")}.items():
        walls: list[float] = []
        token, rows, used = "", 0, server.cpu()
        for _ in range(max(times, 3)):
            started = time.perf_counter()
            body = connection.ask(Ask("GET", f"/api/v1/{path}?page_size={PAGE}&{parameters}{token}"))
            walls.append((time.perf_counter() - started) * 1000)
            page = json.loads(body)
            rows += len(page[path])
            token = "" if page["next_page_token"] is None else f"&page_token={page['next_page_token']}"
        each = (server.cpu() - used) * 1000 / len(walls)
        times_of = Times((each,), tuple(walls))
        figure = f"{shown_ms(each)} of CPU; p50 {shown_ms(times_of.wall50)}, {rows // len(walls):,} rows a page"
        # The target applies to the list of tables.
        target, met = ("≤ 50 ms a page", each <= MOST_MS) if path == "tables" else ("", None)
        yield Row("W18", f"{tables:,} tables, {case}", target, figure, met)
    connection.close()
