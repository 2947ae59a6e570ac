"""Plans beside those of Paimon's own Java planner, on tables of every kind that its own writer wrote.

Each answer is held against Java's twice: the files' names against its plan's, and the rows that Java reads from our
files against those that it reads from the whole table. Where the names differ, the reason has a name below.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import pytest

from tests.journey.paimon_java.predicates import Predicate, Writer
from tests.journey.paimon_java.tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "12"))
TOKEN = {"metastore": "rest", "token.provider": "bear", "token": "unused"}
ALONE = {"source.split.target-size": "1 b", "source.split.open-file-cost": "1 b"}
"""Every section of a merge tree is a split of its own then: Java tells of splits alone whether they are raw."""

Reason = Callable[["Table", list[list[Any]]], bool]

# Why a plan may hold less than Java's: of which tables and leaves of predicates.
LESS: dict[str, Reason] = {
    "a null count tells of IS NULL where there are no bounds, which Java asks for first": lambda _, leaves: any(
        leaf[0] == "is null" for leaf in leaves
    ),
    "conjuncts that pin a bucket's key twice have no bucket in common, which Java does not see": lambda table, leaves: (
        sum(leaf[0] in {"=", "in"} and leaf[1] in table.bucket_key for leaf in leaves) > len(table.bucket_key)
    ),
}
# Why it may hold more.
MORE: dict[str, Reason] = {
    "a bound that is NaN or leaves NaN out tells us nothing; Java puts it above all": lambda table, leaves: any(
        not leaf[0].startswith("is ") and table.types[leaf[1]] in {"FLOAT", "DOUBLE"} for leaf in leaves
    ),
}


class Table:
    """A table that Java wrote, and that a server of ours serves."""

    def __init__(self, kind: str, java: Paimon, server: Running) -> None:
        self.kind, self.java, self.server = kind, java, server
        made = KINDS[kind]
        java.ask("create", **made.created(kind))
        for action, arguments in made.steps:
            java.ask(action, table=kind, **arguments)
        server.post("/tables", {"name": f"db.{kind}", "location": str(java.lake / "db.db" / kind)}, 201)

    def ask(self, action: str, **arguments: Any) -> Any:
        """Java's answer about the table."""
        return self.java.ask(action, table=self.kind, **arguments)

    def plan(self, **question: Any) -> list[dict[str, Any]]:
        """The files of our plan."""
        files: list[dict[str, Any]] = self.server.post(
            f"/tables/db.{self.kind}/plan", {"page_size": 10_000, **question}
        )["files"]
        return files

    @cached_property
    def types(self) -> dict[str, str]:
        """Its columns and their types."""
        return dict(self.ask("columns"))

    @cached_property
    def bucket_key(self) -> list[str]:
        """What rows are put into buckets by."""
        made = KINDS[self.kind]
        stated = made.options.get("bucket-key")
        return stated.split(",") if stated else [name for name in made.primary if name not in made.partition]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """All rows, as Java reads them."""
        found: list[list[Any]] = self.ask("rows")
        return found

    @cached_property
    def snapshots(self) -> list[int]:
        """The ids of the main branch's snapshots."""
        return sorted(int(row[0]) for row in self.ask("rows", system="snapshots"))

    def predicates(self, number: int) -> list[Predicate]:
        """Random ones, always the same for a table."""
        writer = Writer(self.ask("columns"), self.rows, zlib.crc32(self.kind.encode()))
        return [writer.predicate() for _ in range(number)]


def names(files: list[dict[str, Any]]) -> set[str]:
    return {file["file_name"] for file in files}


def named(splits: list[dict[str, Any]]) -> set[str]:
    return {file["name"] for split in splits for file in split["files"]}


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("paimon-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        java_paimon.ask("catalog", name="rest", options={**TOKEN, "uri": f"{running.uri}/paimon"})
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    written: dict[str, Table] = {}

    def table(kind: str) -> Table:
        if kind not in written:
            written[kind] = Table(kind, java_paimon, server)
        return written[kind]

    return table


@pytest.fixture(params=[kind for kind in KINDS if kind != "evolved_unwritten"])
def table(request: pytest.FixtureRequest, table_of: Callable[[str], Table]) -> Table:
    return table_of(request.param)


def test_random_predicates(table: Table) -> None:
    asked = table.predicates(FILTERS)
    ours = [table.plan(filter=predicate.sql) for predicate in asked]
    theirs = [set(plan) for plan in table.ask("plans", predicates=[predicate.java for predicate in asked])]
    read = [[(file["file_name"], file["raw_convertible"]) for file in plan] for plan in ours]
    rows = table.ask("missing", predicates=[predicate.java for predicate in asked], plans=read)
    wrong = {}
    for predicate, plan, other, (missing, surplus, _) in zip(asked, ours, theirs, rows, strict=True):
        if missing or surplus:
            wrong[predicate.sql] = f"rows: {missing} missing, {surplus} that are not there"
        elif (more := names(plan) - other) and not any(reason(table, predicate.leaves) for reason in MORE.values()):
            wrong[predicate.sql] = f"{len(more)} more than Java, and nothing says why"
        elif (less := other - names(plan)) and not any(reason(table, predicate.leaves) for reason in LESS.values()):
            wrong[predicate.sql] = f"{len(less)} less than Java, and nothing says why"
    assert not wrong, json.dumps(wrong, indent=1)
    if KINDS[table.kind].options.get("bucket") != "-2":
        assert any(matching for _, _, matching in rows)


def test_files_vectors_and_what_needs_no_merging(table: Table) -> None:
    """Java's deletion vectors and ``raw_convertible``, and the bucket of every file."""
    theirs = {}
    for split in table.ask("splits", options=ALONE):
        for file in split["files"]:
            vector = file.get("vector")
            place = vector and [vector["path"].removeprefix("file:"), *list(vector.values())[1:]]
            theirs[file["name"]] = (split["bucket"], file["level"], split["raw"], place)
    ours = {}
    for file in table.plan():
        vector = file["deletion_vector"]
        place = vector and [vector["file_path"], *list(vector.values())[1:]]
        ours[file["file_name"]] = (file["bucket"], file["level"], file["raw_convertible"], place)
    assert ours == theirs


@pytest.mark.parametrize("size", [None, 8_000])
def test_splits(table: Table, size: int | None) -> None:
    """Files stand together as in Java's splits."""
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


@pytest.mark.parametrize("mode", ["delta", "changelog"])
def test_what_commits_added(table: Table, mode: str) -> None:
    if mode == "changelog" and not table.kind.startswith("changelog"):
        pytest.skip("writes no changelog")
    last = table.snapshots[-1]
    for start, end in {(1, last), (last // 2, last), (1, 1 + last // 2)}:
        # Without the last option Java would skip what stands on level 0 here too, where deletion vectors or the
        # first row make a whole scan do so: that is all that commits of such a table append.
        options = {
            "incremental-between": f"{start},{end}",
            "incremental-between-scan-mode": mode,
            "batch-scan-mode": "compact",
        }
        ours = table.plan(start_snapshot_id=start, end_snapshot_id=end, scan_mode=mode)
        assert names(ours) == named(table.ask("splits", options=options)), (start, end)


def test_read_optimized(table: Table) -> None:
    """What Java's system table ``$ro`` reads."""
    if not KINDS[table.kind].primary:
        pytest.skip("nothing is merged")
    assert names(table.plan(read_optimized=True)) == named(table.ask("splits", system="ro"))


def test_a_tag_and_a_branch(table_of: Callable[[str], Table]) -> None:
    for kind, ref, theirs in [
        ("append", "whole", {"options": {"scan.tag-name": "whole"}}),
        ("evolved", "before", {"options": {"scan.tag-name": "before"}}),
        ("branched", "early", {"options": {"scan.tag-name": "early"}}),
        ("branched", "side", {"branch": "side"}),
    ]:
        table = table_of(kind)
        columns = [column for column in table.ask("columns", **theirs) if column[0] != "aside"]
        writer = Writer(columns, table.ask("rows", **theirs), 5)
        asked = [writer.predicate() for _ in range(FILTERS)]
        expected = table.ask("plans", predicates=[predicate.java for predicate in asked], **theirs)
        found = [sorted(names(table.plan(filter=predicate.sql, ref=ref))) for predicate in asked]
        assert found == expected, (kind, ref)


@pytest.mark.xfail(strict=True, reason="plans ask by the snapshot's schema, also where no snapshot is named")
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
    """Java plans and reads by itself what our Paimon REST catalog names."""
    assert sorted(table.ask("rows", catalog="rest"), key=str) == sorted(table.rows, key=str)
    where = table.predicates(2)[-1].java
    assert sorted(table.ask("rows", catalog="rest", where=where), key=str) == sorted(
        table.ask("rows", where=where), key=str
    )


def test_the_past_through_our_catalog(table_of: Callable[[str], Table]) -> None:
    for kind, asked in [
        ("append", {"options": {"scan.tag-name": "whole"}}),
        ("evolved", {"options": {"scan.tag-name": "before"}}),
        ("evolved", {"options": {"scan.snapshot-id": "2"}}),
        ("keyed_compacted", {"options": {"scan.snapshot-id": "5"}}),
        ("changelog_input", {"options": {"incremental-between": "1,5"}}),
        ("branched", {"branch": "side"}),
    ]:
        table = table_of(kind)
        theirs = table.ask("rows", **asked)
        assert theirs
        assert sorted(table.ask("rows", catalog="rest", **asked), key=str) == sorted(theirs, key=str), (kind, asked)


@pytest.mark.parametrize("system", ["snapshots", "schemas", "options", "tags", "branches", "partitions", "files", "ro"])
def test_system_tables_through_our_catalog(table_of: Callable[[str], Table], system: str) -> None:
    # Our list of partitions is by name: one of null and blank values, none where nothing is partitioned.
    for kind in (
        ("keyed_parts", "append_overwritten") if system == "partitions" else ("branched", "keyed_parts", "append")
    ):
        table = table_of(kind)
        # Our locations are those that the table was registered with: plain paths.
        plain = [str(row).replace("'file:/", "'/") for row in table.ask("rows", system=system)]
        assert sorted(map(str, table.ask("rows", system=system, catalog="rest"))) == sorted(plain), kind
