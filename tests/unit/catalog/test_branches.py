"""Selection of the second branch's snapshot that is read with the requested one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lakemuster.catalog.branches import second_branch, with_second
from lakemuster.errors import SnapshotQuarantined
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import Ref, TableMetadata
from lakemuster.planner.view import CURRENT, Selector, View
from tests.unit.api.conftest import METADATA

FALLBACK, PRIMARY = "scan.fallback-branch", "scan.primary-branch"


def metadata(**options: str) -> TableMetadata:
    """Return a Paimon table with the branch ``side``, whose newest schema has the given ``scan.`` options."""
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return replace(
        METADATA,
        format="paimon",
        schemas=(Schema(0, ()), Schema(1, (), options=tuple((f"scan.{name}", of) for name, of in named.items()))),
        branch_schemas={"side": (Schema(3, ()), Schema(4, ()))},
        refs=(Ref("main", "branch", 2), Ref("side", "branch", 2, "side"), Ref("old", "tag", 1)),
    )


def record(number: int, at_ms: int, branch: str = "side", source: str = "snapshot") -> SnapshotRecord:
    snapshot = SimpleNamespace(snapshot_id=number, committed_at_ms=at_ms, branch=branch, schema_id=0, source=source)
    return cast("SnapshotRecord", SimpleNamespace(snapshot=snapshot, row_id=number))


SIDE = [record(1, 100), record(2, 200), record(3, 300)]


def read(selector: Selector, at_ms: int = 250, known: Any = SIDE, **options: str) -> Any:
    """Return the second branch of a view of snapshot 7 of main."""
    view = View(cast("Any", None), metadata(**options or {"fallback_branch": "side"}), record(7, at_ms, "main"))
    return with_second(view, selector, lambda branch: known, lambda found: found).second_branch


def number(other: Any) -> int | None:
    return None if other.view is None else other.view.snapshot.snapshot.snapshot_id


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, None),
        ({"fallback_branch": "side"}, (FALLBACK, "side", False)),
        ({"primary_branch": " side "}, (PRIMARY, "side", True)),
        ({"primary_branch": "side", "fallback_branch": "side"}, (FALLBACK, "side", False)),
        ({"fallback_branch": "gone"}, None),
        ({"fallback_branch": "main"}, None),
        ({"fallback_branch": " "}, None),
    ],
)
def test_the_newest_schema_names_it(options: dict[str, str], found: tuple[str, str, bool] | None) -> None:
    other = second_branch(metadata(**options), "main")
    assert (other and (other.option, other.branch, other.is_first)) == found
    assert second_branch(replace(metadata(**options), format="iceberg"), "main") is None
    assert second_branch(metadata(**options), "side") is None


def test_the_branches_of_a_chain_table_are_not_merged() -> None:
    names = (("scan.fallback-snapshot-branch", "side"), ("scan.fallback-delta-branch", "delta"))

    def table(*options: tuple[str, str]) -> TableMetadata:
        main = (Schema(0, (), options=options),)
        return replace(METADATA, format="paimon", schemas=main, branch_schemas={"side": main})

    def chain(branch: str, *options: tuple[str, str]) -> Any:
        return second_branch(table(*options), branch)

    enabled = ("chain-table.enabled", "true")
    found = chain("main", enabled, *names, (FALLBACK, "side"))
    assert (found.option, found.branch, found.view) == ("chain-table.enabled", "side", None)
    assert "branch delta is not supported" in found.problem
    view = View(cast("Any", None), table(enabled, *names), None)
    assert with_second(view, CURRENT, lambda _: SIDE, lambda found: found).second_branch == found
    assert chain("side", enabled, *names) is None
    assert chain("main", enabled, names[0]) is None
    assert chain("main", *names) is None


def test_the_snapshot_of_the_same_time_is_read() -> None:
    assert number(read(CURRENT)) == 3
    assert number(read(Selector(ref="main"))) == 3
    assert number(read(Selector(snapshot_id=7))) == 2
    assert number(read(Selector(snapshot_id=7), at_ms=100)) == 1
    assert number(read(Selector(snapshot_id=2))) == 3  # main's newest snapshot: the current table
    assert number(read(Selector(as_of_ms=299))) == 2
    assert number(read(Selector(as_of_ms=50))) is None
    tagged = [record(1, 100, source="tag"), record(2, 200, source="changelog"), record(3, 300)]
    assert number(read(Selector(as_of_ms=299), known=tagged)) is None


def test_an_id_older_than_the_branch_reads_its_first_snapshot() -> None:
    assert number(read(Selector(snapshot_id=7), at_ms=50)) == 1
    expired = read(Selector(snapshot_id=7), at_ms=50, known=SIDE[1:])
    assert expired.view is None
    assert "expired" in expired.problem


def test_a_branch_without_snapshots_and_a_tag() -> None:
    empty = read(CURRENT, known=[])
    assert (empty.view, empty.problem) == (None, None)
    assert "tag" in read(Selector(ref="old")).problem


def test_a_snapshot_that_cannot_be_read_is_a_problem() -> None:
    def quarantined(_: SnapshotRecord) -> SnapshotRecord:
        raise SnapshotQuarantined("a manifest is gone")

    view = View(cast("Any", None), metadata(fallback_branch="side"), record(7, 250, "main"))
    other = with_second(view, CURRENT, lambda _: SIDE, quarantined).second_branch
    assert other is not None
    assert other.problem == "a manifest is gone"


def test_the_branch_is_read_with_its_newest_schema() -> None:
    for selector in (CURRENT, Selector(snapshot_id=7)):
        assert read(selector).view.schema_id == 4
