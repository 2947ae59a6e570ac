"""The client's requests for a table's history, and its wait while the server indexes."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pyarrow as pa
import pytest

from tests.unit.client.answers import Server, arrow, page

INDEXING = {"snapshots": 9, "indexed": 2, "quarantined": 0}


def not_ready() -> httpx.Response:
    return httpx.Response(202, json=INDEXING, headers={"Retry-After": "1"})


def test_a_timeline_is_asked_with_times_in_words():
    server = Server(page("timeline", [{"start": "2024-05-01T00:00:00.000Z"}]))
    day = datetime(2024, 5, 1, tzinfo=UTC)
    rows = server.client().table("t").timeline(day, "2024-06-01T00:00:00Z", bucket="day", order="asc", ref="audit")
    assert [row["start"] for row in rows] == ["2024-05-01T00:00:00.000Z"]
    asked = dict(server.requests[0].url.params)
    asked.pop("page_size")
    assert server.requests[0].url.path == "/api/v1/tables/t/timeline"
    assert asked == {
        "from": "2024-05-01T00:00:00+00:00",
        "to": "2024-06-01T00:00:00Z",
        "bucket": "day",
        "order": "asc",
        "ref": "audit",
    }


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="start needs a time zone"):
        Server().client().table("t").timeline(datetime(2024, 5, 1))  # noqa: DTZ001 - the refused value


def test_what_is_being_indexed_is_asked_for_again_until_it_is_ready(naps):
    server = Server(not_ready(), not_ready(), page("timeline", [{"reason": None}]))
    rows = server.client().table("t").timeline(index=True)
    assert [row["reason"] for row in rows] == [None]
    assert len(server.requests) == 3
    assert {request.url.params["index"] for request in server.requests} == {"true"}
    assert [nap >= 1 for nap in naps] == [True, True]


def test_a_stream_waits_however_long_indexing_takes(naps):
    row = pa.record_batch({"reason": ["none"]})
    server = Server(*[not_ready() for _ in range(2000)], arrow([row], {"count": "1"}))
    assert server.client().table("t").timeline(index=True).to_arrow().to_pylist() == [{"reason": "none"}]
    assert len(naps) == 2000


def test_an_expiry_is_one_document_and_a_list_of_files(naps):
    server = Server(not_ready(), httpx.Response(200, json={"refused": None}), page("files", [{"file_path": "a"}]))
    table = server.client().table("t")
    chosen = {"older_than": "2024-05-01T00:00:00Z", "retain_last": 3, "cleanup": "library", "index": True}
    assert table.expiry(**chosen) == {"refused": None}
    assert [row["file_path"] for row in table.expired_files(**chosen)] == ["a"]
    assert [request.url.path for request in server.requests] == [
        "/api/v1/tables/t/expiry",
        "/api/v1/tables/t/expiry",
        "/api/v1/tables/t/expiry/files",
    ]
    for request in server.requests:
        asked = dict(request.url.params)
        asked.pop("page_size", None)
        assert asked == {
            "older_than": "2024-05-01T00:00:00Z",
            "retain_last": "3",
            "cleanup": "library",
            "index": "true",
        }
