"""Iceberg's REST catalog fixture starts, responds, and passes its own compatibility kit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from tests.counterparts.iceberg_rest import IcebergRest, iceberg_rest_server, rck

pytestmark = pytest.mark.slow
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})


def test_pyiceberg_writes_and_reads_through_the_fixture_and_finds_it_after_a_restart(tmp_path: Path) -> None:
    with iceberg_rest_server(tmp_path) as running:
        catalog = RestCatalog("fixture", uri=running.uri)
        catalog.create_namespace("shop")
        table = catalog.create_table("shop.orders", ROWS.schema)
        table.append(ROWS)
        assert table.location().startswith(running.warehouse)
    with iceberg_rest_server(tmp_path) as running:
        catalog = RestCatalog("fixture", uri=running.uri)
        catalog.load_table("shop.orders").append(ROWS)
        assert catalog.load_table("shop.orders").scan(row_filter="id < 3").to_arrow().num_rows == 6


@pytest.mark.full
def test_the_fixture_passes_the_compatibility_kit(iceberg_rest: IcebergRest, tmp_path: Path) -> None:
    found = rck(iceberg_rest.uri, tmp_path, {"warehouse": iceberg_rest.warehouse})
    assert (found.passed, found.failed) == (144, [])
    assert len(found.aborted) == 12
    assert found.disabled == ["RESTCompatibilityKitCatalogTests.createTableInUniqueLocation"]


@pytest.mark.full
def test_with_planning_by_the_fixture_the_kit_fails_in_one_test(tmp_path: Path) -> None:
    with iceberg_rest_server(tmp_path) as running:
        found = rck(running.uri, tmp_path, {"warehouse": running.warehouse, "scan-planning-mode": "server"})
    assert found.passed == 143
    assert found.failed == ["RESTCompatibilityKitCatalogTests.testCatalogWithCustomMetricsReporter"]
