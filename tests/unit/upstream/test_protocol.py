"""The base class of attached catalogs: limits of requests, and failures that its circuit breaker counts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import CatalogError, Overloaded, UpstreamTimedOut
from lakemuster.metadata.names import Levels
from lakemuster.storage.storage_wait import StorageWait, measured
from lakemuster.upstream import protocol
from lakemuster.upstream.protocol import Upstream
from tests.clocks import SteppedClock


class Catalog(Upstream):
    """A catalog that answers once ``answers`` is set."""

    def __init__(self) -> None:
        super().__init__("prod", CatalogSettings.model_validate({"type": "sql", "uri": "sqlite://"}))
        self.answers = threading.Event()
        self.asked = threading.Semaphore(0)
        self.listings = 0

    def pointer(self, levels: Levels) -> str:
        return self._request(self._wait)

    def every_table(self) -> Iterator[Levels]:
        self.listings += 1
        self._request(self._wait)
        raise UpstreamTimedOut("the catalog prod has not answered in time", catalog="prod")

    def _wait(self) -> str:
        self.asked.release()
        assert self.answers.wait(60)
        return "file:///lake/t/1.metadata.json"

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        return None


def test_a_catalog_that_hangs_holds_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "CONCURRENT_REQUESTS", 2)
    monkeypatch.setattr(protocol, "SILENT_SECONDS", 0.02)
    catalog = Catalog()
    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(catalog.pointer, ("db", "t")) for _ in range(2)]
        for _ in held:
            assert catalog.asked.acquire(timeout=60)
        for _ in range(10):
            with pytest.raises(Overloaded, match="wait for the catalog prod"):
                catalog.pointer(("db", "t"))
        catalog.answers.set()
        assert {one.result() for one in held} == {"file:///lake/t/1.metadata.json"}
    assert not catalog.breaker.is_open
    assert catalog.pointer(("db", "t"))


def test_a_listing_that_fails_fails_for_all_that_wait_for_it() -> None:
    catalog = Catalog()
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(catalog.recent_tables, 5.0) for _ in range(8)]
        catalog.answers.set()
        for one in asked:
            with pytest.raises(UpstreamTimedOut):
                one.result()
    assert catalog.listings == 1


def test_a_wait_for_a_catalog_is_recorded() -> None:
    clock = SteppedClock()
    catalog, waits = Catalog(), StorageWait(clock)

    def ask() -> str:
        with measured(waits):
            return catalog.pointer(("db", "t"))

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        assert catalog.asked.acquire(timeout=60)
        clock.pass_seconds(5)
        assert (waits.spent >= 5, waits.stalled) == (True, 0.0)
        catalog.answers.set()
        assert asked.result()
    clock.pass_seconds(5)
    assert waits.spent < 10
