"""Lists over HTTP: pages, streams, pins, caches."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from lakemuster.errors import SegmentCorrupt, SnapshotQuarantined
from lakemuster.planner.view import Selector
from tests.unit.api.conftest import FakeServices

FILES = "/api/v1/tables/shop.orders/files"
ALL = ["0/0", "0/1", "0/2", "2/0", "2/1"]
LISTS = ["manifests", "entries", "files", "partitions", "indexes"]


def paths(rows: list[dict[str, str]]) -> list[str]:
    return [row["file_path"] for row in rows]


@pytest.mark.parametrize("key", LISTS)
def test_a_list_is_keyed_by_its_last_path_segment(client: TestClient, key: str) -> None:
    answer = client.get(f"/api/v1/tables/shop.orders/{key}")
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == [key, "snapshot_id", "next_page_token", "total_count", "stale"]
    assert paths(body[key]) == ALL
    assert body["snapshot_id"] == "12"
    assert body["next_page_token"] is None


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 10_000])
def test_pages_together_are_the_list(client: TestClient, size: int) -> None:
    seen: list[str] = []
    params: dict[str, str | int] = {"page_size": size}
    while True:
        body = client.get(FILES, params=params).json()
        assert len(body["files"]) <= size
        seen += paths(body["files"])
        if body["next_page_token"] is None:
            break
        assert body["files"]
        params["page_token"] = body["next_page_token"]
    assert seen == ALL


def test_a_page_ends_early_when_it_grows_too_large(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.catalog.listings.PAGE_BYTES", 10)
    body = client.get(FILES).json()
    assert paths(body["files"]) == ["0/0", "0/1", "0/2"]
    rest = client.get(FILES, params={"page_token": body["next_page_token"]}).json()
    assert paths(rest["files"]) == ["2/0", "2/1"]


def test_later_pages_keep_the_first_pages_snapshot(client: TestClient, services: FakeServices) -> None:
    services.current = 11
    first = client.get(FILES, params={"page_size": 2}).json()
    services.current = 12
    services.calls.clear()
    second = client.get(FILES, params={"page_size": 2, "page_token": first["next_page_token"]})
    assert second.json()["snapshot_id"] == first["snapshot_id"] == "11"
    assert "immutable" in second.headers["cache-control"]
    assert not [call for call in services.calls if call[0] == "view"]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/api/v1/tables/lake.raw.events/files", {}),
        ("/api/v1/tables/shop.orders/entries", {}),
        (FILES, {"content": "data"}),
        (FILES, {"snapshot": "12"}),
        ("/api/v1/tables/shop.orders/snapshots", {}),
        ("/api/v1/tables", {}),
    ],
)
def test_a_token_of_another_list_is_refused(client: TestClient, path: str, params: dict[str, str]) -> None:
    token = client.get(FILES, params={"page_size": 2}).json()["next_page_token"]
    answer = client.get(path, params={**params, "page_token": token})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "page_token_invalid"


def test_the_page_size_may_change_between_pages(client: TestClient) -> None:
    token = client.get(FILES, params={"page_size": 2}).json()["next_page_token"]
    assert paths(client.get(FILES, params={"page_token": token, "page_size": 7}).json()["files"]) == ALL[2:]


def test_an_ndjson_stream_is_the_whole_list_and_ends_with_its_count(client: TestClient) -> None:
    answer = client.get(FILES, headers={"Accept": "application/x-ndjson"}, params={"page_size": 1})
    assert answer.headers["content-type"] == "application/x-ndjson"
    *rows, end = [json.loads(line) for line in answer.text.splitlines()]
    assert paths(rows) == ALL
    assert end == {"end": {"count": 5, "snapshot_id": "12"}}


def test_an_arrow_stream_is_the_whole_list_and_ends_with_its_count(client: TestClient) -> None:
    answer = client.get(FILES, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert answer.headers["content-type"] == "application/vnd.apache.arrow.stream"
    reader = pa.ipc.open_stream(io.BytesIO(answer.content))
    batches = list(reader.iter_batches_with_custom_metadata())
    assert [row for found in batches for row in found.batch.column("file_path").to_pylist()] == ALL
    last = batches[-1]
    assert last.batch.num_rows == 0
    assert dict(last.custom_metadata) == {b"count": b"5", b"snapshot_id": b"12"}


@pytest.mark.parametrize("form", ["application/x-ndjson", "application/vnd.apache.arrow.stream"])
def test_an_empty_stream_ends_with_a_count_of_zero(client: TestClient, services: FakeServices, form: str) -> None:
    services.parts = ()
    content = client.get(FILES, headers={"Accept": form}).content
    if form.endswith("ndjson"):
        assert json.loads(content) == {"end": {"count": 0, "snapshot_id": "12"}}
    else:
        (only,) = pa.ipc.open_stream(io.BytesIO(content)).iter_batches_with_custom_metadata()
        assert dict(only.custom_metadata)[b"count"] == b"0"


@pytest.mark.parametrize("form", ["application/x-ndjson", "application/vnd.apache.arrow.stream"])
def test_a_stream_refuses_a_page_token(client: TestClient, form: str) -> None:
    token = client.get(FILES, params={"page_size": 2}).json()["next_page_token"]
    answer = client.get(FILES, headers={"Accept": form}, params={"page_token": token})
    assert answer.status_code == 400


def test_a_failure_before_the_first_row_has_its_status(client: TestClient, services: FakeServices) -> None:
    services.parts, services.break_with = (), SegmentCorrupt("not as it was written")
    for form in ("application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"):
        answer = client.get(FILES, headers={"Accept": form})
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "segment_corrupt"


def test_an_unsupported_media_type_is_not_acceptable(client: TestClient) -> None:
    answer = client.get(FILES, headers={"Accept": "text/html"})
    assert answer.status_code == 406
    assert answer.json()["error"]["code"] == "not_acceptable"


def test_a_pinned_response_is_immutable(client: TestClient, services: FakeServices) -> None:
    client.headers["Accept-Encoding"] = "identity"
    first = client.get(FILES, params={"snapshot": "12"})
    assert "immutable" in first.headers["cache-control"]
    etag = first.headers["etag"]
    assert not etag.startswith("W/")
    read = len(services.sources)
    again = client.get(FILES, params={"snapshot": "12"}, headers={"If-None-Match": f'"x", {etag}'})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == etag
    assert len(services.sources) == read


def test_a_single_snapshot_has_an_etag(client: TestClient) -> None:
    first = client.get("/api/v1/tables/shop.orders/snapshots/12")
    etag = first.headers["etag"]
    again = client.get("/api/v1/tables/shop.orders/snapshots/12", headers={"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert client.get("/api/v1/tables/shop.orders/snapshots/11").headers["etag"] != etag


def test_different_responses_have_different_etags(client: TestClient, services: FakeServices) -> None:
    requests: list[tuple[dict[str, str], dict[str, str]]] = [
        ({"snapshot": "12"}, {}),
        ({"snapshot": "11"}, {}),
        ({"snapshot": "12", "page_size": "2"}, {}),
        ({"snapshot": "12", "content": "data"}, {}),
        ({"snapshot": "12"}, {"Accept": "application/x-ndjson"}),
    ]
    etags = [client.get(FILES, params=params, headers=headers).headers["etag"] for params, headers in requests]
    etags += [
        client.get(FILES.replace("files", name), params={"snapshot": "12"}).headers["etag"]
        for name in LISTS
        if name != "files"
    ]
    token = client.get(FILES, params={"page_size": 2}).json()["next_page_token"]
    etags.append(client.get(FILES, params={"page_size": 2, "page_token": token}).headers["etag"])
    assert len(set(etags)) == len(etags)


def test_an_unpinned_response_must_be_revalidated(client: TestClient, services: FakeServices) -> None:
    first = client.get(FILES)
    assert first.headers["cache-control"] == "no-cache"
    services.current = 11
    assert client.get(FILES, headers={"If-None-Match": first.headers["etag"]}).status_code == 200


def test_a_stale_response_has_the_reason(client: TestClient, services: FakeServices) -> None:
    services.stale = "storage_unavailable: kein Anschluß\nunter"
    answer = client.get(FILES)
    assert answer.json()["stale"] == services.stale
    assert answer.headers["lakemuster-stale"] == "storage_unavailable: kein Anschlu? unter"
    assert client.get(FILES, params={"snapshot": "12"}).json()["stale"] is None
    services.stale = None
    assert "lakemuster-stale" not in client.get(FILES).headers


@pytest.mark.parametrize(
    ("params", "selector"),
    [
        ({}, Selector()),
        ({"snapshot": "12"}, Selector(snapshot_id=12)),
        ({"ref": "v1"}, Selector(ref="v1")),
        ({"as_of": "2024-05-01T02:00:00+02:00"}, Selector(as_of_ms=1_714_521_600_000)),
        ({"as_of": "1714521600000"}, Selector(as_of_ms=1_714_521_600_000)),
    ],
)
@pytest.mark.parametrize("key", LISTS)
def test_every_list_of_a_snapshot_accepts_selectors(
    client: TestClient, services: FakeServices, key: str, params: dict[str, str], selector: Selector
) -> None:
    assert client.get(f"/api/v1/tables/shop.orders/{key}", params=params).status_code == 200
    assert ("view", "shop.orders", selector) in services.calls


@pytest.mark.parametrize(
    "params",
    [
        {"snapshot": "12", "ref": "main"},
        {"snapshot": "12", "as_of": "0"},
        {"ref": "main", "as_of": "0"},
        {"snapshot": "x"},
        {"snapshot": "99999999999999999999"},
        {"snapshot": "9999999999999999999"},
        {"snapshot": ""},
        {"ref": ""},
        {"as_of": "yesterday"},
        {"page_size": "0"},
        {"page_size": "10001"},
        {"page_size": "many"},
        {"page_token": "x"},
        {"page_token": ""},
        {"pagesize": "5"},
        {"page_size": ["1", "2"]},
        {"snapshot": ["11", "12"]},
    ],
)
def test_unknown_parameters_are_refused(client: TestClient, params: dict[str, str | list[str]]) -> None:
    answer = client.get(FILES, params=params)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] in ("request_invalid", "page_token_invalid")


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"pagesize": "5"}, "query.pagesize: unknown query parameter (did you mean page_size?)"),
        ({"Ref": "main"}, "query.Ref: unknown query parameter (did you mean ref?)"),
        ({"colour": "red"}, "query.colour: unknown query parameter"),
        ({"page_size": "many"}, "query.page_size: must be an integer"),
        ({"page_size": "0"}, "query.page_size: must be greater than or equal to 1"),
    ],
)
def test_a_wrong_parameter_is_told_in_plain_words(client: TestClient, params: dict[str, str], said: str) -> None:
    error = client.get(FILES, params=params).json()["error"]
    assert error["message"] == said
    assert error["problems"] == [dict(zip(("where", "message"), said.split(": "), strict=True))]


def test_a_quarantined_snapshot_is_a_conflict_with_its_reason(client: TestClient, services: FakeServices) -> None:
    services.failure = SnapshotQuarantined("snapshot 12 of shop.orders cannot be read: cut off", snapshot_id="12")
    answer = client.get(FILES, params={"snapshot": "12"})
    assert answer.status_code == 409
    assert answer.json() == {
        "error": {
            "code": "snapshot_quarantined",
            "type": "SnapshotQuarantined",
            "message": "snapshot 12 of shop.orders cannot be read: cut off",
            "snapshot_id": "12",
        }
    }


def test_a_diff_names_both_snapshots(client: TestClient, services: FakeServices) -> None:
    answer = client.get("/api/v1/tables/shop.orders/diff", params={"from": "11", "to": "12", "page_size": 3})
    body = answer.json()
    assert (body["from_snapshot_id"], body["snapshot_id"]) == ("11", "12")
    assert "immutable" in answer.headers["cache-control"]
    rest = client.get(
        "/api/v1/tables/shop.orders/diff",
        params={"from": "11", "to": "12", "page_size": 3, "page_token": body["next_page_token"]},
    ).json()
    assert paths(body["diff"] + rest["diff"]) == ALL
    assert rest["from_snapshot_id"] == "11"


@pytest.mark.parametrize(
    "params", [{}, {"to": "12"}, {"from": "x"}, {"from": "11", "to": "12", "ref": "main"}, {"start": "11"}]
)
def test_a_diff_requires_the_earlier_snapshot(client: TestClient, params: dict[str, str]) -> None:
    assert client.get("/api/v1/tables/shop.orders/diff", params=params).status_code == 400


def test_a_diff_ends_at_the_current_snapshot_by_default(client: TestClient, services: FakeServices) -> None:
    answer = client.get("/api/v1/tables/shop.orders/diff", params={"from": "11"})
    assert answer.json()["snapshot_id"] == "12"
    assert answer.headers["cache-control"] == "no-cache"
