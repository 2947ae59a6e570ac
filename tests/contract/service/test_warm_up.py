"""A server that starts loads recently planned tables: its first plans find views, scan indexes and columns cached."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lakemuster.caching import MEMORY, Budget
from lakemuster.catalog import warm_up as module
from lakemuster.catalog.planning import plan_listing
from lakemuster.catalog.recent_plans import FOLDER, MAX_COLUMNS, PlannedTable, read_recent_plans
from lakemuster.catalog.services import Services
from lakemuster.catalog.warm_up import WarmUp
from lakemuster.config import Settings
from lakemuster.demo.synthetic_table import SyntheticTable
from lakemuster.errors import IndexUnavailable
from lakemuster.wire.native.plans import PlanOptions
from tests.contract.service.backends import catalog, settings
from tests.polling import until

LOADED = ("views", "scan indexes", "zones", "segments")
COLUMNS = ("id", "ts", "string_18", "double_17")


@pytest.fixture(scope="module")
def of(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of an index with two tables of several manifests."""
    folder = tmp_path_factory.mktemp("warm")
    of = settings(folder, max_staleness=1e9)
    with catalog(of) as services:
        for name in ("t", "u"):

            def put(key: str, data: bytes, name: str = name) -> None:
                path = folder / name / key
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

            table = SyntheticTable(f"{folder}/{name}", put)
            for _ in range(4):
                table.add_manifest(300)
            table.commit()
            services.add(f"shop.{name}", table.location, "iceberg", (), operator=True)
            services.refresh(f"shop.{name}")
    return of


def plan(services: Services, text: str | None, table: str = "shop.t") -> int:
    """Plan a table, and return the number of files."""
    listing = plan_listing(services, services.view(table), PlanOptions(filter=text), stale=None)
    return sum(batch.table.num_rows for batch in listing.plan.batches())


def misses(work: Callable[[], object]) -> dict[str, int]:
    """Run ``work``, and return the numbers of misses by cache."""
    before = {name: one.misses for name, one in MEMORY.statistics().items()}
    work()
    after = MEMORY.statistics()
    return {name: after[name].misses - before.get(name, 0) for name in LOADED if name in after}


FILTERS = {
    "id": "id >= 600000 and id < 610000",
    "ts": "ts >= '2023-01-03T00:00:00+00:00' and ts < '2023-01-04T00:00:00+00:00'",
    "string_18": "string_18 = 'nothing' and id < 5000",
    "double_17": "double_17 < 100 and id < 5000",
}


@pytest.mark.parametrize("column", COLUMNS)
def test_the_first_plan_after_a_start_finds_all_that_it_needs(of: Settings, column: str) -> None:
    first = FILTERS[column]
    with catalog(of) as services:
        files = plan(services, first)
        services.recent_plans.save(services.index.segments)
    with catalog(of) as cold:
        assert misses(lambda: plan(cold, first))["scan indexes"] > 0
    with catalog(of) as services:
        warm_up = WarmUp(services, 60)
        warm_up.start()
        _join(warm_up)
        assert warm_up.loaded >= 1
        found = misses(lambda: plan(services, first.replace("610000", "609000")))
        assert {name: found[name] for name in ("views", "scan indexes", "zones")} == dict.fromkeys(LOADED[:3], 0)
        assert plan(services, first) == files


def _join(warm_up: WarmUp) -> None:
    until(lambda: warm_up.is_over)


def test_only_tables_and_columns_are_written_and_no_value(of: Settings) -> None:
    with catalog(of) as services:
        table_id = services.table("shop.u").table_id
        plan(services, "string_18 = 'a secret' and id = 471100042", "shop.u")
        services.recent_plans.save(services.index.segments)
        texts = [services.index.segments.read(key) for key in services.index.segments.keys(FOLDER)]
        assert not any(b"secret" in text or b"471100042" in text for text in texts)
        found = {
            one.table_id: one
            for one in read_recent_plans(services.index.segments, services.recent_plans.clock.wall_ms())
        }
        names = services.view("shop.u").schemas[0].names
        assert {names[number] for number in found[table_id].columns} == {"string_18", "id"}
        # No plan was recorded since, so nothing is written.
        before = len(services.index.segments.keys(FOLDER))
        services.recent_plans._key = f"{FOLDER}/other.json"
        services.recent_plans.save(services.index.segments)
        assert len(services.index.segments.keys(FOLDER)) == before


def test_tables_planned_often_and_lately_come_first_and_files_of_all_servers_count(of: Settings) -> None:
    with catalog(of) as services:
        store = services.index.segments
        for key in store.keys(FOLDER):
            store.delete(key)
        now = 10 * 3_600_000
        store.write(f"{FOLDER}/one.json", json.dumps([[1, 10, now, [1]], [2, 30, now - 3 * 3_600_000, []]]).encode())
        store.write(f"{FOLDER}/two.json", json.dumps([[3, 6, now, [5]], [1, 1, now, [2, 1]]]).encode())
        store.write(f"{FOLDER}/odd.json", b"[[")
        store.write(f"{FOLDER}/later.json", json.dumps({"version": 2}).encode())
        found = read_recent_plans(store, now)
        assert [(one.table_id, one.plans, one.columns) for one in found] == [(1, 11, (1, 2)), (3, 6, (5,)), (2, 30, ())]
        for key in store.keys(FOLDER):
            store.delete(key)


def test_the_columns_of_a_table_are_limited() -> None:
    one = PlannedTable(1)
    one.add(1, 5, range(100))
    one.add(1, 4, range(100, 200))
    assert (one.columns, one.planned_at_ms, one.plans) == (tuple(range(MAX_COLUMNS)), 5, 2)


@pytest.mark.parametrize(("seconds", "limit"), [(0.0, 2**30), (60.0, 0)])
def test_no_time_and_no_memory_load_nothing(of: Settings, seconds: float, limit: int) -> None:
    with catalog(of) as services:
        plan(services, "id = 5")
        services.recent_plans.save(services.index.segments)
        budget = Budget(2**30)
        budget.limit = limit
        full = Budget(0)
        full._bytes = 1
        warm_up = WarmUp(services, seconds, budget=full if limit == 0 else budget)
        warm_up.start()
        _join(warm_up)
        assert warm_up.loaded == 0


def test_a_table_that_is_gone_or_damaged_does_not_end_a_start(of: Settings, tmp_path: Path) -> None:
    with catalog(of) as services:
        store = services.index.segments
        t = services.table("shop.t").table_id
        rows = [[987_654, 100, 0, [1]], [t, 50, 0, [987, 1, 2]]]
        store.write(f"{FOLDER}/gone.json", json.dumps(rows).encode())
        warm_up = WarmUp(services, 60)
        warm_up.run()  # before start() its time budget is zero
        assert warm_up.loaded == 0
        warm_up.start()
        _join(warm_up)
        assert warm_up.loaded >= 1
        store.delete(f"{FOLDER}/gone.json")


def test_a_store_that_hangs_does_not_delay_a_stop(of: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.01)
    with catalog(of) as services:
        plan(services, "id = 5")
        began, goes_on = threading.Event(), threading.Event()

        def hang(*_: object) -> None:
            began.set()
            goes_on.wait()

        monkeypatch.setattr(services.index.segments, "write", hang)
        warm_up = WarmUp(services, 0)
        warm_up.start()
        warm_up.stop()
        assert began.wait(60)
        assert not goes_on.is_set()
        goes_on.set()


def test_a_process_stores_its_plans_at_intervals_also_after_a_failure(
    of: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "SAVE_SECONDS", 0.001)
    with catalog(of) as services:
        store, written = services.index.segments, []
        gone = IndexUnavailable("the segment store does not answer")
        gone.add_note("SEGMENTS_URL is s3://bucket/x")
        failures = [OSError("hunter2"), gone]

        def write(key: str, data: bytes) -> None:
            if failures:
                raise failures.pop()
            written.append(json.loads(data))

        monkeypatch.setattr(store, "write", write)
        warm_up = WarmUp(services, 0)
        warm_up.start()
        for number in (1, 2):
            plan(services, "id = 5")
            until(lambda number=number: len(written) == number)  # type: ignore[misc]
        plan(services, "id = 5")
        warm_up.stop()
        assert [rows[0][1] for rows in written] == [1, 2, 3]
    assert caplog.messages == [
        f"recent plans were not stored: {reason}"
        for reason in ("the segment store does not answer: SEGMENTS_URL is s3://bucket/x", "OSError")
    ]
