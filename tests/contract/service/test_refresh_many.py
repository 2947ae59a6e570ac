"""A concurrent refresh of many tables gives the same index as separate refreshes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from benchmarks.iceberg_table import append_manifest, iceberg_table
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError, NotATable, RefreshBusy, StorageDenied
from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.orm import TableRow
from lakemuster.ingest import first_refreshes, side_by_side
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import BATCH_OBJECTS
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.ingest.work import run_each, run_writing
from tests.contract.service.backends import catalog, settings
from tests.contract.service.faulty_storage import FaultyStorage, denied
from tests.contract.service.index_rows import rows

TABLES = 7


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(TABLES):
        root = folder / f"t{number}"
        iceberg_table(root, files=4, columns=6, manifests=number + 1, days=2)
        for _ in range(number % 3):
            append_manifest(root, files=2)
    return folder


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/many.db"
    url: str = request.getfixturevalue("postgres_url")
    Database(url).migrate()
    return url


@pytest.fixture
def services(tmp_path: Path, database_url: str, lake: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path / "many", database_url=database_url, roots=(str(lake),), history=2)) as made:
        for number in range(TABLES):
            made.add(f"db.t{number}", str(lake / f"t{number}"), None, ())
        yield made


@pytest.fixture(autouse=True)
def _groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit a bucket to two threads, so that the few tables of these tests form groups."""
    monkeypatch.setattr(side_by_side, "MAX_PER_BUCKET", 2)


def names() -> list[str]:
    return [f"db.t{number}" for number in range(TABLES)]


def refreshed(services: Services) -> dict[str, RefreshReport | CatalogError]:
    return dict(services.refresh_many(names()))


def own_refreshes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of tables that are refreshed separately, in the returned list."""
    found: list[str] = []
    plain = TableRefresher.refresh

    def noted(self: TableRefresher, table: Any, progress: Any = None) -> RefreshReport:
        found.append(table.name)
        return plain(self, table, progress)

    monkeypatch.setattr(TableRefresher, "refresh", noted)
    return found


def tasks_of_decoders(monkeypatch: pytest.MonkeyPatch, run: Any) -> list[int]:
    """Record the numbers of objects in decoder tasks that call ``run``, in the returned list."""
    found: list[int] = []
    plain = DecoderPool.submit

    def noted(self: DecoderPool, function: Any, *args: Any, **kwargs: Any) -> Any:
        if function is run:
            found.append(len(args[0]))
        return plain(self, function, *args, **kwargs)

    monkeypatch.setattr(DecoderPool, "submit", noted)
    return found


def test_manifests_of_several_tables_share_tasks_of_decoders(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_by_side, "MAX_PER_BUCKET", 1)
    tasks = tasks_of_decoders(monkeypatch, run_writing)
    reports = [report for report in refreshed(services).values() if isinstance(report, RefreshReport)]
    assert sum(tasks) == sum(report.manifests_fetched for report in reports)
    assert len(tasks) == -(-sum(tasks) // BATCH_OBJECTS) < TABLES


def test_manifest_lists_of_several_tables_share_tasks_of_decoders(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_by_side, "MAX_PER_BUCKET", 1)
    tasks = tasks_of_decoders(monkeypatch, run_each)
    reports = [report for report in refreshed(services).values() if isinstance(report, RefreshReport)]
    assert sum(tasks) == sum(report.lists_fetched for report in reports) > TABLES
    assert len(tasks) == -(-sum(tasks) // BATCH_OBJECTS)


def test_storage_that_denies_a_manifest_list_fails_only_its_table(
    services: Services, lake: Path, storage: FaultyStorage
) -> None:
    storage.faults[f"{lake}/t4/metadata/snap-"] = denied
    reports = refreshed(services)
    storage.heal()
    assert isinstance(reports["db.t4"], StorageDenied)
    assert sum(isinstance(report, RefreshReport) for report in reports.values()) == TABLES - 1


@pytest.mark.parametrize(("table", "is_list"), [("t2", False), ("t3", True)])
def test_a_file_that_cannot_be_decoded_is_no_failure_of_other_tables(
    services: Services, lake: Path, table: str, is_list: bool
) -> None:
    files = sorted((lake / table / "metadata").glob("*.avro"))
    broken = next(path for path in files if path.name.startswith("snap-") is is_list)
    whole = broken.read_bytes()
    broken.write_bytes(whole[:-30])
    try:
        reports = refreshed(services)
    finally:
        broken.write_bytes(whole)
    published = {name: bool(one.published) for name, one in reports.items() if isinstance(one, RefreshReport)}
    assert published == {name: name != f"db.{table}" for name in names()}


def test_the_index_is_that_of_single_refreshes(
    services: Services, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = own_refreshes(monkeypatch)
    together = refreshed(services)
    assert alone == []
    with catalog(settings(tmp_path / "single", roots=(str(lake),), history=2)) as single:
        for name in names():
            single.add(name, str(lake / name.removeprefix("db.")), None, ())
        for name in names():
            report, own = together[name], single.refresh(name)
            assert isinstance(report, RefreshReport)
            assert set(report.published) == set(own.published)
            assert (report.manifests_fetched, report.lists_fetched) == (own.manifests_fetched, own.lists_fetched)
            assert report.entries_decoded == own.entries_decoded
        assert rows(services) == rows(single)
    for name in names():
        assert services.view(name).snapshot is not None


def test_unchanged_tables_are_looked_at_and_changed_ones_are_refreshed(
    services: Services, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshed(services)
    append_manifest(lake / "t3", files=2)
    alone = own_refreshes(monkeypatch)
    reports = refreshed(services)
    assert alone == ["db.t3"]
    published = {name: len(one.published) for name, one in reports.items() if isinstance(one, RefreshReport)}
    assert published == {name: int(name == "db.t3") for name in names()}


def test_a_table_that_fails_is_no_failure_of_the_others(services: Services, lake: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with services.index.database.session() as session:
        session.execute(update(TableRow).where(TableRow.name == "db.t2").values(location=str(lake / gone.name)))
    reports = refreshed(services)
    assert isinstance(reports["db.t2"], NotATable)
    assert sum(isinstance(report, RefreshReport) for report in reports.values()) == TABLES - 1
    stale = services.table("db.t2").stale_reason
    assert stale is not None
    assert stale.startswith("not_a_table")


def test_a_table_that_another_process_refreshes_is_waited_for_by_itself(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = services.table("db.t1").table_id
    lease = leases.acquire(services.index.database, held, wait_seconds=1)
    monkeypatch.setattr("lakemuster.ingest.table_refresh.LEASE_WAIT_SECONDS", 0.01)
    reports = refreshed(services)
    assert isinstance(reports["db.t1"], RefreshBusy)
    assert sum(isinstance(report, RefreshReport) for report in reports.values()) == TABLES - 1
    leases.release(services.index.database, lease)
    assert isinstance(refreshed(services)["db.t1"], RefreshReport)


@pytest.mark.parametrize("limit", ["MAX_MANIFESTS", "MAX_SNAPSHOTS"])
def test_larger_tables_have_a_refresh_of_their_own(
    limit: str, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_refreshes, limit, 1)
    alone = own_refreshes(monkeypatch)
    assert all(isinstance(report, RefreshReport) for report in refreshed(services).values())
    assert 0 < len(alone) < TABLES


def test_when_one_state_cannot_be_stored_the_others_are(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RefreshBusy("another process has refreshed one of the tables")

    monkeypatch.setattr(first_refreshes, "store_first_states", refuse)
    alone = own_refreshes(monkeypatch)
    assert all(isinstance(report, RefreshReport) for report in refreshed(services).values())
    assert sorted(alone) == names()
