"""A plan is requested once and read page by page; an incomplete plan is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow as pa
import pytest

from lakemuster.client import AnswerIncomplete, ClientError, Plan
from tests.unit.client.answers import Server, arrow, refusal

COUNTS = {"manifests": 1, "manifests_kept": 1, "entries": 2, "files": 2, "records": 9, "bytes": 9}
ABOUT = {"snapshot_id": "7", "applied": ["a > 1"], "not_applied": [], "counts": COUNTS, "stale": None}
SCHEMA = pa.schema(
    [
        ("content", pa.string()),
        ("file_path", pa.string()),
        ("deletes", pa.list_(pa.int64())),
        ("residual", pa.string()),
    ]
)


def page(files: list[Any], deletes: list[Any], token: str | None = None, **changes: object) -> httpx.Response:
    return httpx.Response(
        200, json={**ABOUT, "files": files, "deletes": deletes, "next_page_token": token, "stale": None, **changes}
    )


def file(path: str, *deletes: int) -> dict[str, Any]:
    return {"file_path": path, "content": "data", "deletes": list(deletes), "residual": None}


def vector(path: str, offset: int) -> dict[str, Any]:
    return {"file_path": path, "content": "position-deletes", "content_offset": offset}


def plan(server: Server, where: Any = "a > 1", **rest: Any) -> Plan:
    return server.client().table("shop.orders").plan(where, **rest)


def bodies(server: Server) -> list[dict[str, Any]]:
    return [json.loads(request.content) for request in server.requests]


def test_a_plan_knows_the_whole_after_one_request():
    server = Server(page([file("p")], [], "t1", stale="old"))
    found = plan(server)
    assert (found.snapshot_id, found.applied, found.counts, found.stale) == (7, ["a > 1"], COUNTS, "old")
    assert server.asked == ["POST /api/v1/tables/shop.orders/plan"]
    assert bodies(server) == [{"filter": "a > 1", "page_size": 1000}]


def test_files_of_all_pages_share_one_numbering_of_deletes():
    vectors = [vector("v.puffin", 4), vector("v.puffin", 90)]
    server = Server(page([file("p", 0), file("q", 0, 1)], vectors, "t1"), page([file("r", 0)], vectors[1:]))
    found = plan(server)
    assert found.paths == ["p", "q", "r"]
    assert [row["deletes"] for row in found.files] == [[0], [0, 1], [1]]
    assert found.deletes == vectors
    assert bodies(server)[1] == {"filter": "a > 1", "page_size": 1000, "page_token": "t1"}


def test_every_argument_reaches_the_server():
    server = Server(page([], []), page([], []))
    expression = {"type": "eq", "term": "a", "value": 1}
    plan(server, expression, select=["a"], limit=5, strict=True, stats="*", case_sensitive=False, ref="r", page_size=3)
    plan(server, None, start_snapshot_id=1, end_snapshot_id="2")
    assert bodies(server) == [
        {
            "filter": expression,
            "select": ["a"],
            "limit": 5,
            "strict": True,
            "stats": ["*"],
            "case_sensitive": False,
            "ref": "r",
            "page_size": 3,
        },
        {"start_snapshot_id": "1", "end_snapshot_id": "2", "page_size": 1000},
    ]


def test_a_question_is_repeated_when_the_server_is_busy(naps):
    server = Server(httpx.ConnectError("refused"), refusal(503, "overloaded"), page([file("p")], []))
    assert plan(server).paths == ["p"]
    assert len(naps) == 2


def test_a_refused_filter_raises_when_the_plan_is_made():
    with pytest.raises(ClientError, match="not found") as caught:
        plan(Server(refusal(400, "filter_invalid", "column 'b' not found")))
    assert caught.value.code == "filter_invalid"


@pytest.mark.parametrize(
    "second",
    [
        page([], [], snapshot_id="8"),
        page([], [], "t1"),
        httpx.Response(200, json={"error": "none"}),
        httpx.Response(200, json=[]),
    ],
)
def test_pages_that_do_not_belong_together_are_no_plan(second: httpx.Response):
    found = plan(Server(page([file("p")], [], "t1"), second))
    with pytest.raises(AnswerIncomplete):
        _ = found.files


def table(*rows: tuple[str, str, list[int] | None]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{"content": c, "file_path": p, "deletes": d, "residual": None} for c, p, d in rows], schema=SCHEMA
    )


@pytest.mark.parametrize("rest", [{}, {"snapshot_id": "x"}])
def test_a_plan_of_another_service_is_told(rest: dict[str, Any]):
    with pytest.raises(AnswerIncomplete, match="a plan that lacks fields"):
        Server(httpx.Response(200, json={"files": [], **rest})).client().table("t").plan()


def test_arrow_parts_data_files_from_delete_files():
    batches = [table(("position-deletes", "x", None), ("data", "p", [0])), table(("data", "q", []))]
    server = Server(page([], []), arrow(batches, {"count": "3", "snapshot_id": "7"}))
    found = plan(server, as_of="2024-05-01T00:00:00Z")
    assert found.to_arrow().select(["file_path", "deletes"]).to_pylist() == [
        {"file_path": "p", "deletes": [0]},
        {"file_path": "q", "deletes": []},
    ]
    assert found.deletes_to_arrow().to_pylist() == [{"content": "position-deletes", "file_path": "x"}]
    assert server.requests[1].headers["accept"] == "application/vnd.apache.arrow.stream"
    assert bodies(server)[1] == {"filter": "a > 1", "snapshot_id": "7"}


@pytest.mark.parametrize(
    ("rest", "pinned"),
    [
        ({}, {"snapshot_id": "7"}),
        ({"snapshot_id": 7}, {"snapshot_id": "7"}),
        ({"ref": "audit"}, {"ref": "audit"}),
        ({"start_snapshot_id": 5}, {"start_snapshot_id": "5", "end_snapshot_id": "7"}),
    ],
)
def test_arrow_is_of_the_snapshot_that_was_planned(rest: dict[str, Any], pinned: dict[str, Any]):
    server = Server(page([], []), arrow([table()], {"count": "0", "snapshot_id": "7"}))
    assert plan(server, None, **rest).to_arrow().num_rows == 0
    assert bodies(server)[1] == pinned


@pytest.mark.parametrize("end", [None, {"count": "2", "snapshot_id": "7"}, {"count": "1", "snapshot_id": "8"}])
def test_a_stream_that_is_cut_short_or_of_another_snapshot_is_no_plan(end: dict[str, str] | None):
    found = plan(Server(page([], []), arrow([table(("data", "p", []))], end)))
    with pytest.raises(AnswerIncomplete):
        found.to_arrow()


def cut_off(request: httpx.Request) -> httpx.Response:
    def parts() -> Iterator[bytes]:
        yield arrow([table(("data", "p", []))], None).content[:200]
        raise httpx.RemoteProtocolError("peer closed connection")

    return httpx.Response(200, content=parts())


def test_a_stream_whose_connection_breaks_is_asked_for_again(naps):
    whole = arrow([table(("data", "p", []))], {"count": "1", "snapshot_id": "7"})
    server = Server(page([], []), cut_off, refusal(503, "overloaded"), cut_off, whole)
    assert plan(server).to_arrow().column("file_path").to_pylist() == ["p"]
    assert len(naps) == 3
    assert bodies(server)[1] == bodies(server)[4] == {"filter": "a > 1", "snapshot_id": "7"}


def test_a_stream_whose_connection_always_breaks_is_no_plan(naps):
    found = plan(Server(page([], []), *[cut_off] * 5))
    with pytest.raises(AnswerIncomplete, match="was cut off: peer closed connection"):
        found.to_arrow()
    assert len(naps) == 4


def test_an_explanation_is_as_the_server_words_it():
    server = Server(httpx.Response(200, json={"funnel": []}))
    explained = server.client().table("t").explain("a > 1", ["p"], snapshot_id=7)
    assert explained == {"funnel": []}
    assert server.asked == ["POST /api/v1/tables/t/explain"]
    assert bodies(server) == [{"filter": "a > 1", "files": ["p"], "snapshot_id": "7"}]


def test_files_take_a_filter_and_tell_what_it_could_not_do():
    idle = {"filter": "length(b) > 2", "reason": "why"}
    answer = {"files": [{"n": 1}], "next_page_token": None, "stale": None, "snapshot_id": "7", "not_applied": [idle]}
    server = Server(httpx.Response(200, json=answer), httpx.Response(200, json=answer))
    for where, text in (("a > 1", "a > 1"), ({"type": "true"}, '{"type": "true"}')):
        rows = server.client().table("t").files(where=where)
        assert list(rows) == [{"n": 1}]
        assert rows.not_applied == [idle]
        assert dict(server.requests[-1].url.params)["filter"] == text


@pytest.mark.parametrize(
    ("ask", "argument"),
    [
        (lambda table: table.plan(snapshot=1), "snapshot"),
        (lambda table: table.plan(filter="a > 1"), "filter"),
        (lambda table: table.explain(scan_mode="delta"), "scan_mode"),
        (lambda table: table.statistics(["count"], snapshot=1), "snapshot"),
        (lambda table: table.files(snapshot=1), "snapshot"),
        (lambda table: table.partitions(filter="a > 1"), "filter"),
        (lambda table: table.manifests(reff="main"), "reff"),
        (lambda table: table.stats(filter="a > 1"), "filter"),
        (lambda table: table.columns(snapshot=1), "snapshot"),
        (lambda table: table.diff(1, snapshot=1), "snapshot"),
    ],
)
def test_an_unknown_argument_is_an_error_before_any_request(ask: Any, argument: str) -> None:
    server = Server()
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{argument}'"):
        list(ask(server.client().table("shop.orders")))
    assert server.requests == []
