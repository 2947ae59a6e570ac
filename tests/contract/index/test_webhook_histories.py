"""Deliveries to failing receivers compared with the event log; the comparison detects planted bugs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.index import webhooks as store
from lakemuster.index.database import Database
from lakemuster.index.events import NewEvent, record
from lakemuster.index.webhooks import Message
from lakemuster.jobs.webhooks import DeliverEvents
from tests.clocks import SteppedClock
from tests.contract.index.webhook_histories import (
    PLANTED,
    check,
    check_dead,
    check_lost,
    check_old,
    check_two,
    endless,
    webhook,
)
from tests.webhook_receiver import OK, Verdict, receiving

SEEDS = 3


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Database]:
    """A SQLite index for the planted bugs."""
    database = Database(f"sqlite:///{tmp_path}/index.db")
    database.migrate()
    yield database
    database.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_receiver_that_fails_half_the_time_gets_each_event_in_order(
    database: Database, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    check(database, seed, monkeypatch)


def test_a_process_that_has_lost_the_job_moves_nothing(database: Database) -> None:
    store.open_cursor(database, "lake")
    message = Message("7-0", 7, "table.altered", "shop.t", b"{}")
    with database.session() as session:
        assert store.delivered(session, "lake", 0, 7, 200)
    before = store.open_cursor(database, "lake")
    with database.session() as session:
        assert not store.delivered(session, "lake", 0, 3, 200)
        assert not store.skip_to(session, "lake", 3, 5)
        assert not store.failed(session, "lake", 0, status=500, error="x", pause_seconds=9, is_try=True)
        assert not store.bury(session, "lake", 0, 3, message, 1)
    after = store.open_cursor(database, "lake")
    assert (after.position, after.failures, after.delivered) == (before.position, 0, 1) == (7, 0, 1)
    assert store.dead_letters(database, "lake", 0, 10) == []


def test_dead_letters_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_DEAD_LETTERS", 3)
    for name in ("lake", "other"):
        store.open_cursor(database, name)
        for number in range(1, 6):
            message = Message(f"{number}-0", number, "table.altered", "shop.t", b"{}")
            with database.session() as session:
                assert store.bury(session, name, number - 1, number, message, 1)
    assert store.dead_letter_counts(database) == {"lake": 3, "other": 3}
    assert [one.message.event_id for one in store.dead_letters(database, "lake", 0, 2)] == [3, 4]


def test_two_that_deliver_at_once_lose_nothing_and_keep_the_order(database: Database) -> None:
    for seed in range(SEEDS):
        check_two(database, seed)


def test_an_old_event_has_three_tries(database: Database) -> None:
    check_old(database)


def test_a_failure_is_recorded_with_one_connection(database_url: str) -> None:
    database = Database(database_url, max_connections=1)
    with receiving(lambda _: Verdict(status=500)) as receiver:
        delivery = DeliverEvents(database, webhook(receiver.url))
        delivery.run(endless())
        with database.session() as session:
            record(session, [NewEvent("table.altered", "shop.orders", {})])
        delivery.run(endless())
    assert store.open_cursor(database, "lake").tries == 1
    database.close()


def test_a_pause_is_held_and_a_clock_that_steps_back_makes_none_longer(tmp_path: Path) -> None:
    clock = SteppedClock()
    database = Database(f"sqlite:///{tmp_path}/index.db", clock)
    database.migrate()
    busy = Verdict(status=503, headers={"Retry-After": "600"})
    with receiving(lambda number: OK if number else busy) as receiver:
        delivery = DeliverEvents(database, webhook(receiver.url))
        delivery.run(endless())
        with database.session() as session:
            record(session, [NewEvent("table.altered", "shop.orders", {})])
        assert "the next try is in 600 s" in delivery.run(endless())
        clock.pass_seconds(590)
        assert delivery.run(endless()).startswith("waits for")
        assert len(receiver.got) == 1
        clock.step_minutes(-24 * 60)
        assert delivery.run(endless()) == "1 messages delivered"
    database.close()


def test_expired_events_are_told_to_be_lost(database: Database) -> None:
    check_lost(database)


def test_a_refused_event_is_a_dead_letter_that_is_sent_again_when_asked(database: Database) -> None:
    check_dead(database)


def test_seventeen_bugs_are_planted() -> None:
    assert len(PLANTED) == 17


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(embedded: Database, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with monkeypatch.context() as patch:
        PLANTED[name](patch)

        def histories() -> None:
            for seed in range(SEEDS):
                check(embedded, seed, patch)
            check_dead(embedded)
            check_lost(embedded)

        with pytest.raises(AssertionError):
            histories()
