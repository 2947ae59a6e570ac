"""Looks that find nothing new are recorded in batches, and their own process knows them earlier."""

from __future__ import annotations

import pytest
from sqlalchemy import event, update

from lakemuster.caching import MEMORY
from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.orm import TableRow
from lakemuster.index.snapshots import list_snapshots, quarantine
from lakemuster.index.tables import TableRecord, add_table, get_table, record_look
from lakemuster.ingest.ages import Ages
from lakemuster.ingest.unchanged_looks import UnchangedLooks
from tests.clocks import SteppedClock
from tests.contract.index import made

NEVER_SECONDS = 3600.0


def looks(database: Database, clock: SteppedClock) -> tuple[UnchangedLooks, Ages]:
    ages = Ages(database, clock)
    return UnchangedLooks(database, ages, clock, NEVER_SECONDS), ages


def orders(database: Database) -> TableRecord:
    with database.reading() as session:
        return get_table(session, "shop.orders")


def table_in(database: Database) -> TableRecord:
    """Register a table of one snapshot, and return its record."""
    made.table(database, of=made.metadata([made.snapshot(1)]))
    return orders(database)


def statements_of(database: Database) -> list[str]:
    found: list[str] = []
    event.listen(database._engine, "before_cursor_execute", lambda *given: found.append(given[2]))
    return found


def test_many_looks_are_recorded_in_two_statements(database: Database) -> None:
    clock = SteppedClock()
    unchanged, ages = looks(database, clock)
    with database.session() as session:
        tables = [add_table(session, f"a.t{number}", "file:///lake/t", "iceberg") for number in range(50)]
        for table in tables:
            record_look(session, table.table_id, 1)
        tables = [get_table(session, table.name) for table in tables]
    for table in tables:
        unchanged.add(table, clock.monotonic())
        assert ages.known(table) == pytest.approx(0.0, abs=2.0)
    clock.pass_seconds(100.0)
    statements = statements_of(database)
    unchanged.record()
    assert len([text for text in statements if text.startswith(("SELECT", "UPDATE"))]) == 2
    with database.reading() as session:
        for table in tables:
            now = get_table(session, table.name)
            assert (now.checked_at_ms or 0) > 1
            assert ages.known(now) == pytest.approx(100.0, abs=5.0)
    unchanged.record()
    assert len([text for text in statements if text.startswith("UPDATE")]) == 1


def test_a_table_that_became_stale_meanwhile_stays_stale(database: Database) -> None:
    clock = SteppedClock()
    unchanged, _ = looks(database, clock)
    table_id = made.table(database, of=made.metadata([made.snapshot(1)]))
    with database.reading() as session:
        before = get_table(session, "shop.orders")
    unchanged.add(before, clock.monotonic())
    with database.session() as session:
        record_look(session, table_id, 0, "storage_denied: no")
    unchanged.record()
    with database.reading() as session:
        now = get_table(session, "shop.orders")
    assert (now.stale_reason, now.checked_at_ms) == ("storage_denied: no", before.checked_at_ms)


def test_a_look_at_a_state_that_the_database_has_lost_is_not_recorded(database: Database) -> None:
    clock = SteppedClock()
    unchanged, _ = looks(database, clock)
    before = table_in(database)
    unchanged.add(before, clock.monotonic())
    # A failover without the last commits, or a restored backup.
    with database.session() as session:
        session.execute(update(TableRow).values(pointer="an earlier one"))
    unchanged.record()
    assert orders(database).checked_at_ms == before.checked_at_ms


def test_a_table_whose_newest_snapshot_is_quarantined_becomes_stale_for_that_reason(database: Database) -> None:
    clock = SteppedClock()
    unchanged, _ = looks(database, clock)
    table_id = made.table(database, of=made.metadata([made.snapshot(1), made.snapshot(2)]))
    lease = leases.acquire(database, table_id, wait_seconds=0)
    with database.session() as session:
        record = get_table(session, "shop.orders")
        row_ids = {one.snapshot.snapshot_id: one.row_id for one in list_snapshots(session, table_id)}
        quarantine(session, lease, row_ids[record.current_snapshot_id or 0], "metadata_corrupt: bad")
    unchanged.add(record, clock.monotonic())
    unchanged.record()
    with database.reading() as session:
        now = get_table(session, "shop.orders")
    assert (now.stale_reason, now.checked_at_ms) == ("metadata_corrupt: bad", record.checked_at_ms)


def test_looks_that_wait_are_recorded_when_the_process_closes(database: Database) -> None:
    clock = SteppedClock()
    unchanged, ages = looks(database, clock)
    table = table_in(database)
    unchanged.add(table, clock.monotonic())
    unchanged.close()
    recorded = orders(database)
    assert recorded.checked_at_ms != table.checked_at_ms
    assert ages.known(recorded) == pytest.approx(0.0, abs=5.0)


def test_an_age_that_was_evicted_is_read_from_the_database(database: Database) -> None:
    clock = SteppedClock()
    unchanged, ages = looks(database, clock)
    unchanged.add(table_in(database), clock.monotonic())
    unchanged.record()
    table = orders(database)
    MEMORY.clear()
    assert ages.known(table) is None
    assert ages.of(table) < NEVER_SECONDS
    assert ages.known(table) is not None
