"""Step-by-step checks of the rules of partition readiness, and bugs to plant in their implementation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog import partition_readiness
from lakemuster.index import ready_partitions
from lakemuster.jobs import readiness
from lakemuster.jobs.readiness import TellReadyPartitions
from lakemuster.metadata import partition_periods
from lakemuster.table_settings import ReadinessRule
from tests.contract.service.readiness_lake import lake

RULE = ReadinessRule(quiet=7200)
ONE, TWO, THREE = "2024-05-01", "2024-05-02", "2024-05-03"
END_OF_ONE, END_OF_TWO = "1714608000000", "2024-05-03T00:00:00Z"


def check_quiet(folder: Path, database_url: str | None = None) -> None:
    """Check that a day is reported once when no commit has changed it for two hours, by any process."""
    with lake(folder, {"quiet": "2h"}, database_url) as found:
        found.tell()
        found.commit(ONE, TWO)
        found.tell()
        assert found.told() == []
        found.pass_hours(1.5)
        found.commit(TWO)
        found.tell()
        found.pass_hours(1)
        job = TellReadyPartitions(found.services)
        found.tell(job)
        # The second commit came an hour and a half later by the test's clock, and immediately by its writer's clock.
        first = [("quiet", ONE, "eu"), ("quiet", TWO, "eu")]
        assert sorted(found.told()) == first
        found.tell(job)
        found.tell()
        assert sorted(found.told()) == first
        found.commit(ONE)
        found.pass_hours(3)
        found.tell(job)
        assert sorted(found.told()) == first


def check_last_commits(folder: Path) -> None:
    """Check that the last commit to each day is the newest snapshot that adds to it or removes from it."""
    with lake(folder, {"quiet": "2h"}) as found:
        found.commit(ONE, TWO)
        found.commit(TWO)
        found.commit(THREE)
        found.drop(THREE)
        found.commit(THREE)
        times = [entry.timestamp_ms for entry in found.table.snapshots()]
        seen = partition_readiness.current_view(found.services, found.services.table("shop.sales"))
        assert seen is not None
        index, (view, records) = found.services.index, seen
        days = {one.key: one.values["day"] for one in partition_readiness.candidates(index, view, RULE)}
        commits = partition_readiness.last_commits(index, view, records, set(days))
        assert {days[key]: at for key, at in commits.items()} == {ONE: times[0], TWO: times[1], THREE: times[-1]}
        before = next(one for one in records if one.snapshot.committed_at_ms == times[1])
        earlier = partition_readiness.last_commits(index, replace(view, snapshot=before), records, set(days))
        # Given the commits of an earlier snapshot, only later commits are read.
        assert partition_readiness.last_commits(index, view, records, set(days), (before.row_id, earlier)) == commits


def check_quiet_needs_a_look(folder: Path) -> None:
    """Check that time alone does not make a day ready, since a commit may have come after the last look."""
    with lake(folder, {"quiet": "2h"}) as found:
        found.tell()
        found.commit(ONE)
        found.tell()
        found.clock.pass_seconds(3 * 3600)
        found.tell()
        assert found.told() == []
        found.look()
        found.tell()
        assert found.told() == [("quiet", ONE, "eu")]


def check_watermark(folder: Path, database_url: str | None = None) -> None:
    """Check that a day is reported once the watermark reaches its end, also if later snapshots have no watermark."""
    with lake(folder, {"watermark": "stream.watermark"}, database_url) as found:
        found.tell()
        found.commit(ONE, TWO, stream_watermark=str(int(END_OF_ONE) - 1))
        found.tell()
        assert found.told() == []
        found.commit(TWO, stream_watermark=END_OF_ONE)
        found.commit(THREE)
        found.tell()
        assert found.told() == [("watermark", ONE, "eu")]
        found.commit(THREE, stream_watermark=END_OF_TWO)
        found.tell()
        assert found.told() == [("watermark", ONE, "eu"), ("watermark", TWO, "eu")]


def check_sibling(folder: Path, database_url: str | None = None) -> None:
    """Check that a day is reported when the same region has a later one."""
    with lake(folder, {"sibling": True}, database_url) as found:
        found.tell()
        found.commit(ONE)
        found.commit(TWO, region="us")
        found.tell()
        assert found.told() == []
        found.commit(THREE)
        found.tell()
        assert found.told() == [("sibling", ONE, "eu")]


def check_rules(folder: Path) -> None:
    """Check that all conditions of a rule must hold, and that each rule reports separately."""
    rules = [{"name": "both", "sibling": True, "watermark": "w"}, {"name": "later", "sibling": True}]
    with lake(folder, rules) as found:
        found.tell()
        found.commit(ONE, TWO)
        found.tell()
        assert found.told() == [("later", ONE, "eu")]
        found.commit(TWO, w=END_OF_TWO)
        found.tell()
        assert found.told() == [("later", ONE, "eu"), ("both", ONE, "eu")]


def check_first(folder: Path) -> None:
    """Check that partitions which are ready when a rule is added are stored but not reported."""
    with lake(folder, {"sibling": True}) as found:
        found.commit(ONE, TWO)
        found.tell()
        assert found.told() == []
        _, listing = partition_readiness.ready_listing(found.services, "shop.sales")
        assert [one.document["partition"]["day"] for one in listing.items] == [ONE]
        found.commit(THREE)
        found.tell()
        assert found.told() == [("sibling", TWO, "eu")]


def check_gone(folder: Path) -> None:
    """Check that a partition which was removed and added again is reported again."""
    with lake(folder, {"sibling": True}) as found:
        found.tell()
        found.commit(ONE, TWO)
        found.tell()
        found.drop(ONE)
        found.tell()
        found.commit(ONE)
        found.tell()
        assert found.told() == [("sibling", ONE, "eu")] * 2


Check = Callable[[Path], None]
CHECKS: tuple[Check, ...] = (
    check_quiet,
    check_last_commits,
    check_quiet_needs_a_look,
    check_watermark,
    check_sibling,
    check_rules,
    check_first,
    check_gone,
)
Patch = pytest.MonkeyPatch
PLANTED: dict[str, tuple[Check, Callable[[Patch], None]]] = {}


def planted(name: str, check: Check) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def keep(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        PLANTED[name] = check, plant
        return plant

    return keep


@planted("what was told is forgotten", check_quiet)
def _(patch: Patch) -> None:
    real = ready_partitions._insert

    def insert(session: Any, rows: Any) -> Any:
        real(session, rows)
        return [(one["rule"], one["key"]) for one in rows if one["key"]]

    patch.setattr(ready_partitions, "_insert", insert)
    patch.setattr(readiness, "reported_keys", lambda *_: {"quiet": set()})


@planted("the clock counts, and not the last look", check_quiet_needs_a_look)
def _(patch: Patch) -> None:
    patch.setattr(partition_readiness, "last_commits", None)
    patch.setattr(readiness, "last_commits", lambda *given: dict.fromkeys(given[3], 0))


@planted("every partition was committed to just now", check_quiet)
def _(patch: Patch) -> None:
    patch.setattr(
        readiness, "last_commits", lambda index, view, records, pending, known: dict.fromkeys(pending, 10**15)
    )


@planted("only what a commit adds touches a partition", check_last_commits)
def _(patch: Patch) -> None:
    real = partition_readiness._touched
    patch.setattr(partition_readiness, "_touched", lambda index, view, before, after: real(index, view, after, after))


@planted("the watermark of the current snapshot alone counts", check_watermark)
def _(patch: Patch) -> None:
    real = partition_readiness.watermark_ms
    patch.setattr(
        partition_readiness,
        "watermark_ms",
        lambda records, own, name: real([one for one in records if one.snapshot is own], own, name),
    )


@planted("a day ends with its beginning", check_watermark)
def _(patch: Patch) -> None:
    patch.setattr(
        partition_periods, "_between", lambda start, _: partition_periods.Period(*[partition_periods._ms(start)] * 2)
    )


@planted("a partition of another region is a sibling", check_sibling)
def _(patch: Patch) -> None:
    real = partition_readiness.candidates

    def candidates(*given: Any) -> Any:
        return [partition_readiness.Candidate(one.key, one.values, one.row, one.period, b"") for one in real(*given)]

    patch.setattr(readiness, "candidates", candidates)


@planted("an earlier partition is a sibling", check_sibling)
def _(patch: Patch) -> None:
    real = partition_readiness.candidates

    def candidates(*given: Any) -> Any:
        return [
            partition_readiness.Candidate(one.key, one.values, one.row, partition_periods.Period(-at, 0), one.others)
            for one in real(*given)
            for at in [one.period.start_ms if one.period else 0]
        ]

    patch.setattr(readiness, "candidates", candidates)


@planted("one condition of a rule is enough", check_rules)
def _(patch: Patch) -> None:
    patch.setattr(partition_readiness, "watermark_ms", lambda *_: 10**15)


@planted("partitions that were ready before the rule are told", check_first)
def _(patch: Patch) -> None:
    real = ready_partitions._insert
    patch.setattr(
        ready_partitions, "_insert", lambda session, rows: [one for one in real(session, rows) if one[1] != b""]
    )


@planted("a partition that was gone is not told again", check_gone)
def _(patch: Patch) -> None:
    patch.setattr(readiness, "forget", lambda *_: None)


@planted("the snapshot is not looked at again", check_watermark)
def _(patch: Patch) -> None:
    real = partition_readiness.current_view
    first: dict[int, Any] = {}
    patch.setattr(
        readiness, "current_view", lambda services, table: first.setdefault(id(services), real(services, table))
    )
