"""Plans of tables with a fallback or primary branch, compared with those of Paimon's Java planner."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lakemuster import Client
from tests.journey.paimon_java.beside_java import LESS, MORE, Table, named, names, tables_written
from tests.journey.paimon_java.rows_read import counted, counted_of_java, rows_read, table_to_read
from tests.journey.paimon_java.tables import COMPACT, FEW, KEYED, Kind, Step, of, write
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "25"))
APPENDED = of("region", "nr", *FEW)
PARTED = {"nr": ("INT NOT NULL", of("nr")["nr"][1]), **of(*FEW, among=KEYED)}
FALLBACK, PRIMARY = "scan.fallback-branch", "scan.primary-branch"


def reads(option: str, branch: str = "side") -> Step:
    """Return a step that sets a fallback or primary branch."""
    return ("alter", {"changes": [["option", option, branch]]})


def some(ids: range, *, nr: int | None = None) -> list[int]:
    """Return the ids of a partition, or all."""
    return [i for i in ids if nr is None or i % 4 == nr]


def steps(columns: Any, option: str, *more: Step, tag: bool = False) -> list[Step]:
    """Return steps that write partition 0 to both branches, 1 to main only, and 2 and 3 to the side branch only."""
    branch: list[Step] = [("tag", {"name": "early"}), ("branch", {"name": "side", "tag": "early"})]
    return [
        write(columns, some(range(40), nr=0)),
        *(branch if tag else [("branch", {"name": "side"})]),
        write(columns, some(range(40, 80), nr=0), branch="side"),
        reads(option),
        write(columns, some(range(80), nr=1)),
        write(columns, some(range(80), nr=2), branch="side"),
        write(columns, some(range(40, 90), nr=0), 2),
        write(columns, some(range(30), nr=3), 1, branch="side"),
        *more,
    ]


def keyed(made: list[Step], **options: str) -> Kind:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return Kind(PARTED, made, ["nr"], ["nr", "id"], {"bucket": "2"} | named)


def level(branch: str | None = None) -> Step:
    """Return a step that compacts a branch."""
    action, arguments = COMPACT
    return action, arguments | ({} if branch is None else {"branch": branch})


def compacting(made: list[Step]) -> list[Step]:
    """Return these steps with compacting writers: reads of tables with deletion vectors skip uncompacted files."""
    options = {"options": {"write-only": "false", "num-sorted-run.compaction-trigger": "1"}}
    return [(action, arguments | (options if action == "write" else {})) for action, arguments in made]


ADDED = [
    ("alter", {"changes": [["add", "later", "INT"]], **({} if branch is None else {"branch": branch})})
    for branch in (None, "side")
]
KINDS = {
    "fallback": Kind(APPENDED, steps(APPENDED, FALLBACK), ["nr"], options={"bucket": "-1"}),
    "fallback_tagged": Kind(APPENDED, steps(APPENDED, FALLBACK, tag=True), ["nr"], options={"bucket": "-1"}),
    "fallback_nulls": Kind(APPENDED, steps(APPENDED, FALLBACK), ["region", "nr"], options={"bucket": "-1"}),
    "fallback_evolved": Kind(APPENDED, steps(APPENDED, FALLBACK, *ADDED), ["nr"], options={"bucket": "-1"}),
    "fallback_keyed": keyed(steps(PARTED, FALLBACK)),
    "fallback_compacted": keyed(steps(PARTED, FALLBACK, level(), level("side"))),
    "fallback_vectors": keyed(compacting(steps(PARTED, FALLBACK)), **{"deletion_vectors.enabled": "true"}),
    "primary": Kind(APPENDED, steps(APPENDED, PRIMARY), ["nr"], options={"bucket": "-1"}),
    "primary_keyed": keyed(steps(PARTED, PRIMARY, level("side"))),
}
# A branch without a snapshot. Java refuses a branch that does not exist.
EMPTY: dict[str, list[Step]] = {
    "empty_branch": [write(APPENDED, range(10)), ("branch", {"name": "side"}), reads(FALLBACK)],
}
KINDS |= {name: Kind(APPENDED, made, ["nr"], options={"bucket": "-1"}) for name, made in EMPTY.items()}


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("branches-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        options = {"metastore": "rest", "token.provider": "bear", "token": "unused", "uri": f"{running.uri}/paimon"}
        java_paimon.ask("catalog", name="rest of branches", options=options)
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    return tables_written(java_paimon, server, KINDS, lambda kind: f"second_{kind}")


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest, table_of: Callable[[str], Table]) -> Table:
    return table_of(request.param)


def test_files_and_their_branches(table: Table) -> None:
    files = table.plan()
    assert names(files) == named(table.ask("splits"))
    shown = table.server.rows(f"/tables/db.{table.kind}/files")
    assert {file["file_name"] for file in shown} == names(files)
    if table.kind.removeprefix("second_") not in EMPTY:
        own = {file["file_name"] for file in table.plan(ref="main") if file["branch"] is None}
        of_side = {file["file_name"] for file in files if file["branch"] == "side"}
        assert own
        assert of_side
        assert own | of_side == names(files)


def test_random_predicates(table: Table) -> None:
    asked = table.predicates(FILTERS)
    theirs = [set(plan) for plan in table.ask("plans", predicates=[predicate.java for predicate in asked])]
    wrong = {}
    for predicate, other in zip(asked, theirs, strict=True):
        own = names(table.plan(filter=predicate.sql))
        if own - other and not any(reason(table, predicate.leaves) for reason in MORE.values()):
            wrong[predicate.sql] = f"{sorted(own - other)} more than Java"
        elif other - own and not any(reason(table, predicate.leaves) for reason in LESS.values()):
            wrong[predicate.sql] = f"{sorted(other - own)} less than Java"
        listed = table.server.rows(f"/tables/db.{table.kind}/files", filter=predicate.sql)
        assert {file["file_name"] for file in listed} == own
    assert not wrong


def test_splits(table: Table) -> None:
    theirs = [frozenset(file["name"] for file in split["files"]) for split in table.ask("splits")]
    ours: dict[int, set[str]] = {}
    for file in table.plan(splits=True):
        ours.setdefault(file["split"], set()).add(file["file_name"])
    assert {frozenset(files) for files in ours.values()} == set(theirs)


def test_every_snapshot(table: Table) -> None:
    """The latest snapshot's id selects the current table. For it, Java would read the other branch as of its time."""
    assert names(table.plan(snapshot_id=table.snapshots[-1])) == names(table.plan())
    for snapshot in table.snapshots[:-1]:
        theirs = table.ask("splits", options={"scan.snapshot-id": str(snapshot)})
        assert names(table.plan(snapshot_id=snapshot)) == named(theirs), snapshot


def test_pages_and_parts_are_the_plan(table: Table) -> None:
    question = {"filter": "id < 60", "splits": True}
    whole = table.plan(**question)
    path = f"/tables/db.{table.kind}"
    page = table.server.post(f"{path}/plan", {**question, "page_size": 2})
    files = page["files"]
    while token := page["next_page_token"]:
        page = table.server.post(f"{path}/plan", {**question, "page_size": 2, "page_token": token})
        files += page["files"]
    assert files == whole
    tasks = table.server.post(f"{path}/plan/tasks", {**question, "task_files": 1})["plan_tasks"]
    parts = [file for task in tasks for file in table.plan(**question, plan_task=task)]
    assert sorted(map(repr, parts)) == sorted(map(repr, whole))
    assert len(tasks) > 2 or not whole


def test_an_explanation_counts_both(table: Table) -> None:
    files = [file["file_path"] for file in table.plan()]
    explained = table.server.post(f"/tables/db.{table.kind}/explain", {"filter": "id < 20", "files": files})
    kept = {file["file_path"] for file in explained["files"] if file["state"] == "kept"}
    assert kept == {file["file_path"] for file in table.plan(filter="id < 20")}
    assert explained["funnel"][-1]["kept"] == len(kept) or explained["funnel"][-1]["level"] == "groups"
    assert "absent" not in {file["state"] for file in explained["files"]}


def test_rows_as_executors_read_them(table: Table) -> None:
    with Client(table.server.uri) as client:
        to_read = table_to_read(client, f"db.{table.kind}")
        ours = counted(rows_read(client, to_read))
    theirs = counted_of_java(table.rows, to_read.schema["fields"])
    assert (ours - theirs, theirs - ours) == ({}, {})
    assert theirs


def test_partitions_through_our_catalog(table: Table) -> None:
    ours, theirs = (
        sorted(row[:4] for row in table.ask("rows", system="partitions", catalog=name))
        for name in ("rest of branches", "plain")
    )
    assert ours == theirs
    assert len(ours) > 1 or table.kind.removeprefix("second_") in EMPTY


def test_what_is_not_supported_is_refused_by_name(table_of: Callable[[str], Table]) -> None:
    table = table_of("fallback_tagged")
    for question in ({"start_snapshot_id": 1}, {"ref": "early"}):
        answer = table.server.http.post(f"/api/v1/tables/db.{table.kind}/plan", json=question)
        assert (answer.status_code, answer.json()["error"]["code"]) == (501, "format_unsupported"), answer.text
        assert FALLBACK in answer.text
