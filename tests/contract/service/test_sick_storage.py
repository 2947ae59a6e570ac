"""A bucket that hangs, fails or is inconsistent: known state is served at once, and other tables are unaffected."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
import uvicorn
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from sqlalchemy import text

from lakemuster.catalog.services import Services
from lakemuster.errors import LookFailed, RefNotFound, SnapshotNotFound, StorageUnavailable
from lakemuster.ingest.look import Looker
from lakemuster.ingest.threads import MAX_PER_BUCKET
from lakemuster.main import build_services
from lakemuster.planner.view import Selector
from tests.apps import create_app
from tests.clocks import SteppedClock
from tests.contract.service.backends import decoders, settings
from tests.contract.service.faulty_storage import FaultyStorage, Hang, denied, unavailable

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
IN_TIME = 20.0
"""Maximum seconds, on a busy machine, of operations that do not wait for storage."""


class Lake:
    """An Iceberg table in its own folder, which stands for a bucket."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root = folder / name
        iceberg = SqlCatalog("c", uri=f"sqlite:///{folder}/{name}.db", warehouse=f"file://{self.root}")
        iceberg.create_namespace("db")
        self.table: Table = iceberg.create_table("db.t", DATA.schema)
        self.table.append(DATA)

    @property
    def location(self) -> str:
        return f"{self.root}/db/t"

    def commit(self) -> int:
        self.table.append(DATA)
        return self.current

    @property
    def current(self) -> int:
        found = self.table.current_snapshot()
        assert found is not None
        return found.snapshot_id


@pytest.fixture
def sick(tmp_path: Path) -> Lake:
    return Lake(tmp_path, "sick")


@pytest.fixture
def sound(tmp_path: Path) -> Lake:
    return Lake(tmp_path, "sound")


@contextmanager
def opened(
    tmp_path: Path, *lakes: Lake, staleness: float = 0.0, clock: SteppedClock | None = None
) -> Iterator[Services]:
    """Yield services as a server builds them, with each lake as a root."""

    of = settings(tmp_path, roots=tuple(str(lake.root) for lake in lakes), max_staleness=staleness)
    services = build_services(of) if clock is None else build_services(of, clock=clock)
    own, services.refresher.pool = services.refresher.pool, decoders(of.decoder_memory)
    try:
        known = {table.name for table in services.tables()}
        for lake in lakes:
            name = f"db.{lake.root.name}"
            if name not in known:
                services.add(name, lake.location, None, ())
        yield services
    finally:
        services.refresher.pool = own
        services.close()


@contextmanager
def served(services: Services) -> Iterator[httpx.Client]:
    """Yield a client of a server in this process, in which storage faults can be planted."""
    server = uvicorn.Server(uvicorn.Config(create_app(services), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, limits=limits) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)


def eventually(holds: Callable[[], Any]) -> Any:
    """Wait until ``holds`` returns a true value, and return it."""
    until = time.monotonic() + IN_TIME
    while time.monotonic() < until:
        if found := holds():
            return found
        time.sleep(0.01)
    raise AssertionError("the condition was not met in time")


def timed(client: httpx.Client, path: str, **options: Any) -> tuple[float, httpx.Response]:
    started = time.perf_counter()
    answer = client.get(path, **options)
    return time.perf_counter() - started, answer


def test_a_hanging_bucket_affects_no_other_table(
    tmp_path: Path, sick: Lake, sound: Lake, storage: FaultyStorage
) -> None:
    with opened(tmp_path, sick, sound) as services, served(services) as client, ThreadPoolExecutor(64) as threads:
        for name in ("db.sick", "db.sound"):
            assert client.get(f"/api/v1/tables/{name}/files").status_code == 200
        idle = sorted(timed(client, "/api/v1/tables/db.sound/files")[0] for _ in range(40))
        storage.faults[str(sick.root)] = hang = Hang()
        before = storage.lists(str(sick.root))
        # More requests than a server has threads by default.
        asked = [threads.submit(timed, client, "/api/v1/tables/db.sick/files") for _ in range(60)]
        assert hang.met.wait(IN_TIME)
        beside = [timed(client, "/api/v1/tables/db.sound/files") for _ in range(40)]
        listed = client.get("/api/v1/tables")
        answers = [one.result(IN_TIME) for one in asked]
        # All responses are from the last state, marked stale, well before storage's deadline; they share one look.
        assert {answer.status_code for _, answer in answers} == {200}
        assert all("storage_unavailable" in answer.json()["stale"] for _, answer in answers)
        assert max(seconds for seconds, _ in answers) < IN_TIME
        assert storage.lists(str(sick.root)) - before == 1
        assert listed.status_code == 200
        # A look that has already taken its second is not awaited by any of these requests.
        again = [timed(client, "/api/v1/tables/db.sick/files") for _ in range(20)]
        assert sorted(seconds for seconds, _ in again)[10] < 0.5
        assert {(answer.status_code, answer.json()["stale"]) for _, answer in beside} == {(200, None)}
        assert sorted(seconds for seconds, _ in beside)[20] < max(2 * idle[20], idle[20] + 0.5)
        assert not hang.go.is_set()
        storage.heal()
        eventually(lambda: client.get("/api/v1/tables/db.sick/files").json()["stale"] is None)


def test_a_table_that_was_never_read_is_503_in_time_and_the_list_of_tables_answers(
    tmp_path: Path, sick: Lake, sound: Lake, storage: FaultyStorage
) -> None:
    with opened(tmp_path, sick, sound) as services, served(services) as client, ThreadPoolExecutor(64) as threads:
        storage.faults[str(sick.root)] = hang = Hang()
        asked = [threads.submit(timed, client, "/api/v1/tables/db.sick/files") for _ in range(50)]
        assert hang.met.wait(IN_TIME)
        listed = client.get("/api/v1/tables")
        assert (listed.status_code, len(listed.json()["tables"])) == (200, 2)
        assert client.get("/api/v1/tables/db.sound/files").status_code == 200
        answers = [one.result(IN_TIME)[1] for one in asked]
        assert {(answer.status_code, "retry-after" in answer.headers) for answer in answers} == {(503, True)}
        assert not hang.go.is_set()
        busy = services.refresher.threads.counts()
        assert 1 <= busy["busy"] <= MAX_PER_BUCKET
        assert 'lakemuster_storage_threads{state="busy"}' in client.get("/metrics").text


def test_requests_for_lost_segments_of_a_hanging_bucket_are_503_in_time(
    tmp_path: Path, sick: Lake, sound: Lake, storage: FaultyStorage
) -> None:
    with opened(tmp_path, sick, sound, staleness=3600) as services:
        expected = [services.refresh(f"db.{lake.root.name}").published for lake in (sick, sound)]
    for segment in (tmp_path / "segments").glob("??/*.arrow"):
        segment.unlink()
    storage.faults[str(sick.root)] = hang = Hang()
    with opened(tmp_path, sick, sound, staleness=3600) as services, served(services) as client:
        with ThreadPoolExecutor(64) as threads:
            asked = [threads.submit(client.get, "/api/v1/tables/db.sick/files") for _ in range(50)]
            assert hang.met.wait(IN_TIME)
            beside = client.get("/api/v1/tables/db.sound/files")
            answers = [one.result(IN_TIME) for one in asked]
        assert (beside.status_code, [beside.json()["snapshot_id"]]) == (200, list(expected[1]))
        assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {
            (503, "storage_unavailable")
        }
        assert "a segment of the index is lost, and its manifest" in answers[0].text
        assert not hang.go.is_set()
        assert services.refresher.threads.counts()["busy"] <= MAX_PER_BUCKET
        storage.heal()
        # The repair that has begun ends by itself.
        eventually(lambda: services.refresher.totals.segments_repaired == 2)
        eventually(lambda: client.get("/api/v1/tables/db.sick/files").status_code == 200)
        assert services.refresher.totals.segments_repaired == 2


def test_concurrent_requests_share_a_look(tmp_path: Path, sick: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """With zero staleness, a request needs a look that began after it: one for the first, and one for the others."""
    with opened(tmp_path, sick) as services:
        services.refresh("db.sick")
        begun, go = threading.Semaphore(0), threading.Event()
        look = Looker.look

        def held(*asked: Any) -> Any:
            begun.release()
            assert go.wait(IN_TIME)
            return look(*asked)

        monkeypatch.setattr(Looker, "look", held)
        before = services.refresher.totals.looks
        with ThreadPoolExecutor(12) as threads:
            first = threads.submit(services.view, "db.sick")
            assert begun.acquire(timeout=IN_TIME)
            others = [threads.submit(services.view, "db.sick") for _ in range(11)]
            eventually(lambda: services.refresher.totals.looks_shared == 10)
            go.set()
            assert {one.result(IN_TIME).stale for one in (first, *others)} == {None}
        assert services.refresher.totals.looks - before == 2


def test_explicit_refreshes_at_once_are_two(tmp_path: Path, sick: Lake, storage: FaultyStorage) -> None:
    with opened(tmp_path, sick) as services, ThreadPoolExecutor(12) as threads:
        services.refresh("db.sick")
        before = services.refresher.totals.refreshes
        storage.faults[str(sick.root)] = hang = Hang()
        first = threads.submit(services.refresh, "db.sick")
        assert hang.met.wait(IN_TIME)
        others = [threads.submit(services.refresh, "db.sick") for _ in range(11)]
        eventually(lambda: len(services.refresher._flights._behind) == 1)
        storage.heal()
        for one in (first, *others):
            one.result(IN_TIME)
        assert services.refresher.totals.refreshes - before in (2, 3)


@pytest.mark.parametrize("staleness", [0.0, 5.0])
def test_a_failed_look_is_remembered(tmp_path: Path, sick: Lake, storage: FaultyStorage, staleness: float) -> None:
    clock = SteppedClock()
    with opened(tmp_path, sick, staleness=staleness, clock=clock) as services:
        services.refresh("db.sick")
        storage.faults[str(sick.root)] = unavailable
        clock.pass_seconds(10)
        before = storage.lists(str(sick.root))
        for _ in range(5):
            assert "planted" in str(services.view("db.sick").stale)
        assert storage.lists(str(sick.root)) - before == 1
        assert services.refresher.totals.looks_remembered == 4
        assert [table.stale_reason for table in services.tables()] != [None]
        clock.pass_seconds(max(1.0, staleness) + 0.1)
        assert services.view("db.sick").stale is not None
        assert storage.lists(str(sick.root)) - before == 2
        storage.heal()
        clock.pass_seconds(max(1.0, staleness) + 0.1)
        assert services.view("db.sick").stale is None


def test_the_result_of_a_look_is_used_even_if_its_callers_timed_out(
    tmp_path: Path, sick: Lake, storage: FaultyStorage
) -> None:
    with opened(tmp_path, sick, staleness=3600.0) as services:
        services.refresh("db.sick")
        first = sick.current
        with services.index.database.session() as session:
            session.execute(text("UPDATE catalog_table SET checked_at_ms = checked_at_ms - 7200000"))
        later = sick.commit()
        storage.faults[str(sick.root)] = hang = Hang()
        view = services.view("db.sick")
        assert (view.snapshot_id, view.stale is None) == (first, False)
        looks = services.refresher.totals.looks
        storage.heal()
        assert hang.met.is_set()
        eventually(lambda: services.view("db.sick").snapshot_id == later)
        assert services.view("db.sick").stale is None
        assert services.refresher.totals.looks == looks


def test_when_manifests_hang_the_last_state_is_served(tmp_path: Path, sick: Lake, storage: FaultyStorage) -> None:
    """Only reads of the new snapshot's objects block; requests for the known state do not wait for them."""
    with opened(tmp_path, sick) as services:
        services.refresh("db.sick")
        first = sick.current
        old = set((sick.root / "db/t/metadata").iterdir())
        later = sick.commit()
        hang = Hang()
        for path in set((sick.root / "db/t/metadata").iterdir()) - old:
            if path.suffix == ".avro":
                storage.faults[str(path)] = hang
        with ThreadPoolExecutor(12) as threads:
            views = list(threads.map(lambda _: services.view("db.sick"), range(12)))
        assert {(view.snapshot_id, view.stale is None) for view in views} == {(first, False)}
        assert not hang.go.is_set()
        storage.heal()
        eventually(lambda: services.view("db.sick").snapshot_id == later)


@pytest.mark.parametrize("fault", [unavailable, denied, Hang()], ids=["unavailable", "denied", "hangs"])
def test_an_object_that_could_not_be_looked_up_is_503_and_not_404(
    tmp_path: Path, sick: Lake, storage: FaultyStorage, fault: Any
) -> None:
    with opened(tmp_path, sick, staleness=3600.0) as services, served(services) as client:
        services.refresh("db.sick")
        base = "/api/v1/tables/db.sick"
        later = sick.commit()
        sick.table.manage_snapshots().create_tag(later, "fresh").commit()
        storage.faults[str(sick.root)] = fault
        asked: dict[str, tuple[str, Any]] = {
            "pinned": (f"{base}/files?snapshot={later}", None),
            "by its id": (f"{base}/snapshots/{later}", None),
            "ref": (f"{base}/files?ref=fresh", None),
            "before the first": (f"{base}/files?as_of=1000", None),
            "planned": (f"{base}/plan", {"snapshot_id": str(later)}),
            "of Iceberg": ("/iceberg/v1/namespaces/db/tables/sick/plan", {"snapshot-id": later}),
        }
        for what, (path, body) in asked.items():
            started = time.monotonic()
            answer = client.get(path) if body is None else client.post(path, json=body)
            assert (what, answer.status_code, "retry-after" in answer.headers) == (what, 503, True), answer.text
            assert time.monotonic() - started < IN_TIME
        # Known state is served without a look.
        assert client.get(f"{base}/files").status_code == 200
        storage.heal()
        services.refresher._looks.forget(services.table("db.sick"))
        eventually(lambda: client.get(f"{base}/files?snapshot={later}").status_code == 200)
        assert client.get(f"{base}/files?ref=fresh").status_code == 200
        assert client.get(f"{base}/files?snapshot=1").status_code == 404
        assert client.get(f"{base}/files?ref=none").status_code == 404
        assert client.get(f"{base}/snapshots/1").status_code == 404


def test_one_look_decides_whether_an_object_is_missing(tmp_path: Path, sick: Lake, storage: FaultyStorage) -> None:
    clock = SteppedClock()
    with opened(tmp_path, sick, clock=clock) as services:
        services.refresh("db.sick")
        storage.faults[str(sick.root)] = unavailable
        before = storage.lists(str(sick.root))
        with pytest.raises(LookFailed, match="planted"):
            services.view("db.sick", Selector(sick.commit()))
        assert storage.lists(str(sick.root)) - before == 1
        storage.heal()
        clock.pass_seconds(1.1)
        with pytest.raises(SnapshotNotFound):
            services.view("db.sick", Selector(1))
        with pytest.raises(RefNotFound):
            services.view("db.sick", Selector(ref="none"))


def test_a_never_read_table_of_a_hanging_bucket_gives_its_own_error(
    tmp_path: Path, sick: Lake, storage: FaultyStorage
) -> None:
    with opened(tmp_path, sick) as services:
        storage.faults[str(sick.root)] = Hang()
        for _ in range(2):
            with pytest.raises(StorageUnavailable, match="has not answered"):
                services.view("db.sick")
        assert services.refresher.totals.looks == 1


@pytest.mark.parametrize("minutes", [-15.0, 15.0])
def test_a_clock_that_steps_hides_no_commit(tmp_path: Path, sick: Lake, minutes: float) -> None:
    clock = SteppedClock()
    with opened(tmp_path, sick, staleness=5.0, clock=clock) as services:
        services.refresh("db.sick")
        clock.step_minutes(minutes)
        later = sick.commit()
        clock.pass_seconds(5.1)
        view = services.view("db.sick")
        assert (view.snapshot_id, view.stale) == (later, None)
    # A process that starts after the clock was set back knows only the looks in the database.
    clock.step_minutes(-30)
    with opened(tmp_path, sick, staleness=5.0, clock=clock) as services:
        assert not services.refresher.is_fresh(services.table("db.sick"))
        later = sick.commit()
        assert services.view("db.sick").snapshot_id == later


@pytest.mark.parametrize("minutes", [-15.0, 15.0])
def test_replicas_whose_clocks_differ_both_see_commits(tmp_path: Path, sick: Lake, minutes: float) -> None:
    one, other = SteppedClock(), SteppedClock()
    other.step_minutes(minutes)
    with (
        opened(tmp_path, sick, staleness=5.0, clock=one) as first,
        opened(tmp_path, sick, staleness=5.0, clock=other) as second,
    ):
        for _ in range(3):
            later = sick.commit()
            for clock in (one, other):
                clock.pass_seconds(5.1)
            assert first.view("db.sick").snapshot_id == later
            assert second.view("db.sick").snapshot_id == later
