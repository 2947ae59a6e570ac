"""Tables that Paimon's Spark connector wrote by SQL: our plans beside Java's, and their rows through our catalog."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakemuster import Client
from tests.beside import python_of, runner
from tests.journey.paimon_java.beside_java import Table, files_of_java, files_of_ours, held_against_java, named, names
from tests.journey.paimon_java.rows_read import counted, counted_of_java, rows_read, table_to_read
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon, jars_of

pytestmark = pytest.mark.timeout(900)
FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "12"))
SCRIPT = Path(__file__).with_name("spark_tables.py")
TABLES = [
    "spark_append",
    "spark_parts",
    "spark_buckets",
    "spark_vectors",
    "spark_copied",
    "spark_keyed",
    "spark_changed",
    "spark_keyed_vectors",
    "spark_first_row",
    "spark_partial",
    "spark_sums",
    "spark_dynamic",
    "spark_lookup",
    "spark_orc",
    "spark_evolved",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paimon-spark")


@pytest.fixture(scope="module")
def theirs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[Any]]]:
    """Spark's rows of the tables that it wrote."""
    run = runner(python_of("requirements-spark35.lock"), tmp_path_factory)
    [jar] = jars_of("requirements-spark35.jars")
    rows: dict[str, list[list[Any]]] = run(SCRIPT, jar=jar, folder=str(folder))
    assert sorted(rows) == sorted(TABLES)
    return rows


@pytest.fixture(scope="module")
def server(theirs: object, folder: Path, java_paimon: Paimon) -> Iterator[Running]:
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


def test_rows_through_our_catalog_are_those_of_spark(table: Table, theirs: dict[str, list[list[Any]]]) -> None:
    columns = [name for name, _ in table.ask("columns")]
    rows = table.ask("rows", catalog="rest of spark")
    found = [[row[columns.index("id")], row[columns.index("day")]] for row in rows]
    assert sorted(found) == sorted(theirs[table.kind])


@pytest.mark.parametrize("name", [name for name in TABLES if name not in {"spark_partial", "spark_sums"}])
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
