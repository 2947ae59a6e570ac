"""Requests while a refresh indexes a new snapshot: which get the previous one, and which wait."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import LongType
from sqlalchemy import update
from sqlalchemy.orm import Session

from lakemuster.api.response_cache import is_current
from lakemuster.catalog import services as services_module
from lakemuster.catalog.services import Services
from lakemuster.errors import SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished
from lakemuster.index import leases
from lakemuster.index.orm import SnapshotRow
from lakemuster.index.tables import TableRecord, load_metadata
from lakemuster.ingest.index import Indexed, Indexer
from lakemuster.metadata.snapshot import Snapshot, TableMetadata
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import CURRENT, Selector
from lakemuster.storage.storage_wait import StorageWait, measured
from tests.contract.service.backends import catalog, rows, settings
from tests.polling import until

NAME = "db.t"
DATA = pa.table({"id": pa.array(range(10), pa.int64())})


class Held:
    """Pauses refreshes between indexing and publishing, until ``go`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.indexed, self.go = threading.Event(), threading.Event()
        read = Indexer.read

        def held(indexer: Indexer, snapshots: Sequence[Snapshot]) -> Iterator[Indexed]:
            found = list(read(indexer, snapshots))
            if snapshots:
                self.indexed.set()
                assert self.go.wait(30)
            yield from found

        monkeypatch.setattr(Indexer, "read", held)

    @contextmanager
    def refreshing(self, services: Services) -> Iterator[Future[Any]]:
        """Yield the future of a refresh that has indexed the new snapshot but not published it."""
        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(services.refresh, NAME)
            try:
                assert self.indexed.wait(30)
                yield done
            finally:
                self.go.set()


@pytest.fixture
def table(tmp_path: Path) -> Table:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    return iceberg.create_table(NAME, DATA.schema)


@contextmanager
def indexing(tmp_path: Path, staleness: float = 3600.0) -> Iterator[Services]:
    with catalog(settings(tmp_path, roots=(str(tmp_path / "lake"),), max_staleness=staleness)) as services:
        if not services.tables():
            services.add(NAME, f"{tmp_path}/lake/db/t", None, ())
        yield services


def seen(services: Services, selector: Selector = CURRENT) -> tuple[int | None, list[str], int]:
    """Return the snapshot id, the columns of its schema, and its number of files."""
    view = services.view(NAME, selector)
    files = rows(lists.files(services.index, view))
    return view.snapshot_id, list(view.schemas[0].names.values()), len(files)


def stands(services: Services, record: TableRecord) -> bool:
    """Return whether cached responses that depend on a record are valid."""

    async def asked() -> bool:
        return await is_current(services)(record)

    return asyncio.run(asked())


def current(table: Table) -> int:
    found = table.current_snapshot()
    assert found is not None
    return found.snapshot_id


def evolve(table: Table) -> None:
    """Add a column and a snapshot, and expire the earlier snapshots."""
    with table.update_schema() as schema:
        schema.add_column("more", LongType())
    table.append(DATA.append_column("more", DATA.column("id")))
    old = [snapshot.snapshot_id for snapshot in table.snapshots()[:-1]]
    table.maintenance.expire_snapshots().by_ids(old).commit()


def test_the_last_published_snapshot_is_served_until_the_new_one_is_published(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.append(DATA)
    with indexing(tmp_path) as services, indexing(tmp_path) as replica:
        services.refresh(NAME)
        before = (current(table), ["id"], 1)
        assert seen(services) == seen(replica) == before
        kept = services.table(NAME)
        evolve(table)
        after = (current(table), ["id", "more"], 2)
        held = Held(monkeypatch)
        with held.refreshing(services) as done:
            # No response contains anything of the new state, in this process or another.
            for one in (services, replica):
                assert seen(one) == seen(one, Selector(ref="main")) == seen(one, Selector(before[0])) == before
                assert [record.snapshot.snapshot_id for record in one.snapshots(NAME)[1]] == [before[0]]
                assert one.table(NAME) == kept
            assert stands(services, kept)
            assert not done.done()
        assert done.result().published == (str(after[0]),)
        for one in (services, replica):
            assert seen(one) == seen(one, Selector(after[0])) == after
            with pytest.raises(SnapshotNotFound):
                one.view(NAME, Selector(before[0]))
        assert not stands(services, kept)


@pytest.mark.parametrize("selector", [Selector(), None], ids=["current, looked at too long ago", "by its id"])
def test_a_request_that_needs_the_new_snapshot_waits(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch, selector: Selector | None
) -> None:
    table.append(DATA)
    with indexing(tmp_path, 0.0 if selector else 3600.0) as services:
        services.refresh(NAME)
        table.append(DATA)
        held = Held(monkeypatch)
        with held.refreshing(services), ThreadPoolExecutor(1) as thread:
            asked = thread.submit(seen, services, selector or Selector(current(table)))
            time.sleep(0.3)
            assert not asked.done()
            held.go.set()
            assert asked.result() == (current(table), ["id"], 2)
        # The request that waited reads nothing again.
        assert services.refresher.totals.refreshes == 2


def test_a_snapshot_that_was_committed_after_the_last_look_is_found_by_its_id(tmp_path: Path, table: Table) -> None:
    table.append(DATA)
    with indexing(tmp_path) as services:
        services.refresh(NAME)
        table.append(DATA)
        assert seen(services)[2] == 1
        assert seen(services, Selector(current(table)))[2] == 2
        kept = services.table(NAME)
        with pytest.raises(SnapshotNotFound):
            services.view(NAME, Selector(1))
        # Recording a look that found nothing new changes no response.
        services.refresher._looks._unchanged.record()
        assert services.table(NAME) != kept
        assert services.table(NAME).state == kept.state
        assert stands(services, kept)


def test_the_last_published_snapshot_is_chosen_after_the_wait_for_the_new_one(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        table.append(DATA)
    first, *_, third, _ = (snapshot.snapshot_id for snapshot in table.snapshots())
    with indexing(tmp_path) as services, indexing(tmp_path) as replica:
        services.refresh(NAME)
        services.view(NAME, Selector(first))
        with services.index.database.session() as session:
            others = SnapshotRow.snapshot_id != first
            session.execute(update(SnapshotRow).where(others).values(decoder_version=0))

        def wait_in_vain(*_: object, **__: object) -> None:
            table.maintenance.expire_snapshots().by_ids([first]).commit()
            replica.refresh(NAME)
            replica.view(NAME, Selector(third))
            raise SnapshotUnpublished("storage has not answered in time")

        monkeypatch.setattr(services.refresher, "ensure_published", wait_in_vain)
        view = services.view(NAME)
        assert view.snapshot_id == third
        assert view.stale is not None
        assert len(rows(lists.files(services.index, view))) == 3


def test_a_new_snapshot_that_cannot_be_read_leaves_the_last_one_marked_stale(tmp_path: Path, table: Table) -> None:
    table.append(DATA)
    with indexing(tmp_path) as services:
        services.refresh(NAME)
        first = current(table)
        table.append(DATA)
        listed = table.inspect.snapshots().column("manifest_list").to_pylist()[-1]
        Path(listed.removeprefix("file://")).write_bytes(b"none")
        assert len(services.refresh(NAME).quarantined) == 1
        view = services.view(NAME)
        assert (view.snapshot_id, view.stale is None) == (first, False)
        with pytest.raises(SnapshotQuarantined):
            services.view(NAME, Selector(current(table)))


def test_before_the_first_snapshot_is_indexed_the_table_is_shown_and_plans_wait(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.append(DATA)
    with indexing(tmp_path) as services:
        held = Held(monkeypatch)
        with held.refreshing(services), ThreadPoolExecutor(1) as thread:
            assert services.fresh(NAME)[1].current_snapshot_id == current(table)
            asked = thread.submit(seen, services)
            time.sleep(0.3)
            assert not asked.done()
            held.go.set()
            assert asked.result() == (current(table), ["id"], 1)


def test_concurrent_requests_after_a_commit_read_its_metadata_once(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.append(DATA)
    read: list[int] = []

    def slowly(session: Session, table_id: int) -> TableMetadata:
        read.append(table_id)
        time.sleep(0.2)  # until all other threads wait
        return load_metadata(session, table_id)

    monkeypatch.setattr(services_module, "load_metadata", slowly)
    with indexing(tmp_path) as services:
        services.refresh(NAME)
        for _ in range(2):
            with ThreadPoolExecutor(8) as threads:
                views = list(threads.map(lambda _: services.view(NAME), range(8)))
            assert {view.snapshot_id for view in views} == {current(table)}
            assert len(read) == 1
        table.append(DATA)
        services.refresh(NAME)
        assert services.view(NAME).snapshot_id == current(table)
        assert len(read) == 2


def test_a_refresh_that_waits_for_another_process_says_so(table: Table, tmp_path: Path) -> None:
    table.append(DATA)
    with indexing(tmp_path) as services:
        known = services.table(NAME)
        other = leases.acquire(services.index.database, known.table_id, wait_seconds=0)
        tables, waits = services.refresher.tables, StorageWait()

        def refresh() -> None:
            with measured(waits):
                tables.refresh_alone(known)

        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(refresh)
            said = until(lambda: waits.what)
            leases.release(services.index.database, other)
            done.result(60)
        assert said == "another process, which refreshes the table,"
