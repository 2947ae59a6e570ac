"""The event log compared with random histories of tables; the comparison detects planted bugs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.index.database import Database
from tests.contract.index.event_histories import PLANTED, check

SEEDS = 3


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Database]:
    """A SQLite index for the planted bugs."""
    database = Database(f"sqlite:///{tmp_path}/index.db")
    database.migrate()
    yield database
    database.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_log_tells_each_step_of_a_history(database: Database, seed: int) -> None:
    check(database, seed)


def test_fifteen_bugs_are_planted() -> None:
    assert len(PLANTED) == 15


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(embedded: Database, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    PLANTED[name](monkeypatch)

    def histories() -> None:
        for seed in range(SEEDS):
            check(embedded, seed)

    with pytest.raises(AssertionError):
        histories()
