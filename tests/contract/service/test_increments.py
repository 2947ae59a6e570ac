"""Indexing a new snapshot reads only its new manifests."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import event
from sqlalchemy.engine import Engine

from lakemuster.catalog.services import Services
from lakemuster.index import reconcile
from lakemuster.index.encoding import encode
from lakemuster.index.leases import hold
from lakemuster.ingest import table_refresh
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import catalog, rows, settings


def test_an_append_costs_one_manifest_one_list_and_the_pointer(tmp_path: Path) -> None:
    warehouse = tmp_path / "lake"
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{warehouse}")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64())})
    table = iceberg.create_table("db.t", data.schema, properties={"commit.manifest-merge.enabled": "false"})
    for _ in range(5):
        table.append(data)
    with catalog(settings(tmp_path, roots=(str(warehouse),))) as services:
        services.add("db.t", f"{warehouse}/db/t", None, ())
        first = services.refresh("db.t")
        assert (first.manifests_fetched, first.entries_decoded) == (5, 5)
        table.append(data)
        reads = services.store.counts.reads
        second = services.refresh("db.t")
        assert (second.lists_fetched, second.manifests_fetched, second.entries_decoded) == (1, 1, 1)
        # The metadata file, the manifest list and the manifest.
        assert services.store.counts.reads - reads == 3
        assert len(rows(lists.files(services.index, services.view("db.t")))) == 6
        reads = services.store.counts.reads
        assert services.refresh("db.t").manifests_fetched == 0
        assert len(rows(lists.files(services.index, services.view("db.t")))) == 6
        assert services.store.counts.reads - reads <= 1


def test_the_operations_of_a_refresh_do_not_depend_on_the_number_of_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[object] = []

    def counted(value: object) -> bytes:
        encoded.append(value)
        return encode(value)

    monkeypatch.setattr(reconcile, "encode", counted)
    warehouse = tmp_path / "lake"
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{warehouse}")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64())})
    table = iceberg.create_table("db.t", data.schema, properties={"commit.manifest-merge.enabled": "false"})
    table.append(data)
    with catalog(settings(tmp_path, roots=(str(warehouse),))) as services:
        services.add("db.t", f"{warehouse}/db/t", None, ())
        services.refresh("db.t")
        costs = []
        for commits in (2, 1, 8, 1):
            for _ in range(commits - 1):
                table.append(data)
                services.refresh("db.t")
            table.append(data)
            encoded.clear()
            costs.append((*cost(services), len(encoded)))
        assert costs[1] == costs[3]
        assert costs[3][-1] == 1


def cost(services: Services) -> tuple[int, int, int]:
    """Refresh the table; return the numbers of SQL statements, fetched objects and decoded entries."""
    statements: list[str] = []

    def asked(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        # Exclude the lease, which its own thread renews periodically.
        if "lease" not in statement:
            statements.append(statement)

    reads = services.store.counts.reads
    event.listen(Engine, "before_cursor_execute", asked)
    try:
        report = services.refresh("db.t")
    finally:
        event.remove(Engine, "before_cursor_execute", asked)
    return len(statements), services.store.counts.reads - reads, report.entries_decoded


def test_requests_that_wait_for_one_snapshot_take_the_lease_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = tmp_path / "lake"
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{warehouse}")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64())})
    table = iceberg.create_table("db.t", data.schema)
    for _ in range(2):
        table.append(data)
    first = table.snapshots()[0].snapshot_id
    taken = []

    def held_slowly(*given: Any, **words: Any) -> Any:
        taken.append(given)
        time.sleep(0.3)  # until all other threads wait
        return hold(*given, **words)

    with catalog(settings(tmp_path, roots=(str(warehouse),), history=0, max_staleness=3600.0)) as services:
        services.add("db.t", f"{warehouse}/db/t", None, ())
        services.refresh("db.t")
        monkeypatch.setattr(table_refresh, "hold", held_slowly)
        with ThreadPoolExecutor(8) as threads:
            views = list(threads.map(lambda _: services.view("db.t", Selector(snapshot_id=first)), range(8)))
        assert len(taken) == 1
        assert {len(rows(lists.files(services.index, view))) for view in views} == {1}
