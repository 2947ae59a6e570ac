"""Changelogs that outlive their snapshots: what remains is served, and the state that is gone is said to be gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.references import References, references_below
from lakemuster.catalog.services import Services
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.writer import entry, indexed, listed, manifest, manifest_list, stats
from tests.unit.formats.paimon.writer import index_manifest as index_manifest_of

ROUTES = "/api/v1/tables/db.t"
SCHEMA = {
    "version": 3,
    "id": 0,
    "fields": [{"id": 0, "name": "k", "type": "INT NOT NULL"}, {"id": 1, "name": "v", "type": "INT"}],
    "highestFieldId": 1,
    "partitionKeys": [],
    "primaryKeys": ["k"],
    "options": {"bucket": "1", "changelog-producer": "input"},
    "timeMillis": 1,
}
KEYS = {
    "_TOTAL_BUCKETS": 1,
    "_MIN_KEY": binary_row(["INT"], [1]),
    "_MAX_KEY": binary_row(["INT"], [5]),
    "_KEY_STATS": stats(["INT"], [1], [5], [0]),
}


def write_list(root: Path, role: str, number: int, *names: str) -> str:
    """Write a manifest list with one manifest of these files, none without names; return its name."""
    rows = []
    if names:
        data = manifest(*(entry(name, **KEYS) for name in names))
        (root / "manifest" / f"manifest-{role}-{number}").write_bytes(data)
        rows = [listed(f"manifest-{role}-{number}", _FILE_SIZE=len(data), _NUM_ADDED_FILES=len(names))]
    name = f"list-{role}-{number}"
    (root / "manifest" / name).write_bytes(manifest_list(*rows))
    return name


def commit(root: Path, number: int, kind: str, *, has_changelog: bool, folder: str) -> None:
    """Write a snapshot with one data file, as a snapshot file or as the changelog file that remains of it."""
    index = root / "manifest" / f"index-manifest-{number}"
    index.write_bytes(index_manifest_of(indexed(f"index-{number}")))
    document: dict[str, Any] = {
        "version": 3,
        "id": number,
        "schemaId": 0,
        "baseManifestList": write_list(root, "base", number),
        "deltaManifestList": write_list(root, "delta", number, f"data-{number}.parquet"),
        "indexManifest": index.name,
        "commitUser": "u",
        "commitIdentifier": number,
        "commitKind": kind,
        "timeMillis": 1000 + number,
        "totalRecordCount": 3,
        "deltaRecordCount": 3,
    }
    if has_changelog:
        document["changelogManifestList"] = write_list(root, "changelog", number, f"changelog-{number}.parquet")
    (root / folder).mkdir(exist_ok=True)
    (root / folder / f"{folder}-{number}").write_text(json.dumps(document))
    if folder == "changelog":
        for name in (f"list-base-{number}", f"list-delta-{number}", f"manifest-delta-{number}", index.name):
            (root / "manifest" / name).unlink()


def expire_changelog(root: Path, number: int) -> None:
    for name in (f"list-changelog-{number}", f"manifest-changelog-{number}"):
        (root / "manifest" / name).unlink()


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """A table whose first two snapshots have expired; the second was a compaction, which writes no changelog."""
    root = tmp_path / "lake" / "t"
    for name in ("schema", "manifest"):
        (root / name).mkdir(parents=True)
    (root / "schema" / "schema-0").write_text(json.dumps(SCHEMA))
    commit(root, 1, "APPEND", has_changelog=True, folder="changelog")
    commit(root, 2, "COMPACT", has_changelog=False, folder="changelog")
    commit(root, 3, "APPEND", has_changelog=True, folder="snapshot")
    with catalog(settings(tmp_path, roots=(str(tmp_path / "lake"),))) as made:
        made.add("db.t", str(root), None, ())
        assert made.refresh("db.t").quarantined == ()
        yield made


@pytest.fixture
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def planned(http: TestClient, **asked: object) -> list[str]:
    answer = http.post(f"{ROUTES}/plan", json=asked)
    assert answer.status_code == 200, answer.text
    return sorted(file["file_name"] for file in answer.json()["files"])


def test_an_expired_snapshot_without_its_lists_is_no_error(http: TestClient) -> None:
    snapshots = http.get(f"{ROUTES}/snapshots").json()["snapshots"]
    assert {one["snapshot_id"]: (one["state"], one["error"]) for one in snapshots} == dict.fromkeys(
        "321", ("published", None)
    )
    assert planned(http) == ["data-3.parquet"]


def test_changelog_files_of_expired_snapshots_are_planned_and_listed(http: TestClient) -> None:
    both = ["changelog-1.parquet", "changelog-3.parquet"]
    assert planned(http, start_snapshot_id="0", scan_mode="changelog") == both
    entries = http.get(f"{ROUTES}/entries", params={"snapshot": "1"}).json()["entries"]
    assert [one["file_name"] for one in entries] == ["changelog-1.parquet"]


@pytest.mark.parametrize("path", ["files", "partitions", "indexes", "stats", "system/files", "system/buckets"])
def test_the_state_of_an_expired_snapshot_does_not_exist(http: TestClient, path: str) -> None:
    answer = http.get(f"{ROUTES}/{path}", params={"snapshot": "1"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "snapshot_not_found")
    assert "only its changelog remains" in answer.json()["error"]["message"]


def test_an_expired_snapshot_is_not_planned(http: TestClient) -> None:
    for asked in ({"snapshot_id": "2"}, {"as_of": "1970-01-01T00:00:01.002Z"}):
        answer = http.post(f"{ROUTES}/plan", json=asked)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "snapshot_not_found")
    answer = http.post(f"{ROUTES}/plan", json={"start_snapshot_id": "0"})
    assert answer.status_code == 400
    assert "snapshot 1 has expired" in answer.json()["error"]["message"]
    assert planned(http, start_snapshot_id="2") == ["data-3.parquet"]


def test_a_changelog_that_a_tag_does_not_keep_is_not_passed_over(services: Services, http: TestClient) -> None:
    root = Path(services.settings.roots[0]) / "t"
    (root / "tag").mkdir()
    kept = root / "snapshot" / "snapshot-3"
    (root / "tag" / "tag-kept").write_bytes(kept.read_bytes())
    commit(root, 4, "APPEND", has_changelog=True, folder="snapshot")
    kept.unlink()
    expire_changelog(root, 3)
    services.refresh("db.t")
    assert planned(http, ref="kept") == ["data-3.parquet"]
    assert planned(http, start_snapshot_id="2") == ["data-3.parquet", "data-4.parquet"]
    assert planned(http, start_snapshot_id="3", scan_mode="changelog") == ["changelog-4.parquet"]
    answer = http.post(f"{ROUTES}/plan", json={"start_snapshot_id": "2", "scan_mode": "changelog"})
    assert answer.status_code == 400
    assert "the changelog of snapshot 3 has expired" in answer.json()["error"]["message"]


def test_a_branch_is_read_without_the_changelog_of_the_snapshot_that_it_begins_with(
    services: Services, http: TestClient
) -> None:
    root = Path(services.settings.roots[0]) / "t"
    commit(root, 4, "APPEND", has_changelog=True, folder="snapshot")
    side = root / "branch" / "branch-side"
    for name in ("schema/schema-0", "snapshot/snapshot-3"):
        (side / name).parent.mkdir(parents=True)
        (side / name).write_bytes((root / name).read_bytes())
    (root / "snapshot" / "snapshot-3").unlink()
    expire_changelog(root, 3)
    assert services.refresh("db.t").quarantined == ()
    assert planned(http, ref="side") == ["data-3.parquet"]


def test_the_references_of_expired_snapshots_are_known(services: Services) -> None:
    found = references_below(services, services.settings.roots[0], index=True)
    assert isinstance(found, References)
    names = {name for batch in found.batches() for name in batch.column("name").to_pylist()}
    assert {"changelog-1.parquet", "list-changelog-1", "data-3.parquet"} <= names
