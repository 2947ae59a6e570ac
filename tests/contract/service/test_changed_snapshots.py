"""Requests whose snapshot another server removes or indexes again before they have read its manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from lakemuster.catalog.services import Services
from lakemuster.index import leases
from lakemuster.index.snapshots import get_snapshot, quarantine, snapshot_manifests, withdraw
from lakemuster.planner import manifest_list
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

NAME = "db.t"
DATA = pa.table({"id": pa.array(range(10), pa.int64())})
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    made: Table = iceberg.create_table(NAME, DATA.schema)
    for _ in range(2):
        made.append(DATA)
    return made


@contextmanager
def servers(folder: Path) -> Iterator[tuple[TestClient, Services]]:
    """Yield a client of one server, and another server with the same index."""
    of = settings(folder, roots=(str(folder / "lake"),), max_staleness=3600.0)
    with catalog(of) as services, catalog(of) as other:
        services.add(NAME, f"{folder}/lake/db/t", None, ())
        services.refresh(NAME)
        yield TestClient(create_app(services), base_url="http://127.0.0.1:8181"), other


def is_withdrawn(other: Services, table: Table) -> None:
    _mark(other, table, withdraw)


def is_quarantined(other: Services, table: Table) -> None:
    _mark(other, table, lambda session, lease, row_id: quarantine(session, lease, row_id, "decode_failed: planted"))


def has_expired(other: Services, table: Table) -> None:
    before = current(table)
    table.append(DATA)
    table.maintenance.expire_snapshots().by_ids([before]).commit()
    other.refresh(NAME)


def _mark(other: Services, table: Table, mark: Callable[..., object]) -> None:
    own = other.table(NAME)
    with (
        leases.hold(other.index.database, own.table_id, wait_seconds=10) as lease,
        other.index.database.session() as session,
    ):
        mark(session, lease, get_snapshot(session, own.table_id, current(table)).row_id)


def current(table: Table) -> int:
    found = table.current_snapshot()
    assert found is not None
    return found.snapshot_id


def plan(client: TestClient, **body: Any) -> httpx.Response:
    answer: httpx.Response = client.post(f"/api/v1/tables/{NAME}/plan", json=body)
    return answer


def files(client: TestClient) -> httpx.Response:
    answer: httpx.Response = client.get(f"/api/v1/tables/{NAME}/files", headers=NDJSON)
    return answer


def iceberg_plan(client: TestClient) -> httpx.Response:
    answer: httpx.Response = client.post("/iceberg/v1/namespaces/db/tables/t/plan", json={})
    return answer


REQUESTS = [plan, files, iceberg_plan]


def paths(answer: httpx.Response) -> list[str]:
    """Return the base names of the files in a response."""
    assert answer.status_code == 200, answer.text
    return sorted(part.partition(".parquet")[0] for part in answer.text.split("/data/")[1:])


def expected(table: Table) -> list[str]:
    return sorted(Path(task.file.file_path).stem for task in table.scan().plan_files())


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None], int], None]:
    """Set what happens between the choice of a snapshot and the reading of its manifests, and how many times."""

    def planted(act: Callable[[], None], times: int) -> None:
        left = [times]
        read = snapshot_manifests

        def changed(*of: Any) -> Any:
            if left[0]:
                left[0] -= 1
                act()
            return read(*of)

        monkeypatch.setattr(manifest_list, "snapshot_manifests", changed)

    return planted


@pytest.mark.parametrize("request_of", REQUESTS)
@pytest.mark.parametrize("act", [is_withdrawn, has_expired])
def test_a_request_reads_the_new_state(
    tmp_path: Path,
    table: Table,
    change: Callable[[Callable[[], None], int], None],
    request_of: Callable[[TestClient], httpx.Response],
    act: Callable[[Services, Table], None],
) -> None:
    with servers(tmp_path) as (client, other):
        change(lambda: act(other, table), 2)
        assert paths(request_of(client)) == expected(table)
        assert paths(request_of(client)) == expected(table)


@pytest.mark.parametrize("request_of", [plan, files])
def test_a_snapshot_that_was_quarantined_is_not_read_from_a_cached_view(
    tmp_path: Path,
    table: Table,
    change: Callable[[Callable[[], None], int], None],
    request_of: Callable[[TestClient], httpx.Response],
) -> None:
    with servers(tmp_path) as (client, other):
        before = expected(table)
        table.append(DATA)
        client.post(f"/api/v1/tables/{NAME}/refresh").raise_for_status()
        change(lambda: is_quarantined(other, table), 1)
        for _ in range(2):
            assert paths(request_of(client)) == before


def test_a_requested_snapshot_that_has_expired_is_not_found(
    tmp_path: Path, table: Table, change: Callable[[Callable[[], None], int], None]
) -> None:
    with servers(tmp_path) as (client, other):
        snapshot = str(current(table))
        change(lambda: has_expired(other, table), 1)
        answer = plan(client, snapshot_id=snapshot)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "snapshot_not_found")


def test_a_snapshot_that_changes_during_each_attempt_is_for_later(
    tmp_path: Path, table: Table, change: Callable[[Callable[[], None], int], None]
) -> None:
    with servers(tmp_path) as (client, other):
        change(lambda: is_withdrawn(other, table), 100)
        answer = plan(client)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "snapshot_changed")
        assert "Retry-After" in answer.headers
