"""W21, many small tables: the cost to index one, to look at one and to plan one, and bounded memory."""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.http_server import Ask, Connection, Server, children_cpu, plan_of, serving, settings_of, variables
from benchmarks.lakes import Lakes
from benchmarks.measuring import BASE_BYTES, Row, Times, mib, shown_ms, timed
from benchmarks.planning import Sizes
from benchmarks.small_lakes import SmallLake, opened, refresh, wait_for_health
from lakemuster.index.database import Database

WARM_UP = 20
"""Number of tables that are indexed or queried before measuring, which start decoders and load modules."""
CLIENTS, PER_SECOND = 8, 40
"""The number of clients that wait at random between requests, and their total request rate."""
SECONDS_A_TABLE = 600 / 10_000
"""Duration of the clients' requests per table: ten minutes for 10,000."""
TABLE_BYTES = 2 * 2**30 // 10_000
"""The caches' budget per table: a large machine's default for 10,000 tables, less than all of them need."""


def small_lakes(lakes: Lakes, sizes: Sizes) -> tuple[SmallLake, SmallLake]:
    """Return the lakes of tables with two files and with many files, which are written if missing."""
    of_two = SmallLake(lakes.folder / "small" / "two", sizes.watched, 2)
    many = SmallLake(lakes.folder / "small" / "many", sizes.tables, sizes.table_files)
    for lake in (of_two, many):
        lake.write(lakes.processes)
    return of_two, many


def small_tables(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W21: indexing, looks, plans and memory."""
    of_two, many = small_lakes(lakes, sizes)
    yield from _indexing(of_two)
    yield _refresh_all(of_two)
    folder = lakes.folder / "small" / "index"
    many.indexed(folder)
    yield _looks(many, folder)
    yield from _plans(many, folder)


def _indexing(lake: SmallLake) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch, opened(Path(scratch), lake.root) as services:
        names = lake.register(services)
        refresh(services, names[:WARM_UP])
        for case, target, most in (
            ("a table of two manifests indexed", "≤ 15 ms of CPU", 15.0),
            ("refreshed again, unchanged, many together", "≤ 1 ms of CPU", 1.0),
        ):
            own, others, started = time.process_time(), children_cpu(), time.perf_counter()
            refresh(services, names[WARM_UP:] if most > 1 else names)
            count = len(names) - (WARM_UP if most > 1 else 0)
            own, others = time.process_time() - own, children_cpu() - others
            cpu = (own + others) * 1000 / count
            figure = (
                f"{shown_ms(cpu)}: {shown_ms(own * 1000 / count)} here, {shown_ms(others * 1000 / count)} in decoders"
            )
            figure += f"; {shown_ms((time.perf_counter() - started) * 1000 / count)} of the clock"
            yield Row("W21", case, target, figure, cpu <= most, files=lake.files)


def _refresh_all(lake: SmallLake) -> Row:
    """Measure ``lakemuster refresh --all`` on tables that were only registered."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with opened(folder, lake.root) as services:
            count = len(lake.register(services))
        command = [sys.executable, "-m", "lakemuster", "refresh", "--all", "--json"]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        environment = {**os.environ, **variables(settings_of(folder, lake.root))}
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise SystemExit(f"refresh --all ended with {done.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    each = 1_000 / count
    figure = f"{wall:.1f} s, CPU {cpu:.1f} s; for 1,000 tables {wall * each:.1f} s, CPU {cpu * each:.1f} s"
    case = f"refresh --all of {count:,} tables"
    return Row("W21", case, "≤ 15 s for 1,000 tables", figure, wall * each <= 15, files=lake.files)


def _looks(lake: SmallLake, folder: Path) -> Row:
    """Measure a request's look at an unchanged table."""
    with opened(folder, lake.root) as services:
        tables = services.tables()[:500]

        def look(number: int) -> None:
            services.refresher.ensure_fresh(tables[number % len(tables)], now=True)

        timed(look, range(WARM_UP))
        times = timed(look, range(len(tables)))
    used = sum(times.cpu) / len(times.cpu)
    figure = f"{shown_ms(used)} at the mean, p99 {shown_ms(times.p99)} of the clock"
    return Row("W21", "a look at an unchanged table", "≤ 1 ms of CPU", figure, used <= 1.0, times, lake.files)


@dataclass(slots=True)
class Asked:
    """Wall-clock milliseconds of requests: the first for each table, and later ones with other values."""

    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, number: int, wall: float) -> None:
        """Record a request for a table."""
        with self.lock:
            (self.again if number in self.seen else self.first).append(wall)
            self.seen.add(number)


def question(lake: SmallLake, number: int, value: int) -> Ask:
    """Return a selective plan of a table by a range of its clustered column, new for each value."""
    low = value * 7_919 % (lake.files * 900)
    return plan_of(lake.name(number), f"id >= {low} and id < {low + 2_000}")


def _plans(lake: SmallLake, folder: Path) -> Iterator[Row]:
    budget = lake.tables * TABLE_BYTES
    with serving(folder, lake.root, memory_bytes=budget) as server:
        cpu, walls = dict[str, float](), dict[str, tuple[int, int]]()
        connection = Connection(server.port)
        for number in range(WARM_UP):
            _timed(connection, lake, number, number, Asked())
        started_with, asked = server.anonymous_bytes(), Asked()
        for kind in ("first", "again"):
            if kind == "again":
                # The health job would otherwise take half of a core from now on, once for each table.
                connection.close()
                database = Database(f"sqlite:///{folder}/index.db")
                wait_for_health(database)
                database.close()
                connection = Connection(server.port)
            before = server.cpu()
            for number in range(WARM_UP, lake.tables):
                _timed(connection, lake, number, number * 31 + len(walls), asked)
            cpu[kind] = (server.cpu() - before) * 1000 / (lake.tables - WARM_UP)
            walls[kind] = (server.anonymous_bytes(), _held(connection))
        connection.close()
        for kind, own, target in (("first", asked.first, "p99 ≤ 15 ms"), ("again", asked.again, "p50 ≤ 3 ms")):
            times = Times((cpu[kind],), tuple(own))
            met = times.p99 <= 15 if kind == "first" else times.wall50 <= 3
            yield Row("W21", f"one client: {LABELS[kind]}", target, _figure(own, cpu[kind]), met, files=lake.files)
        several = Asked(seen=set(asked.seen))
        before = server.cpu()
        _clients(server, lake, lake.tables * SECONDS_A_TABLE, several)
        count = len(several.again)
        times = Times((0.0,), tuple(several.again))
        case = f"{CLIENTS} clients at random, {PER_SECOND}/s in all: {LABELS['again']}"
        figure = _figure(several.again, (server.cpu() - before) * 1000 / max(1, count))
        yield Row("W21", case, "p50 ≤ 3 ms", figure, times.wall50 <= 3, files=lake.files)
        connection = Connection(server.port)
        last, held = server.anonymous_bytes(), _held(connection)
        connection.close()
    yield _memory(lake, budget, started_with, walls, last, held)


LABELS = {"first": "the first plan of each table", "again": "each table again, new values"}


def _figure(walls: Sequence[float], cpu: float) -> str:
    ordered = sorted(walls)
    p50, p99 = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {shown_ms(p50)}, p99 {shown_ms(p99)}, CPU {shown_ms(cpu)}; {len(ordered):,} requests"


def _timed(connection: Connection, lake: SmallLake, number: int, value: int, asked: Asked) -> None:
    ask = question(lake, number, value)
    started = time.perf_counter()
    connection.ask(ask)
    asked.add(number, (time.perf_counter() - started) * 1000)


def _clients(server: Server, lake: SmallLake, seconds: float, asked: Asked) -> None:
    """Let clients plan random tables, each after a random pause."""
    until = time.perf_counter() + seconds

    def client(seed: int) -> None:
        chosen, connection = random.Random(seed), Connection(server.port)
        while time.perf_counter() < until:
            time.sleep(chosen.expovariate(PER_SECOND / CLIENTS))
            _timed(connection, lake, chosen.randrange(lake.tables), chosen.randrange(10**9), asked)
        connection.close()

    _in_threads(client, CLIENTS)


def _in_threads(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _held(connection: Connection) -> int:
    """Return the size of the server's caches in bytes."""
    text = connection.ask(Ask("GET", "/metrics")).decode()
    return int(sum(float(number) for number in re.findall(r"(?m)^lakemuster_cache_bytes\{[^}]*\} (\S+)$", text)))


def _memory(lake: SmallLake, budget: int, before: int, after: dict[str, tuple[int, int]], last: int, held: int) -> Row:
    """Return the row of anonymous memory after every table was planned once, twice, and at random."""
    (once, _), (twice, _) = after["first"], after["again"]
    most = max(once, twice, last)
    figure = (
        f"{mib(most)} at most; {mib(before)} when warm, {mib(once)} when each table was asked once, {mib(twice)} "
        f"twice, {mib(last)} at the end; caches {mib(held)} of {mib(budget)}"
    )
    met = most <= budget + BASE_BYTES and held <= budget
    target = f"≤ MEMORY_BYTES + {mib(BASE_BYTES)}; caches ≤ MEMORY_BYTES"
    return Row("W21", f"memory, {lake.tables:,} tables", target, figure, met, files=lake.files)
