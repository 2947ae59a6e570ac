"""Watched tables are refreshed without requests; a failing bucket does not delay other tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import event, update
from sqlalchemy.orm import Session

from lakemuster.catalog.services import Services
from lakemuster.errors import StorageUnavailable
from lakemuster.index.database import Database
from lakemuster.index.orm import TableRow
from lakemuster.index.snapshots import list_snapshots
from lakemuster.index.tables import add_table
from lakemuster.ingest.pointers import look
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.jobs.job import Run
from lakemuster.jobs.watching import WatchTables
from tests.clocks import SteppedClock
from tests.contract.service.backends import catalog, settings
from tests.contract.service.faulty_storage import FaultyStorage, Hang, denied, unavailable
from tests.polling import until

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
INTERVAL = 10.0
RUN = Run(lambda: True)


def store_look(session: Session, table_id: int, token: str) -> None:
    """Record a look at a table as a refresh does, without its metadata."""
    session.execute(update(TableRow).where(TableRow.id == table_id).values(pointer=token, checked_at_ms=1))


class Watched:
    """Services over two roots, ``a`` and ``b``, with watched tables, and a clock that tests advance."""

    def __init__(self, services: Services, lakes: dict[str, SqlCatalog]) -> None:
        self.services, self.lakes = services, lakes
        self.clock = SteppedClock()
        self.job = WatchTables(services.refresher, self.clock)

    def commit(self, *names: str) -> dict[str, int]:
        """Commit to tables; return their new snapshots' ids."""
        found: dict[str, int] = {}
        for name in names:
            table = self.lakes[name[0]].load_table("db." + name[2:])
            table.append(DATA)
            found[name] = table.metadata.current_snapshot_id or 0
        return found

    def indexed(self, names: dict[str, int]) -> bool:
        """Return whether these snapshots are the tables' current ones in the index."""
        return all(self.services.table(name).current_snapshot_id == number for name, number in names.items())

    def pass_intervals(self, count: float = 1.0) -> None:
        """Run the job once per second of ``count`` intervals."""
        for _ in range(round(count * INTERVAL)):
            self.job.run(RUN)
            self.clock.pass_seconds(1.0)

    def settle(self) -> str:
        """Wait for running looks; return the job's report afterwards."""
        until(lambda: not self.job._under_way)
        return self.job.run(RUN)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    found = f"sqlite:///{tmp_path}/index.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    Database(found).migrate()
    return str(found)


@pytest.fixture
def watched(tmp_path: Path, url: str) -> Iterator[Watched]:
    lakes: dict[str, SqlCatalog] = {}
    for root in ("a", "b"):
        warehouse = f"{tmp_path}/lake-{root}"
        lakes[root] = SqlCatalog(root, uri=f"sqlite:///{tmp_path}/{root}.db", warehouse=f"file://{warehouse}")
        lakes[root].create_namespace("db")
        for name in ("one", "two", "ignored"):
            lakes[root].create_table(f"db.{name}", DATA.schema).append(DATA)
    of = settings(
        tmp_path,
        database_url=url,
        roots=tuple(f"{tmp_path}/lake-{root}" for root in lakes),
        max_staleness=3600.0,
        watch={"*.one": INTERVAL, "*.two": INTERVAL},
    )
    with catalog(of) as services:
        for root in lakes:
            for name in ("one", "two", "ignored"):
                services.add(f"{root}.{name}", f"{tmp_path}/lake-{root}/db/{name}", None, ())
                services.refresh(f"{root}.{name}")
        yield Watched(services, lakes)


WATCHED = ("a.one", "a.two", "b.one", "b.two")


def test_commits_are_indexed_within_an_interval_and_other_tables_are_not_looked_at(watched: Watched) -> None:
    new = watched.commit(*WATCHED)
    watched.commit("a.ignored")
    before = watched.services.table("a.ignored")
    watched.pass_intervals(1.1)
    until(lambda: watched.indexed(new))
    assert watched.services.table("a.ignored") == before
    assert "4 tables watched" in watched.settle()


def test_a_table_that_was_never_read_is_read_and_one_that_is_removed_is_forgotten(
    watched: Watched, tmp_path: Path
) -> None:
    watched.services.remove("a.one")
    watched.services.add("new.one", f"{tmp_path}/lake-a/db/one", None, ())
    watched.pass_intervals(2)
    until(lambda: watched.services.table("new.one").current_snapshot_id)
    assert "4 tables watched" in watched.settle()


def test_a_look_at_an_unchanged_table_is_recorded_for_this_and_for_other_processes(watched: Watched) -> None:
    watched.pass_intervals(1.1)
    watched.settle()
    before = {name: watched.services.table(name).checked_at_ms for name in WATCHED}
    watched.pass_intervals(1.1)
    watched.settle()
    for name in WATCHED:
        table = watched.services.table(name)
        assert table.checked_at_ms != before[name]
        assert watched.services.refresher.is_fresh_at_once(table)
        assert table.stale_reason is None


@pytest.mark.parametrize("sick", ["hanging", "denied"])
def test_a_sick_bucket_stops_the_refreshes_of_its_own_tables_only(
    watched: Watched, storage: FaultyStorage, tmp_path: Path, sick: str
) -> None:
    hang = Hang()
    storage.faults[f"{tmp_path}/lake-a"] = hang if sick == "hanging" else denied
    before = watched.services.table("a.one").current_snapshot_id
    for _ in range(3):
        new = watched.commit("b.one", "b.two")
        watched.pass_intervals(1.1)
        until(lambda new=new: watched.indexed(new))  # type: ignore[misc]
    ill = watched.commit("a.one", "a.two")
    # For any duration of the fault, each table of the bucket has at most one look under way, and no other has any once
    # the thread that indexed it has ended.
    sick_tables = {watched.services.table(name).table_id for name in ("a.one", "a.two")}
    until(lambda: watched.job._under_way <= sick_tables)
    assert watched.job._threads.counts()["busy"] <= 2
    assert watched.services.table("a.one").current_snapshot_id == before
    if sick == "denied":
        assert str(watched.services.refresher.failure(watched.services.table("a.one"))).endswith("denied (planted)")
    hang.go.set()
    storage.heal()
    watched.settle()
    watched.pass_intervals(2.1)
    until(lambda: watched.indexed(ill))


def test_an_unexpected_failure_of_one_table_affects_no_other(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = watched.services.table("a.one").table_id
    refresher = watched.services.refresher
    of = refresher.store_for

    def store_for(table: Any) -> Any:
        if table.table_id == first:
            raise RuntimeError("the password is 1234")
        return of(table)

    monkeypatch.setattr(refresher, "store_for", store_for)
    new = watched.commit("a.two", "b.one", "b.two")
    watched.pass_intervals(1.1)
    until(lambda: watched.indexed(new))
    assert " 0 failures" not in watched.settle()
    assert "RuntimeError" in caplog.text
    assert "1234" not in caplog.text


def test_a_cancelled_run_starts_no_more_looks(watched: Watched) -> None:
    looks = watched.services.refresher.totals.looks
    for _ in range(20):
        watched.job.run(Run(lambda: False))
        watched.clock.pass_seconds(1.0)
    until(lambda: not watched.job._under_way)
    assert watched.services.refresher.totals.looks == looks


def test_looks_at_many_unchanged_tables_take_a_few_statements_for_all_of_them(watched: Watched, tmp_path: Path) -> None:
    services, location = watched.services, f"{tmp_path}/lake-a/db/one"
    token = look(services.store, location, "iceberg").token
    with services.index.database.session() as session:
        for number in range(300):
            table = add_table(session, f"many{number}.one", location, "iceberg")
            store_look(session, table.table_id, token)
    watched.pass_intervals(1.1)
    watched.settle()
    statements: list[str] = []
    engine = services.index.database._engine
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    looks, ticks = services.refresher.totals.looks, 0
    # On a busy machine, looks at some tables are late, and a later tick starts more of them.
    while services.refresher.totals.looks - looks < 300:
        watched.pass_intervals(1 / INTERVAL)
        until(lambda: not watched.job._under_way)
        ticks += 1
        assert ticks <= 3 * INTERVAL
    watched.settle()
    queries = [text for text in statements if text.startswith(("SELECT", "UPDATE"))]
    # Each tick reads twice and writes; the list of tables is read every five seconds.
    assert len(queries) <= 5 * max(ticks, INTERVAL)


@pytest.mark.parametrize("end", ["storage", "killed"])
def test_a_first_refresh_that_ended_early_is_completed(
    watched: Watched, storage: FaultyStorage, tmp_path: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = watched.services
    table = services.add("new.one", f"{tmp_path}/lake-a/db/one", None, ())
    manifests = f"{tmp_path}/lake-a/db/one/metadata/snap-"
    storage.faults[manifests] = unavailable
    if end == "killed":
        # A process that is killed does not record a failure.
        monkeypatch.setattr(TableRefresher, "failed", lambda *_: None)
    with pytest.raises(StorageUnavailable):
        services.refresher.refresh(table)
    assert services.table("new.one").metadata_location is not None
    storage.heal()
    watched.pass_intervals(2.1)
    watched.settle()
    with services.index.database.reading() as session:
        (snapshot,) = list_snapshots(session, table.table_id)
    assert snapshot.state == "published"
