"""Paimon's system tables for every real table and snapshot: they have the documented form, and their sums agree."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import orjson
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from lakemuster.catalog.services import Services
from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES
from lakemuster.wire.native.system import SystemPage, SystemTableName, SystemTablePage
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

ARROW, NDJSON = "application/vnd.apache.arrow.stream", "application/x-ndjson"
OF_SNAPSHOT = sorted(name for name, table in SYSTEM_TABLES.items() if table.of == "snapshot")
OF_TABLE = sorted(name for name, table in SYSTEM_TABLES.items() if table.of == "table")
PAGE: TypeAdapter[Any] = TypeAdapter(SystemTablePage)
BRANCHED = "parquet.append_table_with_append_pt_branch.append_table_with_append_pt_branch"
KEYED = "parquet.pk_09.pk_09"
ICEBERG = "default.partition_integer"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def services(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("system")
    with catalog(settings(folder, max_staleness=3600.0)) as made:
        assert list(made.discover(str(lakes / "paimon"), None, (), operator=True))
        iceberg = folder / "iceberg" / "partition_integer"
        shutil.copytree(lakes / "iceberg" / "partition_integer", iceberg, copy_function=shutil.copyfile)
        rules = (("data/persistent", str(iceberg.parent)),)
        assert list(made.discover(str(iceberg.parent), None, rules, operator=True))
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def get(http: TestClient, path: str, status: int = 200, /, **params: str) -> Row:
    answer = http.get(f"/api/v1/tables/{path}", params=params)
    assert answer.status_code == status, (path, params, answer.text[:2000])
    document: Row = answer.json()
    return document


def listed(http: TestClient, table: str, name: str, **params: str) -> list[Row]:
    """Return all rows of a system table, and check that each page has the documented form."""
    found: list[Row] = []
    token: dict[str, str] = {}
    while True:
        page = get(http, f"{table}/system/{name}", 200, **params, **token)
        PAGE.validate_python(page)
        found += page[name]
        if page["next_page_token"] is None:
            return found
        token = {"page_token": page["next_page_token"]}


def paimon(services: Services) -> list[str]:
    return [table.name for table in services.tables() if table.format == "paimon"]


def snapshots(http: TestClient, table: str) -> list[Row]:
    """Return the readable snapshots of the main branch."""
    found = get(http, f"{table}/snapshots", page_size="10000")["snapshots"]
    return [row for row in found if row["state"] != "quarantined" and row["branch"] == "main"]


def test_every_system_table_answers_at_every_snapshot_and_its_sums_agree(services: Services, http: TestClient) -> None:
    seen = 0
    for table in paimon(services):
        for snapshot in snapshots(http, table):
            chosen = {"snapshot": snapshot["snapshot_id"]}
            tables = {name: listed(http, table, name, **chosen) for name in OF_SNAPSHOT}
            files, total = tables["files"], snapshot["total_record_count"]
            if snapshot.get("source", "snapshot") != "changelog":
                assert sum(row["record_count"] for row in files) == total
            for name in ("partitions", "buckets"):
                for member, of_file in (("record_count", "record_count"), ("file_size_in_bytes", "file_size_in_bytes")):
                    assert sum(r[member] for r in tables[name]) == sum(r[of_file] for r in files), (table, name)
                assert sum(r["file_count"] for r in tables[name]) == len(files)
            assert {(r["partition"], r["bucket"]) for r in tables["buckets"]} == {
                (r["partition"], r["bucket"]) for r in files
            }
            assert [r["file_path"] for r in tables["file_key_ranges"]] == [r["file_path"] for r in files]
            native = get(http, f"{table}/manifests", 200, **chosen, page_size="10000")["manifests"]
            assert [r["file_name"] for r in tables["manifests"]] == [
                r["manifest_path"].rsplit("/", 1)[-1] for r in native if r["list"] != "index"
            ]
            native = get(http, f"{table}/indexes", 200, **chosen, page_size="10000")["indexes"]
            assert [r["file_name"] for r in tables["table_indexes"]] == [r["file_name"] for r in native]
            seen += 1
    assert seen > 40


def test_system_tables_of_a_table_cover_the_table_and_its_branches(services: Services, http: TestClient) -> None:
    for table in paimon(services):
        branches = [row["branch_name"] for row in listed(http, table, "branches")]
        for ref in ("main", *branches):
            rows = {name: listed(http, table, name, ref=ref) for name in OF_TABLE}
            own = get(http, f"{table}/snapshots", page_size="10000", ref=ref)["snapshots"]
            assert {row["branch"] for row in own} <= {ref}
            names = {row["snapshot_id"] for row in rows["snapshots"]}
            assert names <= {row["snapshot_id"] for row in own}
            schemas = get(http, f"{table}/schemas", page_size="10000")["schemas"]
            assert [r["schema_id"] for r in rows["schemas"]] == [r["schema_id"] for r in schemas if r["branch"] == ref]
            newest = rows["schemas"][-1]
            assert {r["key"]: r["value"] for r in rows["options"]} == orjson.loads(newest["options"])
            fields = orjson.loads(newest["fields"])
            assert [r["field_name"] for r in rows["aggregation_fields"]] == [field["name"] for field in fields]
            refs = get(http, f"{table}/refs", page_size="10000")["refs"]
            assert [r["tag_name"] for r in rows["tags"]] == [
                r["name"] for r in refs if r["type"] == "tag" and r["branch"] == ref
            ]
    assert listed(http, BRANCHED, "branches") and listed(http, BRANCHED, "snapshots", ref="test")  # noqa: PT018


def test_schemas_are_the_json_of_their_files(services: Services, http: TestClient, lakes: Path) -> None:
    compared = 0
    for table in services.tables():
        if table.format == "paimon":
            for row in listed(http, table.name, "schemas"):
                path = Path(table.location.removeprefix("file://"), "schema", f"schema-{row['schema_id']}")
                document = orjson.loads(path.read_bytes())
                for member, key in (("partition_keys", "partitionKeys"), ("primary_keys", "primaryKeys")):
                    assert orjson.loads(row[member]) == document[key]
                assert orjson.loads(row["fields"]) == document["fields"], table.name
                assert orjson.loads(row["options"]).items() >= document["options"].items()
                compared += 1
    assert compared > 15


def test_arrow_ndjson_and_pages_have_the_same_rows(services: Services, http: TestClient) -> None:
    for table in (KEYED, BRANCHED):
        for name in SYSTEM_TABLES:
            paged: list[Row] = []
            token: dict[str, str] = {}
            while True:
                page = get(http, f"{table}/system/{name}", 200, page_size="2", **token)
                assert len(page[name]) <= 2
                paged += page[name]
                if page["next_page_token"] is None:
                    break
                token = {"page_token": page["next_page_token"]}
            path = f"/api/v1/tables/{table}/system/{name}"
            *lines, end = http.get(path, headers={"Accept": NDJSON}).text.splitlines()
            assert [orjson.loads(line) for line in lines] == paged
            assert orjson.loads(end)["end"]["count"] == len(paged)
            stream = pa.ipc.open_stream(io.BytesIO(http.get(path, headers={"Accept": ARROW}).content)).read_all()
            assert stream.num_rows == len(paged)
            assert stream.schema.equals(SYSTEM_TABLES[name].schema)
            keys = SYSTEM_TABLES[name].key
            assert len({tuple(row[key] for key in keys) for row in paged}) == len(paged), (table, name)


def test_the_rows_of_a_snapshot_have_an_etag_and_are_immutable(http: TestClient) -> None:
    tags = set()
    for name in OF_SNAPSHOT:
        path = f"/api/v1/tables/{KEYED}/system/{name}"
        first = http.get(path, params={"snapshot": "3"})
        assert "immutable" in first.headers["cache-control"]
        assert first.headers["lakemuster-snapshot-id"] == "3"
        again = http.get(path, params={"snapshot": "3"}, headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304
        tags.add(first.headers["etag"])
    native = http.get(f"/api/v1/tables/{KEYED}/files", params={"snapshot": "3"}).headers["etag"]
    assert len(tags | {native}) == len(OF_SNAPSHOT) + 1


def test_a_page_token_is_not_valid_for_the_native_list_of_the_same_name(http: TestClient) -> None:
    token = get(http, f"{KEYED}/files", page_size="1")["next_page_token"]
    assert token is not None
    assert get(http, f"{KEYED}/system/files", 400, page_token=token)["error"]["code"] == "page_token_invalid"
    token = get(http, f"{KEYED}/system/files", page_size="1")["next_page_token"]
    assert get(http, f"{KEYED}/files", 400, page_token=token)["error"]["code"] == "page_token_invalid"


def test_system_tables_are_listed_with_their_columns(services: Services, http: TestClient) -> None:
    page = get(http, f"{KEYED}/system")
    SystemPage.model_validate(page)
    assert {row["name"]: [column["name"] for column in row["columns"]] for row in page["system"]} == {
        name: table.schema.names for name, table in SYSTEM_TABLES.items()
    }
    assert set(get_args(SystemTableName)) == set(SYSTEM_TABLES)
    assert get(http, f"{ICEBERG}/system")["system"] == []


def test_invalid_requests_name_the_cause(http: TestClient) -> None:
    unknown = get(http, f"{KEYED}/system/file", 404)["error"]
    assert unknown["code"] == "system_table_not_found"
    assert "file_key_ranges" in unknown["message"]
    for name in SYSTEM_TABLES:
        refused = get(http, f"{ICEBERG}/system/{name}", 400)["error"]
        assert refused["code"] == "request_invalid"
        assert "Iceberg" in refused["message"]
        assert get(http, f"no.such/system/{name}", 404)["error"]["code"] == "table_not_found"
        assert get(http, f"{KEYED}/system/{name}", 404, ref="nowhere")["error"]["code"] == "ref_not_found"
    for name in OF_TABLE:
        for choice in ({"snapshot": "1"}, {"as_of": "2024-01-01T00:00:00Z"}):
            refused = get(http, f"{KEYED}/system/{name}", 400, **choice)["error"]
            assert "describes the table" in refused["message"]


def test_the_rows_of_a_branch_are_its_own(http: TestClient) -> None:
    main = {row["file_path"] for row in listed(http, BRANCHED, "files")}
    branch = {row["file_path"] for row in listed(http, BRANCHED, "files", ref="test")}
    assert branch
    assert branch != main
