"""Refusals of plan requests, the validity of plan tokens, and the time of refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import LongType

from lakemuster.api.identity.tokens import token_entry
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.pace import assert_takes_less

PLAN, EXPLAIN = "/api/v1/tables/shop.orders/plan", "/api/v1/tables/shop.orders/explain"
FILES = "/api/v1/tables/shop.orders/files"
BOTH = pytest.mark.parametrize("path", [PLAN, EXPLAIN])
LONGEST_REFUSAL_SECONDS = 0.1
"""Twice the longest time on an idle machine."""
WIDE = json.dumps({f"k{n}": 1 for n in range(70_000)})
Row = dict[str, Any]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("requests")
    demo = unpack(folder / "demo")
    with catalog(settings(folder, max_staleness=3600.0)) as made:
        assert list(made.discover(str(demo), None, (), operator=True))
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    client = TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)
    assert client.post(PLAN, json={}).status_code == 200
    return client


def refused(http: TestClient, path: str, body: object, code: str, said: str) -> Row:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = http.post(path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text[:500]
    error: Row = answer.json()["error"]
    assert error["code"] == code, error
    assert said in error["message"], error
    assert len(answer.content) < 20_000
    return error


@BOTH
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "must be an object"),
        (b"", "body: missing"),
        (b"{", "JSON"),
        ({"where": "day > 1"}, "unknown keys: where"),
        ({"filter": "true", "Filter": "true"}, "unknown keys: Filter (did you mean filter?)"),
        ({"snapshot_id": 1.5}, "64 bits"),
        ({"snapshot_id": True}, "64 bits"),
        ({"snapshot_id": "9" * 19}, "64 bits"),
        ({"snapshot_id": "one"}, "64 bits"),
        ({"ref": ""}, "at least 1 character"),
        ({"ref": 5}, "string"),
        ({"as_of": "yesterday"}, "RFC 3339"),
        ({"as_of": "2024-05-01"}, "RFC 3339"),
        ({"as_of": {}}, "string"),
        ({"case_sensitive": "no"}, "must be true or false"),
        ({"snapshot_id": "1", "ref": "main"}, "mutually exclusive"),
    ],
)
def test_invalid_bodies_of_plan_and_explain_are_refused(http: TestClient, path: str, body: object, said: str) -> None:
    refused(http, path, body, "request_invalid", said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"limit": 0}, "greater than or equal to 1"),
        ({"limit": 2**63}, "less than or equal"),
        ({"limit": "5"}, "integer"),
        ({"page_size": 10_001}, "less than or equal to 10000"),
        ({"page_size": 0}, "greater than or equal to 1"),
        ({"strict": 1}, "must be true or false"),
        ({"select": "day"}, "list"),
        ({"select": [1]}, "string"),
        ({"select": ["dy"]}, "column 'dy' not found"),
        ({"select": ["DAY"]}, "column 'DAY' not found"),
        ({"stats": ["dy"]}, "no such column: dy"),
        ({"stats": [""]}, "at least 1 character"),
        ({"end_snapshot_id": 1}, "requires start_snapshot_id"),
        ({"start_snapshot_id": 1, "snapshot_id": 2}, "excludes snapshot_id"),
        ({"start_snapshot_id": 1}, "is not an ancestor"),
    ],
)
def test_invalid_bodies_of_plan_are_refused(http: TestClient, body: Row, said: str) -> None:
    refused(http, PLAN, body, "request_invalid", said)


@BOTH
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "the filter is empty"),
        ("dy > 3", "column 'dy' not found (character 1); did you mean 'day'?"),
        ("day > 3", "column 'day'"),
        ("day >", "cannot be read as a condition"),
        (5, "SQL text or an expression"),
        ([], "SQL text or an expression"),
        ({"type": "eq", "term": "dy", "value": 1}, "column 'dy' not found (filter"),
        ({"type": "eq", "term": "day"}, "'value' is missing"),
        ({}, "'type' is missing"),
    ],
)
def test_errors_of_filters_have_a_position(http: TestClient, path: str, given: object, said: str) -> None:
    refused(http, path, {"filter": given}, "filter_invalid", said)


def deep(levels: int) -> Row:
    found: Row = {"type": "eq", "term": "day", "value": "2024-05-01"}
    for _ in range(levels):
        found = {"type": "not", "child": found}
    return found


LARGE: dict[str, tuple[str, bytes]] = {
    "deep JSON filter": (PLAN, json.dumps({"filter": deep(200)}).encode()),
    "endless brackets": (PLAN, b"[" * 1_000_000),
    "endless objects": (PLAN, b'{"filter":' * 100_000),
    "deep SQL": (PLAN, json.dumps({"filter": "(" * 500_000}).encode()),
    "NOT upon NOT": (PLAN, json.dumps({"filter": "NOT " * 200_000 + "true"}).encode()),
    "many conditions": (PLAN, json.dumps({"filter": " OR ".join(["day > '2024-05-01'"] * 40_000)}).encode()),
    "long list": (PLAN, json.dumps({"filter": f"id IN ({','.join(['5'] * 400_000)})"}).encode()),
    "long JSON list": (PLAN, json.dumps({"filter": {"type": "in", "term": "id", "values": [5] * 300_000}}).encode()),
    "wide JSON": (PLAN, json.dumps({"filter": {"type": "and", **{f"k{n}": 1 for n in range(70_000)}}}).encode()),
    "unlike types": (PLAN, json.dumps({"filter": {"type": "in", "term": "id", "values": ["x"] * 15_000}}).encode()),
    "many keys": (PLAN, json.dumps({f"k{n}": n for n in range(60_000)}).encode()),
    "many wrong names": (PLAN, json.dumps({"select": [5] * 300_000}).encode()),
    "many unknown names": (PLAN, json.dumps({"select": [f"column_{n}" for n in range(10_000)]}).encode()),
    "many wrong files": (EXPLAIN, json.dumps({"files": [5] * 300_000}).encode()),
    "digits": (PLAN, b'{"limit":' + b"9" * 900_000 + b"}"),
    "long text": (PLAN, json.dumps({"filter": "a" * 1_000_000}).encode()),
    "lone surrogate": (PLAN, b'{"filter": {"type": "eq", "term": "\\ud800", "value": "\\udfff"}}'),
    "NaN": (PLAN, b'{"limit": NaN}'),
}


@pytest.mark.parametrize("name", LARGE)
def test_hostile_bodies_are_refused_at_once(http: TestClient, name: str) -> None:
    path, content = LARGE[name]

    def refused() -> None:
        answer = http.post(path, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, answer.text[:300]
        assert len(answer.content) < 20_000

    assert_takes_less(refused, LONGEST_REFUSAL_SECONDS, times=10)


def test_a_body_beyond_a_mebibyte_is_refused(http: TestClient) -> None:
    refused(http, PLAN, b" " * (2**20 + 1), "request_invalid", "at most 1048576 bytes")


def test_query_parameters_are_refused(http: TestClient) -> None:
    for path in (PLAN, EXPLAIN):
        assert http.post(path, params={"snapshot": "1"}, json={}).status_code == 400


def test_a_strict_plan_refuses_what_does_not_prune(http: TestClient) -> None:
    body: Row = {"filter": "day > '2024-05-05' AND length(status) = 4"}
    page = http.post(PLAN, json=body).json()
    assert page["applied"] == ["day > '2024-05-05'"]
    assert page["not_applied"] == [{"filter": "length(status) = 4", "reason": "length() cannot prune"}]
    error = refused(
        http, PLAN, {**body, "strict": True}, "filter_invalid", "'length(status) = 4': length() cannot prune"
    )
    assert error["not_applied"] == page["not_applied"]
    assert http.post(PLAN, json={"filter": "day > '2024-05-05'", "strict": True}).status_code == 200


def test_names_may_be_of_any_case_on_request(http: TestClient) -> None:
    body = {"filter": "DAY > '2024-05-05'", "select": ["Status"]}
    refused(http, PLAN, body, "filter_invalid", "column 'DAY' not found")
    exact = http.post(PLAN, json={"filter": "day > '2024-05-05'"}).json()
    loose = http.post(PLAN, json={**body, "case_sensitive": False}).json()
    assert [f["file_path"] for f in loose["files"]] == [f["file_path"] for f in exact["files"]] != []


def test_selected_columns_limit_all_statistics_and_no_others(http: TestClient) -> None:
    def shown(body: Row) -> set[str]:
        return set().union(*(f.get("lower_bounds", {}) for f in http.post(PLAN, json=body).json()["files"]))

    assert shown({}) == shown({"select": ["id"]}) == set()
    assert shown({"select": ["id", "status"], "stats": ["*"]}) == {"id", "status"}
    assert shown({"select": ["id"], "stats": ["day"]}) == {"day"}
    assert shown({"stats": ["*"]}) > {"id", "day", "status"}


def test_a_page_token_is_valid_for_one_request_only(http: TestClient) -> None:
    body: Row = {"filter": "day > '2024-05-01'", "page_size": 1}
    first = http.post(PLAN, json=body).json()
    token = first["next_page_token"]
    second = http.post(PLAN, json={**body, "page_token": token, "page_size": 3})
    assert second.status_code == 200
    assert second.json()["snapshot_id"] == first["snapshot_id"]
    for change in (
        {"filter": "day > '2024-05-02'"},
        {"filter": None},
        {"filter": {"type": "gt", "term": "day", "value": "2024-05-01"}},
        {"limit": 10},
        {"select": ["day"]},
        {"stats": ["day"]},
        {"case_sensitive": False},
        {"snapshot_id": first["snapshot_id"]},
        {"ref": "main"},
        {"page_token": token[:-2] + ("AA" if token[-2:] != "AA" else "BB")},
        {"page_token": "x"},
    ):
        refused(
            http,
            PLAN,
            {**body, "page_token": token, **change},
            "page_token_invalid",
            "invalid page token for this list",
        )
    other = http.post("/api/v1/tables/web.events/plan", json={"page_size": 1, "page_token": token})
    assert (other.status_code, other.json()["error"]["code"]) == (400, "page_token_invalid")
    listed = http.get(FILES, params={"page_size": 1}).json()["next_page_token"]
    refused(
        http, PLAN, {"page_size": 1, "page_token": listed}, "page_token_invalid", "invalid page token for this list"
    )


def test_a_page_token_is_valid_for_one_caller_only(services: Services, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(
        token_entry("one", "1", "read") + token_entry("two", "2", "read") + token_entry("web", "3", "read", ["web"])
    )
    changed = Services(
        services.settings.model_copy(update={"tokens": str(path)}), services.index, services.store, services.refresher
    )
    http = TestClient(create_app(changed), base_url="http://muster.example")
    one, two, web = ({"Authorization": f"Bearer {secret}"} for secret in "123")
    token = http.post(PLAN, json={"page_size": 1}, headers=one).json()["next_page_token"]
    assert http.post(PLAN, json={"page_size": 1, "page_token": token}, headers=one).status_code == 200
    assert http.post(PLAN, json={"page_size": 1, "page_token": token}, headers=two).status_code == 400
    for path_of in (PLAN, EXPLAIN):
        assert http.post(path_of, json={}).status_code == 401
        assert http.post(path_of, json={}, headers=web).status_code == 404


def test_a_stream_refuses_a_page_token(http: TestClient) -> None:
    token = http.post(PLAN, json={"page_size": 1}).json()["next_page_token"]
    for form in ("application/x-ndjson", "application/vnd.apache.arrow.stream"):
        answer = http.post(PLAN, json={"page_size": 1, "page_token": token}, headers={"Accept": form})
        assert answer.status_code == 400
    assert http.post(PLAN, json={}, headers={"Accept": "text/html"}).status_code == 406


def test_snapshots_are_selected_as_for_lists(http: TestClient) -> None:
    snapshots = http.get("/api/v1/tables/shop.orders/snapshots?order=asc").json()["snapshots"]
    chosen = snapshots[2]
    for choice in (
        {"snapshot_id": chosen["snapshot_id"]},
        {"snapshot_id": int(chosen["snapshot_id"])},
        {"as_of": chosen["committed_at"]},
    ):
        assert http.post(PLAN, json=choice).json()["snapshot_id"] == chosen["snapshot_id"]
        assert http.post(EXPLAIN, json=choice).json()["snapshot_id"] == chosen["snapshot_id"]
    for ref in http.get("/api/v1/tables/shop.orders/refs").json()["refs"]:
        assert http.post(PLAN, json={"ref": ref["name"]}).json()["snapshot_id"] == ref["snapshot_id"]
    for choice in ({"ref": "nope"}, {"snapshot_id": 5}, {"as_of": "1999-01-01T00:00:00Z"}):
        assert http.post(PLAN, json=choice).status_code == 404


def test_an_explanation_has_levels_and_reasons(http: TestClient) -> None:
    files = [row["file_path"] for row in http.get(FILES).json()["files"] if row["content"] == "data"]
    body = {"filter": "day = DATE '2024-05-08' AND id >= 0", "files": [*files, "s3://no/such.parquet"]}
    explained = http.post(EXPLAIN, json=body).json()
    planned = {row["file_path"] for row in http.post(PLAN, json={"filter": body["filter"]}).json()["files"]}
    assert [level["level"] for level in explained["funnel"]] == ["manifests", "segments", "zones", "entries"]
    assert all(level["seen"] == level["kept"] + level["dropped"] for level in explained["funnel"])
    assert explained["funnel"][-1]["kept"] == len(planned) > 0
    assert [file["file_path"] for file in explained["files"]] == body["files"]
    for file in explained["files"][:-1]:
        assert file["state"] == ("kept" if file["file_path"] in planned else "dropped")
        if file["state"] == "dropped":
            assert file["dropped_by"] == "day = DATE '2024-05-08'"
            assert {reason["column"] for reason in file["reasons"]} >= {"day"}
    assert explained["files"][-1]["state"] == "absent"


def test_many_files_are_not_explained_for_long_filters(http: TestClient) -> None:
    body = {"filter": " AND ".join(f"id != {number}" for number in range(500)), "files": ["x"] * 21}
    refused(http, EXPLAIN, body, "request_invalid", "of 500 comparisons, at most 20 files")
    assert http.post(EXPLAIN, json={**body, "files": ["x"] * 20}).status_code == 200


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ("dy > 1", "filter_invalid", "did you mean 'day'"),
        ('{"type": "eq", ', "filter_invalid", "the filter is not JSON"),
        ('{"a":' * 3_000, "filter_invalid", "the filter is not JSON"),
        ("", "request_invalid", "at least 1 character"),
        ("x" * 16_384, "filter_invalid", "not found"),
        ("x" * 16_385, "request_invalid", "at most 16384"),
    ],
)
def test_invalid_filters_of_lists_are_refused(http: TestClient, given: str, code: str, said: str) -> None:
    answer = http.get(FILES, params={"filter": given})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
    assert said in answer.json()["error"]["message"]


def test_a_filtered_list_has_an_etag_of_its_own(http: TestClient) -> None:
    snapshot = http.get(FILES).json()["snapshot_id"]
    params = {"snapshot": snapshot, "filter": "day > '2024-05-05'"}
    first, other = http.get(FILES, params=params), http.get(FILES, params={**params, "filter": "day > '2024-05-06'"})
    assert first.headers["etag"] != other.headers["etag"]
    assert http.get(FILES, params=params, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_filters_of_changelog_files_are_refused(http: TestClient) -> None:
    answer = http.get("/api/v1/tables/shop.stock/files", params={"filter": "true", "content": "changelog"})
    assert answer.status_code == 400
    assert "changelog" in answer.json()["error"]["message"]


def test_a_table_without_snapshots_has_an_empty_plan(http: TestClient, services: Services, tmp_path: Path) -> None:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    table = iceberg.create_table("db.empty", pa.schema([("id", pa.int64())]))
    services.add("db.empty", table.location(), None, (), operator=True)
    page = http.post("/api/v1/tables/db.empty/plan", json={"filter": "id > 3", "limit": 5}).json()
    assert (page["snapshot_id"], page["files"], page["deletes"], page["next_page_token"]) == (None, [], [], None)
    assert set(page["counts"].values()) == {0}
    lines = http.post("/api/v1/tables/db.empty/plan", json={}, headers={"Accept": "application/x-ndjson"}).text
    assert json.loads(lines.splitlines()[-1]) == {"end": {"count": 0, "snapshot_id": None}}
    arrow = http.post(
        "/api/v1/tables/db.empty/plan", json={}, headers={"Accept": "application/vnd.apache.arrow.stream"}
    )
    assert pa.ipc.open_stream(arrow.content).read_all().num_rows == 0
    explained = http.post("/api/v1/tables/db.empty/explain", json={"filter": "id > 3", "files": ["x"]}).json()
    assert {level["seen"] for level in explained["funnel"]} == {0}
    assert explained["files"][0]["state"] == "absent"
    assert http.get("/api/v1/tables/db.empty/files", params={"filter": "id > 3"}).json()["files"] == []
    refused(http, "/api/v1/tables/db.empty/plan", {"filter": "x > 3"}, "filter_invalid", "column 'x' not found")


def evolving(tmp_path: Path, *columns: str) -> Table:
    """Return a table with one row, whose columns hold 1, 2 and so on."""
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    data = pa.table({name: pa.array([number], pa.int64()) for number, name in enumerate(columns, 1)})
    table = iceberg.create_table("db.t", data.schema)
    table.append(data)
    return table


@pytest.mark.parametrize("chosen", [False, True])
def test_names_of_the_snapshots_schema_need_no_snapshot_id(
    http: TestClient, services: Services, tmp_path: Path, chosen: bool
) -> None:
    table = evolving(tmp_path, "id")
    with table.update_schema() as update:
        update.rename_column("id", "key")
    current = table.current_snapshot()
    assert current is not None
    services.add(f"evolved.t{chosen}", table.metadata_location, None, (), operator=True)
    body = {"snapshot-id": current.snapshot_id} if chosen else {}
    for column, use, status in (("id", True, 200), ("id", False, 400), ("key", True, 200), ("key", False, 200)):
        wanted = {"type": "eq", "term": column, "value": 1}
        answer = http.post(
            f"/iceberg/v1/namespaces/evolved/tables/t{chosen}/plan",
            json={**body, "filter": wanted, "use-snapshot-schema": use},
        )
        assert answer.status_code == status, answer.text
        if status == 200:
            assert [task["residual-filter"] for task in answer.json()["file-scan-tasks"]] == [wanted]


def test_a_name_of_two_columns_drops_only_files_that_neither_needs(
    http: TestClient, services: Services, tmp_path: Path
) -> None:
    table = evolving(tmp_path, "a", "b", "c")
    for old, new in (("a", "x"), ("b", "a"), ("x", "b")):
        with table.update_schema() as update:
            update.rename_column(old, new)
    with table.update_schema() as update:
        update.delete_column("c")
    with table.update_schema() as update:
        update.add_column("c", LongType())
    services.add("evolved.swapped", table.metadata_location, None, (), operator=True)

    def residuals(wanted: object, use: bool) -> list[object]:
        body = {"filter": wanted, "use-snapshot-schema": use, "stats-fields": ["a"]}
        answer = http.post("/iceberg/v1/namespaces/evolved/tables/swapped/plan", json=body)
        assert answer.status_code == 200, answer.text
        tasks = answer.json()["file-scan-tasks"]
        assert all(task["data-file"]["value-counts"]["keys"] == ([1, 2] if use else [2]) for task in tasks)
        return [task["residual-filter"] for task in tasks]

    for value, of_snapshot, of_table in ((1, True, False), (2, False, True), (3, False, False)):
        wanted = {"type": "eq", "term": "a", "value": value}
        assert residuals(wanted, use=True) == [wanted] * (of_snapshot or of_table)
        assert residuals(wanted, use=False) == [wanted] * of_table
    null = {"type": "is-null", "term": "c"}
    assert residuals(null, use=True) == residuals(null, use=False) == [null]


def test_paimon_prunes_merged_buckets_by_their_key_statistics(http: TestClient) -> None:
    asked = {"filter": "warehouse = 'lyon' AND quantity > 3", "limit": 1}
    page = http.post("/api/v1/tables/shop.stock/plan", json=asked).json()
    assert {row["partition"]["warehouse"] for row in page["files"]} == {"lyon"}
    assert {row["residual"] for row in page["files"]} == {"quantity > 3"}
    assert page["applied"] == ["warehouse = 'lyon'", "quantity > 3"]
    assert http.post("/api/v1/tables/shop.stock/plan", json={"filter": "quantity > 1000000"}).json()["files"] == []
    explained = http.post("/api/v1/tables/shop.stock/explain", json={"filter": "quantity > 1000000"}).json()
    groups = explained["funnel"][-1]
    assert (groups["level"], groups["kept"]) == ("groups", 0)
    assert groups["dropped_by"] == [{"filter": "quantity > 1000000", "dropped": groups["seen"]}]


def test_options_of_paimon_are_refused_for_iceberg(http: TestClient) -> None:
    of_paimon: list[dict[str, object]] = [{"read_optimized": True}, {"splits": True}, {"split_target_size": 1}]
    for one in of_paimon:
        refused(http, "/api/v1/tables/shop.orders/plan", one, "request_invalid", "only for Paimon tables")
    wrong: list[tuple[dict[str, object], str]] = [
        ({"scan_mode": "delta"}, "requires start_snapshot_id"),
        ({"split_target_size": 1}, "require splits"),
        ({"read_optimized": True, "start_snapshot_id": 1}, "mutually exclusive"),
        ({"start_snapshot_id": 10**6}, "is later than"),
    ]
    for asked, why in wrong:
        refused(http, "/api/v1/tables/shop.stock/plan", asked, "request_invalid", why)
