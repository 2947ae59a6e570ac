"""The files that an expiry of Iceberg snapshots would remove equal those that Iceberg's Java library removes."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.expiry import Expiry, Policy, expiry_of
from lakemuster.catalog.services import Services
from lakemuster.errors import SnapshotsNotIndexed
from lakemuster.planner.history.rules import HISTORY_RULES, HistoryRules
from lakemuster.planner.iceberg import expired_files, retention
from tests.apps import create_app
from tests.beside import jars_of
from tests.caches import memory_limit
from tests.contract.service.backends import catalog, settings
from tests.tree import ROOT

COMMITS = 24
TABLES = 12
Answer = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A table, an expiry policy, and the files, snapshots and refs that Java removed."""

    name: str
    policy: Policy
    removed: Answer


class Java:
    """Runs Iceberg's Java library in its own package, since its second cleanup strategy is not public."""

    def __init__(self, folder: Path) -> None:
        jars = [*jars_of("requirements-spark.jars"), *jars_of("requirements-paimon.jars")]
        self.path = os.pathsep.join([str(folder), *jars])
        source = ROOT / "tests" / "java_iceberg" / "Expiry.java"
        subprocess.run(["javac", "-nowarn", "-d", folder, "-cp", self.path, source], check=True)

    def answers(self, questions: Sequence[Answer]) -> list[Answer]:
        done = subprocess.run(
            ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", self.path, "org.apache.iceberg.Expiry"],
            input="\n".join(map(json.dumps, questions)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines()]


def properties(number: int) -> dict[str, str]:
    """Return a table's properties: small manifests are merged, and some tables have an expiry policy."""
    found = {"format-version": "2", "commit.manifest.min-count-to-merge": "4"}
    if number % 3 == 1:
        found |= {"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "3"}
    if number % 6 == 4:
        found |= {"history.expire.max-ref-age-ms": "1"}
    return found


def policies(times: Sequence[int], seed: int) -> list[Policy]:
    """Return policies by properties, time, number, or time and number, each with both cleanup strategies."""
    chosen = random.Random(seed)
    middle = chosen.choice(times)
    own = [
        Policy(),
        Policy(older_than_ms=middle),
        Policy(older_than_ms=middle + 1, retain_last=chosen.randint(1, 5)),
        Policy(older_than_ms=times[-1] + 1),
        Policy(retain_last=2, older_than_ms=times[-1] + 1),
        Policy(retain_last=3),
    ]
    return [*own, *(replace(one, cleanup="library") for one in own)]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("expiry")
    with catalog(settings(folder, max_staleness=3600.0)) as made:
        yield made


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Java:
    return Java(tmp_path_factory.mktemp("classes"))


@pytest.fixture(scope="module")
def cases(services: Services, java: Java, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    lake, copies = tmp_path_factory.mktemp("lake"), tmp_path_factory.mktemp("copies")
    java.answers(
        [
            {
                "action": "make",
                "path": str(lake / f"t{number}"),
                "seed": number,
                "commits": COMMITS,
                "crossed": number % 3 != 2,
                "properties": properties(number),
            }
            for number in range(TABLES)
        ]
    )
    questions: list[Answer] = []
    asked: list[tuple[str, Policy]] = []
    for number in range(TABLES):
        name, root = f"l.t{number}", lake / f"t{number}"
        services.add(name, str(root), "iceberg", (), operator=True)
        times = sorted(one.snapshot.committed_at_ms for one in services.snapshots(name)[1])
        for policy in policies(times, number):
            copy = copies / str(len(questions))
            shutil.copytree(root, copy)
            asked.append((name, policy))
            questions.append(
                {
                    "action": "expire",
                    "path": str(copy),
                    "older_than": policy.older_than_ms,
                    "retain_last": policy.retain_last,
                    "cleanup": policy.cleanup,
                }
            )
    answers = java.answers(questions)
    return [Case(*one, answer) for one, answer in zip(asked, answers, strict=True)]


def expiry(services: Services, name: str, policy: Policy) -> Expiry:
    found = expiry_of(services, name, policy)
    assert isinstance(found, Expiry)
    return found


def difference(services: Services, case: Case) -> list[str]:
    """Return the names of the parts that differ from what Java removed."""
    found = expiry(services, case.name, case.policy)
    ours = {
        "files": sorted(path.removeprefix("file://") for path in found.files.column("file_path").to_pylist()),
        "snapshots": sorted(str(one.snapshot.snapshot_id) for one in found.retention.expired),
        "refs": sorted(ref.name for ref, _ in found.retention.refs),
    }
    theirs = {key: sorted(case.removed[key]) for key in ours}
    theirs["files"] = [path.removeprefix("file:") for path in theirs["files"]]
    return [f"{case.name} {case.policy} {key}" for key in ours if ours[key] != theirs[key]]


def test_what_would_go_is_what_java_removes(services: Services, cases: list[Case]) -> None:
    wrong = [text for case in cases for text in difference(services, case)]
    assert wrong == []
    removed = [case for case in cases if case.removed["snapshots"]]
    assert len(removed) > len(cases) / 2
    kinds = {kind for case in removed for kind in expiry(services, case.name, case.policy).files["kind"].to_pylist()}
    assert kinds == {"data", "position-deletes", "equality-deletes", "manifest", "manifest-list", "statistics"}
    assert any(case.removed["refs"] for case in cases)
    # The two cleanup strategies differ only in the history of main.
    by_question = {(case.name, case.policy): set(case.removed["files"]) for case in cases}
    kept_longer = [
        key for key in by_question if by_question[key] < by_question[key[0], replace(key[1], cleanup="reachable")]
    ]
    assert kept_longer


def test_sizes_are_exact_or_null_with_the_reason(services: Services, cases: list[Case]) -> None:
    for case in cases:
        out = expiry(services, case.name, case.policy).out()
        rows = expiry(services, case.name, case.policy).files.to_pylist()
        for row in rows:
            path = Path(row["file_path"].removeprefix("file://"))
            number = int(path.name.split(".")[0].split("-")[0]) if row["kind"] == "data" else 0
            if row["kind"] == "data":
                assert row["file_size_in_bytes"] == 1000 + number
            elif row["kind"] == "manifest":
                assert row["file_size_in_bytes"] == path.stat().st_size
            elif row["kind"] == "manifest-list":
                assert (row["file_size_in_bytes"], row["reason"]) == (None, "no metadata records its size")
        content = [row for row in rows if row["kind"] in ("data", "position-deletes", "equality-deletes")]
        assert sum(one.bytes for one in out.partitions) == sum(row["file_size_in_bytes"] for row in content)
        assert sum(one.data_files + one.delete_files for one in out.partitions) == len(content)
        assert len(out.partitions) == len({row["partition"]["region"] for row in content})
        for total in out.totals:
            own = [row["file_size_in_bytes"] for row in rows if row["kind"] == total.kind]
            assert total.files == len(own)
            assert total.bytes == (None if None in own else sum(own))


def test_over_http_it_is_a_summary_and_a_list_of_files_in_pages(services: Services, cases: list[Case]) -> None:
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
    case = max(cases, key=lambda case: len(case.removed["files"]))
    chosen = {"older_than": case.policy.older_than_ms, "retain_last": case.policy.retain_last}
    given = {name: value for name, value in chosen.items() if value is not None} | {"cleanup": case.policy.cleanup}
    url = f"/api/v1/tables/{case.name}/expiry"
    summary = http.get(url, params=given).json()
    assert {row["snapshot_id"] for row in summary["snapshots"]} == set(case.removed["snapshots"])
    assert sum(total["files"] for total in summary["totals"]) == len(case.removed["files"])
    listed: list[str] = []
    page = http.get(f"{url}/files", params={**given, "page_size": 7}).json()
    while True:
        listed += [row["file_path"] for row in page["files"]]
        if page["next_page_token"] is None:
            break
        token = page["next_page_token"]
        page = http.get(f"{url}/files", params={**given, "page_size": 7, "page_token": token}).json()
    assert sorted(listed) == sorted(case.removed["files"])
    arrow = http.get(f"{url}/files", params=given, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert pa.ipc.open_stream(arrow.content).read_all().column("file_path").to_pylist() == listed
    assert http.get(url, params={"ref": "elsewhere"}).status_code == 400
    assert http.get(url, params={"older_than": "yesterday"}).status_code == 400


def test_snapshots_that_are_not_indexed_are_named_and_indexed_on_request(
    services: Services, cases: list[Case], tmp_path: Path
) -> None:
    case = next(case for case in cases if len(case.removed["snapshots"]) > 5)
    with catalog(settings(tmp_path, history=0, max_staleness=3600.0)) as made:
        made.add(case.name, services.table(case.name).location, None, (), operator=True)
        with pytest.raises(SnapshotsNotIndexed, match="are not indexed") as refused:
            expiry_of(made, case.name, case.policy)
        assert refused.value.context["not_indexed"]
        http = TestClient(create_app(made), base_url="http://127.0.0.1:8181")
        given = {"older_than": case.policy.older_than_ms, "cleanup": case.policy.cleanup}
        given |= {} if case.policy.retain_last is None else {"retain_last": case.policy.retain_last}
        url = f"/api/v1/tables/{case.name}/expiry"
        answer = http.get(url, params={name: value for name, value in given.items() if value is not None})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "snapshots_not_indexed")
        found = expiry_of(made, case.name, case.policy, index=True)
        assert isinstance(found, Expiry)
        assert difference(made, case) == []


def test_a_table_without_garbage_collection_is_refused(services: Services, java: Java, tmp_path: Path) -> None:
    make = {"action": "make", "path": str(tmp_path / "t"), "seed": 5, "commits": 3, "crossed": False}
    java.answers([{**make, "properties": {"gc.enabled": "false"}}])
    services.add("l.kept", str(tmp_path / "t"), "iceberg", (), operator=True)
    out = expiry(services, "l.kept", Policy(older_than_ms=2**50)).out()
    assert out.refused == "gc.enabled is false: Iceberg does not expire snapshots of this table"
    assert (out.snapshots, out.totals) == ([], [])
    (answer,) = java.answers([{"action": "expire", "path": str(tmp_path / "t"), "older_than": 2**50}])
    assert "GC is disabled" in answer["refused"]


def _rules(**changes: Any) -> Callable[[object], HistoryRules]:
    return lambda table: replace(ICEBERG, **changes)


def _without(kind: str) -> Callable[..., pa.Table]:
    def changed(*of: Any) -> pa.Table:
        files = expired_files.expired_files(*of)
        return files.filter(pc.not_equal(files.column("kind"), kind))

    return changed


ICEBERG = HISTORY_RULES._rules["iceberg"]
LINEAGE = retention.lineage
REACHABLE, MANIFESTS, REF_EXPIRES = expired_files._reachable, expired_files._manifests, retention._ref_expires
PLANTED: dict[str, list[tuple[Any, str, Any]]] = {
    "a live file is called expired": [
        (expired_files, "_reachable", lambda index, state, manifests, _: REACHABLE(index, state, manifests, {}))
    ],
    "manifests that others list go": [
        (expired_files, "_manifests", lambda index, state, records: MANIFESTS(index, state, list(records)[:1]))
    ],
    "branches keep by main's policy": [(retention, "_own", lambda ref, name: None)],
    "tags keep nothing": [
        (retention, "_ref_expires", lambda ref, *of: "a tag" if ref.kind == "tag" else REF_EXPIRES(ref, *of))
    ],
    "no ref expires": [(retention, "_ref_expires", lambda *_: None)],
    "ancestors end at the first old one": [(retention, "DEFAULT_MIN_SNAPSHOTS", 2)],
    "statistics stay": [(HISTORY_RULES, "of", _rules(expired_files=_without("statistics")))],
    "manifest lists stay": [(HISTORY_RULES, "of", _rules(expired_files=_without("manifest-list")))],
    "deletes stay": [(HISTORY_RULES, "of", _rules(expired_files=_without("position-deletes")))],
    "the library always cleans incrementally": [(expired_files, "_is_incremental", lambda *_: True)],
    "the library never cleans incrementally": [(expired_files, "_is_incremental", lambda *_: False)],
    "a lineage ends after two": [(retention, "lineage", lambda *of: list(LINEAGE(*of))[:2])],
}


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_noticed(
    services: Services, cases: list[Case], monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    for target, name, value in PLANTED[bug]:
        monkeypatch.setattr(target, name, value)
    with memory_limit(0):
        assert any(difference(services, case) for case in cases)
