"""The default rules of a format, and the ancestors of Paimon snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

import lakemuster.catalog.table_formats  # noqa: F401
from lakemuster.catalog.catalog_rules import CATALOG_RULES, CatalogRules, parents
from lakemuster.catalog.paimon_rules import earlier
from lakemuster.errors import FormatUnsupported, RequestInvalid
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.view import View
from lakemuster.wire.native.plans import PlanOptions

PLAIN = CatalogRules("a plain table")
VIEW = cast("View", None)


def snapshot(number: int, parent: int | None = None) -> Snapshot:
    return Snapshot(number, 0, (), parent_id=parent)


def known(*of: Snapshot) -> dict[int, SnapshotRecord]:
    return {one.snapshot_id: cast("SnapshotRecord", SimpleNamespace(snapshot=one)) for one in of}


def numbers(records: Iterable[SnapshotRecord]) -> list[int]:
    return [record.snapshot.snapshot_id for record in records]


def test_ancestors_are_parents_up_to_one_that_has_expired() -> None:
    by_id = known(snapshot(9, 4), snapshot(4, 7), snapshot(7, 1), snapshot(5, 4))
    assert numbers(parents(by_id, snapshot(9, 4))) == [4, 7]
    assert numbers(parents(by_id, snapshot(7, 1))) == []


def test_snapshots_that_are_their_own_ancestors_end_the_search() -> None:
    by_id = known(snapshot(1, 2), snapshot(2, 3), snapshot(3, 2))
    assert numbers(parents(by_id, snapshot(1, 2))) == [2, 3]
    assert numbers(parents(by_id, snapshot(2, 3))) == [3]


def test_snapshots_of_a_paimon_branch_follow_one_another_by_id() -> None:
    by_id = known(snapshot(2), snapshot(5), snapshot(3))
    assert numbers(earlier(by_id, snapshot(5))) == [3, 2]
    assert numbers(earlier(by_id, snapshot(2))) == []


@pytest.mark.parametrize(
    "option", [{"splits": True}, {"read_optimized": True}, {"split_target_size": 1}, {"split_open_file_cost": 1}]
)
def test_a_plain_format_refuses_options_of_merged_files(option: dict[str, Any]) -> None:
    with pytest.raises(RequestInvalid, match=f"{next(iter(option))}: only for Paimon tables"):
        PLAIN.splitting(VIEW, PlanOptions(**option))
    assert PLAIN.splitting(VIEW, PlanOptions()) is None


def test_a_plain_format_has_no_incremental_plans() -> None:
    with pytest.raises(FormatUnsupported, match="does not support incremental plans"):
        PLAIN.increment(cast("Any", None), cast("Any", None), PlanOptions(), cast("Any", None), None)


def test_the_catalog_knows_iceberg_and_paimon() -> None:
    nouns = [CATALOG_RULES.of(SimpleNamespace(format=name)).noun for name in ("iceberg", "paimon")]
    assert nouns == ["an Iceberg table", "a Paimon table"]
