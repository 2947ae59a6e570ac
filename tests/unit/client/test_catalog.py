"""The requests of the client's methods, and the values that they return."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.unit.client.answers import Server, page

TABLE = {
    "name": "shop.orders",
    "format": "iceberg",
    "location": "s3://lake/orders",
    "current_snapshot_id": "9007199254740993",
}
SNAPSHOT = {
    "snapshot_id": "9007199254740993",
    "parent_id": None,
    "sequence_number": 3,
    "committed_at": "2024-05-01T12:00:00.250Z",
    "operation": "append",
    "schema_id": "0",
    "summary": {"added-files": "1"},
    "state": "published",
    "error": None,
    "branch": "main",
}


def test_tables_are_typed_and_keep_the_servers_words():
    (table,) = Server(page("tables", [{**TABLE, "later": 1}])).client().tables()
    assert (table.name, table.format, table.location) == ("shop.orders", "iceberg", "s3://lake/orders")
    assert table.current_snapshot_id == 9007199254740993
    assert table.row["later"] == 1


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("shop.orders", "/api/v1/tables/shop.orders"),
        ("`a.b`.c", "/api/v1/tables/%60a.b%60.c"),
        ("shop.größe", "/api/v1/tables/shop.gr%C3%B6%C3%9Fe"),
        ("a?b#c%d", "/api/v1/tables/a%3Fb%23c%25d"),
        ("`..`.b", "/api/v1/tables/%60..%60.b"),
    ],
)
def test_a_name_is_one_segment_of_the_path(name, path):
    server = Server(httpx.Response(200, json=TABLE))
    server.client().table(name).info()
    assert server.requests[0].url.raw_path.decode() == path


def test_snapshots_are_typed():
    (snapshot,) = Server(page("snapshots", [SNAPSHOT])).client().table("t").snapshots()
    assert snapshot.snapshot_id == 9007199254740993
    assert snapshot.committed_at == datetime(2024, 5, 1, 12, 0, 0, 250000, UTC)
    assert (snapshot.parent_id, snapshot.schema_id, snapshot.state) == (None, 0, "published")


def test_a_time_that_python_cannot_count_is_none():
    far = {**SNAPSHOT, "committed_at": "+12345-01-01T00:00:00.000Z"}
    (snapshot,) = Server(page("snapshots", [far])).client().table("t").snapshots()
    assert snapshot.committed_at is None
    assert snapshot.row["committed_at"] == "+12345-01-01T00:00:00.000Z"


def test_one_snapshot_is_asked_for_by_its_id():
    server = Server(httpx.Response(200, json=SNAPSHOT))
    assert server.client().table("t").snapshot(9007199254740993).operation == "append"
    assert server.asked == ["GET /api/v1/tables/t/snapshots/9007199254740993"]


def test_refs_are_typed():
    row = {"name": "v1", "type": "tag", "snapshot_id": "4", "branch": "main"}
    (ref,) = Server(page("refs", [row])).client().table("t").refs()
    assert (ref.name, ref.type, ref.snapshot_id, ref.branch) == ("v1", "tag", 4, "main")


def test_fields_that_are_left_out_are_none():
    server = Server(page("snapshots", [{"snapshot_id": "4"}, {"state": "known"}]), page("refs", [{"name": "v1"}]))
    table = server.client().table("t")
    first, second = table.snapshots(fields=["snapshot_id"])
    assert (first.snapshot_id, first.committed_at, first.state) == (4, None, None)
    assert (second.snapshot_id, second.state, second.row) == (None, "known", {"state": "known"})
    (ref,) = table.refs(fields="name")
    assert (ref.name, ref.type, ref.snapshot_id, ref.branch) == ("v1", None, None, None)


@pytest.mark.parametrize(
    "kind", ["snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes"]
)
def test_each_list_takes_a_choice_of_snapshot(kind):
    server = Server(page(kind, []), page(kind, []), page(kind, []))
    table = server.client().table("t")
    moment = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    for choice in ({"snapshot_id": 1}, {"ref": "audit"}, {"as_of": moment}):
        list(getattr(table, kind)(**choice))
    chosen = [{k: v for k, v in request.url.params.items() if k != "page_size"} for request in server.requests]
    assert chosen == [{"snapshot": "1"}, {"ref": "audit"}, {"as_of": "2024-05-01T12:00:00+02:00"}]


@pytest.mark.parametrize("name", ["a,b", " a", "a "])
def test_a_name_that_the_server_would_read_as_others_is_refused(name):
    table = Server().client().table("t")
    for ask in (
        lambda: table.files(stats=["id", name]), lambda: table.files(fields=[name]), lambda: table.columns([name]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="cannot be in a list"):
            ask()


def test_an_offset_with_seconds_is_sent_in_utc():
    server = Server(page("files", []))
    list(server.client().table("t").files(as_of=datetime(1890, 1, 1, tzinfo=ZoneInfo("Europe/Berlin"))))
    assert server.requests[0].url.params["as_of"] == "1889-12-31T23:06:32+00:00"


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        Server().client().table("t").files(as_of=datetime(2024, 5, 1))  # noqa: DTZ001


@pytest.mark.parametrize(("to", "params"), [(2, {"from": "1", "to": "2"}), (None, {"from": "1"})])
def test_a_difference_names_both_ends(to, params):
    server = Server(page("diff", []))
    list(server.client().table("t").diff(1, to))
    assert dict(server.requests[0].url.params) == {**params, "page_size": "1000"}


def test_entries_of_one_manifest():
    server = Server(page("entries", []))
    list(server.client().table("t").entries(manifest="m0.avro"))
    assert server.requests[0].url.params["manifest"] == "m0.avro"


def test_registering_sends_what_is_known():
    server = Server(httpx.Response(201, json=TABLE), httpx.Response(201, json=TABLE))
    client = server.client()
    client.add("shop.orders", "s3://lake/orders")
    client.add("shop.orders", "s3://lake/orders", "iceberg", {"hdfs://old": "s3://lake"})
    bodies = [json.loads(request.content) for request in server.requests]
    assert bodies[0] == {"name": "shop.orders", "location": "s3://lake/orders"}
    assert bodies[1]["format"] == "iceberg"
    assert bodies[1]["rewrite"] == [{"old": "hdfs://old", "new": "s3://lake"}]


def test_removing_needs_no_answer():
    server = Server(httpx.Response(204))
    server.client().remove("shop.orders")
    assert server.asked == ["DELETE /api/v1/tables/shop.orders"]


def test_a_refresh_reports():
    report = {
        "table": "t",
        "published": ["1", "2"],
        "quarantined": [{"snapshot_id": "3", "reason": "object missing"}],
        "lists_fetched": 3,
        "manifests_fetched": 4,
        "entries_decoded": 50,
        "seconds": 0.5,
    }
    server = Server(httpx.Response(200, json=report))
    found = server.client().refresh("t")
    assert (found.published, found.quarantined) == ((1, 2), ((3, "object missing"),))
    assert (found.manifests_fetched, found.entries_decoded, found.seconds) == (4, 50, 0.5)
    assert server.asked == ["POST /api/v1/tables/t/refresh"]
