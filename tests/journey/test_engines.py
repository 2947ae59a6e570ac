"""Unmodified engines read the demo lake and a table on S3 through the Iceberg REST catalog.

Each runs in its own environment; some request plans, others plan by themselves. The number of rows and the sum of the
first column are compared with those that PyIceberg reads directly from the tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.beside import python_of, runner
from tests.journey import engine_scripts, java_engines
from tests.journey.servers import served

ENGINES = {
    "PyIceberg": ("requirements-polars.lock", engine_scripts.PYICEBERG),
    "Polars": ("requirements-polars.lock", engine_scripts.POLARS),
    "Daft": ("requirements-daft.lock", engine_scripts.DAFT),
    "DuckDB": ("requirements-duckdb.lock", engine_scripts.DUCKDB),
    "ClickHouse": ("requirements-chdb.lock", engine_scripts.CLICKHOUSE),
}
JAVA_ENGINES = {"Trino": java_engines.trino, "Flink": java_engines.flink}
"""Engines of hundreds of megabytes, most of which Maven downloads on first use."""
ALL = [
    *ENGINES,
    *(pytest.param(name, marks=[pytest.mark.full, pytest.mark.timeout(3600)]) for name in JAVA_ENGINES),
]
DEMO = {"shop.orders": "id", "shop.customers": "id", "web.events": "event_id"}
BUCKET = "engines"


@dataclass(frozen=True)
class Readable:
    """Tables behind a server.

    Attributes:
        tables: the first column of each table, by name.
        storage: PyIceberg's properties for access to the files.
        expected: the number of rows and the sum of the first column, for each table.
    """

    uri: str
    tables: dict[str, str]
    storage: dict[str, str]
    expected: list[list[int]]


@pytest.fixture(scope="module")
def demo_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readable]:
    """The demo lake, with the rows of its archive."""
    folder = tmp_path_factory.mktemp("engines")
    with served(folder, "--demo") as running:
        lake = f"file://{folder}/.lakemuster/demo/lake"
        catalog = SqlCatalog("c", uri="sqlite:///:memory:", warehouse=lake)
        expected = []
        for name in DEMO:
            namespace, _, table = name.partition(".")
            metadata = max((folder / ".lakemuster/demo/lake" / f"{namespace}.db" / table / "metadata").glob("*.json"))
            catalog.create_namespace_if_not_exists(namespace)
            rows = catalog.register_table(name, f"file://{metadata}").scan().to_arrow()
            expected.append([rows.num_rows, pc.sum(rows.column(0)).as_py()])
        yield Readable(f"{running.uri}/iceberg", DEMO, {}, expected)


@pytest.fixture(scope="module")
def s3_table(s3_endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readable]:
    """A table in a bucket of moto."""
    folder: Path = tmp_path_factory.mktemp("engines_s3")
    own = {"s3.endpoint": s3_endpoint, "s3.access-key-id": "k", "s3.secret-access-key": "s", "s3.region": "us-east-1"}
    boto3.client(
        "s3", endpoint_url=s3_endpoint, aws_access_key_id="k", aws_secret_access_key="s", region_name="us-east-1"
    ).create_bucket(Bucket=BUCKET)
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"s3://{BUCKET}/lake", **own)
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", pa.schema([("id", pa.int64()), ("name", pa.string())]))
    for first in (0, 50):
        table.append(pa.table({"id": range(first, first + 50), "name": [f"n{n}" for n in range(50)]}))
    storage = json.dumps({"s3": {"endpoint_url": s3_endpoint, "key": "k", "secret": "s"}})
    with served(folder, STORAGE=storage, ROOTS=f"s3://{BUCKET}") as running:
        running.post("/tables", {"name": "db.t", "location": table.metadata_location}, status=201)
        yield Readable(f"{running.uri}/iceberg", {"db.t": "id"}, own, [[100, 4950]])


def ask(engine: str, lake: Readable, folders: pytest.TempPathFactory) -> Any:
    if engine in JAVA_ENGINES:
        return JAVA_ENGINES[engine](lake.uri, lake.tables, lake.storage, folders)
    lock, script = ENGINES[engine]
    run: Callable[..., Any] = runner(python_of(lock), folders)
    more = {"bucket": BUCKET} if lake.storage and engine == "ClickHouse" else {}
    return run(script, uri=lake.uri, tables=lake.tables, storage={**lake.storage, **more})


@pytest.mark.parametrize("engine", ALL)
def test_the_demo_lake(demo_lake: Readable, engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert ask(engine, demo_lake, tmp_path_factory) == demo_lake.expected


@pytest.mark.parametrize("engine", ALL)
def test_a_table_on_s3(s3_table: Readable, engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert ask(engine, s3_table, tmp_path_factory) == s3_table.expected
