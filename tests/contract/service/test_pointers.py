"""Folders in which the current metadata is ambiguous: which state is served, with which warning."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.catalog.services import Services
from lakemuster.errors import NotATable, ObjectMissing
from lakemuster.formats.iceberg import pointers
from lakemuster.ingest.pointer_doubts import warnings_of
from lakemuster.ingest.pointers import look
from lakemuster.storage.objects import ObjectInfo
from lakemuster.storage.store import ObjectStore
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.polling import until

ROWS = [3, 6, 9]
"""Row counts of the table's versions."""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A table with a catalog's file names, ``of_catalog``, and the same table with Hadoop's names, ``counted``."""
    warehouse = tmp_path / "lake"
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{warehouse}")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(3), pa.int64())})
    table = iceberg.create_table("db.of_catalog", data.schema)
    for _ in ROWS:
        table.append(data)
    (counted := warehouse / "db" / "counted" / "metadata").mkdir(parents=True)
    files = sorted((warehouse / "db" / "of_catalog" / "metadata").glob("*.metadata.json"))
    for number, file in enumerate(files):
        shutil.copyfile(file, counted / f"v{number}.metadata.json")
    return warehouse / "db"


def hint(lake: Path, text: str) -> None:
    (lake / "counted" / "metadata" / pointers.HINT).write_text(text)


@pytest.fixture
def services(tmp_path: Path, lake: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path, roots=(str(lake),))) as opened:
        yield opened


@pytest.fixture
def client(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1")


def add(client: TestClient, lake: Path, name: str) -> dict[str, Any]:
    answer = client.post("/api/v1/tables", json={"name": f"db.{name}", "location": f"{lake}/{name}"})
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def planned(client: TestClient, name: str) -> tuple[int, str | None]:
    answer = client.post(f"/api/v1/tables/db.{name}/plan", json={})
    assert answer.status_code == 200, answer.text
    return answer.json()["counts"]["records"], answer.json()["stale"]


def test_a_hint_that_names_a_missing_version_is_stale(client: TestClient, lake: Path) -> None:
    hint(lake, "3")
    assert add(client, lake, "counted")["warnings"] == []
    assert planned(client, "counted") == (9, None)
    hint(lake, "9")
    records, stale = planned(client, "counted")
    assert records == 9
    assert stale is not None
    assert "version-hint.text names a metadata file that does not exist: v9.metadata.json" in stale
    (lake / "counted" / "metadata" / "v3.metadata.json").unlink()
    hint(lake, "3")
    assert planned(client, "counted")[0] == 9
    # A failed look is cached for a second.
    until(lambda: "v3.metadata.json" in client.get("/api/v1/tables/db.counted").json()["stale"])
    hint(lake, "2")
    until(lambda: planned(client, "counted") == (6, None))


def test_a_hint_to_a_deleted_version_leads_to_the_newest(client: TestClient, lake: Path) -> None:
    hint(lake, "2")
    for version in (0, 1, 2):
        (lake / "counted" / "metadata" / f"v{version}.metadata.json").unlink()
    add(client, lake, "counted")
    assert planned(client, "counted") == (9, None)


def test_a_table_with_a_stale_hint_is_not_registered(services: Services, client: TestClient, lake: Path) -> None:
    hint(lake, "9")
    with pytest.raises(ObjectMissing, match=r"version-hint\.text names a metadata file that does not exist"):
        services.add("db.counted", f"{lake}/counted", None, ())
    answer = client.post("/api/v1/tables", json={"name": "db.counted", "location": f"{lake}/counted"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "object_missing")
    found = {one.location: one for one in services.discover(str(lake), None, ())}
    refused = found[f"{lake}/counted"]
    assert refused.outcome == "refused"
    assert "v9.metadata.json" in (refused.reason or "")


def test_a_version_committed_between_the_listing_and_the_hint_is_accepted(
    services: Services, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint(lake, "3")
    listed = ObjectStore.list
    times = 0

    def late(self: ObjectStore, location: str) -> list[ObjectInfo]:
        nonlocal times
        times += location.endswith("/counted/metadata")
        found = list(listed(self, location))
        return [info for info in found if times > 1 or info.name != "v3.metadata.json"]

    monkeypatch.setattr(ObjectStore, "list", late)
    found = look(services.store, f"{lake}/counted", "iceberg")
    assert found.metadata_location.endswith("/v3.metadata.json")
    assert times == 2


def test_a_folder_of_a_catalog_is_registered_with_a_warning(services: Services, client: TestClient, lake: Path) -> None:
    [warning] = add(client, lake, "of_catalog")["warnings"]
    assert "only the catalog knows which file is current" in warning
    assert client.get("/api/v1/tables/db.of_catalog").json()["warnings"] == [warning]  # the table has been read
    assert client.get("/api/v1/tables").json()["tables"][0]["warnings"] == [warning]
    assert planned(client, "of_catalog") == (9, None)
    services.remove("db.of_catalog")
    [found] = [one for one in services.discover(str(lake), None, ()) if one.location.endswith("of_catalog")]
    assert found.warnings == (warning,)
    newest = max((lake / "of_catalog" / "metadata").glob("*.metadata.json"))
    assert look(services.store, str(newest)).token.count(":") == 0  # the file itself was named


@pytest.mark.parametrize("name", ["of_catalog", "counted"])
def test_of_two_metadata_files_with_one_version_the_last_by_name_is_served(
    services: Services, client: TestClient, lake: Path, name: str
) -> None:
    folder = lake / name / "metadata"
    *_, before, newest = sorted(folder.glob("*.metadata.json"))
    # Despite its suffix, the first file is not compressed.
    rival = folder / ("v3.metadata.json.gz" if name == "counted" else f"{newest.name[:5]}-zzzz.metadata.json")
    shutil.copyfile(before, rival)
    warnings = add(client, lake, name)["warnings"]
    assert len(warnings) == (1 if name == "counted" else 2)
    assert "several metadata files have the highest version number" in warnings[-1]
    assert planned(client, name) == (6, None)
    assert client.get(f"/api/v1/tables/db.{name}").json()["warnings"] == warnings
    token = look(services.store, f"{lake}/{name}").token
    assert list(warnings_of(token)) == warnings
    rival.unlink()
    assert planned(client, name) == (9, None)
    assert len(client.get(f"/api/v1/tables/db.{name}").json()["warnings"]) == len(warnings) - 1


def test_a_metadata_file_that_a_registration_names_in_vain_is_no_table(services: Services, lake: Path) -> None:
    missing = f"{lake}/counted/metadata/v9.metadata.json"
    with pytest.raises(NotATable, match=r"no metadata file at .*v9\.metadata\.json"):
        services.add("db.missing", missing, None, ())
    with pytest.raises(ObjectMissing):
        look(services.store, missing)
