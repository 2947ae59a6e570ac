"""Slots limit concurrency in total and per owner, are granted fairly, and every wait is bounded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from lakemuster.api import slots
from lakemuster.api.slots import ConcurrencyLimit, Slots
from lakemuster.errors import Overloaded

LONG = 30.0


async def settled() -> None:
    """Run all tasks until each of them waits."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_slots_are_limited_in_total_and_granted_in_order() -> None:
    async def run() -> list[int]:
        held, order = Slots(2, 2, 10, LONG), list[int]()

        async def one(number: int) -> None:
            await held.acquire("a")
            order.append(number)

        tasks = [asyncio.create_task(one(number)) for number in range(4)]
        await settled()
        assert (order, held.taken, held.waiting) == ([0, 1], 2, 2)
        for _ in range(4):
            held.release("a")
            await settled()
        await asyncio.gather(*tasks)
        assert (held.taken, held.waiting) == (0, 0)
        return order

    assert asyncio.run(run()) == [0, 1, 2, 3]


def test_an_owner_at_its_limit_waits_and_others_do_not() -> None:
    async def run() -> None:
        held, order = Slots(3, 2, 10, LONG), list[str]()

        async def one(owner: str) -> None:
            await held.acquire(owner)
            order.append(owner)

        tasks = [asyncio.create_task(one(owner)) for owner in "aaaab"]
        await settled()
        assert order == ["a", "a", "b"]
        held.release("b")
        await settled()
        assert order == ["a", "a", "b"], "a has used its share"
        held.release("a")
        await settled()
        assert order == ["a", "a", "b", "a"]
        held.release("a")
        held.release("a")
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_a_wait_for_a_slot_times_out() -> None:
    async def run() -> None:
        held = Slots(1, 1, 10, 0.01)
        await held.acquire("a")
        with pytest.raises(Overloaded):
            await held.acquire("b")
        assert (held.taken, held.waiting) == (1, 0)
        held.release("a")
        await held.acquire("b")

    asyncio.run(run())


def test_the_queue_has_a_limit() -> None:
    async def run() -> None:
        held = Slots(1, 1, 1, LONG)
        await held.acquire("a")
        waiting = asyncio.create_task(held.acquire("b"))
        await settled()
        with pytest.raises(Overloaded):
            await held.acquire("c")
        held.release("a")
        await waiting

    asyncio.run(run())


def test_a_request_cancelled_while_waiting_releases_everything() -> None:
    async def run() -> None:
        held = Slots(1, 1, 10, LONG)
        await held.acquire("a")
        waiting = asyncio.create_task(held.acquire("b"))
        granted = asyncio.create_task(held.acquire("c"))
        await settled()
        waiting.cancel()
        await settled()
        held.release("a")
        granted.cancel()  # just after its slot was granted
        await asyncio.gather(waiting, granted, return_exceptions=True)
        assert (held.taken, held.waiting) == (0, 0)

    asyncio.run(run())


class App:
    """An app that sends the response's start, and the body once ``go_on`` is set."""

    def __init__(self) -> None:
        self.started = 0
        self.go_on = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.started += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.go_on.wait()
        await send({"type": "http.response.body", "body": b""})


async def asked(app: Any, accept: bytes = b"*/*", owner: str = "a", **scope: Any) -> int:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    headers = [(b"accept", accept)]
    await app(
        {"type": "http", "method": "GET", "path": "/api", "headers": headers, "state": {"owner": owner}, **scope},
        receive,
        send,
    )
    return int(sent[0]["status"])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "REQUESTS", 1)
    monkeypatch.setattr(slots, "STREAMS_PER_CALLER", 4)
    monkeypatch.setattr(slots, "WAIT_SECONDS", 0.02)


@pytest.mark.usefixtures("small")
def test_a_response_being_sent_holds_no_slot() -> None:
    async def run() -> None:
        app = App()
        limited = ConcurrencyLimit(app, 1)
        sending = [asyncio.create_task(asked(limited)) for _ in range(50)]
        await settled()
        await settled()
        assert app.started == 50
        app.go_on.set()
        assert {await one for one in sending} == {200}

    asyncio.run(run())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("workers", "share"), [(1, 4), (2, 2), (9, 1)])
@pytest.mark.parametrize(
    "accept", [b"application/x-ndjson", b"application/vnd.apache.arrow.stream, */*;q=0.1", b"text/csv"]
)
def test_streams_are_limited_per_caller(workers: int, share: int, accept: bytes) -> None:
    async def run() -> None:
        app = App()
        limited = ConcurrencyLimit(app, workers)
        streams = [asyncio.create_task(asked(limited, accept)) for _ in range(share)]
        await settled()
        assert app.started == share
        assert await asked(limited, accept) == 503
        lists = asyncio.create_task(asked(limited))
        others = asyncio.create_task(asked(limited, accept, "b"))
        await settled()
        assert app.started == share + 2
        app.go_on.set()
        assert {await one for one in (*streams, lists, others)} == {200}
        assert await asked(limited, accept) == 200

    asyncio.run(run())


@pytest.mark.usefixtures("small")
def test_a_request_that_waited_too_long_gets_503_and_health_is_not_delayed() -> None:
    async def run() -> None:
        entered, leave = asyncio.Event(), asyncio.Event()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] == "/api":
                entered.set()
                await leave.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        limited = ConcurrencyLimit(app, 1)
        first = asyncio.create_task(asked(limited))
        await entered.wait()
        assert await asked(limited, owner="b") == 503
        assert await asked(limited, path="/healthz") == 200
        leave.set()
        assert await first == 200

    asyncio.run(run())


@pytest.mark.usefixtures("small")
def test_a_client_that_disconnected_while_waiting_costs_no_work() -> None:
    class Gone:
        peer, is_gone = "x", True

    async def run() -> None:
        app = App()
        limited = ConcurrencyLimit(app, 1)
        with pytest.raises(ClientDisconnect):
            await asked(limited, extensions={"lakemuster.connection": Gone()})
        assert app.started == 0
        app.go_on.set()
        assert await asked(limited) == 200

    asyncio.run(run())
