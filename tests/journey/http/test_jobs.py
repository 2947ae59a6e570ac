"""Background jobs of servers on one database: roles, two replicas, holders that are frozen and killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import Running, lakemuster, served, stop
from tests.polling import until

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
JOBS = ["counts", "health", "readiness", "retries", "sweep", "watch"]


@pytest.fixture
def url(postgres_url: str, tmp_path: Path) -> str:
    assert lakemuster(tmp_path, "migrate", DATABASE_URL=postgres_url).returncode == 0
    return postgres_url


def jobs(folder: Path, url: str) -> dict[str, dict[str, Any]]:
    answer = lakemuster(folder, "jobs", "--json", DATABASE_URL=url)
    assert answer.returncode == 0, answer.stderr
    return {row["name"]: row for row in json.loads(answer.stdout)}


def held_here(server: Running) -> list[str]:
    """Return the jobs that a server's metrics report."""
    lines = server.http.get("/metrics").text.splitlines()
    return sorted(line.split('"')[1] for line in lines if line.startswith("lakemuster_job_running{"))


def settings(folder: Path, url: str, **more: str) -> dict[str, str]:
    lake = folder / "lake"
    return {"DATABASE_URL": url, "ROOTS": str(lake), "WATCH": "*=1", "MAX_STALENESS": "3600",
            "SEGMENTS_URL": str(folder / "segments"), **more}  # fmt: skip


def only_holder(folder: Path, url: str, besides: str = "") -> str:
    """Wait until one process other than ``besides`` holds all jobs; return its name."""

    def place() -> str | None:
        rows = jobs(folder, url)
        places = {row["held_by"] for row in rows.values()}
        return places.pop() if sorted(rows) == JOBS and len(places) == 1 and not places & {None, besides} else None

    return str(until(place))


def test_each_job_runs_once_over_two_replicas_and_is_taken_over_from_one_that_is_killed(
    tmp_path: Path, url: str
) -> None:
    lake = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    lake.create_namespace("db")
    table = lake.create_table("db.t", DATA.schema)

    def commit_is_indexed(server: Running) -> None:
        """Check that a commit is indexed without a request for the table."""
        table.append(DATA)
        newest = str(table.metadata.current_snapshot_id)
        until(lambda: server.get("/tables")["tables"][0]["current_snapshot_id"] == newest)

    of = settings(tmp_path, url)
    with served(tmp_path / "one", **of) as one:
        one.post("/tables", {"name": "db.t", "location": f"{tmp_path}/lake/db/t"}, 201)
        first = only_holder(tmp_path, url)
        with served(tmp_path / "two", "--workers", "2", **of) as two:
            commit_is_indexed(two)
            assert first.endswith(f":{one.process.pid}")
            assert held_here(one) == JOBS
            assert held_here(two) == []
            one.process.send_signal(signal.SIGKILL)
            only_holder(tmp_path, url, besides=first)
            commit_is_indexed(two)
    after = jobs(tmp_path, url)
    assert {row["state"] for row in after.values()} == {"free"}
    assert after["watch"]["runs"] > 1
    assert after["watch"]["outcome"] == "succeeded"


def test_a_worker_serves_health_and_metrics_only_and_an_api_server_holds_no_job(tmp_path: Path, url: str) -> None:
    with served(tmp_path / "api", **settings(tmp_path, url, ROLE="api")) as api:
        assert {row["state"] for row in jobs(tmp_path, url).values()} == {"free"}
        assert api.http.get("/api/v1/tables").status_code == 200
        with served(tmp_path / "worker", **settings(tmp_path, url, ROLE="worker")) as worker:
            for path in ("/healthz", "/readyz", "/metrics"):
                assert worker.http.get(path).status_code == 200
            for path in ("/", "/docs", "/api/v1/tables", "/iceberg/v1/config", "/paimon/v1/config"):
                assert worker.http.get(path).status_code == 404, path
            until(lambda: held_here(worker) == JOBS)
            assert held_here(api) == []
            place = jobs(tmp_path, url)["retries"]["held_by"]
            assert place.endswith(f":{worker.process.pid}")
            until(lambda: jobs(tmp_path, url)["retries"]["runs"] >= 2)
            worker.process.send_signal(signal.SIGTERM)
            assert worker.process.wait(30) == 0
            assert {row["state"] for row in jobs(tmp_path, url).values()} == {"free"}
        assert held_here(api) == []


def test_a_frozen_holder_loses_its_jobs_and_releases_them_when_it_resumes(tmp_path: Path, url: str) -> None:
    of = settings(tmp_path, url, ROLE="worker")
    with served(tmp_path / "one", **of) as one:
        until(lambda: held_here(one) == JOBS)
        with served(tmp_path / "two", **of) as two:
            assert held_here(two) == []
            os.kill(one.process.pid, signal.SIGSTOP)
            try:
                # Its leases expire without renewal. If it was stopped within a transaction, their rows stay locked
                # until the database ends the session, after 60 seconds.
                until(lambda: held_here(two) == JOBS, seconds=150)
            finally:
                os.kill(one.process.pid, signal.SIGCONT)
            until(lambda: held_here(one) == [])
            assert held_here(two) == JOBS
            assert stop(two) == 0
            until(lambda: held_here(one) == JOBS)


def test_jobs_are_shown_as_columns_and_those_that_never_ran_too(tmp_path: Path) -> None:
    answer = lakemuster(tmp_path, "jobs", WATCH="shop.*")
    assert answer.returncode == 0, answer.stderr
    head, *rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert head[:4] == ["name", "state", "held_by", "last_run_at"]
    assert [row[:3] for row in rows] == [[name, "free", "-"] for name in JOBS]
