"""Paimon tables with Iceberg metadata, written by Paimon's Java client, and requests about them to the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

from tests.paimon_java import Paimon

STORAGE = "metadata.iceberg.storage"
# The default codec, snappy, needs a native library that is not among the jars.
WRITTEN = {"metadata.iceberg.manifest-compression": "deflate"}
COLUMNS = (("id", "BIGINT"), ("name", "STRING"), ("dt", "STRING"))


@dataclass(frozen=True)
class Lake:
    """A warehouse in the running Java client."""

    java: Paimon
    folder: Path

    @classmethod
    def made(cls, java: Paimon, folder: Path) -> Lake:
        """Create an empty warehouse."""
        java.ask("catalog", catalog="plain", name=str(folder), options={"warehouse": folder.as_uri()})
        return cls(java, folder)

    def ask(self, action: str, table: str, **arguments: Any) -> Any:
        """Run an action of the Java client on a table, and return its result."""
        return self.java.ask(action, catalog=str(self.folder), table=table, **arguments)

    def create(self, table: str, storage: str | None = "table-location", **options: str) -> None:
        """Create a table of three columns, with primary key ``id`` if ``bucket`` is given, or partitioned by ``dt``."""
        keyed = "bucket" in options
        told = {**WRITTEN, **({} if storage is None else {STORAGE: storage}), **options}
        columns = [[name, f"{kind} NOT NULL" if keyed and name == "id" else kind] for name, kind in COLUMNS]
        keys: dict[str, Any] = {"primary": ["id"]} if keyed else {"partition": ["dt"]}
        self.ask("create", table, columns=columns, options=told, **keys)

    def write(self, table: str, start: int, count: int = 10) -> None:
        """Commit ``count`` rows with ids from ``start``, spread over three days."""
        rows = [["+I", str(i), f"name {i}", f"2024-01-0{i % 3 + 1}"] for i in range(start, start + count)]
        self.ask("write", table, rows=rows)

    def set_option(self, table: str, name: str, value: str) -> None:
        """Change a table option."""
        self.ask("alter", table, changes=[["option", name, value]])

    def root(self, table: str) -> Path:
        """Return the folder of a table."""
        return self.folder / "db.db" / table

    def roll_back(self, table: str, snapshot_id: int) -> None:
        """Remove the snapshots after one, as a Paimon rollback does."""
        snapshots = self.root(table) / "snapshot"
        for path in snapshots.glob("snapshot-*"):
            if int(path.name.removeprefix("snapshot-")) > snapshot_id:
                path.unlink()
        (snapshots / "LATEST").write_text(str(snapshot_id))


def tables(http: TestClient) -> set[str]:
    """Return the tables that the Iceberg catalog lists in ``db``; empty if the namespace does not exist."""
    answer = http.get("/iceberg/v1/namespaces/db/tables")
    if answer.status_code == 404:
        return set()
    return {identifier["name"] for identifier in answer.json()["identifiers"]}


def load(http: TestClient, table: str) -> Response:
    """Return the response to ``loadTable``."""
    response: Response = http.get(f"/iceberg/v1/namespaces/db/tables/{table}")
    return response


def loaded(http: TestClient, table: str) -> dict[str, Any]:
    """Load a table, and return its metadata."""
    response = load(http, table)
    assert response.status_code == 200, response.text
    metadata: dict[str, Any] = response.json()["metadata"]
    return metadata


def refused(http: TestClient, table: str, status: int = 404) -> str:
    """Check that loads and plans of a table fail alike and that it is not listed; return the message."""
    response = load(http, table)
    assert response.status_code == status, response.text
    error = response.json()["error"]
    planned = http.post(f"/iceberg/v1/namespaces/db/tables/{table}/plan", json={})
    assert (planned.status_code, planned.json()["error"]["type"]) == (status, error["type"])
    assert table not in tables(http)
    message: str = error["message"]
    return message


def iceberg_files(http: TestClient, table: str, **asked: Any) -> dict[str, int]:
    """Return the row counts, by path, of the files that the Iceberg catalog plans."""
    answer = http.post(f"/iceberg/v1/namespaces/db/tables/{table}/plan", json=asked)
    assert answer.status_code == 200, (answer.status_code, answer.text)
    files = [task["data-file"] for task in answer.json()["file-scan-tasks"]]
    return {file["file-path"].removeprefix("file:"): file["record-count"] for file in files}


def paimon_files(http: TestClient, table: str, **asked: Any) -> dict[str, int]:
    """Return the row counts, by path, of the files that the native API plans."""
    answer = http.post(f"/api/v1/tables/db.{table}/plan", json=asked)
    assert answer.status_code == 200, (answer.status_code, answer.text)
    return {file["file_path"].removeprefix("file:"): file["record_count"] for file in answer.json()["files"]}


def same(http: TestClient, table: str, filters: Sequence[tuple[str, dict[str, Any]]] = ()) -> dict[str, int]:
    """Check that both APIs plan the same files, also under each filter (SQL, Iceberg expression); return the files."""
    files = paimon_files(http, table)
    seen = iceberg_files(http, table)
    assert seen == files, (seen, files)
    for sql, expression in filters:
        assert iceberg_files(http, table, filter=expression) == paimon_files(http, table, filter=sql)
    return files
