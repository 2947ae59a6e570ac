"""Unmodified DuckDB reads tables through the Iceberg REST catalog.

Its Iceberg extension 1.5 plans by itself, from the manifests to which the catalog refers. Without
``ACCESS_DELEGATION_MODE none`` it would request credentials, and need a region of S3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from tests.duckdb import CONNECTED
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_pyiceberg_answers import SPECS, write

ASK = (
    CONNECTED
    + """
def main(uri, queries):
    connection = connected()
    connection.execute(
        f"ATTACH '' AS muster (TYPE iceberg, ENDPOINT '{uri}', AUTHORIZATION_TYPE none, ACCESS_DELEGATION_MODE none)"
    )
    answers = []
    for query in queries:
        try:
            answers.append(sorted(connection.execute(query).fetchall(), key=str))
        except duckdb.Error as problem:
            answers.append(str(problem))
    return answers
"""
)
# Predicates in DuckDB's SQL, with their value for a row.
WHERE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "true": lambda row: True,
    "id = 41": lambda row: row["id"] == 41,
    "id IN (1, 4, 44, 77)": lambda row: row["id"] in {1, 4, 44, 77},
    "flag": lambda row: row["flag"] is True,
    "flag IS NULL": lambda row: row["flag"] is None,
    "smaller BETWEEN 0 AND 60": lambda row: 0 <= row["smaller"] <= 60,
    "price > 9.5": lambda row: row["price"] > 9.5,
    "day = DATE '2024-01-02'": lambda row: str(row["day"]) == "2024-01-02",
    "local < TIMESTAMP '2024-01-02'": lambda row: str(row["local"]) < "2024-01-02",
    "starts_with(name, 'a name')": lambda row: row["name"] is not None,
    "name IS NULL": lambda row: row["name"] is None,
    "place.lat > 3.55": lambda row: (row["place"] or {"lat": 0})["lat"] > 3.55,
    "later = 'x'": lambda row: row["later"] == "x",
    "score IS NULL AND later IS NULL": lambda row: row["score"] is None and row["later"] is None,
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, Table]]]:
    """Tables of format versions 1 and 2 written by PyIceberg, and a server over them."""
    folder: Path = tmp_path_factory.mktemp("duckdb")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    tables = {
        f"{name}_v{version}": write(catalog, name, spec, version) for name, spec in SPECS.items() for version in (1, 2)
    }
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running, tables


@pytest.fixture(scope="module")
def ask(lake: tuple[Running, dict[str, Table]], run_duckdb: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A function that runs queries and returns rows or DuckDB's error messages."""
    return lambda *queries: run_duckdb(ASK, uri=f"{lake[0].uri}/iceberg", queries=queries)


def test_names(lake: tuple[Running, dict[str, Table]], ask: Callable[..., list[Any]]) -> None:
    tables, missing = ask("SELECT database, schema, name FROM (SHOW ALL TABLES)", "FROM muster.db.none")
    assert tables == [["muster", "db", name] for name in sorted(lake[1])]
    assert "none does not exist" in missing


def test_rows(lake: tuple[Running, dict[str, Table]], ask: Callable[..., list[Any]]) -> None:
    running, tables = lake
    queries = [f"SELECT id, name FROM muster.db.{table} WHERE {where}" for table in tables for where in WHERE]
    answers = iter(ask(*queries))
    for table in tables.values():
        rows = table.scan().to_arrow().to_pylist()
        for where, holds in WHERE.items():
            expected = [[row["id"], row["name"]] for row in rows if holds(row)]
            assert sorted(next(answers), key=str) == sorted(expected, key=str), (table.name(), where)
            assert expected
    assert "/plan" not in running.log.read_text(), "DuckDB asks us for plans now: hold them here"


def test_snapshots_of_the_past(lake: tuple[Running, dict[str, Table]], ask: Callable[..., list[Any]]) -> None:
    asked = [(name, table, snapshot) for name, table in lake[1].items() for snapshot in table.snapshots()]
    queries = [f"SELECT id FROM muster.db.{name} AT (VERSION => {snapshot.snapshot_id})" for name, _, snapshot in asked]
    for (_, table, snapshot), rows in zip(asked, ask(*queries), strict=True):
        ids = table.scan(selected_fields=("id",), snapshot_id=snapshot.snapshot_id).to_arrow().column("id").to_pylist()
        assert sorted(row[0] for row in rows) == sorted(ids)
