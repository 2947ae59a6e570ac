"""Hive's Metastore starts, and PyIceberg can write and read through it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.catalog.hive import HiveCatalog

from tests.counterparts.hive import HiveMetastore

pytestmark = pytest.mark.full
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})


def test_pyiceberg_writes_and_reads_through_the_metastore(hive: HiveMetastore) -> None:
    catalog = HiveCatalog("hive", uri=hive.uri, warehouse=hive.warehouse)
    catalog.create_namespace("shop", {"location": f"{hive.warehouse}/shop.db"})
    catalog.create_table("shop.orders", ROWS.schema).append(ROWS)
    read = HiveCatalog("other", uri=hive.uri).load_table("shop.orders")
    assert read.scan(row_filter="id < 3").to_arrow().num_rows == 3
    assert read.location().removeprefix("file:") == hive.warehouse.removeprefix("file://") + "/shop.db/orders"
    catalog.drop_table("shop.orders")
    catalog.drop_namespace("shop")
