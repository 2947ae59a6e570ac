"""Answers are right after the database of running services was replaced by an older one, whose ids are given again."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from sqlalchemy import make_url

from lakemuster.catalog.planning import plan_listing
from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from lakemuster.planner.lists import snapshot_lists
from lakemuster.wire.native.plans import PlanOptions
from tests.contract.service.backends import catalog, rows, settings
from tests.postgres import PostgresServer

NAME = "db.t"
FILTERS = (None, "id < 10", "id >= 10 and id < 20", "id >= 20")


@pytest.fixture
def table(tmp_path: Path) -> Table:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    schema = pa.schema([("id", pa.int64())])
    made: Table = iceberg.create_table(NAME, schema, properties={"commit.manifest-merge.enabled": "false"})
    return made


def append(table: Table, first: int) -> None:
    table.append(pa.table({"id": pa.array(range(first, first + 5), pa.int64())}))


def planned(services: Services, text: str | None) -> list[str]:
    """Return the paths of a plan's files, from the cache of pages if it has the page."""
    listing = plan_listing(services, services.view(NAME), PlanOptions(filter=text), stale=None)
    page = services.pages.find(listing, 100)
    if page is None:
        page = listing.page(None, 100)
        for _ in range(2):
            services.pages.put(listing, 100, page)
    return sorted(file["file_path"] for file in json.loads(f"[{bytes(page.files).decode()}]"))


def expected(table: Table, text: str | None) -> list[str]:
    scan = table.scan() if text is None else table.scan(row_filter=text)
    return sorted(task.file.file_path for task in scan.plan_files())


def check(services: Services, table: Table) -> None:
    for text in FILTERS:
        assert planned(services, text) == expected(table, text), text
    files = snapshot_lists.files(services.index, services.view(NAME))
    assert sorted(row["file_path"] for row in rows(files)) == expected(table, None)


@pytest.mark.parametrize("between", [0, 1])
def test_plans_of_a_restored_database_are_right(
    postgres_server: PostgresServer, postgres_url: str, table: Table, tmp_path: Path, between: int
) -> None:
    name = make_url(postgres_url).database
    Database(postgres_url).migrate()
    with (
        catalog(settings(tmp_path, database_url=postgres_url, roots=(str(tmp_path / "lake"),))) as services,
        postgres_server.connect() as server,
    ):
        append(table, 0)
        services.add(NAME, str(tmp_path / "lake/db/t"), None, (), operator=True)
        services.refresh(NAME)
        services.index.database.close()
        server.execute(f"CREATE DATABASE {name}_backup TEMPLATE {name}")
        append(table, 10)
        services.refresh(NAME)
        check(services, table)
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        server.execute(f"ALTER DATABASE {name}_backup RENAME TO {name}")
        for number in range(between):
            append(table, 20 + 10 * number)
        services.refresh(NAME)
        check(services, table)
