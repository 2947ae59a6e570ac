"""Plans compared with those of Paimon's Java planner, on tables of every kind that Java wrote.

Each plan is checked twice: its files against Java's plan, and the rows that Java reads from these files against
the rows of the whole table. Every accepted difference between the files has a reason in ``beside_java``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.journey.paimon_java.beside_java import (
    Table,
    files_of_java,
    files_of_ours,
    held_against_java,
    named,
    names,
    tables_written,
    unexplained_difference,
)
from tests.journey.paimon_java.predicates import Writer
from tests.journey.paimon_java.tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

WRITTEN = [kind for kind in KINDS if kind != "evolved_unwritten"]
COMMITS = [(kind, "delta") for kind in WRITTEN]
COMMITS += [(kind, "changelog") for kind in WRITTEN if kind.startswith("changelog")]
FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "12"))
TOKEN = {"metastore": "rest", "token.provider": "bear", "token": "unused"}


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("paimon-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        java_paimon.ask("catalog", name="rest", options={**TOKEN, "uri": f"{running.uri}/paimon"})
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    return tables_written(java_paimon, server, KINDS, str)


@pytest.fixture(params=WRITTEN)
def table(request: pytest.FixtureRequest, table_of: Callable[[str], Table]) -> Table:
    return table_of(request.param)


def test_random_predicates(table: Table) -> None:
    matching = held_against_java(table, FILTERS)
    assert matching or KINDS[table.kind].options.get("bucket") == "-2"


def test_files_vectors_and_what_needs_no_merging(table: Table) -> None:
    assert files_of_ours(table) == files_of_java(table)


@pytest.mark.parametrize("size", [None, 8_000])
def test_splits(table: Table, size: int | None) -> None:
    """Splits contain the same files as Java's."""
    options = {"source.split.target-size": f"{size} b", "source.split.open-file-cost": "1 b"} if size else {}
    theirs = [frozenset(file["name"] for file in split["files"]) for split in table.ask("splits", options=options)]
    question = {"split_target_size": size, "split_open_file_cost": 1} if size else {}
    ours: dict[int, set[str]] = {}
    for file in table.plan(splits=True, **question):
        ours.setdefault(file["split"], set()).add(file["file_name"])
    assert {frozenset(files) for files in ours.values()} == set(theirs)


def test_every_snapshot(table: Table) -> None:
    for snapshot in table.snapshots:
        theirs = table.ask("splits", options={"scan.snapshot-id": str(snapshot)})
        assert names(table.plan(snapshot_id=snapshot)) == named(theirs), snapshot


@pytest.mark.parametrize(("kind", "mode"), COMMITS)
def test_what_commits_added(table_of: Callable[[str], Table], kind: str, mode: str) -> None:
    table = table_of(kind)
    last = table.snapshots[-1]
    for start, end in {(1, last), (last // 2, last), (1, 1 + last // 2)}:
        # Without the last option, Java also skips level 0 here for tables with deletion vectors or the merge engine
        # first-row, as in a whole scan; but commits to such tables append only to level 0.
        options = {
            "incremental-between": f"{start},{end}",
            "incremental-between-scan-mode": mode,
            "batch-scan-mode": "compact",
        }
        ours = table.plan(start_snapshot_id=start, end_snapshot_id=end, scan_mode=mode)
        assert names(ours) == named(table.ask("splits", options=options)), (start, end)


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if KINDS[kind].primary])
def test_read_optimized(table_of: Callable[[str], Table], kind: str) -> None:
    """The plan has the files of Java's system table ``$ro``."""
    table = table_of(kind)
    assert names(table.plan(read_optimized=True)) == named(table.ask("splits", system="ro"))


PLANNED: list[tuple[str, str, dict[str, Any]]] = [
    ("append", "whole", {"options": {"scan.tag-name": "whole"}}),
    ("evolved", "before", {"options": {"scan.tag-name": "before"}}),
    ("branched", "early", {"options": {"scan.tag-name": "early"}}),
    ("branched", "side", {"branch": "side"}),
]
READ: list[tuple[str, dict[str, Any]]] = [
    ("append", {"options": {"scan.tag-name": "whole"}}),
    ("evolved", {"options": {"scan.tag-name": "before"}}),
    ("evolved", {"options": {"scan.snapshot-id": "2"}}),
    ("keyed_compacted", {"options": {"scan.snapshot-id": "5"}}),
    ("changelog_input", {"options": {"incremental-between": "1,5"}}),
    ("branched", {"branch": "side"}),
]


def test_a_tag_and_a_branch(table_of: Callable[[str], Table]) -> None:
    for kind, ref, theirs in PLANNED:
        table = table_of(kind)
        columns = [column for column in table.ask("columns", **theirs) if column[0] != "aside"]
        writer = Writer(columns, table.ask("rows", **theirs), 5)
        asked = [writer.predicate() for _ in range(FILTERS)]
        expected = table.ask("plans", predicates=[predicate.java for predicate in asked], **theirs)
        found = [names(table.plan(filter=predicate.sql, ref=ref)) for predicate in asked]
        differences = [
            unexplained_difference(table, predicate, ours, set(plan))
            for predicate, ours, plan in zip(asked, found, expected, strict=True)
        ]
        assert not any(differences), (kind, ref, differences)
        assert sum(ours == set(plan) for ours, plan in zip(found, expected, strict=True)) > len(asked) / 2


@pytest.mark.parametrize(("kind", "ref"), [("evolved_unwritten", None), ("branched", "side")])
def test_a_newer_schema_than_the_newest_snapshot(table_of: Callable[[str], Table], kind: str, ref: str | None) -> None:
    table = table_of(kind)
    added = "later" if ref is None else "aside"
    theirs = table.ask("plans", predicates=[["is null", added]], branch=ref)
    assert sorted(names(table.plan(filter=f"{added} IS NULL", ref=ref))) == theirs[0]


def test_names_through_our_catalog(table: Table) -> None:
    ours = {"catalog": "rest"}
    assert "db" in table.java.ask("databases", **ours)
    assert table.kind in table.java.ask("tables", database="db", **ours)
    assert table.ask("columns", **ours) == table.ask("columns")


def test_rows_through_our_catalog(table: Table) -> None:
    """Java plans and reads by itself a table loaded from the Paimon REST catalog."""
    assert sorted(table.ask("rows", catalog="rest"), key=str) == sorted(table.rows, key=str)
    where = table.predicates(2)[-1].java
    assert sorted(table.ask("rows", catalog="rest", where=where), key=str) == sorted(
        table.ask("rows", where=where), key=str
    )


def test_the_past_through_our_catalog(table_of: Callable[[str], Table]) -> None:
    for kind, asked in READ:
        table = table_of(kind)
        theirs = table.ask("rows", **asked)
        assert theirs
        assert sorted(table.ask("rows", catalog="rest", **asked), key=str) == sorted(theirs, key=str), (kind, asked)


@pytest.mark.parametrize("system", ["snapshots", "schemas", "options", "tags", "branches", "partitions", "files", "ro"])
def test_system_tables_through_our_catalog(table_of: Callable[[str], Table], system: str) -> None:
    # The REST catalog lists partitions by name: null and blank values share one, and unpartitioned tables have none.
    for kind in (
        ("keyed_parts", "append_overwritten") if system == "partitions" else ("branched", "keyed_parts", "append")
    ):
        table = table_of(kind)
        # The server returns locations as they were registered: plain paths.
        plain = [str(row).replace("'file:/", "'/") for row in table.ask("rows", system=system)]
        assert sorted(map(str, table.ask("rows", system=system, catalog="rest"))) == sorted(plain), kind
