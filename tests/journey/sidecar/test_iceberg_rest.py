"""The server in front of Iceberg's REST catalog: the compatibility kit passes, and clients read their own writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from tests.counterparts.iceberg_rest import IcebergRest, iceberg_rest_server, rck
from tests.journey.servers import Running, served

pytestmark = pytest.mark.slow
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})
KITS_ROOT = "file:///tmp"
"""The parent folder of some tables of the kit, whatever the warehouse is."""


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[IcebergRest]:
    (tmp_path / "upstream").mkdir()
    with iceberg_rest_server(tmp_path / "upstream") as running:
        yield running


@pytest.fixture(params=["service", "forward"])
def server(request: pytest.FixtureRequest, upstream: IcebergRest, tmp_path: Path) -> Iterator[Running]:
    """A server with the catalog attached as `prod`, which looks at no table by itself."""
    properties = {
        "type": "rest",
        "uri": upstream.uri,
        "warehouse": upstream.warehouse,
        "auth": request.param,
        "roots": [upstream.warehouse, KITS_ROOT],
    }
    settings = {"CATALOGS": orjson.dumps({"prod": properties}).decode(), "MAX_STALENESS": "3600"}
    with served(tmp_path / "server", **settings) as running:
        yield running


def plans(server: Running, at_least: int = 0) -> int:
    """Return the number of logged plans; wait for at least ``at_least``."""
    return server.logged('/plan","route":"/iceberg/v1/{catalog}', at_least)


@pytest.mark.parametrize("server", ["service"], indirect=True)
def test_the_compatibility_kit_passes_through_us(server: Running, tmp_path: Path) -> None:
    found = rck(f"{server.uri}/iceberg", tmp_path, {"warehouse": "prod", "scan-planning-mode": "client"})
    assert (found.passed, found.failed, len(found.aborted)) == (144, [], 12)
    assert plans(server) == 0


@pytest.mark.parametrize("server", ["service", pytest.param("forward", marks=pytest.mark.full)], indirect=True)
def test_the_compatibility_kit_passes_with_our_plans(server: Running, tmp_path: Path) -> None:
    # By default, the server plans. The kit fails in the same test with the fixture's own planning.
    found = rck(f"{server.uri}/iceberg", tmp_path, {"warehouse": "prod"})
    assert found.passed == 143
    assert found.failed == ["RESTCompatibilityKitCatalogTests.testCatalogWithCustomMetricsReporter"]
    assert plans(server) > 30


def test_pyiceberg_reads_its_own_writes_at_once(server: Running) -> None:
    catalog = RestCatalog("sidecar", uri=f"{server.uri}/iceberg", warehouse="prod", token="anybody")
    assert catalog.properties["scan-planning-mode"] == "server"
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.orders", ROWS.schema)
    for count in range(1, 6):
        table.append(ROWS)
        scan = catalog.load_table("shop.orders").scan(row_filter="id < 3")
        assert scan.to_arrow().num_rows == 3 * count
        assert plans(server, count) == count
    table.delete("id >= 3")
    assert catalog.load_table("shop.orders").scan().to_arrow().num_rows == 15
    catalog.rename_table("shop.orders", "shop.sold")
    assert catalog.list_tables("shop") == [("shop", "sold")]
    assert catalog.load_table("shop.sold").scan().to_arrow().num_rows == 15
    catalog.drop_table("shop.sold")
    assert catalog.list_tables("shop") == []
