"""A listing of an attached catalog adds, drops, renames and excludes tables; a failed listing changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lakemuster.catalog.catalog_documents import sync_out
from lakemuster.catalog.services import Services
from lakemuster.errors import UpstreamFailed
from lakemuster.index.database import Database
from lakemuster.jobs.job import Run
from lakemuster.jobs.listing import jobs_out
from lakemuster.jobs.registry import jobs_of
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.fake_catalog import Asked, FakeCatalog, Reply, error, fake_catalog

Open = Callable[..., AbstractContextManager[Services]]


@pytest.fixture
def fake() -> Iterator[FakeCatalog]:
    with fake_catalog() as running:
        running.tables |= {(f"ns{number % 3}", f"t{number}"): "s3://lake/m.metadata.json" for number in range(10)}
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, fake: FakeCatalog, tmp_path: Path) -> Open:
    """A function that opens services with the catalog attached as ``prod``."""
    is_sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/index.db" if is_sqlite else str(request.getfixturevalue("postgres_url"))
    Database(url).migrate()

    def open_services(**properties: object) -> AbstractContextManager[Services]:
        catalogs = {"prod": {"type": "rest", "uri": fake.uri, **properties}}
        return catalog(settings(tmp_path, database_url=url, role="api", catalogs=catalogs))

    return open_services


def names(services: Services) -> list[str]:
    return [table.name for table in services.tables()]


def sync(services: Services) -> str:
    """Run the job that lists the catalog, and return its report."""
    [job] = [job for job in jobs_of(services) if job.name == "sync prod"]
    return job.run(Run(lambda: True))


def test_tables_appear_and_go_with_the_listing(opened: Open, fake: FakeCatalog) -> None:
    with opened() as services:
        assert sync(services) == "10 tables, 0 left out, 10 added, 0 removed"
        before = {table.name: table.table_id for table in services.tables()}
        assert sorted(before) == sorted(f"prod.ns{number % 3}.t{number}" for number in range(10))
        fake.tables["ns1", "new"] = fake.tables.pop(("ns1", "t1"))
        del fake.tables["ns2", "t2"]
        assert sync(services) == "9 tables, 0 left out, 1 added, 2 removed"
        after = {table.name: table.table_id for table in services.tables()}
        assert set(before) - set(after) == {"prod.ns1.t1", "prod.ns2.t2"}
        assert {name: after[name] for name in after if name in before} == {
            name: before[name] for name in after if name in before
        }
        assert sync(services) == "9 tables, 0 left out, 0 added, 0 removed"


def test_a_listing_that_fails_drops_no_table(opened: Open, fake: FakeCatalog) -> None:
    def fails_late(asked: Asked) -> Reply | None:
        return Reply(500, b"no") if "ns2/tables" in asked.path else None

    with opened() as services:
        sync(services)
        known = names(services)
        for fault in (fails_late, lambda _: error(404, "NotFoundException"), lambda _: Reply(200, {})):
            fake.fault = fault
            with pytest.raises(UpstreamFailed):
                sync(services)
            assert names(services) == known


def test_nested_tables_stay_while_the_catalog_does_not_list_children(opened: Open, fake: FakeCatalog) -> None:
    refused = error(400, "BadRequestException")
    fake.tables["ns0", "inner", "t"] = fake.tables["ns0", "t0"]
    with opened() as services:
        assert sync(services).startswith("11 tables")
        fake.fault = lambda asked: refused if "parent=" in asked.path else None
        with pytest.raises(UpstreamFailed, match="does not list its nested namespaces"):
            sync(services)
        assert "prod.ns0.inner.t" in names(services)
        del fake.tables["ns0", "inner", "t"]
        assert sync(services) == "10 tables, 0 left out, 0 added, 1 removed"


def test_a_namespace_that_goes_meanwhile_has_no_tables(opened: Open, fake: FakeCatalog) -> None:
    gone = error(404, "NoSuchNamespaceException")
    fake.fault = lambda asked: gone if "ns2/tables" in asked.path else None
    with opened() as services:
        assert sync(services).startswith("7 tables")


def test_tables_are_left_out_by_pattern_and_by_names_that_cannot_be_written(opened: Open, fake: FakeCatalog) -> None:
    fake.tables["ns0", "a/b"] = fake.tables["ns0", "t0"]
    with opened(include=["ns0.*", "ns1.*"], exclude=["*.t3"]) as services:
        assert sync(services).startswith("6 tables, 5 left out")
        assert sync_out(services, "prod").unnameable == ["ns0.a/b"]
        assert names(services) == [
            "prod.ns0.t0",
            "prod.ns0.t6",
            "prod.ns0.t9",
            "prod.ns1.t1",
            "prod.ns1.t4",
            "prod.ns1.t7",
        ]
        with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
            for path, mode in (("ns0/tables/t0", None), ("ns0/tables/t3", "client"), ("ns0/tables/a%2Fb", "client")):
                loaded = client.get(f"/iceberg/v1/prod/namespaces/{path}").json()
                assert loaded["config"].get("scan-planning-mode") == mode
            assert client.get("/api/v1/tables/prod.ns0.t3").status_code == 404


def test_a_table_that_is_created_during_a_listing_is_kept(opened: Open, fake: FakeCatalog) -> None:
    def create(asked: Asked) -> Reply | None:
        if "ns2/tables" in asked.path and ("ns0", "new") not in fake.tables:
            # The tables of ns0 are already listed.
            fake.tables["ns0", "new"] = "s3://lake/m.metadata.json"
            created.append(services.table("prod.ns0.new").table_id)
        return None

    created: list[int] = []
    with opened() as services:
        sync(services)
        fake.fault = create
        assert sync(services) == "10 tables, 0 left out, 0 added, 0 removed"
        assert [services.table("prod.ns0.new").table_id] == created
        assert sync(services) == "11 tables, 0 left out, 0 added, 0 removed"
        del fake.tables["ns0", "new"]
        assert sync(services) == "10 tables, 0 left out, 0 added, 1 removed"


def test_a_table_that_a_request_has_registered_is_kept(opened: Open) -> None:
    with opened() as services:
        own = services.table("prod.ns0.t0").table_id
        assert sync(services) == "10 tables, 0 left out, 9 added, 0 removed"
        assert services.table("prod.ns0.t0").table_id == own


def test_catalogs_are_shown_and_listed_over_http(opened: Open, fake: FakeCatalog) -> None:
    with opened() as services, TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        [shown] = client.get("/api/v1/catalogs").json()["catalogs"]
        assert shown == {
            "name": "prod",
            "type": "rest",
            "auth": "service",
            "reachable": True,
            "tables": 0,
            "synced_at": None,
            "error": None,
        }
        found = client.post("/api/v1/catalogs/prod/sync").json()
        assert (found["name"], found["tables"], found["added"]) == ("prod", 10, 10)
        [shown] = client.get("/api/v1/catalogs").json()["catalogs"]
        assert (shown["tables"], shown["synced_at"] is None) == (10, False)
        answer = client.get("/api/v1/catalogs?fields=tables,name", headers={"Accept": "text/csv"})
        assert answer.content == b"tables,name\r\n10,prod\r\n"
        page = client.get("/api/v1/catalogs?order=desc&page_size=1&fields=name").json()
        assert page == {"catalogs": [{"name": "prod"}], "next_page_token": None, "total_count": 1, "stale": None}
        assert client.get("/api/v1/catalogs?field=name").status_code == 400
        assert jobs_out(services.index.database, []) == []
        assert client.post("/api/v1/catalogs/none/sync").json()["error"]["code"] == "catalog_not_found"
        fake.fault = lambda _: Reply(breaks="before")
        for _ in range(6):
            answer = client.post("/api/v1/catalogs/prod/sync")
            assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_unavailable")
        assert client.get("/api/v1/catalogs").json()["catalogs"][0]["reachable"] is False
