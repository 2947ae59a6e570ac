"""While one bucket hangs, requests for tables of another, looks included, are as fast as on an idle server."""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.journey.faults.proxies import Rule
from tests.journey.faults.stores import s3_process
from tests.journey.faults.world import SICK, WELL, World, made
from tests.polling import until

ROUNDS = 8
CLIENTS = 12
PAUSE_SECONDS = 0.2
"""Pause between two requests of a client of the sick tables, so that they use little of the processor."""

pytestmark = pytest.mark.full


def _plan(connection: http.client.HTTPConnection, table: str) -> float:
    """Return the seconds that a plan took; check that it succeeded, and that it is fresh if its table is healthy."""
    began = time.perf_counter()
    connection.request("POST", f"/api/v1/tables/{table}/plan", "{}", {"Content-Type": "application/json"})
    response = connection.getresponse()
    body = response.read()
    seconds = time.perf_counter() - began
    assert response.status == 200, body[:300]
    if table.startswith(WELL):
        assert json.loads(body)["stale"] is None
    return seconds


@contextmanager
def _asking(world: World) -> Iterator[list[BaseException]]:
    """Run clients of the sick tables; yield their failures."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def ask(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", world.replicas[0].port, timeout=60)
        try:
            while not stop.wait(PAUSE_SECONDS):
                _plan(connection, f"{SICK}.{'ip'[number % 2]}")
        except BaseException as failure:  # noqa: BLE001 - the test fails with it
            failures.append(failure)

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        stop.set()
        for thread in threads:
            thread.join(90)


@pytest.mark.parametrize(("staleness", "questions"), [(0, 50), (2, 250)])
def test_the_99th_percentile_is_below_twice_that_of_an_idle_server(
    staleness: int, questions: int, tmp_path: Path
) -> None:
    """Idle and sick rounds alternate, so that other load on the machine affects both."""
    idle: list[float] = []
    beside: list[float] = []
    variables = {"LAKEMUSTER_MAX_STALENESS": str(staleness)}
    with s3_process() as store, made(tmp_path, store, 1, variables=variables) as world:
        connection = http.client.HTTPConnection("127.0.0.1", world.replicas[0].port, timeout=60)
        tables = [table.name for table in world.tables if table.name.startswith(WELL)]

        def measure() -> list[float]:
            return [_plan(connection, tables[number % len(tables)]) for number in range(questions)]

        measure()
        for _ in range(ROUNDS):
            idle += measure()

            def is_hanging(before: int = world.storage.done["hang"]) -> bool:
                return world.storage.done["hang"] > before

            world.storage.tell(Rule(f"^/{SICK}", "hang", 1.0))
            with _asking(world) as failures:
                # Failed looks of the previous round may still be cached.
                until(is_hanging)
                beside += measure()
            world.storage.tell()
            assert failures == []
        assert world.storage.done["hang"] >= ROUNDS
    figures = [sorted(seconds)[int(len(seconds) * share)] * 1000 for seconds in (idle, beside) for share in (0.5, 0.99)]
    sys.stdout.write("idle p50 {:.1f} ms, p99 {:.1f} ms; beside p50 {:.1f} ms, p99 {:.1f} ms\n".format(*figures))
    assert figures[3] < 2 * figures[1]
