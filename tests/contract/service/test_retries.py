"""Snapshots quarantined for a transient cause are retried automatically, after increasing pauses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import select

from lakemuster.catalog.services import Services
from lakemuster.errors import DecodeFailed, SnapshotQuarantined
from lakemuster.index.orm import SnapshotRow
from lakemuster.index.retries import GROWTH, LONGEST_PAUSE_MS, pause_ms
from lakemuster.ingest.publish import DECODES
from lakemuster.jobs.retrying import RetryQuarantined
from lakemuster.jobs.supervisor import Supervisor
from lakemuster.main import build_services
from lakemuster.planner.view import Selector
from tests.clocks import SteppedClock
from tests.contract.service.backends import decoders, settings
from tests.contract.service.faulty_storage import FaultyStorage, cut_off, missing, unavailable

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
NAME = "db.t"
IN_TIME = 30.0


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    table = iceberg.create_table(NAME, DATA.schema)
    for _ in range(2):
        table.append(DATA)
    return tmp_path / "lake/db/t"


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def services(tmp_path: Path, lake: Path, clock: SteppedClock) -> Iterator[Services]:
    opened = service(tmp_path, clock)
    opened.add(NAME, str(lake), None, ())
    yield opened
    closed(opened)


def service(tmp_path: Path, clock: SteppedClock) -> Services:
    of = settings(tmp_path, roots=(str(tmp_path / "lake"),), max_staleness=3600.0)
    opened = build_services(of, clock=clock)
    opened.refresher.pool.close()
    opened.refresher.pool = decoders(of.decoder_memory)
    return opened


def closed(services: Services) -> None:
    """Close services except their decoders, which other tests share."""
    services.refresher.threads.close(5)
    services.index.database.close()


def newest_manifest(lake: Path) -> Path:
    return max((lake / "metadata").glob("*-m0.avro"), key=lambda path: path.stat().st_mtime_ns)


def eventually(holds: Callable[[], Any]) -> Any:
    until = time.monotonic() + IN_TIME
    while time.monotonic() < until:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError("the condition was not met in time")


def retries(services: Services) -> list[tuple[int | None, bool]]:
    """Return, for each quarantined snapshot, the number of attempts and whether a retry is scheduled."""
    with services.index.database.reading() as session:
        rows = session.execute(
            select(SnapshotRow.attempts, SnapshotRow.retry_at_ms).where(SnapshotRow.state == "quarantined")
        )
        return [(attempts, at is not None) for attempts, at in rows]


def retried(services: Services) -> list[tuple[int | None, bool]]:
    """Start due retries as the server's thread does, and return :func:`retries`."""
    services.refresher.retry_due()
    return retries(services)


def retried_to(services: Services, expected: list[tuple[int | None, bool]]) -> bool:
    return retried(services) == expected


def test_a_missing_object_is_retried_and_the_reason_names_it(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    manifest = newest_manifest(lake)
    storage.faults[str(manifest)] = missing
    report = services.refresh(NAME)
    ((snapshot_id, reason),) = report.quarantined
    assert reason.startswith("object_missing: ")
    for words in (f"object file://{manifest}", f"manifest file://{manifest}", f"snapshot {snapshot_id}",
                  f"{manifest.stat().st_size} bytes", "1 added, 0 existing, 0 deleted"):  # fmt: skip
        assert words in reason
    assert "object_missing" in str(services.view(NAME).stale)
    # Pauses increase: each attempt reads one object, and none starts early.
    for attempt in range(1, 6):
        assert retries(services) == [(attempt, True)]
        before = storage.reads(manifest.name)
        assert services.refresher.retry_due() == 0
        clock.pass_seconds(pause_ms(attempt) / 1000 + 0.1)
        eventually(partial(retried_to, services, [(attempt + 1, True)]))
        assert storage.reads(manifest.name) == before + 1
    storage.heal()
    clock.pass_seconds(pause_ms(6) / 1000 + 0.1)
    eventually(lambda: retried(services) == [])
    eventually(lambda: services.table(NAME).stale_reason is None)
    view = services.view(NAME)
    assert (str(view.snapshot_id), view.stale) == (snapshot_id, None)


def test_the_next_process_that_serves_the_table_retries(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock, tmp_path: Path
) -> None:
    storage.faults[str(newest_manifest(lake))] = missing
    (snapshot_id,) = (int(number) for number, _ in services.refresh(NAME).quarantined)
    with pytest.raises(SnapshotQuarantined):
        services.view(NAME, Selector(snapshot_id))
    storage.heal()
    clock.pass_seconds(pause_ms(10) / 1000)
    # Another process, which shares only the database.
    replica = service(tmp_path, clock)

    def is_readable() -> bool:
        # The quarantine is the response as long as the retry that a request has started takes too long.
        try:
            return replica.view(NAME, Selector(snapshot_id)).snapshot_id == snapshot_id
        except SnapshotQuarantined:
            return False

    try:
        eventually(is_readable)
        assert replica.view(NAME).stale is None
        assert retries(replica) == []
    finally:
        closed(replica)


def test_a_server_recovers_without_being_asked(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    storage.faults[str(newest_manifest(lake))] = missing
    assert services.refresh(NAME).quarantined
    supervisor = Supervisor(services.index.database, [RetryQuarantined(services.refresher)])
    supervisor.start()
    storage.heal()
    try:
        eventually(lambda: services.table(NAME).stale_reason is None)
    finally:
        supervisor.stop()
    assert services.refresher.totals.snapshots_retried >= 1


def test_a_retry_without_an_answer_of_storage_is_postponed(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    manifest = newest_manifest(lake)
    storage.faults[str(manifest)] = missing
    services.refresh(NAME)
    storage.faults[str(manifest)] = unavailable
    clock.pass_seconds(1.1)
    assert services.refresher.tables.retry(services.table(NAME)) == 1
    assert retries(services) == [(2, True)]
    assert services.refresher.tables.retry(services.table(NAME)) == 0


def test_failures_of_decoders_are_retried_a_few_times_and_counted_apart(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    def fails_to_decode(path: str) -> None:
        raise DecodeFailed("the decoder died (planted)")

    manifest = str(newest_manifest(lake))
    storage.faults[manifest] = missing
    services.refresh(NAME)
    for attempt in range(1, DECODES + 2):
        assert retries(services) == [(attempt, True)]
        clock.pass_seconds(pause_ms(attempt) / 1000 + 0.1)
        eventually(partial(retried_to, services, [(attempt + 1, True)]))
    storage.faults[manifest] = fails_to_decode
    clock.pass_seconds(pause_ms(DECODES + 2) / 1000 + 0.1)
    for attempt in range(1, DECODES + 1):
        eventually(partial(retried_to, services, [(attempt, True)]))
        clock.pass_seconds(pause_ms(attempt) / 1000 + 0.1)
    eventually(partial(retried_to, services, [(DECODES, False)]))
    clock.pass_seconds(3000)
    assert services.refresher.retry_due() == 0


def test_an_object_that_was_cut_off_is_retried(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    storage.faults[str(newest_manifest(lake))] = cut_off
    ((_, reason),) = services.refresh(NAME).quarantined
    assert reason.startswith("wrong_length: ")
    assert retries(services) == [(1, True)]
    storage.heal()
    clock.pass_seconds(pause_ms(1) / 1000 + 0.1)
    eventually(lambda: retried(services) == [])
    eventually(lambda: services.table(NAME).stale_reason is None)


def test_a_manifest_that_came_in_half_is_retried(services: Services, lake: Path, clock: SteppedClock) -> None:
    # Lengths in Iceberg's manifest lists may be wrong, so a manifest of another length is decoded if possible.
    manifest = newest_manifest(lake)
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[: len(whole) // 2])
    ((_, reason),) = services.refresh(NAME).quarantined
    assert reason.startswith("wrong_length: ")
    assert f"{len(whole) // 2} bytes long, but its metadata says {len(whole)}" in reason
    assert f"manifest file://{manifest}" in reason
    assert retries(services) == [(1, True)]
    manifest.write_bytes(whole)
    clock.pass_seconds(pause_ms(1) / 1000 + 0.1)
    eventually(lambda: retried(services) == [])
    eventually(lambda: services.table(NAME).stale_reason is None)


def test_corrupt_bytes_stay_until_the_table_changes_or_is_refreshed(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    manifest = newest_manifest(lake)
    good = manifest.read_bytes()
    manifest.write_bytes(good[:-3] + bytes([good[-3] ^ 0x40]) + good[-2:])
    ((_, reason),) = services.refresh(NAME).quarantined
    assert f"manifest file://{manifest}" in reason
    assert f"{len(good)} bytes" in reason
    assert retries(services) == [(None, False)]
    manifest.write_bytes(good)
    before = storage.reads(manifest.name)
    clock.pass_seconds(3000)
    assert services.refresher.retry_due() == 0
    assert services.view(NAME).stale
    assert storage.reads(manifest.name) == before
    assert services.refresh(NAME).published
    assert services.view(NAME).stale is None


def test_a_clock_that_stepped_back_delays_a_retry_by_at_most_the_longest_pause(
    services: Services, lake: Path, storage: FaultyStorage, clock: SteppedClock
) -> None:
    storage.faults[str(newest_manifest(lake))] = missing
    services.refresh(NAME)
    storage.heal()
    clock.step_minutes(-15)
    eventually(lambda: retried(services) == [])


def test_pauses_grow_to_five_minutes():
    pauses = [pause_ms(attempt) for attempt in range(1, 100)]
    assert pauses[0] == 1000
    assert pauses == sorted(pauses)
    assert max(pauses) == LONGEST_PAUSE_MS == 300_000
    assert all(later <= GROWTH * earlier + 1 for earlier, later in pairwise(pauses))
