"""While PostgreSQL is frozen, requests and readiness checks fail within bounded time; afterwards all succeed again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest

from lakemuster.demo import unpack
from tests.journey.servers import Running, lakemuster, served
from tests.postgres import ROLE, PostgresServer
from tests.stalling_proxy import StallingProxy

Freeze = Callable[[], AbstractContextManager[None]]
Frozen = tuple[Running, Freeze]

TOLD_SECONDS = 5.0
SLACK_SECONDS = 10.0
"""Allowance for other tests on the same machine."""
CLIENTS = 60
"""More than a server's threads."""


@pytest.fixture(scope="module", params=["stopped", "stalled"])
def frozen(
    request: pytest.FixtureRequest, postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Frozen]:
    """A server on PostgreSQL, and a function that freezes the database: SIGSTOP, or a network that drops all data."""
    folder = tmp_path_factory.mktemp("frozen")
    with postgres_server.database() as url, _reached(request.param, postgres_server, url) as (reached, freeze):
        demo = unpack(folder / "demo")
        for words in (["migrate"], ["discover", str(demo)]):
            done = lakemuster(folder, *words, DATABASE_URL=url)
            assert done.returncode == 0, done.stderr
        with served(folder, DATABASE_URL=reached, MAX_STALENESS="600") as server:
            server.post("/tables/shop.orders/plan", {})
            yield server, freeze


@contextmanager
def _reached(how: str, postgres: PostgresServer, url: str) -> Iterator[tuple[str, Freeze]]:
    if how == "stopped":
        yield url, postgres.frozen
        return
    proxy = StallingProxy(postgres.socket)
    try:
        name = url.rpartition("/")[2] if "?" not in url else url.partition("@/")[2].partition("?")[0]
        yield f"postgresql+psycopg://{ROLE}@127.0.0.1:{proxy.port}/{name}", proxy.stalled
    finally:
        proxy.close()


def _asked(uri: str, path: str) -> tuple[int, str | None, float]:
    started = time.monotonic()
    with httpx.Client(base_url=uri, timeout=60) as http:
        body = {"filter": f"id > {started}"}
        answer = http.post(path, json=body) if path.endswith("/plan") else http.get(path)
    return answer.status_code, answer.headers.get("retry-after"), time.monotonic() - started


def test_a_frozen_database_blocks_no_request(frozen: Frozen) -> None:
    server, freeze = frozen
    paths = ["/api/v1/tables", "/api/v1/tables/shop.orders/plan", "/api/v1/tables/shop.orders/snapshots", "/readyz"]
    with freeze(), ThreadPoolExecutor(CLIENTS) as clients:
        first = list(clients.map(lambda n: _asked(server.uri, paths[n % len(paths)]), range(CLIENTS)))
        assert {status for status, _, _ in first} == {503}
        assert all(retry for _, retry, _ in first)
        assert max(seconds for _, _, seconds in first) < TOLD_SECONDS + SLACK_SECONDS
        # Later requests fail at once, except for one that tries to connect.
        later = sorted(_asked(server.uri, paths[n % 3])[2] for n in range(12))
        assert later[6] < 1.0
        assert later[-1] < TOLD_SECONDS
        ready = httpx.get(f"{server.uri}/readyz", timeout=30)
        assert ready.status_code == 503
        assert ready.json()["checks"]["segments"].startswith("ok")
        assert not ready.json()["checks"]["database"].startswith("ok")
        assert httpx.get(f"{server.uri}/healthz", timeout=30).status_code == 200
    deadline = time.monotonic() + 30
    while (last := _asked(server.uri, "/api/v1/tables/shop.orders/plan"))[0] != 200 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert last[0] == 200
    assert all(_asked(server.uri, path)[0] == 200 for path in paths)


def test_a_running_refresh_ends_too(frozen: Frozen) -> None:
    server, freeze = frozen
    with freeze():
        started = time.monotonic()
        answer = server.http.post("/api/v1/tables/shop.orders/refresh", timeout=120)
        assert answer.status_code == 503
        assert time.monotonic() - started < TOLD_SECONDS + SLACK_SECONDS
