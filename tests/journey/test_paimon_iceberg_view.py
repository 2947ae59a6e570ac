"""Iceberg clients read Paimon's append tables through a server: the rows are those that Paimon's clients read.

Paimon's Java client writes them, with Iceberg metadata. PyIceberg plans by itself and by the server's plans, DuckDB by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import NoSuchTableError

from tests.contract.service.paimon_lake import STORAGE, WRITTEN, Lake
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_duckdb import ASK
from tests.paimon_java import Paimon

COLUMNS = (
    ("id", "BIGINT"),
    ("flag", "BOOLEAN"),
    ("small", "INT"),
    ("score", "DOUBLE"),
    ("price", "DECIMAL(9, 2)"),
    ("day", "DATE"),
    ("local", "TIMESTAMP(6)"),
    ("name", "STRING"),
    ("dt", "DATE"),
    ("region", "INT"),
)
TABLES: dict[str, dict[str, Any]] = {
    "plain": {"storage": "table-location"},
    "parted": {"storage": "table-location", "partition": ["dt", "region"]},
    "bucketed": {"storage": "table-location", "bucket": "3", "bucket-key": "id"},
    "apart": {"storage": "hadoop-catalog", "partition": ["region"]},
    "version3": {"storage": "table-location", "metadata.iceberg.format-version": "3"},
}
# Filters, with their value for a row.
FILTERS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "id < 20": lambda row: row["id"] < 20,
    "id >= 5 AND id <= 30 AND flag = true": lambda row: 5 <= row["id"] <= 30 and row["flag"] is True,
    "flag IS NULL OR day = '2024-01-02'": lambda row: row["flag"] is None or str(row["day"]) == "2024-01-02",
    "dt = '2024-02-02' AND region = 1": lambda row: str(row["dt"]) == "2024-02-02" and row["region"] == 1,
    "name LIKE 'name 1%' AND small > -17000": lambda row: (
        (row["name"] or "").startswith("name 1") and row["small"] > -17000
    ),
    "price < 2.50": lambda row: row["price"] < 2.5,
    "local < '2024-01-01T06:00:00'": lambda row: str(row["local"]) < "2024-01-01 06",
    "score IS NULL": lambda row: row["score"] is None,
    "later = 4": lambda row: row["later"] == 4,
    "id = 1000": lambda row: False,
}
READ = """
from pypaimon import CatalogFactory

def rows(table):
    builder = table.new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()

def main(warehouse, names):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    return {name: rows(catalog.get_table(f"db.{name}")) for name in names}
"""


def texts(i: int) -> list[str | None]:
    """Return a row as text values."""
    return [
        "+I",
        str(i),
        None if i % 5 == 0 else str(i % 2 == 0).lower(),
        str(-i * 1000),
        None if i % 4 == 0 else str(i * 1.5),
        f"{i / 4:.2f}",
        str(date(2024, 1, 1) + timedelta(days=i % 9)),
        f"2024-01-01 {i % 24:02d}:02:03.000{i:03d}",
        None if i % 7 == 0 else f"name {i}",
        None if i % 11 == 0 else f"2024-02-0{i % 3 + 1}",
        str(i % 2),
    ]


@pytest.fixture(scope="module")
def lake(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake.made(java_paimon, tmp_path_factory.mktemp("views") / "lake")
    for name, of in TABLES.items():
        options = {**WRITTEN, **of, STORAGE: of["storage"]}
        keys = {"partition": options.pop("partition", [])}
        options.pop("storage")
        made.ask("create", name, columns=[list(column) for column in COLUMNS], options=options, **keys)
        for start in (0, 15, 30):
            made.ask("write", name, rows=[texts(i) for i in range(start, start + 15)])
        made.ask("alter", name, changes=[["add", "later", "INT"], ["rename", "small", "smaller"]])
        made.ask("alter", name, changes=[["rename", "smaller", "small"]])
        made.ask("write", name, rows=[[*texts(i), str(i % 5)] for i in range(45, 60)])
    return made


@pytest.fixture(scope="module")
def running(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("server")
    found = lakemuster(folder, "discover", str(lake.folder))
    assert found.returncode == 0, found.stderr
    assert [line.split("\t")[:3] for line in found.stdout.splitlines()] == [
        *(["registered", f"db.{name}", "paimon"] for name in sorted(TABLES)),
        ["exists", "iceberg.db.apart", "iceberg"],
    ]
    with served(folder) as server:
        yield server


@pytest.fixture(scope="module")
def expected(lake: Lake, run_pypaimon: Callable[..., Any]) -> dict[str, list[dict[str, Any]]]:
    """The rows that pypaimon reads, by table."""
    found: dict[str, list[dict[str, Any]]] = run_pypaimon(READ, warehouse=str(lake.folder), names=sorted(TABLES))
    return found


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


@pytest.mark.parametrize("mode", ["client", "server"])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_pyiceberg_reads_the_rows_of_pypaimon(
    name: str, mode: str, running: Running, expected: dict[str, list[dict[str, Any]]]
) -> None:
    catalog = RestCatalog("muster", uri=f"{running.uri}/iceberg")
    assert ("db", name) in catalog.list_tables("db")
    table = catalog.load_table(f"db.{name}")

    def rows(text: str) -> list[dict[str, Any]]:
        scan = table.scan(text)
        if mode == "client":
            scan.catalog = None
        found: list[dict[str, Any]] = scan.to_arrow().to_pylist()
        return found

    every = rows("id >= 0")
    assert len(every) == 60
    assert in_order([{key: _plain(value) for key, value in row.items()} for row in every]) == in_order(expected[name])
    for text, matches in FILTERS.items():
        assert in_order(rows(text)) == in_order([row for row in every if matches(row)]), text


def _plain(value: object) -> object:
    """Return a value as the pypaimon process sends it: numbers, strings and nulls unchanged, others as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def test_duckdb_counts_the_same_rows(running: Running, lake: Lake, run_duckdb: Callable[..., Any]) -> None:
    queries = [f"SELECT count(*), sum(id), count(name), min(dt) FROM muster.db.{name}" for name in sorted(TABLES)]
    names = sum(i % 7 != 0 for i in range(60))
    assert run_duckdb(ASK, uri=f"{running.uri}/iceberg", queries=queries) == [
        [[60, sum(range(60)), names, "2024-02-01"]] for _ in TABLES
    ]


def test_a_commit_is_seen_by_both(running: Running, lake: Lake) -> None:
    catalog = RestCatalog("muster", uri=f"{running.uri}/iceberg")
    lake.ask("create", "growing", columns=[["id", "BIGINT"]], options={**WRITTEN, STORAGE: "table-location"})
    with pytest.raises(NoSuchTableError):
        catalog.load_table("db.growing")
    lake.ask("write", "growing", rows=[["+I", "1"]])
    running.post("/tables", {"name": "db.growing", "location": str(lake.root("growing"))}, status=400)
    added = lakemuster(running.log.parent, "add", "db.growing", str(lake.root("growing")))
    assert added.returncode == 0, added.stderr
    for number in range(2, 5):
        lake.ask("write", "growing", rows=[["+I", str(number)]])
        rows = catalog.load_table("db.growing").scan().to_arrow()
        assert sorted(rows["id"].to_pylist()) == list(range(1, number + 1))
        assert len(running.rows("/tables/db.growing/files")) == number
    removed = lakemuster(running.log.parent, "remove", "db.growing")
    assert removed.returncode == 0, removed.stderr
    assert not catalog.table_exists("db.growing")
