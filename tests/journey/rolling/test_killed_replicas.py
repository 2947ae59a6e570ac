"""One of two replicas gets SIGKILL in each phase of its life, at a known point of its code.

Clients of the other replica get complete, sufficiently fresh responses all the time. It takes over the leases and jobs
of the killed one. After a sweep nothing of the killed one remains, and the index equals that of a fresh run.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select

from lakemuster.catalog import recent_plans
from lakemuster.index import migrations, schema_version, stored_version
from lakemuster.index.database import Database
from lakemuster.index.orm import JobRow, SegmentRow
from lakemuster.index.segments import sweep
from lakemuster.jobs.registry import jobs_of
from lakemuster.jobs.supervisor import Supervisor
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import catalog, rows, settings
from tests.journey.faults.questions import Clients
from tests.journey.rolling.fleet import OURS, STALENESS, Fleet, Replica, fleet, register
from tests.journey.rolling.killed import POINTS
from tests.journey.servers import START_SECONDS, lakemuster, start, stop
from tests.polling import until
from tests.postgres import PostgresServer
from tests.webhook_receiver import SECRET, Receiver, receiving

pytestmark = pytest.mark.timeout(900)

REFRESHING = [name for name in POINTS if name.partition(":")[0] in ("looking", "fetching", "writing", "publishing")]
REFRESHING.append("decoding: the decoder has its first task")
JOBS = [name for name in POINTS if name.startswith("job ")]
QUICK = {"writing: a segment in the store", "publishing: before the commit", "streaming", "job health"}
"""Points that every run tests; the others are tested in full runs."""


def phases(names: list[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in names]


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer, receiver: Receiver
) -> Iterator[Fleet]:
    """A fleet with one replica that has no jobs and stays; the replicas to be killed are started beside it."""
    folder = tmp_path_factory.mktemp("killed")
    of = {
        "HISTORY": "1000",
        "TABLES": json.dumps({"*": {"partition_ready": [{"name": "quiet", "quiet": 1}]}}),
        "WEBHOOKS": json.dumps({"hook": {"secret": SECRET, "url": receiver.url}}),
        "CATALOGS": json.dumps({"c": {"type": "sql", "uri": f"sqlite:///{folder}/c.db"}}),
    }
    with postgres_server.database() as url, fleet(folder, url, 1, **of) as made:
        assert lakemuster(folder, "migrate", DATABASE_URL=url).returncode == 0
        survivor = made.start(OURS, ROLE="api")
        made.join(survivor)
        register(survivor, made.tables)
        made.plan_from(survivor)
        yield made


@contextmanager
def doomed(servers: Fleet, point: str, *, armed: bool = False, **of: str) -> Iterator[Replica]:
    """Run a replica that dies at a point once it is armed; check at the end of the block that it died there."""
    folder = servers.folder / f"point-{len(list(servers.folder.glob('point-*')))}"
    folder.mkdir()
    if armed:
        (folder / "armed").touch()
    words = ("-m", "tests.journey.rolling.killed", point, str(folder))
    replica = servers.start(OURS, words, **of)
    assert replica.process is not None
    clients = Clients(2, lambda: [servers.replicas[0].port], servers.tables, STALENESS, 7)
    try:
        if not armed:
            until(replica.is_ready, START_SECONDS)
            (folder / "armed").touch()
        yield replica
        until(replica.has_ended, START_SECONDS)
        assert replica.process.wait() == -signal.SIGKILL, replica.log[-3000:]
        assert (folder / "reached").read_text() == point
        until(lambda: members(replica.process.pid) == [])  # type: ignore[union-attr]
        check_the_survivor(servers)
    finally:
        replica.kill()
        found = clients.stop()
    assert found.violations == []
    assert {answer.status for answer in found.answers} <= {200, 503}
    assert sum(answer.status == 200 for answer in found.answers) > 0
    check_the_index(servers)


def members(session: int) -> list[int]:
    """Return the processes of a session: a replica, its workers and decoders."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        state, _, _, of = text.rpartition(")")[2].split()[:4]
        if int(of) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


def check_the_survivor(servers: Fleet) -> None:
    """Check that the remaining replica can refresh each table, whatever lease was held, and plans its newest state."""
    (survivor,) = servers.replicas
    for table in servers.tables:
        table.append()
        answer = httpx.post(f"http://127.0.0.1:{survivor.port}/api/v1/tables/{table.name}/refresh", timeout=120)
        assert answer.status_code == 200, answer.text
    servers.plan_from(survivor)


def published(of: Any) -> dict[tuple[str, int], list[str]]:
    """Return the files of every snapshot; assert that all snapshots are published."""
    found = {}
    for table in of.tables():
        _, records, _ = of.snapshots(table.name)
        for record in records:
            assert record.state == "published", (record.state, record.error)
            view = of.view(table.name, Selector(snapshot_id=record.snapshot.snapshot_id))
            found[table.name, record.snapshot.snapshot_id] = sorted(
                json.dumps(row, sort_keys=True, default=str) for row in rows(lists.files(of.index, view))
            )
    return found


def contents(folder: Path) -> dict[str, str]:
    """Return the digest of each segment in a store, by its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("??/*")}


def names(folder: Path) -> set[str]:
    """Return the names of all segments and temporary files in a store, without the files of recent plans."""
    return {path.stem for path in folder.rglob("*") if path.is_file() and path.parent.name != recent_plans.FOLDER}


def registered(of: Any) -> set[str]:
    """Return the names of all registered segments."""
    with of.index.database.reading() as session:
        return set(session.scalars(select(SegmentRow.name)))


def check_the_index(servers: Fleet) -> None:
    """Check that after a sweep, the index and its segments equal those of a fresh run."""
    of = {"roots": (str(servers.folder / "lake"),), "max_staleness": 0.0}
    store = servers.folder / "segments"
    ours = settings(servers.folder, database_url=servers.settings["DATABASE_URL"], segments_url=str(store), **of)
    fresh = servers.folder / f"fresh-{len(list(servers.folder.glob('fresh-*')))}"
    fresh.mkdir()
    with catalog(ours) as services, catalog(settings(fresh, **of)) as anew:
        sweep(services.index.database, services.index.segments, grace_seconds=0)
        for table in servers.tables:
            anew.add(table.name, table.url, None, ())
            anew.refresh(table.name)
        sweep(anew.index.database, anew.index.segments, grace_seconds=0)
        assert published(services) == published(anew)
        # The remaining replica may write its recent plans through a temporary file, or register a segment of its own. A
        # temporary file of the killed one would stay.
        differing: set[str] = set()

        def is_at_rest() -> bool:
            differing.clear()
            differing.update(names(store) ^ registered(services))
            return not differing

        with suppress(AssertionError):
            until(is_at_rest)
        assert differing == set()
    # The stores may have different packed segments; files with the same name are equal.
    same = contents(store).items() & contents(fresh / "segments").items()
    assert {name for name, _ in same} == contents(store).keys() & contents(fresh / "segments").keys()


@pytest.mark.parametrize("point", phases(["starting: the index is open", "starting: about to listen"]))
def test_a_replica_that_dies_as_it_starts(servers: Fleet, point: str) -> None:
    with doomed(servers, point, armed=True):
        pass


@pytest.mark.parametrize("point", phases(REFRESHING))
def test_a_replica_that_dies_in_a_refresh(servers: Fleet, point: str) -> None:
    table = servers.tables[0]
    with doomed(servers, point, ROLE="api") as replica:

        def has_died() -> bool:
            table.append()
            try:
                httpx.post(f"http://127.0.0.1:{replica.port}/api/v1/tables/{table.name}/refresh", timeout=60)
            except httpx.TransportError:
                return replica.has_ended()
            return False  # the other replica was faster

        until(has_died)


def test_a_replica_that_dies_as_it_answers_gives_no_answer_that_looks_whole(servers: Fleet) -> None:
    table = servers.tables[0]
    with doomed(servers, "planning", ROLE="api") as replica, pytest.raises(httpx.TransportError):
        httpx.post(f"http://127.0.0.1:{replica.port}/api/v1/tables/{table.name}/plan", json={}, timeout=60)
    lines = {"Accept": "application/x-ndjson"}
    with doomed(servers, "streaming", ROLE="api") as replica, pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{replica.port}/api/v1/tables/{table.name}/files", headers=lines, timeout=60)


def test_a_replica_that_dies_as_it_drains(servers: Fleet) -> None:
    with doomed(servers, "stopping: before jobs are given away") as replica:
        assert replica.process is not None
        replica.process.send_signal(signal.SIGTERM)
        until(lambda: not (replica.readiness() or {"ready": True})["ready"])
        os.kill(replica.process.pid, signal.SIGINT)
    take_over(servers, {"health", "sweep", "watch"})


@pytest.mark.parametrize("point", phases(JOBS))
def test_a_replica_that_dies_in_a_job(servers: Fleet, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    job = point.removeprefix("job ").partition(":")[0]
    orphan = servers.folder / "segments" / "00" / f"{'0' * 64}.arrow"
    if job == "sweep":
        orphan.parent.mkdir(exist_ok=True)
        orphan.write_bytes(b"left behind")
        os.utime(orphan, (5, 5))
        monkeypatch.setenv("MUSTER_SWEEP", "1 3600")
    database = Database(servers.settings["DATABASE_URL"])
    with database.session() as session:
        session.execute(delete(JobRow))  # each is due as after the first start
    database.close()
    # These jobs run once at the start, and then not for minutes.
    with doomed(servers, point, armed=job in {"counts", "sync"}, WATCH="*=1" if job == "watch" else ""):
        # Give the jobs work: an event, changed health, partitions.
        servers.tables[0].append()
        url = f"http://127.0.0.1:{servers.replicas[0].port}/api/v1/tables/{servers.tables[0].name}/refresh"
        assert httpx.post(url, timeout=60).status_code == 200
    assert not orphan.exists()
    take_over(servers, {"sync c" if job == "sync" else job})


def take_over(servers: Fleet, names: set[str]) -> None:
    """Check that the jobs of a killed process can be acquired at once."""
    of = settings(
        servers.folder,
        database_url=servers.settings["DATABASE_URL"],
        segments_url=str(servers.folder / "segments"),
        **{name.lower(): json.loads(servers.settings[name]) for name in ("TABLES", "WEBHOOKS", "CATALOGS")},
    )
    with catalog(of) as services:
        mine = [job for job in jobs_of(services) if job.name in names]
        assert {job.name for job in mine} == names
        supervisor = Supervisor(services.index.database, mine)
        supervisor.beat()
        try:
            held = {one.name for one in supervisor.held()}
            assert held == names
        finally:
            supervisor.stop()


@pytest.mark.full
def test_a_migration_that_dies_before_its_commit_changes_nothing_for_the_replica_that_serves(
    tmp_path: Path, postgres_url: str
) -> None:
    database = Database(postgres_url)
    with database.migrating() as connection:
        migrations.upgrade(connection, schema_version.OLDEST_DATABASE)
    server = start(tmp_path / "server", DATABASE_URL=postgres_url)
    try:
        program = (
            "import os, signal\nfrom lakemuster.index import migrations\n"
            "migrations._tell_oldest_server = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
            "from lakemuster.cli.serving import migrate\nmigrate(None)"
        )
        assert program_status(tmp_path, program, postgres_url) == -signal.SIGKILL
        with database.reading() as session:
            assert stored_version.stored(session.connection()) == schema_version.OLDEST_DATABASE
        assert server.http.get("/readyz").status_code == 200
        assert lakemuster(tmp_path, "migrate", DATABASE_URL=postgres_url).returncode == 0
        database.check_version()
        assert server.http.get("/readyz").status_code == 200
    finally:
        stop(server)
        database.close()


def program_status(folder: Path, program: str, url: str) -> int:
    """Run a program with the settings of a database; return its exit status."""
    import subprocess
    import sys

    from tests.journey.servers import environment

    words = [sys.executable, "-c", program]
    return subprocess.run(words, env=environment(folder, {"DATABASE_URL": url}), timeout=300, check=False).returncode
