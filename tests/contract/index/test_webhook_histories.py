"""Deliveries to receivers that fail, beside the log; and the bugs that this comparison catches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.index.database import Database
from tests.contract.index.webhook_histories import PLANTED, check, check_dead, check_lost

SEEDS = 3


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Database]:
    """An index that only the planted bugs are tried on."""
    database = Database(f"sqlite:///{tmp_path}/index.db")
    database.migrate()
    yield database
    database.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_receiver_that_fails_half_the_time_gets_each_event_in_order(
    database: Database, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    check(database, seed, monkeypatch)


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
