"""A fake server with prepared responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import httpx
import pyarrow as pa

from lakemuster.client import Client
from lakemuster.client.tokens import Token

Answer = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]
URI = "http://lake.test:8181"


class Server(httpx.BaseTransport):
    """A transport that returns prepared responses in order and records the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else answer(request)

    def client(self, token: Token | None = None) -> Client:
        return Client(URI, token, transport=self)

    @property
    def asked(self) -> list[str]:
        return [f"{request.method} {request.url.raw_path.decode()}" for request in self.requests]


def page(key: str, rows: Sequence[object], token: str | None = None, **rest: object) -> httpx.Response:
    return httpx.Response(200, json={key: rows, "next_page_token": token, "stale": None, **rest})


def refusal(status: int, code: str, message: str = "no", **rest: object) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "type": "X", "message": message, **rest}})


def arrow(batches: Sequence[pa.RecordBatch], end: dict[str, str] | None, **headers: str) -> httpx.Response:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
        if end is not None:
            writer.write_batch(batches[0].slice(0, 0), custom_metadata=end)
    return httpx.Response(200, content=sink.getvalue().to_pybytes(), headers=headers)
