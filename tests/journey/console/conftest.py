"""Fixtures with a browser and servers; the checks of every page run when a test ends.

Each module starts and stops its own browser: Playwright's event loop would interfere with other tests in the same
process that run one.
"""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect, sync_playwright
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from benchmarks.generate import iceberg_table
from tests.journey.console.browsing import Visit, chromium
from tests.journey.console.lakes import troubled_lake
from tests.journey.servers import free_port, served
from tests.polling import until

# The machine may be busy, and page load times are not tested here.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser():
    path = chromium()
    if path.startswith("No "):
        pytest.skip(path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """A function that opens pages of a server: ``visit(uri, path, …)``; at the end each page is checked."""
    visits = []

    def open_page(uri, path="#/", **context):
        visits.append(Visit.of(browser, uri, **context))
        return visits[-1].go(path)

    yield open_page
    for one in visits:
        one.close()
    for one in visits:
        one.check()


@pytest.fixture(scope="package")
def demo(tmp_path_factory):
    """The demo lake, with the health of its tables computed, without waiting for the background job."""
    with served(tmp_path_factory.mktemp("console-demo"), "--demo") as running:
        for row in running.rows("/tables"):
            running.get(f"/tables/{row['name']}/health")
        yield running


@pytest.fixture(scope="package")
def troubled(tmp_path_factory):
    """A server with tables with hostile names and values, a stale one, an unreadable one, and an empty one."""
    folder = tmp_path_factory.mktemp("console-troubled")
    with served(folder, ROOTS=f"file://{folder}") as running:
        troubled_lake(folder / "lake", running)
        yield running


@pytest.fixture(scope="package")
def many(tmp_path_factory):
    """A server with the table ``big.many`` of 3,200 files in as many partitions on two levels."""
    folder = tmp_path_factory.mktemp("console-many")
    iceberg_table(folder / "lake" / "many", files=3200, columns=12, manifests=4, days=200, processes=1)
    with served(folder, ROOTS=f"file://{folder}") as running:
        running.post("/tables", {"name": "big.many", "location": str(folder / "lake" / "many")}, 201)
        yield running


@pytest.fixture(scope="package")
def attached(tmp_path_factory):
    """A server with a reachable and an unreachable catalog."""
    folder = tmp_path_factory.mktemp("console-catalogs")
    theirs = SqlCatalog("theirs", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    theirs.create_namespace("shop")
    theirs.create_table("shop.orders", Schema(NestedField(1, "id", LongType())))
    catalogs = {
        "lake": {
            "type": "sql",
            "uri": f"sqlite:///{folder}/catalog.db",
            "catalog_name": "theirs",
            "roots": [f"file://{folder}"],
        },
        "gone": {"type": "rest", "uri": f"http://127.0.0.1:{free_port()}"},
    }
    with served(folder, CATALOGS=json.dumps(catalogs), ROOTS=f"file://{folder}") as running:
        running.post("/catalogs/lake/sync")
        until(lambda: _is_told_unreachable(running))
        yield running


def _is_told_unreachable(running):
    running.http.post("/api/v1/catalogs/gone/sync")
    return not next(one for one in running.get("/catalogs")["catalogs"] if one["name"] == "gone")["reachable"]
