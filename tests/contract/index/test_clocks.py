"""Leases and ages when the database's clock is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.errors import RefreshBusy
from lakemuster.index import leases
from lakemuster.index.database import Database, open_database
from lakemuster.index.tables import get_table, record_recent_look
from lakemuster.ingest.ages import Ages
from tests.clocks import SteppedClock
from tests.contract.index import made


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def stepping(tmp_path: Path, clock: SteppedClock) -> Iterator[Database]:
    """A database whose time is the test's clock."""
    database = open_database(f"sqlite:///{tmp_path}/index.db", clock)
    yield database
    database.close()


def test_a_lease_with_a_future_expiry_is_free_once_not_renewed(stepping: Database, clock: SteppedClock) -> None:
    table_id = made.table(stepping, of=made.metadata([made.snapshot(1)]))
    lost = leases.acquire(stepping, table_id, wait_seconds=0, clock=clock)
    clock.step_minutes(-15)
    for _ in range(2):
        with pytest.raises(RefreshBusy):
            leases.acquire(stepping, table_id, wait_seconds=0, clock=clock)
    # By the wall clock it is valid for another 15 minutes, but its holder has not renewed it for its whole duration.
    clock.pass_seconds(leases.TTL_SECONDS + 0.1)
    taken = leases.acquire(stepping, table_id, wait_seconds=0, clock=clock)
    assert taken.fence == lost.fence + 1
    with pytest.raises(RefreshBusy), stepping.session() as session:
        leases.ensure(session, lost)


def test_a_lease_that_is_renewed_is_kept_while_clocks_step_back(stepping: Database, clock: SteppedClock) -> None:
    table_id = made.table(stepping, of=made.metadata([made.snapshot(1)]))
    lease = leases.acquire(stepping, table_id, wait_seconds=0, clock=clock)
    for _ in range(4):
        clock.step_minutes(-15)
        clock.pass_seconds(leases.TTL_SECONDS / 2)
        with stepping.session() as session:
            leases.ensure(session, lease)
        with pytest.raises(RefreshBusy):
            leases.acquire(stepping, table_id, wait_seconds=0, clock=clock)


@pytest.mark.parametrize("minutes", [-15.0, 15.0])
def test_the_age_of_a_look_uses_a_monotonic_clock(stepping: Database, clock: SteppedClock, minutes: float) -> None:
    table_id = made.table(stepping, of=made.metadata([made.snapshot(1)]))
    ours, others = Ages(stepping, clock), Ages(stepping, clock)
    with stepping.session() as session:
        looked = record_recent_look(session, table_id, 2.0)
        record = get_table(session, "shop.orders")
    assert looked == record.checked_at_ms
    ours.looked(table_id, looked or 0, clock.monotonic() - 2.0)
    assert others.known(record) is None
    assert others.of(record) == pytest.approx(2.0, abs=1.0)
    clock.step_minutes(minutes)
    clock.pass_seconds(100)
    for ages in (ours, others):
        assert ages.known(record) == pytest.approx(102.0, abs=5.0)
        assert ages.of(record) == pytest.approx(102.0, abs=5.0)


def test_a_look_in_the_future_does_not_count(stepping: Database, clock: SteppedClock) -> None:
    table_id = made.table(stepping, of=made.metadata([made.snapshot(1)]))
    with stepping.session() as session:
        record_recent_look(session, table_id, 0.0)
        record = get_table(session, "shop.orders")
    clock.step_minutes(-15)
    ages = Ages(stepping, clock)
    assert ages.of(record) == float("inf")
    clock.step_minutes(15)
    assert ages.of(record) == float("inf")
