"""Routes of tables, of their history, and of operators."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from lakemuster.caching import MEMORY
from lakemuster.errors import IndexUnavailable, LocationRefused, NotATable, StorageUnavailable, TableExists
from tests.unit.api.conftest import FakeServices

BASE = "/api/v1/tables"


def test_tables_are_listed_by_name(client: TestClient) -> None:
    body = client.get(BASE).json()
    assert [table["name"] for table in body["tables"]] == ["`a.b`.t", "lake.raw.events", "shop.orders"]
    assert body["next_page_token"] is None
    assert body["stale"] is None
    first = body["tables"][0]
    assert first["current_snapshot_id"] == "12"
    assert first["last_updated_at"] == "2024-05-01T00:00:00.000Z"
    assert first["rewrite"] == [{"old": "data/", "new": "s3://lake/data/"}]


def test_pages_of_tables_continue_after_the_last_name(client: TestClient, services: FakeServices) -> None:
    first = client.get(BASE, params={"page_size": 1}).json()
    del services.names["`a.b`.t"]
    second = client.get(BASE, params={"page_size": 1, "page_token": first["next_page_token"]}).json()
    assert [table["name"] for table in second["tables"]] == ["lake.raw.events"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("shop.orders", "shop.orders"),
        ("shop%2Eorders", "shop.orders"),
        ("`shop`.orders", "shop.orders"),
        ("%60a.b%60.t", "`a.b`.t"),
        ("`a.b`.t", "`a.b`.t"),
    ],
)
def test_a_table_is_found_by_every_spelling_of_its_name(client: TestClient, path: str, name: str) -> None:
    body = client.get(f"{BASE}/{path}").json()
    assert body["name"] == name
    assert body["properties"] == {"owner": "me"}
    assert body["primary_keys"] == ["id"]


@pytest.mark.parametrize("path", ["a..b", "%60a", "a%0Ab", "x" * 1001])
def test_an_invalid_name_is_a_bad_request(client: TestClient, path: str) -> None:
    assert client.get(f"{BASE}/{path}").status_code == 400


def test_a_missing_table_is_not_found(client: TestClient) -> None:
    answer = client.get(f"{BASE}/shop.none")
    assert answer.status_code == 404
    assert answer.json()["error"] == {
        "code": "table_not_found",
        "type": "TableNotFound",
        "message": "table shop.none is not registered",
    }


def test_a_table_is_registered_under_the_servers_roots_only(client: TestClient, services: FakeServices) -> None:
    body = {"name": "`new`.t", "location": "s3://lake/t", "rewrite": [{"old": "a", "new": "b"}]}
    answer = client.post(BASE, json=body)
    assert answer.status_code == 201
    assert answer.json()["name"] == "new.t"
    assert ("add", "new.t", "s3://lake/t", None, (("a", "b"),), False) in services.calls


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (TableExists("taken"), 409),
        (LocationRefused("outside of the roots"), 400),
        (NotATable("nothing there"), 400),
        (StorageUnavailable("no answer"), 503),
    ],
)
def test_a_failed_registration_has_the_status_of_its_cause(
    client: TestClient, services: FakeServices, failure: Exception, status: int
) -> None:
    services.failure = failure
    answer = client.post(BASE, json={"name": "a.b", "location": "s3://x/y"})
    assert answer.status_code == status
    assert ("retry-after" in answer.headers) == (status == 503)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"name": "a.b"}', b'{"name": "a.b", "location": "x", "more": 1}', b"\xff", b"null"]
)
def test_an_invalid_body_is_refused(client: TestClient, content: bytes) -> None:
    answer = client.post(BASE, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "request_invalid"


def test_an_unknown_key_has_a_suggestion(client: TestClient) -> None:
    body = {"name": "shop.orders", "location": "s3://lake/orders", "formatt": "iceberg", "colour": "red"}
    error = client.post("/api/v1/tables", json=body).json()["error"]
    assert error["message"] == "body.formatt: unknown key (did you mean format?); body.colour: unknown key"


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    body = json.dumps({"name": "a.b", "location": "x"})
    for headers in ({"Content-Type": "text/plain"}, {}):
        answer = client.post(BASE, content=body, headers=headers)
        assert answer.status_code == 400
        assert "Content-Type: application/json" in answer.json()["error"]["message"]


def test_a_table_is_unregistered(client: TestClient) -> None:
    assert client.delete(f"{BASE}/shop.orders").status_code == 204
    assert client.delete(f"{BASE}/shop.orders").status_code == 404


def test_a_refresh_returns_its_report(client: TestClient) -> None:
    body = client.post(f"{BASE}/shop.orders/refresh").json()
    assert body["published"] == ["12"]
    assert body["quarantined"] == [{"snapshot_id": "11", "reason": "metadata_corrupt: cut off"}]
    assert (body["manifests_fetched"], body["entries_decoded"], body["seconds"]) == (3, 40, 0.25)


def test_snapshots_are_listed_newest_first(client: TestClient) -> None:
    body = client.get(f"{BASE}/shop.orders/snapshots").json()
    assert [snapshot["snapshot_id"] for snapshot in body["snapshots"]] == ["12", "11"]
    assert body["snapshots"][0]["state"] == "published"
    first = client.get(f"{BASE}/shop.orders/snapshots", params={"page_size": 1}).json()
    second = client.get(
        f"{BASE}/shop.orders/snapshots", params={"page_size": 1, "page_token": first["next_page_token"]}
    )
    assert [snapshot["snapshot_id"] for snapshot in second.json()["snapshots"]] == ["11"]
    assert second.json()["next_page_token"] is None


def test_a_snapshot_is_found_by_its_id(client: TestClient) -> None:
    assert client.get(f"{BASE}/shop.orders/snapshots/11").json()["snapshot_id"] == "11"
    assert client.get(f"{BASE}/shop.orders/snapshots/13").status_code == 404
    assert client.get(f"{BASE}/shop.orders/snapshots/11", params={"branch": "b1"}).status_code == 404


@pytest.mark.parametrize("text", ["x", "1" * 20, "9223372036854775808", "1.5", "+1", "٣"])
def test_an_invalid_id_is_a_bad_request(client: TestClient, text: str) -> None:
    assert client.get(f"{BASE}/shop.orders/snapshots/{text}").status_code == 400


def test_refs_schemas_and_specs_are_listed(client: TestClient) -> None:
    refs = client.get(f"{BASE}/shop.orders/refs").json()["refs"]
    assert [(ref["name"], ref["type"], ref["snapshot_id"]) for ref in refs] == [
        ("main", "branch", "12"),
        ("v1", "tag", "11"),
    ]
    (schema,) = client.get(f"{BASE}/shop.orders/schemas").json()["schemas"]
    assert schema["fields"] == [{"id": 1, "name": "id", "required": True, "type": "long"}]
    assert schema["current"] is True
    assert client.get(f"{BASE}/shop.orders/specs").json()["specs"] == []


@pytest.mark.parametrize(
    "path", ["", "/shop.orders/snapshots", "/shop.orders/refs", "/shop.orders/schemas", "/shop.orders/specs"]
)
def test_every_list_can_be_streamed(client: TestClient, path: str) -> None:
    page = client.get(BASE + path).json()
    count = len(page[path.rsplit("/", 1)[-1] or "tables"])
    lines = client.get(BASE + path, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    assert json.loads(lines[-1]) == {"end": {"count": count, "snapshot_id": None}}
    assert [json.loads(line) for line in lines[:-1]] == page[path.rsplit("/", 1)[-1] or "tables"]
    content = client.get(BASE + path, headers={"Accept": "application/vnd.apache.arrow.stream"}).content
    batches = list(pa.ipc.open_stream(io.BytesIO(content)).iter_batches_with_custom_metadata())
    assert sum(found.batch.num_rows for found in batches) == count
    assert dict(batches[-1].custom_metadata) == {b"count": str(count).encode()}


def test_health_has_the_version(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"


def test_readiness_reports_the_failed_check(client: TestClient, services: FakeServices) -> None:
    well = {"database": "ok", "segments": "ok", "clock": "ok"}
    assert client.get("/readyz").json() == {"ready": True, "checks": well}
    services.index.database.failure = IndexUnavailable("the database file is gone", path="/srv/secret/index.db")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    said = {**well, "database": "index_unavailable: the database file is gone"}
    assert answer.json() == {"ready": False, "checks": said}
    assert "retry-after" in answer.headers
    assert "secret" not in answer.text


def test_requests_are_counted_in_metrics(client: TestClient, services: FakeServices) -> None:
    client.get(BASE)
    client.get(f"{BASE}/shop.orders/files")
    client.get("/no/such/path?secret=1")
    text = client.get("/metrics").text
    assert 'lakemuster_requests_total{method="GET",route="/api/v1/tables/{table}/files",status="200"} 1.0' in text
    assert 'lakemuster_requests_total{method="GET",route="unmatched",status="404"} 1.0' in text
    assert 'lakemuster_work_total{kind="entries_decoded"} 77.0' in text
    assert "lakemuster_storage_read_bytes_total 99.0" in text
    assert 'lakemuster_decoder_tasks{state="running"} 1.0' in text
    assert 'process_resident_memory_bytes{worker="0"}' in text
    assert 'python_gc_collections_total{generation="2",worker="0"}' in text
    assert 'lakemuster_tables{state="fresh"} 3.0' in text
    assert 'lakemuster_table_health{component="health",status="pending"} 1.0' in text
    assert 'lakemuster_table_health{component="skew",status="ok"} 2.0' in text
    assert 'lakemuster_cache_misses_total{cache="responses"}' in text
    limit = next(line for line in text.splitlines() if line.startswith("lakemuster_cache_limit_bytes "))
    assert float(limit.split()[1]) == MEMORY.limit
    assert "shop" not in text
    services.failure = IndexUnavailable("down")
    assert client.get("/metrics").status_code == 200


@pytest.mark.parametrize(
    "rewrite",
    [[{"old": "a", "new": "b=c"}], ["a=b=c"], {"a": "b=c"}],
    ids=["rules", "as on the command line", "an object"],
)
def test_rewrites_are_accepted_in_every_form(client: TestClient, services: FakeServices, rewrite: object) -> None:
    answer = client.post(BASE, json={"name": "new.t", "location": "s3://lake/t", "rewrite": rewrite})
    assert answer.status_code == 201
    assert ("add", "new.t", "s3://lake/t", None, (("a", "b=c"),), False) in services.calls


@pytest.mark.parametrize("rewrite", ["a=b", ["ab"], [1], {"a": 1}, {"": "x"}, 5, [["a", "b"]]])
def test_an_invalid_rewrite_is_refused(client: TestClient, rewrite: object) -> None:
    body = {"name": "new.t", "location": "s3://lake/t", "rewrite": rewrite}
    assert client.post(BASE, json=body).status_code == 400


@pytest.mark.parametrize(("params", "ids"), [({"snapshot": "11"}, ["11"]), ({"snapshot": "12"}, ["12", "11"])])
def test_the_history_of_a_snapshot_is_it_and_its_ancestors(
    client: TestClient, params: dict[str, str], ids: list[str]
) -> None:
    body = client.get(f"{BASE}/shop.orders/snapshots", params=params).json()
    assert [snapshot["snapshot_id"] for snapshot in body["snapshots"]] == ids


def test_refs_and_schemas_of_a_snapshot_are_its_own(client: TestClient) -> None:
    refs = client.get(f"{BASE}/shop.orders/refs", params={"snapshot": "11"}).json()["refs"]
    assert [ref["name"] for ref in refs] == ["v1"]
    assert len(client.get(f"{BASE}/shop.orders/schemas", params={"ref": "main"}).json()["schemas"]) == 1


def test_a_table_that_could_never_be_read_is_still_shown(
    client: TestClient, services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fresh(self: FakeServices, name: str) -> None:
        self.table(name)
        raise NotATable("no Iceberg table at s3://lake/shop/orders")

    monkeypatch.setattr(FakeServices, "fresh", fresh)
    body = client.get(f"{BASE}/shop.orders").json()
    assert body["stale"] == "not_a_table: no Iceberg table at s3://lake/shop/orders"
    assert body["properties"] == {}
    answer = client.get(f"{BASE}/shop.orders/refs")
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "not_a_table")
    assert client.get(f"{BASE}/shop.none").status_code == 404
