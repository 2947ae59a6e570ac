"""A new snapshot costs its new manifests."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.planner.lists import snapshot_lists as lists
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
        # The metadata file, the manifest list, the manifest.
        assert services.store.counts.reads - reads == 3
        assert len(rows(lists.files(services.index, services.view("db.t")))) == 6
        reads = services.store.counts.reads
        assert services.refresh("db.t").manifests_fetched == 0
        assert len(rows(lists.files(services.index, services.view("db.t")))) == 6
        assert services.store.counts.reads - reads <= 1
