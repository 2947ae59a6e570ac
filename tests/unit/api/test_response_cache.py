"""The response cache answers equal requests only, while the tables that the response depends on are unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lakemuster.api.response_cache import MAX_ANSWER_BYTES, ResponseCache, cache_until_changed
from lakemuster.caching import MEMORY
from lakemuster.index.tables import TableRecord
from tests.caches import memory_limit

WHERE = "/api/v1/tables/a"
RECORD: Any = object()


class Server:
    """A server whose responses are numbered."""

    def __init__(self) -> None:
        self.answered = 0
        self.stands = True
        self.asked: list[TableRecord] = []
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST", "DELETE"])])
        app.add_middleware(ResponseCache, is_current=self._still_so)

        async def edge(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("state", {})
            await app(scope, receive, send)

        self.http = TestClient(edge)

    async def _still_so(self, table: TableRecord) -> bool:
        self.asked.append(table)
        return self.stands

    async def _answer(self, request: Request) -> Response:
        self.answered += 1
        body = await request.body()
        if request.query_params.get("follows") != "no":
            cache_until_changed(request, RECORD)
        text = f"{self.answered} {body.decode()}".encode() + b"x" * int(request.query_params.get("more", 0))
        if request.query_params.get("stream"):

            async def parts() -> Any:
                yield text

            return StreamingResponse(parts())
        return Response(text, int(request.query_params.get("status", 200)), {"X-Number": str(self.answered)})

    def ask(
        self, path: str = WHERE, method: str = "POST", body: str = "q", headers: Mapping[str, str] | None = None
    ) -> int:
        answer = self.http.request(
            method, path, content=body if method == "POST" else None, headers=dict(headers or {})
        )
        number, _, rest = answer.text.partition(" ")
        assert rest.rstrip("x") == (body if method == "POST" else "")
        assert answer.headers.get("x-number", number) == number
        return int(number)


def test_a_response_is_cached_at_the_second_request_until_its_table_changes() -> None:
    server = Server()
    assert [server.ask() for _ in range(4)] == [1, 2, 2, 2]
    assert server.asked == [RECORD, RECORD]
    server.stands = False
    assert server.ask() == 3
    server.stands = True
    assert [server.ask(), server.answered] == [3, 3]


@pytest.mark.parametrize(
    "other",
    [
        {"body": "r"},
        {"path": WHERE + "b"},
        {"path": WHERE + "?a=1"},
        {"method": "GET"},
        {"headers": {"Accept": "application/x-ndjson"}},
        {"headers": {"If-None-Match": '"a"'}},
        {"headers": {"User-Agent": "PyIceberg/0.12"}},
        {"headers": {"X-Anything": "else"}},
    ],
)
def test_another_request_has_its_own_response(other: dict[str, Any]) -> None:
    server = Server()
    assert [server.ask(), server.ask(), server.ask(**other), server.ask(**other)] == [1, 2, 3, 4]
    assert [server.ask(), server.ask(**other)] == [2, 4]


def test_headers_that_no_response_depends_on_are_not_in_the_key() -> None:
    server = Server()
    assert [server.ask(headers={"X-Request-Id": text}) for text in "abc"] == [1, 2, 2]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (WHERE + "?follows=no", "POST"),
        (WHERE + "?status=404", "POST"),
        (WHERE + "?stream=1", "POST"),
        (WHERE, "DELETE"),
        ("/readyz", "GET"),
        (WHERE + f"?more={MAX_ANSWER_BYTES}", "POST"),
    ],
)
def test_responses_that_must_not_be_reused_are_not_cached(path: str, method: str) -> None:
    server = Server()
    assert [server.ask(path, method) for _ in range(4)] == [1, 2, 3, 4]


def test_responses_are_cached_within_the_budget() -> None:
    server = Server()
    with memory_limit(20_000):
        for number in range(100):
            for _ in range(2):
                server.ask(body=f"{number}" + "?" * 900)
            assert MEMORY.bytes <= 20_000
        assert server.answered == 200
        server.ask(body="99" + "?" * 900)
        assert server.answered == 200


def test_a_response_evicted_during_its_lookup_is_still_sent() -> None:
    """While one request checks whether the response is current, another request may find that it is not."""
    sent: list[list[Any]] = []

    async def ask(app: ResponseCache) -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": b"q", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        messages: list[Any] = []
        sent.append(messages)
        scope = {"type": "http", "method": "POST", "path": WHERE, "query_string": b"", "headers": [], "state": {}}
        await app(scope, receive, send)

    async def run() -> None:
        looked, verdicts = asyncio.Event(), iter([True, False])

        async def answer(scope: Any, _: Any, send: Any) -> None:
            number = len(sent)
            scope["state"]["cache_until_changed"] = RECORD if number <= 2 else None
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"%d" % number})

        async def is_current(_: Any) -> bool:
            verdict = next(verdicts)
            if verdict:
                await looked.wait()
            return verdict

        app = ResponseCache(answer, is_current)
        await ask(app)
        await ask(app)
        slow = asyncio.create_task(ask(app))
        await asyncio.sleep(0)
        await ask(app)
        looked.set()
        await slow

    asyncio.run(run())
    assert [messages[-1]["body"] for messages in sent] == [b"1", b"2", b"2", b"4"]
