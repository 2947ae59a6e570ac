"""The client's events: messages, connections that break, pages."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import httpx
import pytest

from lakemuster.client import AnswerIncomplete, ClientError
from lakemuster.client.events import lines, messages
from tests.unit.client.answers import Server

EVENTS = {"Content-Type": "text/event-stream"}


def event(number: int) -> dict[str, str]:
    return {"id": str(number), "type": "table.committed"}


def stream(*numbers: int, start: int = 0) -> httpx.Response:
    told = [f"id: {number}\nevent: table.committed\ndata: {json.dumps(event(number))}\n\n" for number in numbers]
    body = f"retry: 1000\nid: {start}\n\n: keep-alive\n\n" + "".join(told)
    return httpx.Response(200, text=body, headers=EVENTS)


def test_messages_are_read_as_the_standard_says() -> None:
    lines = [
        "retry: 5",
        "id: 3",
        "",
        ": keep-alive",
        "",
        "event:x",
        "id:4",
        "data:a",
        "data: b",
        "",
        "data: c",
        "",
        "data: cut",
    ]
    assert list(messages(lines)) == [("3", ""), ("4", "a\nb"), (None, "c")]


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_an_event_may_contain_separators_of_lines(separator: str) -> None:
    told = json.dumps({"id": "1", "table": f"a{separator}b"}, ensure_ascii=False)
    server = Server(httpx.Response(200, text=f"id: 1\r\ndata: {told}\r\n\r\n", headers=EVENTS))
    with server.client() as client:
        assert next(client.events())["table"] == f"a{separator}b"


def test_lines_arrive_in_parts() -> None:
    assert list(lines(["a", "b\nc\r", "\n", "\n", "d"])) == ["ab", "c", ""]


def test_a_broken_stream_goes_on_after_the_last_event(naps: list[float]) -> None:
    server = Server(stream(1, 2), httpx.ConnectError("down"), stream(3), stream(start=9), stream(10))
    with server.client() as client:
        found = list(islice(client.events(types=["table.committed"], namespace="shop"), 4))
    assert [one["id"] for one in found] == ["1", "2", "3", "10"]
    positions = [request.url.params.get("after") for request in server.requests]
    assert positions == [None, "2", "2", "3", "9"]
    assert {request.url.params["type"] for request in server.requests} == {"table.committed"}
    assert {request.headers["accept"] for request in server.requests} == {"text/event-stream"}


def test_a_stream_that_has_told_nothing_goes_on_where_it_began(naps: list[float]) -> None:
    server = Server(stream(start=7), stream(8))
    with server.client() as client:
        assert next(client.events())["id"] == "8"
    assert server.requests[1].url.params["after"] == "7"


def test_a_refusal_ends_the_iterator(naps: list[float]) -> None:
    refusal = httpx.Response(401, json={"error": {"code": "not_authenticated", "message": "no"}})
    with Server(stream(1), refusal).client() as client:
        events = client.events()
        next(events)
        with pytest.raises(ClientError, match="no"):
            next(events)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, html="<h1>hello</h1>"),
        httpx.Response(200, text="data: <h1>\n\n", headers=EVENTS),
        httpx.Response(200, text="data: 5\n\n", headers=EVENTS),
        httpx.Response(200, text="data: x\n" * 20, headers=EVENTS),
        httpx.Response(200, text="data: " + "x" * 20, headers=EVENTS),
    ],
    ids=["page", "text", "number", "many lines", "long line"],
)
def test_what_is_no_event_ends_the_iterator(answer: httpx.Response, naps: list[float], monkeypatch: Any) -> None:
    monkeypatch.setattr("lakemuster.client.events.MAX_EVENT_CHARACTERS", 12)
    with Server(answer).client() as client, pytest.raises(AnswerIncomplete):
        next(client.events())
    assert naps == []


def test_a_request_that_cannot_be_sent_ends_the_iterator(naps: list[float]) -> None:
    with Server().client() as client, pytest.raises(ClientError, match="not Unicode"):
        next(client.events(namespace="\udcff"))
    assert naps == []


def test_one_type_may_be_a_string() -> None:
    server = Server(stream(1))
    with server.client() as client:
        next(client.events(types="table.committed"))
    assert server.requests[0].url.params["type"] == "table.committed"


def test_a_page_tells_that_events_are_gone() -> None:
    answer = {"events": [], "last_event_id": "9", "more": True, "lost": True}
    with Server(httpx.Response(200, json=answer)).client() as client:
        page = client.event_page(4)
    assert (page.lost, *page) == (True, [], "9", True)


def test_pages_are_asked_for_one_by_one() -> None:
    answer = {"events": [event(5)], "last_event_id": "6", "more": False, "lost": False}
    server = Server(httpx.Response(200, json=answer))
    with server.client() as client:
        page = client.event_page(4, table="shop.t")
    assert (page.lost, *page) == (False, [event(5)], "6", False)
    assert server.asked == ["GET /api/v1/events?table=shop.t&after=4"]
    assert server.requests[0].headers["accept"] == "application/json"
