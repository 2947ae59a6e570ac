"""Watched tables are due once per interval, evenly spread, whatever was missed."""

from __future__ import annotations

from collections import Counter

import pytest

from lakemuster.jobs.watching import Schedule


def due_by_second(schedule: Schedule, start: float, seconds: int) -> list[list[int]]:
    return [schedule.pop(start + second) for second in range(1, seconds + 1)]


@pytest.mark.parametrize("ids", [range(1, 2001), range(5, 20_005, 10), [n * n for n in range(1, 2001)]])
def test_looks_are_spread_evenly_and_each_table_is_due_once_an_interval(ids: list[int]):
    schedule = Schedule()
    schedule.set(dict.fromkeys(ids, 10.0), 1234.5)
    ticks = due_by_second(schedule, 1234.5, 40)
    for at in range(0, 40, 10):
        assert sorted(table for tick in ticks[at : at + 10] for table in tick) == sorted(ids)
    assert max(map(len, ticks)) <= 1.25 * len(ids) / 10
    assert min(map(len, ticks)) >= 0.75 * len(ids) / 10


def test_intervals_that_were_missed_are_not_made_up_for():
    schedule = Schedule()
    schedule.set(dict.fromkeys(range(100), 10.0), 0.0)
    due_by_second(schedule, 0.0, 20)
    assert sorted(schedule.pop(1000.0)) == list(range(100))
    ticks = due_by_second(schedule, 1000.0, 10)
    assert sorted(table for tick in ticks for table in tick) == list(range(100))
    assert max(map(len, ticks)) <= 15


def test_a_new_table_is_due_within_its_interval_and_a_removed_one_never():
    schedule = Schedule()
    schedule.set({1: 10.0, 2: 10.0, 3: 50.0}, 0.0)
    schedule.set({2: 10.0, 3: 50.0, 4: 10.0}, 2.0)
    assert len(schedule) == 3
    counts = Counter(table for tick in due_by_second(schedule, 2.0, 100) for table in tick)
    assert counts == {2: 10, 3: 2, 4: 10}


def test_tables_that_stay_watched_are_due_when_they_were():
    once, often = Schedule(), Schedule()
    for schedule in (once, often):
        schedule.set(dict.fromkeys(range(50), 10.0), 0.0)
    found = []
    for second in range(1, 31):
        often.set(dict.fromkeys(range(50), 10.0), second - 0.5)
        found.append(often.pop(float(second)))
    assert found == due_by_second(once, 0.0, 30)
