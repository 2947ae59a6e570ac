"""The state of attached tables follows their catalog alone, for every type of catalog."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lakemuster.errors import TableNotFound
from tests.contract.service.backends import catalog, settings
from tests.contract.upstream.lakes import REMOTE, CatalogOwnedLake, Lake
from tests.contract.upstream.services import service
from tests.polling import until

A, B = ("db", "a"), ("db", "b")


def files(client: TestClient, name: str) -> int:
    """Return the number of a table's data files, and check that each has ten rows."""
    answer = client.get(f"/api/v1/tables/prod.db.{name}/files")
    assert answer.status_code == 200, answer.text
    found = answer.json()["files"]
    assert {file["record_count"] for file in found} == {10}
    assert all(Path(file["file_path"].removeprefix("file:")).is_file() for file in found)
    return len(found)


def status(client: TestClient, name: str) -> int:
    answered: int = client.get(f"/api/v1/tables/prod.db.{name}/files").status_code
    return answered


def names(client: TestClient) -> list[str]:
    return [table["name"] for table in client.get("/api/v1/tables").json()["tables"]]


def sync(client: TestClient) -> tuple[int, int, int]:
    """List the catalog; return the numbers of its tables, of new ones and of removed ones."""
    answer = client.post("/api/v1/catalogs/prod/sync")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return found["tables"], found["added"], found["removed"]


def test_commits_drops_new_tables_and_renames_are_followed(lake: Lake) -> None:
    lake.create(A)
    with service(lake) as client:
        assert files(client, "a") == 1
        lake.commit(A)
        assert files(client, "a") == 2
        lake.drop(A)
        assert status(client, "a") == 404
        assert names(client) == []
        lake.create(A)
        assert files(client, "a") == 1
        lake.rename(A, B)
        assert status(client, "a") == 404
        assert files(client, "b") == 1
        lake.commit(B)
        assert files(client, "b") == 2
        assert names(client) == ["prod.db.b"]


@pytest.mark.parametrize("lake", [*REMOTE, "sql"], indirect=True)
def test_a_commit_that_the_catalog_does_not_have_is_ignored(lake: CatalogOwnedLake) -> None:
    lake.create(A)
    lake.commit(A)
    lake.lose_commit(A)
    with service(lake) as client:
        assert files(client, "a") == 2


def test_the_listing_brings_tables_and_takes_them_away(lake: Lake) -> None:
    for table in (A, B, ("other", "c")):
        lake.create(table)
    with service(lake) as client:
        assert sync(client) == (3, 3, 0)
        formats = {table["name"]: table["format"] for table in client.get("/api/v1/tables").json()["tables"]}
        assert formats == dict.fromkeys(("prod.db.a", "prod.db.b", "prod.other.c"), lake.format)
        lake.drop(B)
        lake.rename(A, ("other", "a"))
        assert sync(client) == (2, 1, 2)
        assert names(client) == ["prod.other.a", "prod.other.c"]
        assert sync(client) == (2, 0, 0)
        [shown] = client.get("/api/v1/catalogs").json()["catalogs"]
        assert (shown["type"], shown["reachable"], shown["tables"]) == (lake.settings["type"], True, 2)


def renames(client: TestClient) -> list[tuple[str, str]]:
    """Return the previous and the new name of each renamed table."""
    page = client.get("/api/v1/events?type=table.renamed", headers={"Accept": "application/json"}).json()
    return [(event["data"]["previous_name"], event["subject"]) for event in page["events"]]


def test_a_table_that_is_renamed_keeps_its_index_and_is_told_so(lake: Lake) -> None:
    lake.create(A)
    lake.create(("other", "c"))
    with service(lake) as client:
        assert files(client, "a") == 1
        before = client.get("/api/v1/tables/prod.db.a").json()
        lake.rename(A, B)
        found = client.post("/api/v1/catalogs/prod/sync").json()
        if lake.format == "paimon":
            # Paimon's metadata has no UUID.
            assert (found["added"], found["removed"], found["renamed"]) == (2, 1, 0)
            return
        assert (found["added"], found["removed"], found["renamed"]) == (1, 0, 1)
        assert renames(client) == [("prod.db.a", "prod.db.b")]
        assert names(client) == ["prod.db.b", "prod.other.c"]
        after = client.get("/api/v1/tables/prod.db.b").json()
        assert (after["uuid"], after["total_records"]) == (before["uuid"], before["total_records"])
        assert files(client, "b") == 1
        lake.commit(B)
        assert files(client, "b") == 2
        # A request by the new name finds the same table before any listing.
        lake.rename(B, A)
        assert files(client, "a") == 2
        assert renames(client) == [("prod.db.a", "prod.db.b"), ("prod.db.b", "prod.db.a")]
        assert client.get("/api/v1/tables/prod.db.b").status_code == 404
        # The same holds when the old name is requested first.
        lake.rename(A, B)
        assert status(client, "a") == 404
        assert renames(client)[2:] == [("prod.db.a", "prod.db.b")]
        assert names(client) == ["prod.db.b", "prod.other.c"]
        assert files(client, "b") == 2


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_rename_after_a_recent_listing_is_followed(lake: Lake) -> None:
    for table in (A, B):
        lake.create(table)
    with service(lake) as client:
        assert files(client, "a") == files(client, "b") == 1
        for old in ("a", "b"):
            lake.rename(("db", old), ("db", f"new_{old}"))
            assert status(client, old) == 404
        assert renames(client) == [("prod.db.a", "prod.db.new_a"), ("prod.db.b", "prod.db.new_b")]


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_process_to_which_the_catalog_is_not_attached_removes_no_table(lake: Lake) -> None:
    lake.create(A)
    with service(lake) as client:
        assert files(client, "a") == 1
    with catalog(settings(lake.folder, role="api")) as services, pytest.raises(TableNotFound):
        services.refresh("prod.db.a")
    with service(lake) as client:
        assert names(client) == ["prod.db.a"]


def test_a_catalog_that_fails_keeps_its_tables_and_their_last_state(lake: Lake) -> None:
    lake.create(A)
    with service(lake) as client:
        assert sync(client) == (1, 1, 0)
        assert files(client, "a") == 1
        lake.stop()
        answer = client.post("/api/v1/catalogs/prod/sync")
        assert answer.status_code in {502, 504}, answer.text
        assert answer.json()["error"]["code"].startswith("upstream_")
        assert names(client) == ["prod.db.a"]

        def reason() -> str:
            stale = client.get("/api/v1/tables/prod.db.a/files")
            assert (stale.status_code, len(stale.json()["files"])) == (200, 1)
            return str(stale.json()["stale"])

        # A client that tries again, as Glue's does, may take longer than a request waits; then the reason is that.
        assert until(lambda: "upstream_" in reason())
        unknown = client.get("/api/v1/tables/prod.db.unknown/files")
        assert unknown.status_code in {502, 504}, unknown.text


@pytest.mark.parametrize("lake", ["paimon-folders"], indirect=True)
def test_paimon_clients_find_the_tables_in_the_catalogs_databases(lake: Lake) -> None:
    lake.create(A)
    with service(lake) as client:
        sync(client)
        root = "/paimon/v1/lakemuster/databases"
        assert client.get(root).json()["databases"] == ["prod.db"]
        assert client.get(f"{root}/prod.db/tables").json()["tables"] == ["a"]
        table = client.get(f"{root}/prod.db/tables/a").json()
        assert Path(table["path"].removeprefix("file:")) == lake.folder / "lake" / "db.db" / "a"
        lake.commit(A)
        newest = client.get(f"{root}/prod.db/tables/a/snapshot").json()["snapshot"]
        assert (newest["snapshot"]["id"], newest["recordCount"]) == (2, 20)
