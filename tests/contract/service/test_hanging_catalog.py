"""An unresponsive catalog delays its own requests only: other catalogs and tables are answered meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from lakemuster.api.sidecar import middleware, rights
from lakemuster.upstream import protocol, rest
from tests.contract.service.attached_lake import TABLES, TOKENS, Lake, attached, bearer, serving
from tests.fake_catalog import Asked, FakeCatalog, error, fake_catalog
from tests.polling import until

LIMIT = 2
Response: TypeAlias = Any  # of the test client's HTTP library
NATIVE = "/api/v1/tables/prod.shop.orders/plan"


class Hanging:
    """Blocks requests to a catalog for which ``holds`` returns true, until it is released."""

    def __init__(self, fake: FakeCatalog, holds: Callable[[Asked], bool]) -> None:
        self._fake, self._holds = fake, holds
        self._released = threading.Event()
        self.held = 0
        fake.fault = self._fault

    def _fault(self, asked: Asked) -> None:
        if self._holds(asked):
            self.held += 1
            assert self._released.wait(60)

    def await_held(self, count: int) -> None:
        until(lambda: self.held >= count)

    def release(self) -> None:
        self._released.set()


@contextmanager
def concurrent(work: Callable[[], Response], count: int) -> Iterator[list[Future[Response]]]:
    with ThreadPoolExecutor(count) as pool:
        yield [pool.submit(work) for _ in range(count)]


served = contextmanager(serving)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


@pytest.fixture(autouse=True)
def _few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "REQUESTS", LIMIT)
    monkeypatch.setattr(middleware, "REQUESTS_PER_CALLER", LIMIT)
    monkeypatch.setattr(rights, "REQUESTS", LIMIT)
    monkeypatch.setattr(rights, "PERMIT_SECONDS", 0.05)
    monkeypatch.setattr(protocol, "CONCURRENT_REQUESTS", LIMIT)
    monkeypatch.setattr(protocol, "SILENT_SECONDS", 0.05)


def test_requests_of_another_catalog_pass(lake: Lake, tmp_path: Path) -> None:
    with fake_catalog() as other:
        other.tables = dict(lake.fake.tables)
        more = {"type": "rest", "uri": other.uri, "roots": [f"{tmp_path}/lake"]}
        properties = {"type": "rest", "uri": lake.fake.uri, "roots": [f"{tmp_path}/lake"]}
        with attached(lake, tmp_path, catalogs={"prod": properties, "other": more}) as found, served(found) as client:
            assert client.get(f"{TABLES}/orders").status_code == 200
            hanging = Hanging(lake.fake, lambda _: True)
            with concurrent(lambda: client.get(f"{TABLES}/orders"), 2 * LIMIT) as held:
                hanging.await_held(LIMIT)
                assert client.get(f"{TABLES.replace('prod', 'other')}/orders").status_code == 200
                hanging.release()
                assert [one.result().status_code for one in held] == [200] * 2 * LIMIT


def test_callers_who_wait_for_the_catalogs_word_are_few_and_the_others_hear_at_once(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text(TOKENS)
    lake.fake.rights = {"own-principal": set(lake.fake.tables), "alice": set(lake.fake.tables)}
    properties = {"token": "own-principal", "auth": "forward"}
    of = attached(lake, tmp_path, tokens=f"{tmp_path}/tokens.toml", properties=properties)
    with of as services, served(services) as client:
        hanging = Hanging(lake.fake, lambda asked: asked.token == "alice")

        def ask() -> Response:
            return client.post(NATIVE, json={}, headers=bearer("alice"))

        with concurrent(ask, LIMIT) as held:
            hanging.await_held(LIMIT)
            refused = ask()
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
            assert int(refused.headers["retry-after"]) > 0
            assert client.get("/api/v1/tables", headers=bearer("whole-catalog")).status_code == 200
            hanging.release()
            assert [one.result().status_code for one in held] == [200] * LIMIT


def test_the_configuration_is_asked_for_once_and_its_failure_is_heard_by_all_who_wait(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "FAILED_SECONDS", 3600.0)

    def asks(asked: Asked) -> bool:
        return asked.path.endswith("/config")

    with attached(lake, tmp_path) as services, served(services) as client:
        hanging = Hanging(lake.fake, asks)
        with concurrent(lambda: client.get(f"{TABLES}/orders"), LIMIT) as held:
            hanging.await_held(1)
            monkeypatch.setattr(lake.fake, "own_reply", lambda _: error(500, "ServerError"))
            hanging.release()
            assert [one.result().status_code for one in held] == [502] * LIMIT
        assert client.get(f"{TABLES}/orders").status_code == 502
        assert hanging.held == 1
