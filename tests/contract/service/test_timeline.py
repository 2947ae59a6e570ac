"""Timelines of real tables and of PyIceberg's, compared with sets of files and the writer's summaries."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from lakemuster.catalog import periods
from lakemuster.catalog import timeline as timelines
from lakemuster.catalog.services import Services
from lakemuster.catalog.timeline import Span, Timeline, rows_of, timeline_of
from lakemuster.planner.history import changes, figures, partition_texts
from lakemuster.planner.history.figures import Figures
from lakemuster.planner.history.rules import HISTORY_RULES, HistoryRules
from lakemuster.planner.manifest_list import parts
from tests.apps import create_app
from tests.caches import memory_limit
from tests.contract.service import timeline_oracle as oracle
from tests.contract.service.backends import catalog, settings

Row = dict[str, Any]
IDENTITY: Any = IdentityTransform()
WRITTEN = "shop.sales"


def newest(table: Any) -> int:
    return int(table.current_snapshot().snapshot_id)


def write(folder: Path) -> Any:
    """Write a table: appends, an overwrite, deletes, a new spec, a rewrite of manifests' files, a tag and a branch."""
    lake = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    lake.create_namespace("shop")
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "region", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IDENTITY, "region"))
    table = lake.create_table("shop.sales", schema, partition_spec=spec)

    def rows(start: int, count: int, *regions: str | None) -> pa.Table:
        names = [regions[number % len(regions)] for number in range(count)]
        return pa.table({"id": list(range(start, start + count)), "region": names})

    table.append(rows(0, 10, "eu", "us", None))
    table.append(rows(10, 5, "eu"))
    table.manage_snapshots().create_tag(newest(table), "early").commit()
    table.delete("region = 'us'")
    table.delete("id < 3")
    with table.update_spec() as update:
        update.add_field("id", "bucket[2]", "ids")
    table.append(rows(20, 8, "eu", "asia"))
    table.overwrite(rows(40, 4, "asia"), overwrite_filter="region = 'asia'")
    table.manage_snapshots().create_branch(newest(table), "audit").commit()
    table.append(rows(60, 2, "africa"), branch="audit")
    table.append(rows(70, 20, "", None))
    return table


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return write(tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def services(written: Any, lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("timeline")
    shutil.copytree(lakes, folder / "lakes", copy_function=shutil.copyfile)
    moved = folder / "lakes" / "iceberg"
    rules = [("data/persistent", str(moved))]
    rules += [(name, f"{moved}/iceberg/{name}") for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    with catalog(settings(folder, max_staleness=3600.0)) as made:
        assert list(made.discover(str(folder / "lakes"), None, tuple(rules), operator=True))
        made.add(WRITTEN, written.location(), None, (), operator=True)
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def timeline(services: Services, name: str, span: Span, ref: str | None = None) -> list[Row]:
    found = timeline_of(services, name, ref, span)
    assert isinstance(found, Timeline)
    return [row.model_dump(mode="json") for row in rows_of(found)]


def differences(services: Services, name: str, ref: str | None = None) -> tuple[list[str], int]:
    """Return the differences of a table's timelines from the oracle's, and the number of compared commits."""
    wrong: list[str] = []
    states: list[tuple[Row, oracle.Files, oracle.Files]] = []
    before: oracle.Files | None = {}
    for row in timeline(services, name, Span(order="asc"), ref):
        if row["total_data_files"] is None:
            before = None
            continue
        after = oracle.files_of(services, name, int(row["snapshot_id"]))
        if before is not None:
            expected = oracle.commit(before, after)
            wrong += [f"{name} {row['snapshot_id']} {key}: {row[key]}" for key in expected if row[key] != expected[key]]
            states.append((row, before, after))
        before = after
    for bucket in ("hour", "day", "week", "month") if states else ():
        found = {row["start"]: row for row in timeline(services, name, Span(period=bucket), ref)}

        def start(state: tuple[Row, oracle.Files, oracle.Files], bucket: str = bucket) -> str:
            moment = oracle.start_of(dt.datetime.fromisoformat(state[0]["committed_at"]), bucket)
            return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

        for at, group in groupby(sorted(states, key=start), start):
            own = [(old, new) for _, old, new in group]
            summed = found.get(at)
            if summed is None:
                wrong.append(f"{name} {bucket}: no period begins at {at}")
                continue
            if summed["uncounted"]:
                assert summed["added_records"] is None
                continue
            expected = oracle.period(own)
            if summed["commits"] != len(own):
                wrong.append(f"{name} {bucket} {at}: {summed['commits']} commits")
            wrong += [f"{name} {bucket} {at} {key}: {summed[key]}" for key in expected if summed[key] != expected[key]]
    return wrong, len(states)


def test_every_commit_and_period_of_every_table_is_that_of_sets_of_files(services: Services) -> None:
    compared = 0
    for table in services.tables():
        wrong, count = differences(services, table.name)
        assert wrong == []
        compared += count
    assert compared > 60


@pytest.mark.parametrize("ref", ["early", "audit"])
def test_a_ref_has_its_own_commits(services: Services, written: Any, ref: str) -> None:
    wrong, count = differences(services, WRITTEN, ref)
    assert wrong == []
    expected = [written.snapshot_by_name(ref)]
    while expected[-1].parent_snapshot_id is not None:
        expected.append(written.snapshot_by_id(expected[-1].parent_snapshot_id))
    listed = timeline(services, WRITTEN, Span(), ref)
    assert [int(row["snapshot_id"]) for row in listed] == [one.snapshot_id for one in expected]
    assert count == len(expected)
    assert ref in listed[0]["refs"]


def test_figures_are_those_that_the_writer_counted(services: Services, written: Any) -> None:
    """Compare with the summaries in PyIceberg's ``inspect.snapshots``."""
    summaries = {
        str(row["snapshot_id"]): (row["operation"], dict(row["summary"]))
        for row in written.inspect.snapshots().to_pylist()
    }
    rules = HISTORY_RULES.of(services.table(WRITTEN))
    listed = timeline(services, WRITTEN, Span())
    for row in listed:
        operation, summary = summaries[row["snapshot_id"]]
        assert row["operation"] == operation
        record = next(r for r in services.snapshots(WRITTEN)[1] if str(r.snapshot.snapshot_id) == row["snapshot_id"])
        word = rules.writer_figures(record.snapshot)
        assert word["total_records"] == int(summary["total-records"])
        for name, value in word.items():
            assert row[name] == value, (row["snapshot_id"], name)
        for name in ("added_data_files", "removed_data_files", "added_records", "removed_records", "added_bytes"):
            assert row[name] == word.get(name, 0), (row["snapshot_id"], name)
    assert len(listed) >= 8


def test_a_timeline_over_http_is_whole_in_pages_and_streams(http: TestClient) -> None:
    url = f"/api/v1/tables/{WRITTEN}/timeline"
    whole = http.get(url).json()["timeline"]
    assert [row["committed_at"] for row in whole] == sorted((row["committed_at"] for row in whole), reverse=True)
    assert http.get(url, params={"order": "asc"}).json()["timeline"] == whole[::-1]
    for bucket in (None, "hour"):
        chosen = {} if bucket is None else {"bucket": bucket}
        expected = http.get(url, params=chosen).json()["timeline"]
        paged: list[Row] = []
        token: str | None = None
        while token is not None or not paged:
            page = http.get(url, params={**chosen, "page_size": 1, **({} if token is None else {"page_token": token})})
            paged += page.json()["timeline"]
            token = page.json()["next_page_token"]
        assert paged == expected
        stream = http.get(url, params=chosen, headers={"Accept": "application/vnd.apache.arrow.stream"})
        table = pa.ipc.open_stream(stream.content).read_all()
        assert table.column("added_records").to_pylist() == [row["added_records"] for row in expected]


def test_times_choose_commits_and_whole_periods(services: Services) -> None:
    name = "paimon.parquet.pk_09.pk_09"
    every = timeline(services, name, Span(order="asc"))
    moments = [round(dt.datetime.fromisoformat(row["committed_at"]).timestamp() * 1000) for row in every]
    middle = timeline(services, name, Span(moments[2], moments[5], order="asc"))
    assert middle == every[2:5]
    assert timeline(services, name, Span(moments[-1] + 1)) == []
    (whole,) = timeline(services, name, Span(period="month"))
    assert whole["commits"] == len(every)
    assert timeline(services, name, Span(moments[2], moments[5], period="month")) == [whole]


@pytest.mark.parametrize(
    "parameters",
    [
        {"from": "2024-05-01"},
        {"to": "x"},
        {"bucket": "year"},
        {"order": "up"},
        {"from": "5", "to": "5"},
        {"index": "x"},
    ],
)
def test_wrong_parameters_are_refused(http: TestClient, parameters: Row) -> None:
    assert http.get(f"/api/v1/tables/{WRITTEN}/timeline", params=parameters).status_code == 400


def test_an_unknown_ref_is_not_found(http: TestClient) -> None:
    answer = http.get(f"/api/v1/tables/{WRITTEN}/timeline", params={"ref": "nowhere"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "ref_not_found")


def test_what_is_not_indexed_is_null_with_the_writers_word_until_it_is_indexed(written: Any, tmp_path: Path) -> None:
    with catalog(settings(tmp_path, history=0, max_staleness=3600.0)) as made:
        made.add(WRITTEN, written.location(), None, (), operator=True)
        http = TestClient(create_app(made), base_url="http://127.0.0.1:8181")
        url = f"/api/v1/tables/{WRITTEN}/timeline"
        latest, *older = http.get(url).json()["timeline"]
        assert latest["total_records"] == latest["writer"]["total_records"]
        assert latest["added_records"] is None
        assert latest["reason"] == f"snapshot {older[0]['snapshot_id']} is not indexed"
        unknown = [row for row in older if row["state"] == "known"]
        assert unknown
        for row in unknown:
            assert {row[name] for name in row if name.startswith(("added_", "removed_", "total_"))} == {None}
            assert row["writer"]["total_records"] >= 0
        month = http.get(url, params={"bucket": "month"}).json()["timeline"][0]
        assert month["added_records"] is None
        assert month["uncounted"] > 0
        # Index the snapshots that a part of the timeline needs, then the rest.
        first = {"to": older[-2]["committed_at"], "index": "true"}
        assert [row["reason"] for row in http.get(url, params=first).json()["timeline"]] == [None]
        assert {row["state"] for row in http.get(url).json()["timeline"]} == {"published", "known"}
        indexed = http.get(url, params={"index": "true"}).json()["timeline"]
        assert {row["reason"] for row in indexed} == {None}
        assert differences(made, WRITTEN)[0] == []


def test_a_change_since_an_expired_snapshot_is_null(written: Any, tmp_path: Path) -> None:
    shutil.copytree(Path(written.location().removeprefix("file://")), tmp_path / "t")
    newest = max((tmp_path / "t" / "metadata").glob("*.metadata.json"))
    text = newest.read_text()
    with catalog(settings(tmp_path, max_staleness=0.0)) as made:
        rules = ((written.location(), str(tmp_path / "t")),)
        made.add(WRITTEN, str(newest), None, rules, operator=True)
        every = timeline(made, WRITTEN, Span(order="asc"))
        document = json.loads(text)
        gone = every[0]["snapshot_id"]
        document["snapshots"] = [one for one in document["snapshots"] if str(one["snapshot-id"]) != gone]
        document["snapshot-log"] = [one for one in document["snapshot-log"] if str(one["snapshot-id"]) != gone]
        newest.write_text(json.dumps(document))
        made.refresh(WRITTEN)
        oldest, *rest = timeline(made, WRITTEN, Span(order="asc"))
        assert oldest["gap_before"] == {"snapshots": None}
        assert oldest["reason"] == f"the snapshot before it, {gone}, has expired"
        assert oldest["added_records"] is None
        assert oldest["total_records"] == every[1]["total_records"]
        assert rest == every[2:]


def _swapped(rules: HistoryRules) -> HistoryRules:
    def swapped(*of: Any) -> Any:
        added, removed = rules.changed_entries(*of)
        return removed, added

    return HistoryRules(swapped, rules.needs_parent, rules.writer_figures, rules.numbers_snapshots)


COUNTED = figures.counted
PLANTED: dict[str, list[tuple[Any, str, Any]]] = {
    "rows of removed files are not counted": [(Figures, "minus", lambda self, _: self)],
    "cancelled entries stay": [(figures, "_cancelled", lambda *_: Figures())],
    "what is on both sides counts as changed": [(changes, "_without", lambda table, _: table)],
    "a period has the partitions of its first commit": [
        (timelines, "distinct_partitions", lambda found: len(found[0].partitions))
    ],
    "partitions of commits are added up": [
        (timelines, "distinct_partitions", lambda found: sum(len(one.partitions) for one in found))
    ],
    "null is the empty partition": [(partition_texts, "_NULL", "0:")],
    "a week begins on Sunday": [(periods, "_MONDAY_MS", -4 * 86_400_000)],
    "added and removed are swapped": [(HISTORY_RULES, "of", lambda table, of=HISTORY_RULES.of: _swapped(of(table)))],
    "a file of a commit is left out": [(changes, "counted", lambda table: COUNTED(table.slice(1)))],
    "totals are those of the newest manifest": [(figures, "parts", lambda *of: parts(*of)[-1:])],
}


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_noticed(services: Services, monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    for target, name, value in PLANTED[bug]:
        monkeypatch.setattr(target, name, value)
    with memory_limit(0):
        assert any(differences(services, name)[0] for name in (WRITTEN, "paimon.parquet.pk_09.pk_09"))
