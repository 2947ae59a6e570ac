"""Many watched tables: the cost of looks while nothing changes, and the lag of commits with two replicas.

The replicas share a local PostgreSQL. Commits come to random tables; a commit's lag is the time until the database has
its snapshot as the table's current one. Then the replica that holds the jobs is killed.
"""

from __future__ import annotations

import contextlib
import random
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.generate import append_manifest
from benchmarks.http_server import Ask, Connection, Server, serving
from benchmarks.lakes import Lakes, unchanged
from benchmarks.measuring import Row
from benchmarks.planning import Sizes
from benchmarks.small_lakes import SmallLake, wait_for_health
from benchmarks.small_tables import small_lakes
from lakemuster.index.database import Database
from lakemuster.index.jobs import TTL_SECONDS, list_jobs
from tests.postgres import running_postgres

INTERVAL_SECONDS, TABLES = 10.0, 2_000
"""Fewer tables have a shorter interval, for the same rate of looks."""
COMMITS_PER_SECOND = 4.0
POLL_SECONDS = 0.1
SLACK_SECONDS = 2.0
IDLE_PERCENT = 20.0


def watching(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure the cost of looks, and the lag of commits."""
    lake, _ = small_lakes(lakes, sizes)
    interval = max(1.0, INTERVAL_SECONDS * sizes.watched / TABLES)
    seconds = max(3 * interval, 10 * sizes.seconds)
    folder = lakes.folder / "small" / "watched"
    lake.indexed(folder)
    with serving(folder, lake.root, watch=f"*={interval:g}") as server:
        database = Database(f"sqlite:///{folder}/index.db")
        yield _idle(lake, server, database, interval, seconds, "SQLite")
        database.close()
    with running_postgres() as postgres, postgres.database() as url:
        database = Database(url)
        database.migrate()
        target = lakes.folder / "small" / "watched-by-two"
        lake.indexed(target, url)
        with serving(target, lake.root, watch=f"*={interval:g}", database_url=url) as server:
            yield _idle(lake, server, database, interval, seconds, "PostgreSQL")
        yield from _two_replicas(lake, target, url, database, interval, seconds)
        database.close()


def _idle(lake: SmallLake, server: Server, database: Database, interval: float, seconds: float, of: str) -> Row:
    time.sleep(1.5 * interval + 1)
    wait_for_health(database)
    looks, used, started = _looks(server), server.cpu(), time.perf_counter()
    time.sleep(seconds)
    looks, used = _looks(server) - looks, server.cpu() - used
    percent = 100 * used / (time.perf_counter() - started)
    each = 1000 * used / max(1, looks)
    figure = f"{percent:.1f}% of a core; {looks:,.0f} looks in {seconds:.0f} s, {each:.2f} ms of CPU each"
    case = f"{lake.tables:,} unchanged tables, each {interval:g} s, {of}"
    return Row("watching", case, f"≤ {IDLE_PERCENT:g}% of a core", figure, percent <= IDLE_PERCENT)


def _looks(server: Server) -> float:
    connection = Connection(server.port)
    text = connection.ask(Ask("GET", "/metrics")).decode()
    connection.close()
    return float(text.split('\nlakemuster_work_total{kind="looks"} ')[1].split()[0])


@dataclass(slots=True)
class _Seen:
    """Observations of two replicas during commits.

    Attributes:
        waiting: the time and the snapshot of the last unseen commit to each table, by name.
        lags: seconds from each commit until it was current.
        holders: the number of replicas that held the watching job, in each sample.
    """

    waiting: dict[str, tuple[float, int]] = field(default_factory=dict)
    lags: list[float] = field(default_factory=list)
    holders: list[int] = field(default_factory=list)


def _two_replicas(
    lake: SmallLake, folder: Path, url: str, database: Database, interval: float, seconds: float
) -> Iterator[Row]:
    chosen = random.Random(1)
    with contextlib.ExitStack() as stack:
        servers = []
        for name in ("one", "two"):
            (folder / name).mkdir(exist_ok=True)
            replica = serving(
                folder / name,
                lake.root,
                watch=f"*={interval:g}",
                database_url=url,
                segments_url=folder / "segments",
            )
            servers.append(stack.enter_context(replica))
        place = _wait_for_holder(database, None, 60)
        # The first commits start the decoders.
        _commit(stack, lake, url, servers, chosen, 1.0)
        seen = _commit(stack, lake, url, servers, chosen, seconds)
        lags = sorted(seen.lags)
        p99 = lags[min(len(lags) - 1, int(len(lags) * 0.99))]
        figure = (
            f"lag p50 {lags[len(lags) // 2]:.1f} s, p99 {p99:.1f} s of {len(lags)} commits; {len(seen.waiting)} unseen"
        )
        case = f"two replicas, {lake.tables:,} tables, {COMMITS_PER_SECOND:g} commits/s"
        met = p99 <= interval + SLACK_SECONDS and not seen.waiting
        yield Row("watching", case, f"lag p99 ≤ {interval:g} + {SLACK_SECONDS:g} s", figure, met)
        figure = f"at most {max(seen.holders)} at a time in {len(seen.holders)} samples"
        yield Row("watching", f"{case}: holders of the job", "one at a time", figure, max(seen.holders) == 1)
        killed = next(server for server in servers if place.endswith(f":{server.process.pid}"))
        killed.process.send_signal(signal.SIGKILL)
        started = time.perf_counter()
        _wait_for_holder(database, place, 4 * TTL_SECONDS)
        took = time.perf_counter() - started
        yield Row(
            "watching", f"{case}: one killed", f"taken over ≤ {TTL_SECONDS:g} s", f"{took:.1f} s", took <= TTL_SECONDS
        )


def _wait_for_holder(database: Database, other_than: str | None, seconds: float) -> str:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for job in list_jobs(database):
            if job.name == "watch" and job.is_held and job.place is not None and job.place != other_than:
                return job.place
        time.sleep(POLL_SECONDS)
    raise SystemExit("nobody holds the watching job")


def _commit(
    stack: contextlib.ExitStack, lake: SmallLake, url: str, servers: list[Server], chosen: random.Random, seconds: float
) -> _Seen:
    """Commit to random tables for some seconds, and wait until all commits are seen, or for the same time again."""
    seen, next_at, sampled = _Seen(), time.perf_counter(), 0.0
    ends, gives_up = next_at + seconds, next_at + 2 * seconds + 30
    touched: set[int] = set()
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        while (now := time.perf_counter()) < ends or (seen.waiting and now < gives_up):
            if next_at <= now < ends:
                number = chosen.randrange(lake.tables)
                if lake.name(number) not in seen.waiting:
                    if number not in touched:
                        touched.add(number)
                        stack.enter_context(unchanged(lake.table(number)))
                    snapshot = append_manifest(lake.table(number), files=2).snapshot_id
                    seen.waiting[lake.name(number)] = (time.perf_counter(), snapshot)
                next_at += chosen.expovariate(COMMITS_PER_SECOND)
            names = list(seen.waiting)
            rows = connection.execute(
                "SELECT name, current_snapshot_id FROM catalog_table WHERE name = ANY(%s)", [names]
            ).fetchall()
            for name, snapshot in rows:
                if seen.waiting[name][1] == snapshot:
                    seen.lags.append(time.perf_counter() - seen.waiting.pop(name)[0])
            if now - sampled > 1.0:
                sampled = now
                seen.holders.append(sum(_holds(server) for server in servers))
            time.sleep(POLL_SECONDS)
    return seen


def _holds(server: Server) -> bool:
    connection = Connection(server.port)
    text = connection.ask(Ask("GET", "/metrics")).decode()
    connection.close()
    return re.search(r'(?m)^lakemuster_job_running\{[^}]*"watch"[^}]*\}', text) is not None
