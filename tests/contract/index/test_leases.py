"""Leases: one writer per table, on every database."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import pytest
from sqlalchemy import update

from lakemuster.errors import IndexUnavailable, RefreshBusy, SnapshotNotFound, TableNotFound
from lakemuster.index import leases
from lakemuster.index.database import Database, current_ms
from lakemuster.index.named_leases import NamedLease, hold_named_lease
from lakemuster.index.orm import LeaseRow
from lakemuster.index.snapshots import publish, quarantine, withdraw
from lakemuster.index.tables import remove_table, store_metadata
from tests.contract.index import made
from tests.polling import until


@pytest.fixture
def table_id(database: Database) -> int:
    return made.table(database, of=made.metadata([made.snapshot(1)]))


def expire(database: Database) -> None:
    with database.session() as session:
        session.execute(update(LeaseRow).values(expires_at_ms=current_ms(session) - 1))


def test_a_table_has_one_holder_at_a_time(database: Database, table_id: int) -> None:
    other = made.table(database, "other")
    with leases.hold(database, table_id, wait_seconds=0) as lease:
        assert not lease.waited
        with pytest.raises(RefreshBusy):
            leases.acquire(database, table_id, wait_seconds=0.1)
        with leases.hold(database, other, wait_seconds=0):
            pass
    with leases.hold(database, table_id, wait_seconds=0):
        pass


def test_fences_grow(database: Database, table_id: int) -> None:
    fences = []
    for _ in range(3):
        with leases.hold(database, table_id, wait_seconds=0) as lease:
            fences.append(lease.fence)
    assert fences == sorted(set(fences))


def test_a_waiting_process_gets_the_lease_once_it_is_free(
    database: Database, table_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding, refused = threading.Event(), threading.Event()
    state_of = leases._state

    def seen(database: Database, table_id: int) -> Any:
        state = state_of(database, table_id)
        if not state.is_free:
            refused.set()
        return state

    def hold() -> None:
        with leases.hold(database, table_id, wait_seconds=0):
            holding.set()
            refused.wait(60)

    monkeypatch.setattr(leases, "_state", seen)
    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(60)
    with leases.hold(database, table_id, wait_seconds=20) as lease:
        assert lease.waited
    holder.join()


def test_threads_never_hold_a_lease_together(database: Database, table_id: int) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(4):
            with leases.hold(database, table_id, wait_seconds=60):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 16


def test_an_expired_lease_goes_to_the_next_and_its_holder_can_change_nothing(database: Database, table_id: int) -> None:
    listed = made.published([1])
    lost = leases.acquire(database, table_id, wait_seconds=0)
    expire(database)
    row_id = made.records(database, table_id)["main", 1].row_id
    taken = leases.acquire(database, table_id, wait_seconds=0)
    attempts = (
        lambda session: publish(session, lost, row_id, listed, segments=made.segments(listed)),
        lambda session: quarantine(session, lost, row_id, "bad"),
        lambda session: withdraw(session, lost, row_id),
        lambda session: store_metadata(session, table_id, made.metadata([]), 5, lease=lost),
    )
    for attempt in attempts:
        with pytest.raises(RefreshBusy), database.session() as session:
            attempt(session)
    leases.release(database, lost)
    assert made.records(database, table_id)["main", 1].state == "known"
    with database.session() as session:
        publish(session, taken, row_id, listed, segments=made.segments(listed))
    assert made.records(database, table_id)["main", 1].state == "published"


def test_an_expired_lease_is_valid_until_taken_over(database: Database, table_id: int) -> None:
    lease = leases.acquire(database, table_id, wait_seconds=0)
    expire(database)
    with database.session() as session:
        leases.ensure(session, lease)
    with pytest.raises(RefreshBusy):
        leases.acquire(database, table_id, wait_seconds=0)


def test_a_released_lease_is_invalid(database: Database, table_id: int) -> None:
    lease = leases.acquire(database, table_id, wait_seconds=0)
    leases.release(database, lease)
    with pytest.raises(RefreshBusy), database.session() as session:
        leases.ensure(session, lease)


def fail_first(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *, carried_out: bool = False) -> None:
    """Make the first two calls of a function fail as if the database did not respond."""
    real, calls = getattr(owner, name), itertools.count()

    def failing(*given: Any, **named: Any) -> Any:
        if next(calls) < 2:
            if carried_out:
                real(*given, **named)
            raise IndexUnavailable("the connection was reset")
        return real(*given, **named)

    monkeypatch.setattr(owner, name, failing)


def test_a_lease_is_released_although_the_database_was_away(
    database: Database, table_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_first(monkeypatch, leases, "release")
    with leases.hold(database, table_id, wait_seconds=0, ttl_seconds=600):
        pass
    assert leases.acquire(database, table_id, wait_seconds=20).waited


def test_a_lease_that_was_taken_by_a_lost_answer_is_released(
    database: Database, table_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_first(monkeypatch, leases, "_take", carried_out=True)
    with pytest.raises(IndexUnavailable):
        leases.acquire(database, table_id, wait_seconds=0, ttl_seconds=600)
    monkeypatch.undo()
    assert leases.acquire(database, table_id, wait_seconds=20).fence == 2


def test_a_named_lease_is_released_although_the_database_was_away(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_first(monkeypatch, NamedLease, "release")
    with hold_named_lease(database, "sweep", 600) as lease:
        assert lease is not None

    def is_free() -> bool:
        with hold_named_lease(database, "sweep", 600) as lease:
            return lease is not None

    until(is_free, seconds=20)


def test_a_lease_in_use_does_not_expire(database: Database, table_id: int) -> None:
    ttl_seconds = 1.5
    with leases.hold(database, table_id, wait_seconds=0, ttl_seconds=ttl_seconds):
        without_renewal = database.clock_ms() + ttl_seconds * 1000
        until(lambda: database.clock_ms() > without_renewal)
        with pytest.raises(RefreshBusy):
            leases.acquire(database, table_id, wait_seconds=0)


def test_leases_of_tables_are_independent(database: Database, table_id: int) -> None:
    other = made.table(database, "other", of=made.metadata([made.snapshot(1)]))
    row_id = made.records(database, other)["main", 1].row_id
    with (
        leases.hold(database, table_id, wait_seconds=0) as lease,
        pytest.raises(SnapshotNotFound),
        database.session() as session,
    ):
        publish(session, lease, row_id, [])


def test_a_table_that_is_not_registered_has_no_lease(database: Database, table_id: int) -> None:
    with pytest.raises(TableNotFound):
        leases.acquire(database, table_id + 1, wait_seconds=0)
    lease = leases.acquire(database, table_id, wait_seconds=0)
    with database.session() as session:
        remove_table(session, "shop.orders")
    with pytest.raises(TableNotFound), database.session() as session:
        leases.ensure(session, lease)


def test_a_takeover_waits_for_a_publish_that_has_begun(database: Database, table_id: int) -> None:
    lease = leases.acquire(database, table_id, wait_seconds=0)
    expire(database)
    order: list[str] = []
    proven = threading.Event()

    def take_over() -> None:
        proven.wait()
        try:
            leases.acquire(database, table_id, wait_seconds=0)
        except RefreshBusy:
            order.append("refused")

    thread = threading.Thread(target=take_over)
    thread.start()
    with database.session() as session:
        leases.ensure(session, lease)
        proven.set()
        time.sleep(0.2)
        order.append("published")
    thread.join()
    assert order == ["published", "refused"]
