"""One process computes health, at commits and with time, and reports each change once; rights apply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.api.identity.tokens import token_entry
from lakemuster.catalog.fleet_health import evaluate_due
from lakemuster.catalog.health import evaluate, health_document
from lakemuster.catalog.services import Services
from lakemuster.errors import IndexUnavailable, StorageUnavailable
from lakemuster.index.database import Database
from lakemuster.index.events import Event, read_log
from lakemuster.index.health import HISTORY_DAYS, due_tables, is_due, load_health, postpone
from lakemuster.index.orm import HealthDayRow
from lakemuster.jobs import health as jobs
from lakemuster.jobs.health import ComputeHealth
from lakemuster.jobs.job import Run
from lakemuster.jobs.supervisor import Supervisor
from lakemuster.metadata.health import Component
from lakemuster.table_settings import HealthSettings, TableSettings, ThresholdSettings
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.polling import until

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
LOW = {
    "manifests": ThresholdSettings(warning=2),
    "small_files": ThresholdSettings(warning=1),
    "staleness": ThresholdSettings(warning=60, critical=3600),
    "snapshots": ThresholdSettings(warning=1),
}
RUN = Run(lambda: True)


@dataclass(frozen=True, slots=True)
class Lake:
    """Tables that PyIceberg writes, and two replicas with one database."""

    written: SqlCatalog
    one: Services
    two: Services

    def append(self, name: str, times: int = 1) -> None:
        """Commit to a table."""
        for _ in range(times):
            self.written.load_table(name).append(DATA)

    def table(self, name: str, times: int = 1) -> int:
        """Create and register a table; return its id."""
        self.written.create_table(name, DATA.schema)
        self.append(name, times)
        location = self.written.load_table(name).metadata.location
        return self.one.add(name, location, None, (), operator=True).table_id

    def told(self) -> list[Event]:
        """Return the ``health.changed`` events."""
        return [one for one in read_log(self.one.index.database, 0, 1000).events if one.type == "health.changed"]

    def components(self, table_id: int) -> dict[str, Component]:
        """Return the stored components of a table."""
        with self.two.index.database.reading() as session:
            return {one.name: one for one in load_health(session, table_id).components}


@pytest.fixture(params=["sqlite", "postgres"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        Database(url).migrate()
    written = SqlCatalog("lake", uri=f"sqlite:///{tmp_path}/lake.db", warehouse=f"file://{tmp_path}/lake")
    for namespace in ("db", "hidden"):
        written.create_namespace(namespace)
    health = HealthSettings(**LOW, least_files=0)  # type: ignore[arg-type]
    own = settings(tmp_path, database_url=url, tables={"*": TableSettings(health=health)})
    with ExitStack() as stack:
        yield Lake(written, stack.enter_context(catalog(own)), stack.enter_context(catalog(own)))


def test_what_metadata_tells_is_stored_with_the_commit(lake: Lake) -> None:
    table_id = lake.table("db.t")
    lake.one.refresh("db.t")
    # The job computes a table's first state.
    ComputeHealth(lake.one).run(RUN)
    assert lake.components(table_id)["manifests"].status == "ok"
    earlier = lake.components(table_id)
    told = len(lake.told())
    lake.append("db.t", 2)
    lake.one.refresh("db.t")
    found = lake.components(table_id)
    assert {name for name in found if found[name] != earlier[name]} == {"manifests", "staleness"}
    assert (found["manifests"].status, found["manifests"].measured.value) == ("warning", 2)
    assert [one.data["changes"] for one in lake.told()[told:]] == [
        [{"component": "manifests", "previous": "ok", "status": "warning", "value": 2}]
    ]
    types = [one.type for one in read_log(lake.one.index.database, 0, 1000).events]
    assert types[-3:] == ["table.committed", "table.committed", "health.changed"]
    with lake.one.index.database.reading() as session:
        assert is_due(session, table_id)


def test_two_replicas_have_one_holder_and_tell_each_change_once(lake: Lake) -> None:
    ids = [lake.table(f"db.t{number}", 5) for number in range(3)]
    for number in range(3):
        lake.one.refresh(f"db.t{number}")
    supervisors = [Supervisor(of.index.database, [_soon(of)], ttl_seconds=2.0) for of in (lake.one, lake.two)]
    for supervisor in supervisors:
        supervisor.start()
    try:
        until(lambda: all("small_files" in lake.components(table_id) for table_id in ids))
        assert sum(len(supervisor.held()) for supervisor in supervisors) == 1
        lake.append("db.t1")
        lake.two.refresh("db.t1")
        until(lambda: lake.components(ids[1])["small_files"].measured.concerned == 6)
        # Requests to both replicas compute it, too.
        for of in (lake.one, lake.two):
            health_document(of, "db.t1", None, always=True)
    finally:
        for supervisor in supervisors:
            supervisor.stop()
    changes = [
        (one.table, change["component"], change["status"]) for one in lake.told() for change in one.data["changes"]
    ]
    statuses = {"manifests": "warning", "small_files": "critical"}
    wanted = [(f"db.t{n}", name, status) for n in range(3) for name, status in statuses.items()]
    assert sorted(changes) == wanted


def _soon(of: Services) -> ComputeHealth:
    job = ComputeHealth(of)
    job.every_seconds, job.first_seconds = 0.05, 0.0
    return job


def test_a_table_that_is_not_committed_to_becomes_stale_when_it_reaches_the_threshold(lake: Lake) -> None:
    table_id = lake.table("db.t")
    lake.one.refresh("db.t")
    committed = lake.one.view("db.t").snapshot
    assert committed is not None
    at_ms = committed.snapshot.committed_at_ms
    for seconds, status in ((59, "ok"), (60, "warning"), (3599, "warning"), (3600, "critical")):
        assert evaluate(lake.one, table_id, at_ms + 1000 * seconds)
        assert lake.components(table_id)["staleness"].status == status
    assert lake.components(table_id)["staleness"].since_ms == at_ms + 3_600_000
    lake.append("db.t")
    lake.one.refresh("db.t")
    assert lake.components(table_id)["staleness"].status == "ok"
    told = [(one.data["previous"], one.data["health"]) for one in lake.told()]
    assert told == [("ok", "warning"), ("warning", "critical"), ("critical", "ok")]


def test_health_is_due_again_when_the_table_becomes_stale_but_within_an_hour(lake: Lake) -> None:
    table_id = lake.table("db.t")
    lake.one.refresh("db.t")
    committed = lake.one.view("db.t").snapshot
    assert committed is not None
    at_ms = committed.snapshot.committed_at_ms
    for age, due in ((10, 60), (60, 3600), (3600, 7200)):
        evaluate(lake.one, table_id, at_ms + 1000 * age)
        with lake.one.index.database.reading() as session:
            assert due_tables(session, at_ms + 1000 * due - 1, 10) == []
            assert due_tables(session, at_ms + 1000 * due, 10) == [table_id]


@pytest.mark.parametrize("error", [StorageUnavailable("gone"), ValueError("our bug")], ids=["deliberate", "unexpected"])
def test_a_table_that_fails_holds_up_no_other_and_is_tried_later(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ids = [lake.table(f"db.t{number}") for number in range(3)]
    for number in range(3):
        lake.one.refresh(f"db.t{number}")
    original = evaluate

    def failing(services: Services, table_id: int) -> bool:
        if table_id == ids[1]:
            raise error
        return original(services, table_id)

    monkeypatch.setattr(jobs, "evaluate", failing)
    report = ComputeHealth(lake.one).run(RUN)
    assert report.startswith("since the start 2 tables computed, 1 failed")
    assert [("small_files" in lake.components(table_id)) for table_id in ids] == [True, False, True]
    with lake.one.index.database.reading() as session:
        assert [is_due(session, table_id) for table_id in ids] == [False, False, False]


def test_a_removed_table_has_no_health(lake: Lake) -> None:
    table_id = lake.table("db.t")
    lake.one.refresh("db.t")
    ComputeHealth(lake.one).run(RUN)
    assert lake.components(table_id)
    lake.one.remove("db.t")
    assert lake.components(table_id) == {}
    assert ComputeHealth(lake.one).run(RUN).startswith("since the start 0 tables computed, 0 failed")


@pytest.mark.parametrize("is_command", [False, True], ids=["the job", "the command"])
def test_a_segment_store_that_does_not_answer_leaves_the_health_of_its_tables(
    lake: Lake, tmp_path: Path, is_command: bool
) -> None:
    sick = lake.table("db.t0", 5)
    lake.one.refresh("db.t0")
    ComputeHealth(lake.one).run(RUN)
    before, told = lake.components(sick), len(lake.told())
    assert before["small_files"].status == "critical"
    segments = list((tmp_path / "segments").glob("??/*.arrow"))
    for segment in segments:
        segment.rename(segment.with_suffix(".away"))
        segment.mkdir()
    well = lake.table("db.t1")
    with lake.one.index.database.session() as session:
        postpone(session, [sick], 0)
    lake.one.refresh("db.t1")
    assert health_document(lake.two, "db.t0", None).is_due
    if is_command:
        evaluate_due(lake.two)
        with pytest.raises(IndexUnavailable):
            health_document(lake.two, "db.t0", None, always=True)
    else:
        assert ComputeHealth(lake.two).run(RUN).startswith("since the start 1 tables computed, 1 failed")
    assert "small_files" in lake.components(well)
    assert lake.components(sick) == before
    assert [one.table for one in lake.told()[told:]] == []


def test_the_job_prunes_days_of_more_than_a_year_ago(lake: Lake) -> None:
    table_id = lake.table("db.t")
    lake.one.refresh("db.t")
    database = lake.one.index.database
    today = database.clock_ms() // 86_400_000
    with database.session() as session:
        session.add(HealthDayRow(table_id=table_id, day=today - HISTORY_DAYS, document=b"{}"))
        session.add(HealthDayRow(table_id=table_id, day=today - HISTORY_DAYS + 1, document=b"{}"))
    assert ComputeHealth(lake.one).run(RUN).endswith("1 old days removed")
    document = health_document(lake.one, "db.t", HISTORY_DAYS)
    assert document.history is not None
    assert len(document.history) == 2


def test_what_a_caller_may_not_see_is_in_no_list_and_no_count(lake: Lake, tmp_path: Path) -> None:
    for name in ("db.t", "hidden.t", "hidden.u"):
        lake.table(name, 3)
        lake.one.refresh(name)
    ComputeHealth(lake.one).run(RUN)
    path = tmp_path / "tokens.toml"
    path.write_text(token_entry("every", "e", "read") + token_entry("some", "s", "read", ["db"]))
    http = TestClient(
        create_app(replace(lake.one, settings=lake.one.settings.model_copy(update={"tokens": str(path)})))
    )
    headers = {name: {"Authorization": f"Bearer {token}"} for name, token in (("every", "e"), ("some", "s"))}
    every = http.get("/api/v1/health", headers=headers["every"]).json()
    assert every["total_count"] == 3
    assert every["tables"]["warning"] == 3
    some = http.get("/api/v1/health", headers=headers["some"]).json()
    assert [row["name"] for row in some["health"]] == ["db.t"]
    assert some["total_count"] == sum(some["tables"].values()) == 1
    assert {sum(number for key, number in of.items() if key != "component") for of in some["components"]} <= {0, 1}
    for params in ({"component": "manifests"}, {"status": "warning"}, {"namespace": "hidden"}, {"search": "u"}):
        found = http.get("/api/v1/health", headers=headers["some"], params=params).json()
        assert {row["name"] for row in found["health"]} <= {"db.t"}
        assert found["total_count"] == len(found["health"])
    text = http.get("/api/v1/health", headers={**headers["some"], "Accept": "text/csv"}).text
    assert "hidden" not in text
    hidden = http.get("/api/v1/tables/hidden.t/health", headers=headers["some"])
    missing = http.get("/api/v1/tables/hidden.no/health", headers=headers["some"])
    assert hidden.status_code == missing.status_code == 404
    assert hidden.json()["error"]["code"] == missing.json()["error"]["code"]
    assert http.get("/api/v1/health").status_code == 401
