"""Events of a server: replay after a restart, rights, a thousand clients, refused requests."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lakemuster.api.identity.tokens import token_entry
from lakemuster.demo import unpack
from tests.journey.servers import Running, served, stop
from tests.polling import until

EVENTS = "/api/v1/events"
CLIENTS = 1000


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake") / "lake"
    unpack(folder)
    return folder


def settings(folder: Path, lake: Path) -> dict[str, str]:
    """Return the settings of a server with an operator, and a caller with rights on the namespace ``shop``."""
    tokens = folder / "tokens.toml"
    folder.mkdir(exist_ok=True)
    tokens.write_text(
        token_entry("operator", "operator", "admin") + "\n" + token_entry("shop", "shop", "read", ["shop"])
    )
    return {"ROOTS": str(lake), "TOKENS": str(tokens), "MAX_STALENESS": "3600"}


def of(token: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", **headers}


def add(server: Running, lake: Path, name: str) -> None:
    body = {"name": name, "location": f"{lake}/web.db/events"}
    assert server.http.post("/api/v1/tables", json=body, headers=of("operator")).status_code == 201


def read(server: Running, token: str, number: int, last: str | None = None, **params: str) -> list[dict[str, Any]]:
    """Read ``number`` events of a stream, then close the connection."""
    headers = of(token) if last is None else of(token, **{"Last-Event-ID": last})
    found: list[dict[str, Any]] = []
    with server.http.stream("GET", EVENTS, headers=headers, params=params, timeout=60) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        for line in response.iter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
            if len(found) == number:
                return found
    raise AssertionError(f"the stream ended after {found}")


def page(server: Running, token: str, **params: str) -> dict[str, Any]:
    answer = server.http.get(EVENTS, params=params, headers=of(token, Accept="application/json"))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def subjects(found: list[dict[str, Any]]) -> list[str]:
    return [event["subject"] for event in found]


def test_streams_and_pages_go_on_where_they_ended_over_a_restart(tmp_path: Path, lake: Path) -> None:
    named = settings(tmp_path / "server", lake)
    with served(tmp_path / "server", **named) as server:
        for name in ("shop.a", "web.a", "shop.b"):
            add(server, lake, name)
        assert subjects(read(server, "operator", 3, "0")) == ["shop.a", "web.a", "shop.b"]
        first = read(server, "operator", 1, "0")[0]
        assert {key: first[key] for key in ("specversion", "id", "source", "type")} == {
            "specversion": "1.0",
            "id": "1",
            "source": EVENTS,
            "type": "table.registered",
        }
        assert first["data"] == {"table": "shop.a", "namespace": "shop", "format": "iceberg"}
        stop(server)
    with served(tmp_path / "server", **named) as server:
        add(server, lake, "shop.c")
        assert server.http.delete("/api/v1/tables/shop.a", headers=of("operator")).status_code == 204
        assert subjects(read(server, "operator", 4, "1")) == ["web.a", "shop.b", "shop.c", "shop.a"]
        # Rights follow the table's name, also for a removed table.
        assert subjects(read(server, "shop", 4, "0")) == ["shop.a", "shop.b", "shop.c", "shop.a"]
        assert subjects(read(server, "operator", 1, "0", type="table.removed")) == ["shop.a"]
        assert subjects(read(server, "operator", 1, "0", namespace="web")) == ["web.a"]
        assert subjects(read(server, "operator", 1, "1", table="shop.b")) == ["shop.b"]
        lost, *rest = read(server, "operator", 1, "99")
        assert (lost["type"], lost["subject"], lost["data"]["resumed_after"]) == ("events.lost", None, "0")
        assert rest == []
        start = page(server, "shop", page_size="2")
        assert (subjects(start["events"]), start["more"], start["lost"]) == (["shop.a", "shop.b"], True, False)
        end = page(server, "shop", after=start["last_event_id"])
        assert (subjects(end["events"]), end["more"], end["last_event_id"]) == (["shop.c", "shop.a"], False, "5")
        assert page(server, "shop", after="5")["events"] == []
        for params in ({"type": "table.nope"}, {"after": "x"}, {"table": "a..b"}, {"unknown": "1"}):
            assert server.http.get(EVENTS, params=params, headers=of("shop")).status_code == 400
        assert server.http.get(EVENTS, headers={}).status_code == 401


def test_a_stream_ends_with_its_token(tmp_path: Path, lake: Path) -> None:
    named = settings(tmp_path / "server", lake)
    with (
        served(tmp_path / "server", **named) as server,
        server.http.stream("GET", EVENTS, headers=of("shop"), timeout=60) as response,
    ):
        lines = response.iter_lines()
        assert next(lines).startswith("retry: ")
        Path(named["TOKENS"]).write_text(token_entry("operator", "operator", "admin"))
        until(lambda: server.http.get("/api/v1/tables", headers=of("shop")).status_code == 401)
        add(server, lake, "shop.a")
        assert [line for line in lines if line.startswith("data: ")] == []


@pytest.fixture
def many_files() -> Iterator[None]:
    """A limit of open files for a thousand clients and the server's side of their connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def memory(server: Running) -> dict[str, int]:
    """Return the resident memory in kB, and the number of threads."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return {name: int(values[name].split()[0]) for name in ("VmRSS", "Threads")}


def slots(server: Running) -> set[str]:
    lines = server.http.get("/metrics").text.splitlines()
    return {line for line in lines if line.startswith("lakemuster_slots{") and not line.endswith(" 0.0")}


@pytest.mark.usefixtures("many_files")
def test_a_thousand_clients_get_each_event_and_hold_neither_slot_nor_thread(tmp_path: Path, lake: Path) -> None:
    with served(tmp_path / "server", ROOTS=str(lake), MAX_STALENESS="3600") as server:
        port = httpx.URL(server.uri).port

        async def client(started: asyncio.Semaphore) -> str:
            """Return the data of the first event."""
            async with started:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(f"GET {EVENTS} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                while not (line := await reader.readline()).startswith(b"retry"):
                    assert line
                opened.append(1)
                if len(opened) == CLIENTS:
                    all_open.set()
            while not (line := await reader.readline()).startswith(b"data: "):
                assert line
            writer.close()
            return str(json.loads(line[6:])["subject"])

        opened: list[int] = []
        all_open = asyncio.Event()
        before = memory(server)

        async def run() -> list[str]:
            gate = asyncio.Semaphore(50)
            clients = [asyncio.create_task(client(gate)) for _ in range(CLIENTS)]
            await all_open.wait()
            await asyncio.to_thread(during)
            return await asyncio.gather(*clients)

        def during() -> None:
            assert slots(server) <= {'lakemuster_slots{kind="requests",state="taken"} 1.0'}
            refused = server.http.get(EVENTS)
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
            body = {"name": "web.events", "location": f"{lake}/web.db/events"}
            assert server.http.post("/api/v1/tables", json=body).status_code == 201

        assert asyncio.run(run()) == ["web.events"] * CLIENTS
        after = memory(server)
        assert after["VmRSS"] - before["VmRSS"] < 150_000
        assert after["Threads"] - before["Threads"] < 20
        until(lambda: server.http.get(EVENTS, headers={"Accept": "application/json"}).json()["last_event_id"] == "1")
