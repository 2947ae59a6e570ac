"""The Paimon REST catalog over HTTP: names, pages, tables and history, compared with the tables' own files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from lakemuster.api.paimon_rest.routes import routers
from lakemuster.catalog.paimon_rest import creation_times
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.tree import ROOT

ROUTES = "/paimon/v1/lakemuster"
OPERATIONS = json.loads((ROOT / "tests/golden/paimon_rest/operations.json").read_text())["operations"]
Json = dict[str, Any]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, lakes: Path) -> Path:
    folder = tmp_path_factory.mktemp("paimon-rest")
    demo = unpack(folder / "demo")
    for database in ("append_table_with_append_pt_branch", "append_with_empty_partition_with_empty_value", "pk_09"):
        for table in (lakes / "paimon" / "parquet" / f"{database}.db").iterdir():
            shutil.copytree(table, folder / "lake" / database / table.name, copy_function=shutil.copyfile)
    shutil.copytree(demo / "web.db" / "clicks", folder / "lake" / "web" / "clicks")
    shutil.copytree(demo / "shop.db" / "orders", folder / "lake" / "shop" / "orders")
    return folder / "lake"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, lake: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("index"), max_staleness=3600.0)) as made:
        for name in (
            "web.clicks",
            "web.log",
            "web.logs",
            "deep.er.clicks",
            "`a.b`.`c.d`",
            "two words.a b+c",
            "ünï.täble",
            "alone",
            "web.with$dollar",
        ):
            made.add(name, str(lake / "web" / "clicks"), None, (), operator=True)
        made.add("web.orders", str(lake / "shop" / "orders"), None, (), operator=True)
        branched = "append_table_with_append_pt_branch"
        made.add("real.branched", str(lake / branched / branched), None, (), operator=True)
        blank = "append_with_empty_partition_with_empty_value"
        made.add("real.blank", str(lake / blank / blank), None, (), operator=True)
        made.add("real.old", str(lake / "pk_09" / "pk_09"), None, (), operator=True)
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)


def get(http: TestClient, path: str, **parameters: object) -> Json:
    answer = http.get(f"{ROUTES}{path}", params={name: str(value) for name, value in parameters.items()})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def missing(http: TestClient, path: str, kind: str | None, name: str | None) -> None:
    answer = http.get(f"{ROUTES}{path}")
    told = answer.json()
    assert (answer.status_code, told["code"], told["resourceType"], told["resourceName"]) == (404, 404, kind, name)
    assert set(told) == {"resourceType", "resourceName", "message", "code"}


def pages(http: TestClient, path: str, key: str, size: int, **parameters: object) -> list[list[Any]]:
    found: list[list[Any]] = []
    token: str | None = None
    while token is not None or not found:
        asked = {**parameters, "maxResults": size} | ({} if token is None else {"pageToken": token})
        page = get(http, path, **asked)
        assert len(page[key]) <= size
        found.append(page[key])
        token = page["nextPageToken"]
    return found


def newest(folder: Path, kind: str) -> Json:
    """Return the newest schema or snapshot file of a table, without null members."""
    file = max(folder.glob(f"{kind}/{kind}-*"), key=lambda path: int(path.name.rsplit("-", 1)[1]))
    return {key: value for key, value in json.loads(file.read_text()).items() if value is not None}


def test_every_operation_of_the_protocol_has_its_route() -> None:
    def theirs(path: str) -> str:
        return path.replace("/paimon", "").replace("/lakemuster", "/{prefix}").replace("table_id", "tableId")

    ours = {
        f"{method} {theirs(route.path)}"
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert set(OPERATIONS) <= ours
    # Operations of the Java and Python clients that the document lacks.
    assert {operation.split("{prefix}/")[-1] for operation in ours - set(OPERATIONS)} == {
        "databases/{database}/tables/{table}/replace",
        "permissions",
        "permissions/grant",
        "permissions/revoke",
    }


@pytest.mark.parametrize("warehouse", [None, "", "lakemuster", "s3://lake"])
def test_the_configuration_has_the_prefix_and_disables_data_tokens(http: TestClient, warehouse: str | None) -> None:
    answer = http.get("/paimon/v1/config", params={} if warehouse is None else {"warehouse": warehouse})
    assert answer.json() == {
        "defaults": {},
        "overrides": {"prefix": "lakemuster", "data-token.enabled": "false"},
    }


def test_databases_are_the_namespaces_of_paimon_tables(http: TestClient) -> None:
    databases = ["`a.b`", "deep.er", "real", "two words", "web", "ünï"]
    assert sorted(get(http, "/databases")["databases"]) == sorted(databases)
    for name in databases:
        told = get(http, f"/databases/{name}")
        assert (told["name"], told["options"], told["location"], told["owner"]) == (name, {}, "", "")
        assert 0 < told["createdAt"] <= told["updatedAt"] or told["updatedAt"] > 0
    for name in ("none", "deep", "a.b", "WEB"):
        missing(http, f"/databases/{name}", "DATABASE", name)
        missing(http, f"/databases/{name}/tables", "DATABASE", name)
        missing(http, f"/databases/{name}/table-details", "DATABASE", name)


def test_the_default_database_exists_without_tables(http: TestClient) -> None:
    assert get(http, "/databases/default")["name"] == "default"
    assert get(http, "/databases/default/tables")["tables"] == []
    assert get(http, "/databases/default/views")["views"] == []
    assert get(http, "/databases", databaseNamePattern="default")["databases"] == []


def test_only_paimon_tables_with_names_that_clients_can_express_are_listed(http: TestClient) -> None:
    assert get(http, "/databases/web/tables")["tables"] == ["clicks", "log", "logs"]
    assert get(http, "/databases/%60a.b%60/tables")["tables"] == ["c.d"]
    for name in ("orders", "with$dollar", "none", "a%2Fb", "a%00b", "%F0%9F%92%A9"):
        answer = http.get(f"{ROUTES}/databases/web/tables/{name}")
        assert (answer.status_code, answer.json()["resourceType"]) == (404, "TABLE"), name
    every = [(one["database"], one["object"]) for one in get(http, "/tables")["tables"]]
    assert every == sorted(every)
    assert ("deep.er", "clicks") in every
    assert ("ünï", "täble") in every
    assert len(every) == 10


@pytest.mark.parametrize("size", [1, 2, 3, 100, 2**31 - 1])
def test_pages_together_are_the_list(http: TestClient, size: int) -> None:
    for path, key in (("/databases", "databases"), ("/databases/web/tables", "tables"), ("/tables", "tables")):
        found = [item for page in pages(http, path, key, size) for item in page]
        assert found == get(http, path)[key] == get(http, path, maxResults=0)[key]
    details = [
        item["name"] for page in pages(http, "/databases/web/table-details", "tableDetails", size) for item in page
    ]
    assert details == ["clicks", "log", "logs"]
    snapshots = [
        s["id"] for page in pages(http, "/databases/web/tables/clicks/snapshots", "snapshots", size) for s in page
    ]
    assert snapshots == sorted(snapshots, reverse=True)
    assert len(snapshots) > 3
    partitions = pages(http, "/databases/web/tables/clicks/partitions", "partitions", size)
    assert [p for page in partitions for p in page] == get(http, "/databases/web/tables/clicks/partitions")[
        "partitions"
    ]


def test_a_page_token_is_valid_for_its_list_only(http: TestClient) -> None:
    token = get(http, "/databases/web/tables", maxResults=1)["nextPageToken"]
    assert get(http, "/databases/web/tables", maxResults=1, pageToken=token)["tables"] == ["log"]
    for path, more in (
        ("/databases", {}),
        ("/databases/web/tables", {"tableNamePattern": "l%"}),
        ("/databases/web/tables", {"tableType": "table"}),
        ("/databases/real/tables", {}),
        ("/databases/web/table-details", {}),
    ):
        answer = http.get(f"{ROUTES}{path}", params={"pageToken": token, **more})
        assert (answer.status_code, answer.json()["code"]) == (400, 400)
    assert http.get(f"{ROUTES}/databases", params={"pageToken": "x"}).status_code == 400


def test_lists_are_filtered_by_name_patterns(http: TestClient) -> None:
    assert get(http, "/databases", databaseNamePattern="d%")["databases"] == ["deep.er"]
    assert get(http, "/databases", databaseNamePattern="web")["databases"] == ["web"]
    assert get(http, "/databases", databaseNamePattern="we_")["databases"] == []
    assert get(http, "/databases/web/tables", tableNamePattern="log%")["tables"] == ["log", "logs"]
    assert get(http, "/databases/web/tables", tableNamePattern="log")["tables"] == ["log"]
    found = get(http, "/tables", databaseNamePattern="w%", tableNamePattern="log%")["tables"]
    assert found == [{"database": "web", "object": "log"}, {"database": "web", "object": "logs"}]
    details = get(http, "/databases/web/table-details", tableNamePattern="logs%")["tableDetails"]
    assert [one["name"] for one in details] == ["logs"]
    for path, name in (("/databases", "databaseNamePattern"), ("/databases/web/tables", "tableNamePattern")):
        assert http.get(f"{ROUTES}{path}", params={name: "%s"}).status_code == 400


def test_tables_are_filtered_by_type(http: TestClient) -> None:
    assert get(http, "/databases/web/tables", tableType="table")["tables"] == ["clicks", "log", "logs"]
    assert get(http, "/databases/web/tables", tableType="format-table")["tables"] == []
    assert get(http, "/databases/web/table-details", tableType="object-table")["tableDetails"] == []


@pytest.mark.parametrize(
    ("database", "table", "folder"),
    [
        ("web", "clicks", "web/clicks"),
        ("deep.er", "clicks", "web/clicks"),
        ("`a.b`", "c.d", "web/clicks"),
        ("two+words", "a+b%2Bc", "web/clicks"),
        ("two%20words", "a%20b%2Bc", "web/clicks"),
        ("%C3%BCn%C3%AF", "t%C3%A4ble", "web/clicks"),
        ("real", "old", "pk_09/pk_09"),
        ("real", "branched", "append_table_with_append_pt_branch/append_table_with_append_pt_branch"),
    ],
)
def test_a_table_has_the_schema_of_its_newest_schema_file(
    http: TestClient, lake: Path, database: str, table: str, folder: str
) -> None:
    told = get(http, f"/databases/{database}/tables/{table}")
    file = newest(lake / folder, "schema")
    assert told["path"].removeprefix("file://") == str(lake / folder)
    assert (told["schemaId"], told["isExternal"], told["createdAt"] > 0) == (file["id"], False, True)
    assert told["schema"].pop("options").items() >= file["options"].items()
    told["schema"].pop("comment")
    assert told["schema"] == {key: file[key] for key in ("fields", "partitionKeys", "primaryKeys")}
    by_id = get(http, f"/tables/id/{told['id']}")
    assert (by_id["database"], by_id["name"], by_id["id"]) == (told["database"], told["name"], told["id"])
    details = get(http, f"/databases/{database}/table-details", tableNamePattern=told["name"])["tableDetails"]
    assert details == [by_id]


def test_options_missing_in_old_schemas_have_the_defaults_of_their_version(http: TestClient, lake: Path) -> None:
    assert "file.format" in get(http, "/databases/real/tables/old")["schema"]["options"]


def test_table_ids_differ_and_are_not_predictable(http: TestClient) -> None:
    details = get(http, "/databases/web/table-details")["tableDetails"]
    assert len({one["id"] for one in details}) == len(details)
    missing(http, "/tables/id/1", "TABLE", None)


@pytest.mark.parametrize("table", ["web/tables/clicks", "real/tables/old", "real/tables/branched"])
def test_the_newest_file_of_a_snapshot_has_its_creation_time(
    http: TestClient, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    database, _, name = table.partition("/tables/")
    entries = http.get(f"/api/v1/tables/{database}.{name}/entries", params={"page_size": 10_000}).json()["entries"]
    newest_ms = max(
        datetime.fromisoformat(one["creation_time"]).replace(tzinfo=UTC).timestamp() * 1000 for one in entries
    )
    told = get(http, f"/databases/{table}/snapshot")["snapshot"]
    assert told["lastFileCreationTime"] == round(newest_ms)
    monkeypatch.setattr(creation_times, "MAX_MANIFESTS", 0)
    assert get(http, f"/databases/{table}/snapshot")["snapshot"]["lastFileCreationTime"] == -1


@pytest.mark.parametrize("table", ["web/tables/clicks", "real/tables/old", "real/tables/branched"])
def test_a_snapshot_has_the_content_of_its_file(http: TestClient, lake: Path, table: str) -> None:
    folder = Path(get(http, f"/databases/{table}")["path"].removeprefix("file://"))
    file = newest(folder, "snapshot")
    told = get(http, f"/databases/{table}/snapshot")["snapshot"]
    assert told["snapshot"] == file
    assert told["recordCount"] == file["totalRecordCount"]
    files = list(folder.glob("snapshot/snapshot-*"))
    listed = get(http, f"/databases/{table}/snapshots")["snapshots"]
    assert [one["id"] for one in listed] == sorted((int(f.name[9:]) for f in files), reverse=True)
    for one in listed:
        document = json.loads((folder / "snapshot" / f"snapshot-{one['id']}").read_text())
        assert one == {key: value for key, value in document.items() if value is not None}
        assert get(http, f"/databases/{table}/snapshots/{one['id']}")["snapshot"] == one
    assert get(http, f"/databases/{table}/snapshots/LATEST")["snapshot"] == listed[0]
    assert get(http, f"/databases/{table}/snapshots/EARLIEST")["snapshot"] == listed[-1]
    for version in ("0", "99", "9" * 30, "-1", "no tag", "latest"):
        missing(http, f"/databases/{table}/snapshots/{version}", "SNAPSHOT", version)


def test_branches_are_tables_of_their_own(http: TestClient, lake: Path) -> None:
    path = "/databases/real/tables/branched"
    folder = lake / "append_table_with_append_pt_branch" / "append_table_with_append_pt_branch"
    branches = get(http, f"{path}/branches")["branches"]
    assert branches == sorted(one.name.removeprefix("branch-") for one in (folder / "branch").iterdir())
    for branch in branches:
        own = f"{path}$branch_{branch}"
        told, file = get(http, own), newest(folder / "branch" / f"branch-{branch}", "schema")
        assert (told["name"], told["schemaId"]) == (f"branched$branch_{branch}", file["id"])
        assert told["schema"]["fields"] == file["fields"]
        assert told["path"].removeprefix("file://") == str(folder)
        snapshot = newest(folder / "branch" / f"branch-{branch}", "snapshot")
        assert get(http, f"{own}/snapshot")["snapshot"]["snapshot"] == snapshot
        assert get(http, f"{own}/branches")["branches"] == branches
        assert isinstance(get(http, f"{own}/partitions")["partitions"], list)
    for name in ("branched$branch_none", "branched$branch_", "branched$snapshots", "branched$branch_x$snapshots"):
        for rest in ("", "/snapshot", "/snapshots", "/partitions", "/tags", "/branches", "/snapshots/LATEST"):
            missing(http, f"/databases/real/tables/{name}{rest}", "TABLE", name)


def test_partition_totals_are_those_of_their_files(http: TestClient) -> None:
    for table in ("web.clicks", "real.old", "real.blank"):
        database, _, name = table.partition(".")
        partitions = get(http, f"/databases/{database}/tables/{name}/partitions")["partitions"]
        keys = get(http, f"/databases/{database}/tables/{name}")["schema"]["partitionKeys"]
        files = http.get(f"/api/v1/tables/{table}/files").json()["files"]
        if not keys:
            assert partitions == []
            continue
        assert sum(one["recordCount"] for one in partitions) == sum(int(file["record_count"]) for file in files)
        assert sum(one["fileCount"] for one in partitions) == len(files)
        by_name = {tuple(one["spec"].items()): one for one in partitions}
        assert len(by_name) == len(partitions)
        for one in partitions:
            assert list(one["spec"]) == keys
            folder = "/".join(f"{key}={value}" for key, value in one["spec"].items())
            own = [file for file in files if f"/{folder}/bucket-" in file["file_path"]]
            assert (one["fileCount"], one["fileSizeInBytes"]) == (
                len(own),
                sum(int(file["file_size_in_bytes"]) for file in own),
            )
            assert one["totalBuckets"] == own[-1]["total_buckets"]


def test_partitions_of_two_branches_are_left_to_the_client(http: TestClient) -> None:
    path = f"{ROUTES}/databases/real/tables/branched"
    answers = [
        http.get(f"{path}/partitions"),
        http.post(f"{path}/partitions/list-by-filter", json={"filter": "{}"}),
        http.post(f"{path}/partitions/list-by-names", json={"specs": []}),
    ]
    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (501, 501)
        assert "scan.fallback-branch reads partitions of branch test" in answer.json()["message"]
    files = http.get("/api/v1/tables/real.branched/files", params={"ref": "test"}).json()["files"]
    [partition] = http.get(f"{path}$branch_test/partitions").json()["partitions"]
    assert (partition["spec"], partition["fileCount"]) == ({"pt": "2"}, len(files))


def test_partitions_by_name_and_by_filter(http: TestClient) -> None:
    path = "/databases/web/tables/clicks/partitions"
    every = get(http, path)["partitions"]
    first = every[0]["spec"]
    body = {"specs": [first, {"none": "x"}]}
    assert http.post(f"{ROUTES}{path}/list-by-names", json=body).json()["partitions"] == [every[0]]
    assert http.post(f"{ROUTES}{path}/list-by-names", json={"specs": [first] * 1001}).status_code == 400
    whole = http.post(f"{ROUTES}{path}/list-by-filter", json={"filter": "{}", "maxResults": 2**31 - 1}).json()
    assert (whole["partitions"], whole["nextPageToken"]) == (every, None)
    said = http.post(f"{ROUTES}{path}/list-by-filter", json={"filter": "{}", "maxResults": 1}).json()
    assert said["partitions"] == every[:1]
    more = {"filter": "{}", "pageToken": said["nextPageToken"]}
    assert http.post(f"{ROUTES}{path}/list-by-filter", json=more).json()["partitions"] == every[1:]
    name = "/".join(f"{key}={value}" for key, value in first.items())
    assert get(http, path, partitionNamePattern=name)["partitions"] == every[:1]
    assert get(http, path, partitionNamePattern=f"{name[:3]}%")["partitions"] == every


def test_there_are_no_views_and_no_functions(http: TestClient) -> None:
    empty: dict[str, Json] = {
        "/databases/web/views": {"views": []},
        "/databases/web/view-details": {"viewDetails": []},
        "/views": {"views": []},
        "/databases/web/functions": {"functions": []},
        "/databases/web/function-details": {"functionDetails": []},
        "/functions": {"functions": []},
    }
    for path, told in empty.items():
        assert get(http, path) == {**told, "nextPageToken": None}
        if "databases" in path:
            missing(http, path.replace("web", "none"), "DATABASE", "none")
    missing(http, "/databases/web/views/v", "VIEW", "v")
    missing(http, "/databases/web/functions/f", "FUNCTION", "f")
    assert get(http, "/databases/web/tables/clicks/consumers") == {"consumers": [], "nextPageToken": None}
