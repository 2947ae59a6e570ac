"""Tables written in SQL by Paimon's Spark connector: plans compared with Java's, and rows through the REST catalog."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakemuster import Client
from tests.journey.paimon_java import spark_tables
from tests.journey.paimon_java.beside_java import Table, files_of_java, files_of_ours, held_against_java, named, names
from tests.journey.paimon_java.rows_read import counted, counted_of_java, rows_read, table_to_read
from tests.journey.paimon_java.spark_tables import TABLES
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon
from tests.spark import Spark

pytestmark = pytest.mark.timeout(900)
FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "12"))


@pytest.fixture(scope="module")
def folder(paimon_spark: Spark) -> Path:
    """The folder of the tables that Spark wrote."""
    spark_tables.write(paimon_spark)
    return paimon_spark.folder


@pytest.fixture(scope="module")
def server(folder: Path, java_paimon: Paimon) -> Iterator[Running]:
    java_paimon.ask("catalog", name="spark", options={"warehouse": (folder / "lake").as_uri()})
    with served(folder / "server", ROOTS=f'["{folder}/lake"]') as running:
        options = {"metastore": "rest", "token.provider": "bear", "token": "unused", "uri": f"{running.uri}/paimon"}
        java_paimon.ask("catalog", name="rest of spark", options=options)
        yield running


@pytest.fixture(scope="module")
def table_of(server: Running, folder: Path, java_paimon: Paimon) -> Callable[[str], Table]:
    served_so_far: dict[str, Table] = {}

    def table(name: str) -> Table:
        if name not in served_so_far:
            location = folder / "lake" / "db.db" / name
            served_so_far[name] = Table(name, java_paimon, server, location, "spark")
        return served_so_far[name]

    return table


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest, table_of: Callable[[str], Table]) -> Table:
    return table_of(request.param)


def test_random_predicates(table: Table) -> None:
    assert held_against_java(table, FILTERS)


def test_files_vectors_and_what_needs_no_merging(table: Table) -> None:
    assert files_of_ours(table) == files_of_java(table)
    if table.kind in {"spark_vectors", "spark_keyed_vectors"}:
        assert any(file["deletion_vector"] for file in table.plan())


def test_every_snapshot(table: Table) -> None:
    for snapshot in table.snapshots:
        ours = names(table.plan(snapshot_id=snapshot))
        assert ours == named(table.ask("splits", options={"scan.snapshot-id": str(snapshot)})), snapshot


def test_rows_through_our_catalog_are_those_of_spark(table: Table, paimon_spark: Spark) -> None:
    columns = [name for name, _ in table.ask("columns")]
    rows = table.ask("rows", catalog="rest of spark")
    found = [[row[columns.index("id")], row[columns.index("day")]] for row in rows]
    theirs = paimon_spark.sql(f"SELECT CAST(id AS string), CAST(day AS string) FROM plain.db.{table.kind}")
    assert sorted(found) == sorted(theirs)


@pytest.mark.parametrize("name", TABLES)
def test_rows_that_executors_read(table_of: Callable[[str], Table], name: str) -> None:
    table = table_of(name)
    with Client(table.server.uri) as client:
        to_read = table_to_read(client, f"db.{name}")
        ours = counted(rows_read(client, to_read))
    theirs = counted_of_java(table.rows, to_read.schema["fields"])
    assert (ours - theirs, theirs - ours) == ({}, {})
    assert theirs


def test_a_tag_and_a_branch(table_of: Callable[[str], Table]) -> None:
    table = table_of("spark_evolved")
    tagged = named(table.ask("splits", options={"scan.tag-name": "before"}))
    assert names(table.plan(ref="before")) == names(table.plan(ref="side")) == tagged
    asked = [["starts with", "name", "alder"], ["=", "blob", "x7"]]
    ours = [names(table.plan(filter=f"{sql}", ref="side")) for sql in ("name LIKE 'alder%'", "blob = X'7837'")]
    assert ours == [set(plan) for plan in table.ask("plans", predicates=asked, branch="side")]
