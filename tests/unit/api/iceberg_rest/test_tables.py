"""One table of the Iceberg REST catalog: its metadata, credentials, metrics."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from lakemuster.caching import MEMORY
from lakemuster.catalog.iceberg_rest.load_table_cache import LoadTableCache
from tests.caches import memory_limit
from tests.unit.api.conftest import FakeServices
from tests.unit.api.iceberg_rest.conftest import DOCUMENT, FakeStore
from tests.unit.api.iceberg_rest.test_catalog import bearer

ORDERS = "/iceberg/v1/namespaces/shop/tables/orders"
pytestmark = pytest.mark.usefixtures("store")
REPORT = {"report-type": "scan-report", "table-name": "orders", "metrics": {}}


def test_a_loaded_table_is_its_metadata_file_byte_for_byte(client: TestClient, store: FakeStore) -> None:
    answer = client.get(ORDERS)
    assert answer.status_code == 200
    assert store.file in answer.content
    assert answer.json()["metadata"] == DOCUMENT
    assert answer.json()["metadata-location"] == "s3://lake/shop/orders/metadata/v3.metadata.json"


def test_a_compressed_metadata_file_is_the_same(client: TestClient, store: FakeStore) -> None:
    store.compress()
    assert client.get(ORDERS).json()["metadata"] == DOCUMENT


def test_snapshots_may_be_limited_to_those_of_refs(client: TestClient, store: FakeStore) -> None:
    answer = client.get(ORDERS, params={"snapshots": "refs"})
    metadata = answer.json()["metadata"]
    assert [snapshot["snapshot-id"] for snapshot in metadata["snapshots"]] == [11, 9223372036854775807]
    assert metadata["statistics"] == []
    kept = {"snapshots", "statistics"}
    assert {k: v for k, v in metadata.items() if k not in kept} == {k: v for k, v in DOCUMENT.items() if k not in kept}
    assert client.get(ORDERS, params={"snapshots": "some"}).status_code == 400


def test_locations_of_a_moved_table_are_rewritten(client: TestClient, services: FakeServices) -> None:
    services.names["shop.orders"].rewrites = (("data", "s3://lake/new"),)
    metadata = client.get(ORDERS).json()["metadata"]
    assert metadata["location"] == "s3://lake/new/orders"
    assert [snapshot["manifest-list"] for snapshot in metadata["snapshots"]] == [
        "s3://lake/new/orders/metadata/snap-10.avro",
        "s3://lake/new/orders/metadata/snap-11.avro",
        "s3://elsewhere/snap-12.avro",
    ]
    assert metadata["statistics"][0]["statistics-path"] == "s3://lake/new/orders/metadata/s.puffin"
    assert metadata["metadata-log"][0]["metadata-file"] == "s3://lake/new/orders/metadata/v2.metadata.json"
    assert metadata["properties"] == DOCUMENT["properties"]


def test_bare_paths_are_returned_as_urls(client: TestClient, services: FakeServices) -> None:
    services.names["shop.orders"].rewrites = (("data", "/a lake/é"),)
    services.names["shop.orders"].metadata_location = "/a lake/é/orders/metadata/v3.metadata.json"
    loaded = client.get(ORDERS).json()
    assert loaded["metadata-location"] == "file:///a lake/é/orders/metadata/v3.metadata.json"
    metadata = loaded["metadata"]
    assert metadata["location"] == "file:///a lake/é/orders"
    assert [snapshot["manifest-list"] for snapshot in metadata["snapshots"]] == [
        "file:///a lake/é/orders/metadata/snap-10.avro",
        "file:///a lake/é/orders/metadata/snap-11.avro",
        "s3://elsewhere/snap-12.avro",
    ]
    assert metadata["statistics"][0]["statistics-path"] == "file:///a lake/é/orders/metadata/s.puffin"


def test_each_form_has_an_etag_that_changes_with_the_metadata(
    client: TestClient, services: FakeServices, store: FakeStore
) -> None:
    record = services.names["shop.orders"]
    every = client.get(ORDERS).headers["etag"]
    refs = client.get(ORDERS, params={"snapshots": "refs"}).headers["etag"]
    assert every != refs
    assert not every.startswith("W/")
    reads = store.reads
    for known in (every, f"W/{every}", f'"x", {every}', "*"):
        answer = client.get(ORDERS, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", every)
    assert client.get(ORDERS, headers={"If-None-Match": refs}).status_code == 200
    assert store.reads == reads, "the metadata file is cached"
    for name, value in (("metadata_location", "s3://lake/v4.metadata.json"), ("pointer", "p2"), ("table_id", 77)):
        setattr(record, name, value)
        answer = client.get(ORDERS, headers={"If-None-Match": every})
        assert answer.status_code == 200
        assert answer.headers["etag"] != every
        every = answer.headers["etag"]
        reads += 1
        assert store.reads == reads


def test_stale_metadata_is_marked(client: TestClient, services: FakeServices) -> None:
    services.stale = "storage_unavailable: no answer"
    assert client.get(ORDERS).headers["lakemuster-stale"] == services.stale


@pytest.mark.parametrize("file", [b"", b"[]", b'{"a": 1}, "config": {"token": "evil"', b"{}{}", b'{"a": NaN}'])
def test_a_metadata_file_must_be_one_json_object(client: TestClient, store: FakeStore, file: bytes) -> None:
    store.file = file
    answer = client.get(ORDERS)
    assert answer.status_code == 502
    assert "evil" not in answer.text
    store.file = b'{"snapshots": {"not": "a list"}}'
    assert client.get(ORDERS, params={"snapshots": "refs"}).status_code == 502


def test_existence_credentials_and_metrics(client: TestClient) -> None:
    assert client.head(ORDERS).status_code == 204
    assert client.get(f"{ORDERS}/credentials").json() == {"storage-credentials": []}
    assert client.post(f"{ORDERS}/metrics", json=REPORT).status_code == 204


@pytest.mark.parametrize(
    ("namespace", "table"),
    [
        ("shop", "none"),
        ("shop", "clicks"),
        ("shop", "orders.x"),
        ("lake", "raw.events"),
        ("shop", "a%00b"),
        ("", "solo"),
    ],
)
def test_missing_tables_and_those_of_another_format(client: TestClient, namespace: str, table: str) -> None:
    path = f"/iceberg/v1/namespaces/{namespace}/tables/{table}"
    answers = [client.get(path), client.get(f"{path}/credentials"), client.post(f"{path}/metrics", json=REPORT)]
    for answer in answers:
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NoSuchTableException")
    assert client.head(path).status_code == 404


def test_namespace_levels_may_contain_dots(client: TestClient) -> None:
    assert client.head("/iceberg/v1/namespaces/a.b/tables/t").status_code == 204
    assert client.head("/iceberg/v1/namespaces/a%1Fb/tables/t").status_code == 404
    assert client.head("/iceberg/v1/namespaces/lake%1Fraw/tables/events").status_code == 204


def test_a_hidden_table_is_answered_like_a_missing_one(
    with_tokens: TestClient, store: FakeStore, services: FakeServices
) -> None:
    hidden = "/iceberg/v1/namespaces/lake%1Fraw/tables/events"
    missing = "/iceberg/v1/namespaces/lake%1Fnot/tables/events"
    for rest in ("", "/credentials"):
        answers = [with_tokens.get(path + rest, headers=bearer("r")) for path in (hidden, missing)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content.replace(b"lake.not", b"lake.raw")
    assert with_tokens.get(ORDERS, headers=bearer("r")).status_code == 200
    assert {call[0] for call in services.calls if "lake.raw.events" in call} == {"similar_names"}


def test_responses_are_cached_within_the_budget() -> None:
    answers, made = LoadTableCache(), list[str]()

    def get(key: str, size: int = 4) -> bytes:
        def make() -> bytes:
            made.append(key)
            return key.encode() * size

        return answers.get(key, make)

    with memory_limit(10_000):
        for key in "aba":
            get(key, 4000)
        assert made == ["a", "b"]
        get("c", 4000)
        assert MEMORY.bytes <= 10_000
        assert get("x", 11_000) == b"x" * 11_000
        assert get("x", 11_000) == b"x" * 11_000
        assert made == ["a", "b", "c", "x", "x"]
    with pytest.raises(ZeroDivisionError):
        answers.get("y", lambda: bytes(1 // 0))
    assert answers.get("y", lambda: b"now") == b"now"
