"""The files that an expiry of Paimon snapshots would remove equal those that Paimon's Java client removes."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakemuster.catalog.expiry import Expiry, Policy, expiry_of
from lakemuster.catalog.services import Services
from lakemuster.planner.paimon import expired_files, retention
from tests.caches import memory_limit
from tests.contract.service.backends import catalog, settings
from tests.contract.service.paimon_lake import Lake
from tests.paimon_java import Paimon
from tests.polling import until

HINTS = {"EARLIEST", "LATEST"}
KEYED = {"bucket": "1", "num-sorted-run.compaction-trigger": "3"}
TABLES: dict[str, dict[str, str]] = {
    "plain": {},
    "keyed": KEYED,
    "changelogs": {**KEYED, "changelog-producer": "input"},
    "vectors": {**KEYED, "deletion-vectors.enabled": "true"},
    "indexed": {"file-index.bloom-filter.columns": "name", "file-index.in-manifest-threshold": "1b"},
    "decoupled": KEYED,
    "decoupled_changelogs": {**KEYED, "changelog-producer": "input"},
}
LIFE = {
    "snapshot.num-retained.min": "2",
    "snapshot.num-retained.max": "4",
    "changelog.num-retained.max": "50",
    "changelog.num-retained.min": "40",
}
COMMITS = 14
DRIFT_MS = 25


@dataclass(frozen=True)
class Case:
    """A table, an expiry policy, and the files that Java removed."""

    table: str
    policy: Policy
    branch: str | None
    removed: frozenset[str]


def grow(lake: Lake, table: str, options: dict[str, str]) -> None:
    """Make commits with compactions and tags, a branch from a tag, and some commits after the last tag."""
    lake.create(table, None, **options)
    chosen = random.Random(table)
    for number in range(COMMITS):
        lake.write(table, chosen.randrange(30), 1 + chosen.randrange(8))
        if number % 3 == 0:
            # Ensure that the next commit is later than a time that policies choose.
            after(2 * DRIFT_MS / 1000)
        if number % 5 == 4:
            lake.ask("compact", table, full=number % 2 == 0)
        if number in (3, 7):
            lake.ask("tag", table, name=f"tag{number}")
    if table == "keyed":
        lake.ask("branch", table, name="side", tag="tag3")
        for number in range(6):
            lake.ask("write", table, branch="side", rows=[["+I", str(number), "x", "2024-01-01"]])
    if table.startswith("decoupled"):
        for name, value in LIFE.items():
            lake.set_option(table, name, value)


def after(seconds: float) -> None:
    """Wait until the wall clock has advanced by ``seconds``."""
    end = time.time() + seconds
    until(lambda: time.time() > end)


def policies(times: Sequence[int], seed: str) -> list[Policy]:
    """Return policies by options, by time, by number and by both.

    Java converts a time to an age and back some milliseconds later, so times are chosen just after snapshots whose
    successor is more than ``DRIFT_MS`` later.
    """
    chosen = random.Random(seed)
    clear = [time + 1 for time, following in pairwise(times) if following - time > DRIFT_MS]
    # The client is version 1.4.
    own = [
        Policy(),
        Policy(older_than_ms=2**42, retain_last=1),
        Policy(older_than_ms=chosen.choice(clear), retain_last=1 + chosen.randrange(3)),
        Policy(older_than_ms=chosen.choice(clear), retain_last=1),
        Policy(retain_last=1, retain_max=3),
        Policy(older_than_ms=2**42, retain_last=2, max_deletes=4),
    ]
    return [replace(policy, paimon=1) for policy in own]


def files_of(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.name not in HINTS}


@pytest.fixture(scope="module")
def lake(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake.made(java_paimon, tmp_path_factory.mktemp("expiry") / "lake")
    for table, options in TABLES.items():
        grow(made, table, options)
    return made


@pytest.fixture(scope="module")
def services(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("index"), max_staleness=0.0)) as made:
        for table in TABLES:
            made.add(f"l.{table}", str(lake.root(table)), None, (), operator=True)
        yield made


def removed(lake: Lake, table: str, policy: Policy, branch: str | None, folder: Path) -> frozenset[str]:
    """Return the files that Java removes from a copy of the table."""
    copy = Lake.made(lake.java, folder)
    shutil.copytree(lake.root(table), copy.root(table))
    given = {
        "older_than": policy.older_than_ms,
        "retain_min": policy.retain_last,
        "retain_max": policy.retain_max,
        "max_deletes": policy.max_deletes,
    }
    before = files_of(copy.root(table))
    texts = {name: str(value) for name, value in given.items() if value is not None}
    copy.ask("expire", table, **texts, **({} if branch is None else {"branch": branch}))
    return frozenset(before - files_of(copy.root(table)))


@pytest.fixture(scope="module")
def cases(lake: Lake, services: Services, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    found: list[Case] = []
    folder = tmp_path_factory.mktemp("copies")
    for table in TABLES:
        for branch in (None, "side") if table == "keyed" else (None,):
            times = sorted(one.snapshot.committed_at_ms for one in services.snapshots(f"l.{table}")[1])
            for policy in policies(times, table):
                gone = removed(lake, table, policy, branch, folder / str(len(found)))
                found.append(Case(table, policy, branch, gone))
    return found


def expiry(services: Services, case: Case) -> Expiry:
    found = expiry_of(services, f"l.{case.table}", case.policy, case.branch)
    assert isinstance(found, Expiry)
    return found


def ours(services: Services, lake: Lake, case: Case) -> set[str]:
    root = f"{lake.root(case.table)}/"
    paths = expiry(services, case).files.column("file_path").to_pylist()
    return {path.removeprefix("file://").removeprefix("file:").removeprefix(root) for path in paths}


def test_what_would_go_is_what_java_removes(services: Services, lake: Lake, cases: list[Case]) -> None:
    wrong = []
    for case in cases:
        found = ours(services, lake, case)
        if found != case.removed:
            wrong.append((case.table, case.policy, case.branch, found - case.removed, case.removed - found))
    assert wrong == []
    assert sum(bool(case.removed) for case in cases) > len(cases) / 2
    kinds = {kind for case in cases for kind in expiry(services, case).files["kind"].to_pylist()}
    assert kinds == {"data", "changelog", "index", "manifest", "manifest-list", "snapshot"}


def test_sizes_are_those_of_the_files_or_null_with_the_reason(
    services: Services, lake: Lake, cases: list[Case]
) -> None:
    known = 0
    for case in cases:
        for row in expiry(services, case).files.to_pylist():
            size = Path(row["file_path"].removeprefix("file://").removeprefix("file:")).stat().st_size
            assert row["file_size_in_bytes"] in (None, size)
            assert (row["file_size_in_bytes"] is None) == (row["reason"] is not None)
            assert row["file_size_in_bytes"] is not None or row["kind"] not in ("data", "changelog")
            known += row["file_size_in_bytes"] is not None
        out = expiry(services, case).out()
        content = [row for row in expiry(services, case).files.to_pylist() if row["kind"] in ("data", "changelog")]
        assert sum(one.bytes for one in out.partitions) == sum(row["file_size_in_bytes"] for row in content)
        assert sum(one.data_files + one.changelog_files for one in out.partitions) == len(content)
    assert known > 100


def test_what_a_consumer_has_yet_to_read_stays(services: Services, lake: Lake, tmp_path: Path) -> None:
    consumer = lake.root("plain") / "consumer" / "consumer-slow"
    consumer.parent.mkdir()
    consumer.write_text(json.dumps({"nextSnapshot": 4}))
    try:
        services.refresh("l.plain")
        policy = Policy(older_than_ms=2**42, retain_last=1, paimon=1)
        case = Case("plain", policy, None, removed(lake, "plain", policy, None, tmp_path / "copy"))
        assert ours(services, lake, case) == case.removed
        expired = [one.snapshot.snapshot_id for one in expiry(services, case).retention.expired]
        assert expired == [1, 2, 3]
    finally:
        consumer.unlink()
        consumer.parent.rmdir()
        services.refresh("l.plain")


def test_paimon_2_keeps_a_snapshot_until_the_next_one_is_old_enough(services: Services) -> None:
    records = services.snapshots("l.plain")[1]
    moments = [one.snapshot.committed_at_ms for one in records]
    assert len(set(moments)) == len(moments)
    for number in (3, 6):
        policy = Policy(older_than_ms=moments[number], retain_last=1)
        own = {}
        for major in (1, 2):
            found = expiry(services, Case("plain", replace(policy, paimon=major), None, frozenset()))
            own[major] = [one.snapshot.snapshot_id for one in found.retention.expired]
        ids = [one.snapshot.snapshot_id for one in records]
        assert own == {1: ids[:number], 2: ids[: number - 1]}


def test_numbers_that_contradict_each_other_are_refused(services: Services) -> None:
    out = expiry(services, Case("plain", Policy(retain_last=3, retain_max=2), None, frozenset())).out()
    assert out.refused == "snapshot.num-retained.max, 2, is less than snapshot.num-retained.min, 3"


PLANTED: dict[str, list[tuple[Any, str, Any]]] = {
    "files of tags go": [(expired_files, "_live_names", lambda *_: pa.array([], pa.string()))],
    "manifests of tags go": [(expired_files, "_overlapping", lambda *_: [])],
    "upgraded files go": [
        (expired_files, "_is_deleted_last", lambda table: pc.equal(table.column("status"), "deleted"))
    ],
    "changelogs stay": [(expired_files, "_changelogs", lambda *_: iter(()))],
    "changelogs that outlive snapshots go": [(expired_files, "keeps_changelogs", lambda *_: False)],
    "extra files stay": [
        (expired_files, "_extra", lambda entries, *_: pa.nulls(entries.num_rows, pa.list_(pa.string())))
    ],
    "an hour is a minute": [(retention, "DEFAULT_AGE_MS", -(10**12))],
    "index files stay": [(expired_files, "_index_files", lambda *_: iter(()))],
    "the first snapshot that stays refers to nothing": [(expired_files, "_referred", lambda *_: iter(()))],
    "a tag without an earlier snapshot counts": [
        (expired_files, "tagged_snapshots", lambda state: dict(list(retention.tagged_snapshots(state).items())[:1]))
    ],
}


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_noticed(
    services: Services, lake: Lake, cases: list[Case], monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    for target, name, value in PLANTED[bug]:
        monkeypatch.setattr(target, name, value)
    with memory_limit(0):
        assert any(ours(services, lake, case) != case.removed for case in cases)
