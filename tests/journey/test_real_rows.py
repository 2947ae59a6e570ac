"""Rows of the real Iceberg tables, moved since they were written, as executors read them, equal DuckDB's."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.client.catalog import Client
from lakemuster.spark.options import Options
from lakemuster.spark.planning import task_inputs, task_rows
from lakemuster.spark.reading.iceberg import read_schema
from lakemuster.spark.snapshot_pin import pin
from tests.duckdb import CONNECTED
from tests.journey.servers import Running, lakemuster, served

pytestmark = pytest.mark.timeout(900)
ASK = (
    CONNECTED
    + """
import os

def main(folder, queries):
    os.chdir(folder)
    connection = connected()
    connection.execute("SET unsafe_enable_version_guessing = true")
    answers = []
    for query in queries:
        try:
            answers.append(connection.execute(query).fetchall())
        except duckdb.Error as problem:
            answers.append(str(problem))
    return answers
"""
)


@pytest.fixture(scope="module")
def lake(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    folder = tmp_path_factory.mktemp("real")
    copy = folder / "data" / "persistent"  # most tables' locations, relative to DuckDB's folder
    shutil.copytree(lakes / "iceberg", copy, copy_function=shutil.copyfile)
    rewrites = [f"data/persistent={copy}"]
    rewrites += [f"{name}={copy}/iceberg/{name}" for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    found = lakemuster(folder, "discover", str(copy), *(word for rule in rewrites for word in ("--rewrite", rule)))
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running, folder


def is_compared(of: pa.DataType) -> bool:
    """Return whether both systems convert values of the type to the same text."""
    return not (
        pa.types.is_nested(of) or pa.types.is_floating(of) or pa.types.is_binary(of) or of == pa.timestamp("us", "UTC")
    )


def as_text(value: Any) -> str | None:
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def test_rows_are_those_of_duckdb(lake: tuple[Running, Path], run_duckdb: Callable[..., Any]) -> None:
    ours: dict[str, list[list[str | None]]] = {}
    queries: dict[str, str] = {}
    with Client(lake[0].uri) as client:
        for info in client.tables():
            options = Options(lake[0].uri, info.name)
            pinned = pin(client.table(info.name), options)
            columns = tuple(field["name"] for field in pinned.table.schema["fields"] if field["type"] != "time")
            table = replace(pinned.table, columns=columns)
            compared = [field.name for field in read_schema(table) if is_compared(field.type)]
            read = [batch for part in task_inputs(options, pinned) for batch in task_rows(options, table, part)]
            rows = pa.Table.from_batches(read, read_schema(table)).select(compared).to_pylist()
            ours[info.name] = [[as_text(value) for value in row.values()] for row in rows]
            location = info.location.removeprefix("file://")
            names = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in compared)
            how = "allow_moved_paths = true" if "lineitem" in info.name else "allow_moved_paths = false"
            how += ", metadata_compression_codec = 'gzip'" if "_gz" in info.name else ""
            queries[info.name] = f"SELECT {names} FROM iceberg_scan('{location}', {how})"
    answers = dict(zip(queries, run_duckdb(ASK, folder=str(lake[1]), queries=list(queries.values())), strict=True))
    for name, theirs in answers.items():
        assert not isinstance(theirs, str), (name, theirs)
        assert sorted(map(repr, ours[name])) == sorted(map(repr, theirs)), name
    assert len(ours) == 16
    assert all(ours.values())
