"""Locations in responses have a scheme, also for a lake whose metadata has bare paths and is read by standard clients.

The folder's name contains a space, a non-ASCII letter and a percent sign with digits: nothing is encoded or decoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from tests.journey.position_deletes import delete_positions
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_duckdb import ASK

TABLES = {"db.plain": list(range(6)), "db.deleted": [0, 2, 3, 5]}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with two tables with bare paths; one has position deletes that refer to files by these paths."""
    folder = tmp_path_factory.mktemp("bare") / "a lake é %20x"
    folder.mkdir()
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder.parent}/catalog.db", warehouse=f"{folder}/lake")
    catalog.create_namespace("db")
    for name in TABLES:
        table = catalog.create_table(name, pa.schema([("id", pa.int64())]), f"{folder}/lake/{name.replace('.', '/')}")
        for first in (0, 3):
            table.append(pa.table({"id": list(range(first, first + 3))}))
        if name == "db.deleted":
            delete_positions(table, {path: [1] for path in paths(table)})
        assert all(path.startswith("/") for path in paths(table))
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running


def paths(table: Table) -> list[str]:
    """Return the paths of the table's data files."""
    return [str(row) for row in table.inspect.data_files().column("file_path").to_pylist()]


def texts(value: Any) -> Iterator[str]:
    """Yield every string in a JSON document."""
    match value:
        case str():
            yield value
        case dict() | list():
            for inner in value.values() if isinstance(value, dict) else value:
                yield from texts(inner)


@pytest.mark.parametrize("name", TABLES)
def test_loaded_tables_and_scan_tasks_name_urls(lake: Running, name: str) -> None:
    url = f"{lake.uri}/iceberg/v1/namespaces/db/tables/{name.partition('.')[2]}"
    loaded = lake.http.get(url).json()
    located = [text for text in texts(loaded) if "/a lake é %20x/" in text]
    assert len(located) >= 6
    assert all(text.startswith("file:///") for text in located)
    assert Path(loaded["metadata-location"].removeprefix("file://")).is_file()
    planned = [text for text in texts(lake.http.post(f"{url}/plan", json={}).json()) if "/a lake é %20x/" in text]
    scheme = "/" if name == "db.deleted" else "file:///"  # position deletes name files by the recorded text
    assert len(planned) >= 2
    assert all(text.startswith(scheme) for text in planned)


@pytest.mark.parametrize("mode", ["server", "client"])
@pytest.mark.parametrize("name", TABLES)
def test_pyiceberg_reads_all_rows_whoever_plans(lake: Running, name: str, mode: str) -> None:
    catalog = RestCatalog("muster", uri=f"{lake.uri}/iceberg", **{"scan-planning-mode": mode})
    rows = catalog.load_table(name).scan().to_arrow()
    assert sorted(rows.column("id").to_pylist()) == TABLES[name]


def test_duckdb_reads_all_rows(lake: Running, run_duckdb: Callable[..., Any]) -> None:
    queries = [f"SELECT id FROM muster.{name}" for name in TABLES]
    for name, rows in zip(TABLES, run_duckdb(ASK, uri=f"{lake.uri}/iceberg", queries=queries), strict=True):
        assert [row[0] for row in rows] == TABLES[name], json.dumps(rows)


def test_duckdb_and_pyiceberg_read_the_demo_lake(run_duckdb: Callable[..., Any], tmp_path: Path) -> None:
    counts = {"shop.orders": 466, "shop.customers": 199, "web.events": 320}
    with served(tmp_path / "a lake é %20x", "--demo") as demo:
        queries = [f"SELECT count(*) FROM muster.{name}" for name in counts]
        found = run_duckdb(ASK, uri=f"{demo.uri}/iceberg", queries=queries)
        assert found == [[[count]] for count in counts.values()]
        for mode in ("server", "client"):
            catalog = RestCatalog("muster", uri=f"{demo.uri}/iceberg", **{"scan-planning-mode": mode})
            for name, count in counts.items():
                assert catalog.load_table(name).scan().to_arrow().num_rows == count
