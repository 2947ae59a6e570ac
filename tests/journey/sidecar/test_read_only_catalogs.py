"""Unmodified PyIceberg on a server with an attached SQL catalog: it reads by the server's plans, and cannot write."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import served

ROWS = pa.table({"id": pa.array(range(10), pa.int64()), "name": [f"name {i}" for i in range(10)]})


def test_pyiceberg_reads_by_our_plans_and_cannot_write(tmp_path: Path) -> None:
    theirs = SqlCatalog("theirs", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/lake")
    theirs.create_namespace("shop")
    orders = theirs.create_table("shop.orders", ROWS.schema)
    orders.append(ROWS)
    attached = {
        "type": "sql",
        "uri": f"sqlite:///{tmp_path}/catalog.db",
        "catalog_name": "theirs",
        "roots": [f"{tmp_path}/lake"],
    }
    with served(tmp_path, CATALOGS=json.dumps({"prod": attached})) as running:
        catalog = RestCatalog("ours", uri=f"{running.uri}/iceberg", warehouse="prod")
        assert catalog.list_namespaces() == [("shop",)]
        assert catalog.list_tables("shop") == [("shop", "orders")]
        found = catalog.load_table("shop.orders")
        assert found.metadata_location == orders.metadata_location
        assert sorted(found.scan(row_filter="id < 3").to_arrow()["id"].to_pylist()) == [0, 1, 2]
        with pytest.raises(NotImplementedError, match="Server does not support endpoint: POST"):
            found.append(ROWS)
        orders.append(ROWS)
        assert catalog.load_table("shop.orders").scan().to_arrow().num_rows == 20
        assert len(orders.refresh().snapshots()) == 2
        assert running.logged('/tables/orders/plan"', 2) == 2
