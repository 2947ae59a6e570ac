"""Nessie starts, and PyIceberg can write and read through it with vended credentials."""

from __future__ import annotations

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from tests.counterparts.nessie import WAREHOUSE, Nessie

pytestmark = pytest.mark.full
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})


def test_pyiceberg_writes_and_reads_through_nessie_with_vended_credentials(nessie: Nessie) -> None:
    catalog = RestCatalog("nessie", uri=nessie.uri, warehouse=WAREHOUSE)
    catalog.create_namespace("shop")
    catalog.create_table("shop.orders", ROWS.schema).append(ROWS)
    read = RestCatalog("other", uri=nessie.uri, warehouse=WAREHOUSE).load_table("shop.orders")
    assert read.scan(row_filter="id < 3").to_arrow().num_rows == 3
    assert read.location().startswith(nessie.s3.url)
    keys = {name: str(read.io.properties[name]) for name in ("s3.access-key-id", "s3.session-token")}
    assert keys["s3.access-key-id"] != nessie.s3.key
    assert keys["s3.session-token"]


def test_its_config_sends_clients_to_its_own_uri_and_prefix(nessie: Nessie) -> None:
    config = httpx.get(f"{nessie.uri}/v1/config", params={"warehouse": WAREHOUSE}).raise_for_status().json()
    assert config["overrides"]["uri"] == f"{nessie.uri}/"
    assert config["defaults"]["prefix"] == f"main%7C{WAREHOUSE}"
