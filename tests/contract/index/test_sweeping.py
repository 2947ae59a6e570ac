"""The sweep of segments keeps recent, mapped and rewritten segments."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from lakemuster.api.app import create_app
from lakemuster.errors import IndexUnavailable
from lakemuster.index import Index, segments
from lakemuster.index.database import Database
from lakemuster.index.events import NewEvent, bounds, record
from lakemuster.index.named_leases import hold_named_lease
from lakemuster.index.orm import SegmentRow
from lakemuster.index.segment_backends import StoredFile
from lakemuster.index.segments import SegmentStore, register_segments, sweep, write_segment
from lakemuster.ingest.reports import Totals
from lakemuster.jobs import sweeping
from lakemuster.jobs.job import Run
from lakemuster.jobs.sweeping import SweepSegments
from tests.contract.index import made
from tests.contract.service.backends import catalog, settings
from tests.polling import until

HOUR = 3600.0
STRAY = "ff" + "0" * 62


@pytest.fixture
def index(database: Database, tmp_path: Path) -> Index:
    return Index(database, SegmentStore(str(tmp_path / "segments")))


def put(store: SegmentStore, name: str, *, age_seconds: float) -> Path:
    write_segment(pa.table({"a": [1]}), store.workspace / name)
    store.put(name, store.workspace / name)
    path = store.workspace.parent / name[:2] / f"{name}.arrow"
    moment = time.time() - age_seconds
    os.utime(path, (moment, moment))
    return path


def swept_files(index: Index, grace_seconds: float = HOUR) -> int:
    """Run a sweep, and return the number of removed files."""
    totals = Totals()
    SweepSegments(index, totals, grace_seconds=grace_seconds).run(Run(lambda: True))
    assert totals.sweeps == 1
    return totals.segments_swept


def test_old_files_of_killed_jobs_are_removed_and_new_ones_stay(index: Index) -> None:
    for number, age_seconds in enumerate((2 * HOUR, HOUR / 2)):
        index.segments.write(f"jobs/a-{number}.part", b"part")
        moment = time.time() - age_seconds
        os.utime(index.segments.workspace.parent / "jobs" / f"a-{number}.part", (moment, moment))
    assert swept_files(index) == 1
    assert index.segments.keys("jobs") == ["jobs/a-1.part"]


def test_an_expired_lease_may_be_taken_by_another_process(index: Index) -> None:
    with hold_named_lease(index.database, "one", 0) as lease:
        assert lease is not None
        with hold_named_lease(index.database, "one", 60) as other:
            assert other is not None
            assert not lease.renew()
            assert other.renew()


def test_listed_young_and_mapped_segments_survive(index: Index, database: Database) -> None:
    store = index.segments
    listed, orphan, young = made.published([1, 2, 3])
    table_id = made.table(database, "t1", of=made.metadata([made.snapshot(1)]))
    made.show(database, table_id, 1, [listed])
    with database.session() as session:
        register_segments(session, made.segments([orphan, young]))
    for one in (listed, orphan):
        put(store, one.segment, age_seconds=2 * HOUR)
    put(store, young.segment, age_seconds=1)
    mapped = SegmentStore(str(store.workspace.parent)).open(orphan.segment)
    assert swept_files(index, 0.5 * HOUR) == 0  # registered recently
    with database.session() as session:
        session.execute(text("UPDATE segment SET registered_at_ms = 1 WHERE name = :name"), {"name": orphan.segment})
    assert swept_files(index, 0.5 * HOUR) == 1
    assert not store.exists(orphan.segment)
    assert mapped.table().to_pylist() == [{"a": 1}]
    assert store.exists(listed.segment)
    assert store.exists(young.segment)


def test_a_machine_whose_clock_is_ahead_removes_no_young_files(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(index.segments, STRAY, age_seconds=1)
    now = index.database.clock_ms()
    monkeypatch.setattr(Database, "clock_ms", lambda _: now)  # SQLite has the machine's clock
    monkeypatch.setattr(time, "time", lambda: now / 1000 + 48 * HOUR)
    assert swept_files(index) == 0
    assert path.exists()


def test_segments_rewritten_after_the_listing_survive(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    store = index.segments
    put(store, STRAY, age_seconds=2 * HOUR)
    of = SegmentStore.files

    def files(self: SegmentStore) -> Iterator[StoredFile]:
        found = list(of(self))
        put(self, STRAY, age_seconds=0)  # a refresh between the listing and the removal
        yield from found

    monkeypatch.setattr(SegmentStore, "files", files)
    assert swept_files(index, HOUR) == 0
    assert store.exists(STRAY)


def test_a_sweep_that_is_stopped_removes_nothing_more(index: Index) -> None:
    path = put(index.segments, STRAY, age_seconds=2 * HOUR)
    SweepSegments(index, Totals(), grace_seconds=HOUR).run(Run(lambda: False))
    assert path.exists()


def test_registrations_are_removed_in_transactions_of_limited_size(
    index: Index, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_ROWS_AT_ONCE", 2)
    listed, *orphans = made.published(range(1, 8))
    table_id = made.table(database, "t1", of=made.metadata([made.snapshot(1)]))
    made.show(database, table_id, 1, [listed])
    with database.session() as session:
        register_segments(session, made.segments(orphans))
        session.execute(text("UPDATE segment SET registered_at_ms = 1"))
    names = sorted(one.segment for one in (listed, *orphans))
    answers = iter([True, True])
    sweep(database, index.segments, goes_on=lambda: next(answers, False))
    assert registered(database) == {listed.segment, *names[4:]}
    assert sweep(database, index.segments).unregistered == len(orphans) - len({*names[:4]} - {listed.segment})
    assert registered(database) == {listed.segment}


def registered(database: Database) -> set[str]:
    with database.reading() as session:
        return set(session.scalars(select(SegmentRow.name)))


def test_a_failure_is_counted_and_raised(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def files(_: SegmentStore) -> Iterator[StoredFile]:
        raise IndexUnavailable("no answer")

    monkeypatch.setattr(SegmentStore, "files", files)
    monkeypatch.setattr(sweeping, "MAX_EVENTS", 1)
    with index.database.session() as session:
        record(session, [NewEvent("table.altered", "shop.orders", {})] * 3)
    totals = Totals()
    with pytest.raises(IndexUnavailable):
        SweepSegments(index, totals, grace_seconds=HOUR).run(Run(lambda: True))
    assert (totals.sweeps, totals.sweep_failures) == (0, 1)
    extent = bounds(index.database)
    assert extent.last - extent.first == 0  # events are removed all the same


def test_a_server_sweeps_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        SweepSegments.__init__,
        "__kwdefaults__",
        {"every_seconds": 0.05, "first_seconds": 0.0, "grace_seconds": HOUR},
    )
    with catalog(settings(tmp_path)) as services:
        path = put(services.index.segments, STRAY, age_seconds=2 * HOUR)
        with TestClient(create_app(services), base_url="http://127.0.0.1:8181") as http:
            until(lambda: not path.exists())
            until(lambda: 'lakemuster_work_total{kind="segments_swept"} 1.0' in http.get("/metrics").text)
        assert not any(thread.name == "job sweep" for thread in threading.enumerate())
