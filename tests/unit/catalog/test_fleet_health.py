"""The health of all due tables is computed, also after many that fail."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from lakemuster.catalog import fleet_health
from lakemuster.errors import IndexUnavailable, StorageUnavailable

FAILING = 2 * fleet_health.DUE_AT_ONCE


class Tables:
    """Due tables in the order of their ids: the first ones fail or are not stored, and stay due."""

    def __init__(self, failure: Exception | None) -> None:
        self.failure = failure
        self.due = list(range(FAILING + 30))
        self.asked: list[int] = []

    def clock_ms(self) -> int:
        if isinstance(self.failure, IndexUnavailable):
            raise self.failure
        return 0

    def first(self, _session: object, _now_ms: int, limit: int) -> list[int]:
        return self.due[:limit]

    def evaluate(self, _services: object, table_id: int) -> bool:
        self.asked.append(table_id)
        if table_id < FAILING and self.failure is not None:
            raise self.failure
        if table_id >= FAILING:
            self.due.remove(table_id)
        return table_id >= FAILING


def computed(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_health, "due_tables", tables.first)
    monkeypatch.setattr(fleet_health, "evaluate", tables.evaluate)
    index = SimpleNamespace(database=SimpleNamespace(reading=nullcontext, clock_ms=tables.clock_ms))
    services: Any = SimpleNamespace(index=index, refresher=SimpleNamespace(now_ms=lambda: 0))
    fleet_health.evaluate_due(services)


@pytest.mark.parametrize("failure", [StorageUnavailable("no answer"), None])
def test_tables_behind_many_that_stay_due_are_computed(failure, monkeypatch):
    tables = Tables(failure)
    computed(tables, monkeypatch)
    assert tables.asked == list(range(FAILING + 30))
    assert tables.due == list(range(FAILING))


def test_a_database_that_does_not_answer_ends_it(monkeypatch):
    tables = Tables(IndexUnavailable("no answer"))
    with pytest.raises(IndexUnavailable):
        computed(tables, monkeypatch)
    assert tables.asked == [0]
