"""The entries of one manifest, for each manifest of a list."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fastapi.testclient import TestClient

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

TABLE = "/api/v1/tables/default.pk_09"


def test_the_entries_of_each_listed_manifest_are_found_by_its_path(lakes: Path, tmp_path: Path) -> None:
    with catalog(settings(tmp_path, max_staleness=3600.0)) as services:
        assert list(services.discover(str(lakes / "paimon" / "parquet" / "pk_09.db"), None, (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        indexes = 0
        for manifest in http.get(f"{TABLE}/manifests").json()["manifests"]:
            answer = http.get(f"{TABLE}/entries", params={"manifest": manifest["manifest_path"]})
            if manifest["content"] == "index":
                error = answer.json()["error"]
                assert (answer.status_code, error["code"]) == (404, "manifest_not_found")
                assert error["message"] == "an index manifest has no file entries: see the list indexes"
                indexes += 1
            else:
                statuses = Counter(entry["status"] for entry in answer.json()["entries"])
                assert statuses["added"] == manifest["added_files_count"]
                assert statuses["deleted"] == manifest["deleted_files_count"]
        assert indexes == 1
        unknown = http.get(f"{TABLE}/entries", params={"manifest": "nothing"})
        assert unknown.json()["error"]["message"] == "the snapshot has no such manifest"
