"""Stored health on every database: changes and their times, one row a day for a year, and an event per change."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from lakemuster.index.database import Database, current_ms
from lakemuster.index.events import Event, read_log
from lakemuster.index.health import (
    DAY_MS,
    HISTORY_DAYS,
    LONGEST_PAUSE_MS,
    MetadataState,
    count_components,
    count_statuses,
    due_tables,
    history,
    is_due,
    load_health,
    postpone,
    prune_history,
    store_health,
)
from lakemuster.index.table_lists import TableChoice
from lakemuster.index.tables import remove_table
from lakemuster.metadata.health import Change, Gain, Limits, Measured
from lakemuster.table_settings import DEFAULT_HEALTH, HealthRules
from tests.contract.index import made

NOW = 1_700_000_000_000
ILL = Measured("manifests", 100.0, "manifests")
WELL = Measured("manifests", 1.0, "manifests")


def state_of(number: int) -> MetadataState:
    metadata = made.metadata([made.snapshot(one) for one in range(1, number + 1)])
    return MetadataState(metadata.metadata_location, metadata.current_snapshot_id)


def stored_table(database: Database, name: str = "shop.orders") -> int:
    table_id = made.table(database, name)
    made.store(database, table_id, made.metadata([made.snapshot(1)]))
    return table_id


def store(
    database: Database,
    table_id: int,
    measured: Sequence[Measured],
    now_ms: int,
    *,
    whole: bool = True,
    rules: HealthRules = DEFAULT_HEALTH,
    state: MetadataState | None = None,
) -> list[Change] | None:
    with database.session() as session:
        of = state_of(1) if state is None else state
        return store_health(session, table_id, of, measured, rules, now_ms, whole=whole, due_at_ms=now_ms + 5)


def told(database: Database) -> list[Event]:
    return [event for event in read_log(database, 0, 1000).events if event.type == "health.changed"]


def test_a_status_holds_since_it_changed_and_every_change_is_one_event(database: Database) -> None:
    table_id = stored_table(database)
    assert store(database, table_id, [WELL], NOW) == []
    assert store(database, table_id, [ILL], NOW + 1000) == [Change("manifests", "ok", "warning")]
    # The status does not change while the value is above nine tenths of the threshold.
    for at, value in ((2000, 95.0), (3000, 100.0), (4000, 90.1)):
        assert store(database, table_id, [Measured("manifests", value, "manifests")], NOW + at) == []
        with database.reading() as session:
            (found,) = load_health(session, table_id).components
            assert load_health(session, table_id).computed_at_ms == {"manifests": NOW + at}
        assert (found.status, found.since_ms, found.measured.value) == ("warning", NOW + 1000, value)
    assert store(database, table_id, [Measured("manifests", 1000.0, "manifests")], NOW + 5000) == [
        Change("manifests", "warning", "critical")
    ]
    assert store(database, table_id, [WELL], NOW + 6000) == [Change("manifests", "critical", "ok")]
    steps = [("ok", "warning", 100.0), ("warning", "critical", 1000.0), ("critical", "ok", 1.0)]
    assert [event.data for event in told(database)] == [
        {
            "health": status,
            "previous": previous,
            "changes": [{"component": "manifests", "previous": previous, "status": status, "value": value}],
        }
        for previous, status, value in steps
    ]
    assert {event.table for event in told(database)} == {"shop.orders"}


def test_everything_that_was_measured_is_read_again(database: Database) -> None:
    table_id = stored_table(database)
    gain = Gain(files=Limits(1, None, "é \0"), merges=Limits.exactly(2**62))
    measured = [
        Measured("quarantine", 2.0, "snapshots", "why \ud800", is_critical=True),
        Measured("small_files", 12.5, "percent", "rule", "CALL x('a''b')", gain, concerned=7),
        Measured("overlap", None, "files", "not known"),
    ]
    store(database, table_id, measured, NOW)
    with database.reading() as session:
        found = load_health(session, table_id)
    assert [one.measured for one in found.components] == [measured[1], measured[2], measured[0]]
    assert [one.status for one in found.components] == ["ok", "unknown", "critical"]
    assert found.status == "critical"
    assert found.components[0].threshold == DEFAULT_HEALTH.thresholds["small_files"]


def test_what_metadata_tells_leaves_the_rest_and_a_whole_one_removes_what_is_gone(database: Database) -> None:
    table_id = stored_table(database)
    overlap = Measured("overlap", 9.0, "files")
    store(database, table_id, [ILL, overlap], NOW)
    assert store(database, table_id, [WELL], NOW + 1, whole=False) == [Change("manifests", "warning", "ok")]
    with database.reading() as session:
        assert [one.name for one in load_health(session, table_id).components] == ["overlap", "manifests"]
        assert history(session, table_id, 1, NOW)[0].components["manifests"] == ("warning", 100.0)
    assert store(database, table_id, [WELL], NOW + 2) == [Change("overlap", "warning", None)]
    with database.reading() as session:
        assert [one.name for one in load_health(session, table_id).components] == ["manifests"]


def test_health_of_another_state_is_not_stored(database: Database) -> None:
    table_id = stored_table(database)
    assert store(database, table_id, [ILL], NOW, state=state_of(2)) is None
    with database.session() as session:
        assert load_health(session, table_id).components == ()
        remove_table(session, "shop.orders")
    assert store(database, table_id, [ILL], NOW) is None
    assert told(database) == []


def test_a_commit_makes_a_table_due(database: Database) -> None:
    table_id = stored_table(database)
    other = stored_table(database, "shop.other")
    with database.reading() as session:
        assert due_tables(session, NOW, 10) == [table_id, other]
        assert due_tables(session, NOW, 1) == [table_id]
    store(database, table_id, [WELL], NOW)
    with database.reading() as session:
        assert due_tables(session, NOW, 10) == [other]
        assert due_tables(session, NOW + 5, 10) == [other, table_id]
        # The clock has stepped back by more than any pause.
        assert due_tables(session, NOW + 5 - LONGEST_PAUSE_MS, 10) == [other]
        assert due_tables(session, NOW + 4 - LONGEST_PAUSE_MS, 10) == [other, table_id]
        assert due_tables(session, NOW + 4 - LONGEST_PAUSE_MS, 1) == [other]
    for pause_ms, is_over in ((LONGEST_PAUSE_MS // 2, False), (LONGEST_PAUSE_MS * 2, True)):
        with database.session() as session:
            postpone(session, [table_id], current_ms(session) + pause_ms)
            assert is_due(session, table_id) == is_over
    store(database, table_id, [WELL], NOW)
    with database.session() as session:
        postpone(session, [other], None)
    with database.reading() as session:
        assert due_tables(session, NOW, 10) == []
    made.store(database, table_id, made.metadata([made.snapshot(1), made.snapshot(2)]))
    made.store(database, other, made.metadata([made.snapshot(1), made.snapshot(2)]))
    with database.reading() as session:
        assert due_tables(session, NOW, 10) == [table_id, other]
        assert is_due(session, table_id)


def test_history_has_a_row_a_day_for_a_year(database: Database) -> None:
    table_id = stored_table(database)
    for day in range(HISTORY_DAYS + 10):
        store(database, table_id, [WELL], NOW + day * DAY_MS)
        store(database, table_id, [ILL if day % 2 else WELL], NOW + day * DAY_MS + 60_000)
    last = NOW + (HISTORY_DAYS + 9) * DAY_MS
    with database.reading() as session:
        found = history(session, table_id, HISTORY_DAYS, last)
        assert [one.day for one in found] == [last // DAY_MS - HISTORY_DAYS + 1 + at for at in range(HISTORY_DAYS)]
        assert [one.components["manifests"][0] for one in found] == [
            "warning" if day % 2 else "ok" for day in range(10, HISTORY_DAYS + 10)
        ]
        assert len(history(session, table_id, 7, last)) == 7
        assert len(history(session, table_id, 10_000, last)) == HISTORY_DAYS + 10
    with database.session() as session:
        assert prune_history(session, last, 4) == 4
        assert prune_history(session, last, 100) == 6
        assert prune_history(session, last, 100) == 0
    with database.reading() as session:
        assert len(history(session, table_id, 10_000, last)) == HISTORY_DAYS


def test_tables_are_counted_by_component_and_by_health(database: Database) -> None:
    for name, measured in (("a.one", [ILL]), ("a.two", [WELL]), ("b.one", [WELL, Measured("overlap", None, "x")])):
        store(database, stored_table(database, name), measured, NOW)
    stored_table(database, "b.two")
    with database.reading() as session:
        assert count_statuses(session, TableChoice()) == {"ok": 1, "warning": 1, "unknown": 1, None: 1}
        assert count_statuses(session, TableChoice(visible=["b"])) == {"unknown": 1, None: 1}
        every, own = count_components(session, TableChoice()), count_components(session, TableChoice(visible=["b"]))
    assert every["manifests"] == {"ok": 2, "unknown": 0, "warning": 1, "critical": 0}
    assert own["manifests"] == {"ok": 1, "unknown": 0, "warning": 0, "critical": 0}
    assert own["overlap"] == {"ok": 0, "unknown": 1, "warning": 0, "critical": 0}


def test_of_many_that_find_the_same_change_one_tells_it(database: Database) -> None:
    table_id = stored_table(database)
    store(database, table_id, [WELL], NOW)
    found: list[list[Change] | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(store(database, table_id, [ILL], NOW + 1))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(len, (one for one in found if one is not None))) == [0] * 7 + [1]
    assert len(told(database)) == 1
