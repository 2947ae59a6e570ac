"""Cost of an index: measured per million entries, per table, per commit and per look, and projected to any lake.

``python -m benchmarks.capacity measure`` writes ``capacity.json`` beside this file: for Iceberg and for Paimon's append
and primary-key tables of 12, 50 and 200 columns, CPU seconds, bytes of database and segments, and peak memory, each
measured in a separate process; then many small tables on a local PostgreSQL, with commits and looks.
``python -m benchmarks.capacity project --tables 100000 --files 10e9`` computes the needs of a lake from these figures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.capacity_projection import Lake, project, shown
from benchmarks.generate import append_manifest, iceberg_table
from benchmarks.measuring import machine
from benchmarks.paimon_table import paimon_table
from benchmarks.small_lakes import MANIFESTS, SmallLake, opened, refresh
from lakemuster.cli.machine_benchmark import cpu_seconds, peak_memory, start_decoders
from lakemuster.config import Settings
from lakemuster.index.database import Database
from lakemuster.main import build_services
from tests.postgres import running_postgres

FIGURES = Path(__file__).with_name("capacity.json")
KINDS = ("iceberg", "paimon append", "paimon primary key")
COLUMNS = (12, 50, 200)
ENTRIES, MANIFEST_ENTRIES = 100_000, 2_000
LARGER = 4
"""Factor of entries for a second measurement of one case, which shows that the cost is proportional."""
TABLES, COMMITS, COMMIT_FILES = 200, 100, 10


def _write(folder: Path, kind: str, columns: int, entries: int) -> None:
    size: dict[str, Any] = {"files": entries, "columns": columns, "manifests": max(1, entries // MANIFEST_ENTRIES)}
    if kind == "iceberg":
        iceberg_table(folder, **size, level=1)
    else:
        paimon_table(folder, **size, primary_key=kind.endswith("key"))


def _database(folder: Path) -> tuple[int, int]:
    """Return the bytes of the database's used pages, and its number of rows."""
    with closing(sqlite3.connect(folder / "index.db")) as database:
        pages, free, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = sum(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in names)
    return int((pages - free) * size), int(rows)


def _segments(folder: Path) -> tuple[int, int]:
    """Return the number and total bytes of all segments."""
    sizes = [path.stat().st_size for path in (folder / "segments").rglob("*.arrow")]
    return len(sizes), sum(sizes)


def case(kind: str, columns: int, entries: int) -> dict[str, Any]:
    """Index one table with one decoder, after a small warm-up table; return the figures of the table alone."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, count in (("warm", min(entries, MANIFEST_ENTRIES)), ("t", entries)):
            # In a separate process, so that its memory is not measured.
            writer = get_context("spawn").Process(target=_write, args=(folder / "lake" / name, kind, columns, count))
            writer.start()
            writer.join()
            if writer.exitcode:
                raise SystemExit(writer.exitcode)
        settings = Settings(
            database_url=f"sqlite:///{folder}/index.db",
            segments_url=f"{folder}/segments",
            cache_dir=f"{folder}/cache",
            decoders=1,
        )
        services = build_services(settings)
        decoders = start_decoders(services, 1)
        for name in ("warm", "t"):
            services.add(f"b.{name}", str(folder / "lake" / name), None, (), operator=True)
        services.refresh("b.warm")
        (before, rows), (objects, size) = _database(folder), _segments(folder)
        own, others, wall = time.process_time(), cpu_seconds(decoders), time.monotonic()
        report = services.refresh("b.t")
        own, after, wall = time.process_time() - own, cpu_seconds(decoders), time.monotonic() - wall
        peaks = [peak_memory(process) for process in (os.getpid(), *decoders)]
        assert others is not None
        assert after is not None
        (now, more_rows), (more_objects, more) = _database(folder), _segments(folder)
        services.close()
    return {
        "format": kind,
        "columns": columns,
        "entries": report.entries_decoded,
        "manifests": report.manifests_fetched,
        "cpu_seconds": round(own + after - others, 3),
        "wall_seconds": round(wall, 3),
        "database_bytes": now - before,
        "database_rows": more_rows - rows,
        "segment_bytes": more - size,
        "segment_objects": more_objects - objects,
        "peak_memory_bytes": sum(peak or 0 for peak in peaks),
    }


def small_tables(tables: int, commits: int) -> dict[str, Any]:
    """Index small tables into PostgreSQL, commit to them at random, and look at them when unchanged."""
    with tempfile.TemporaryDirectory() as scratch, running_postgres() as server, server.database() as url:
        folder = Path(scratch)
        lake = SmallLake(folder / "lake", tables, 2)
        lake.write()
        with server.connect() as connection:  # as on a server that must survive a crash
            connection.execute("ALTER SYSTEM SET full_page_writes = on")
            connection.execute("SELECT pg_reload_conf()")
        with closing(Database(url)) as database:
            database.migrate()
        with opened(folder, lake.root, url) as services:
            decoders = start_decoders(services, services.settings.decoders)

            def cpu() -> float:
                others = cpu_seconds(decoders)
                assert others is not None
                return time.process_time() + others

            def asked(statement: str) -> int:
                with services.index.database.reading() as session:
                    return int(session.connection().exec_driver_sql(statement).scalar_one())

            def database_bytes() -> int:
                return asked("SELECT pg_database_size(current_database())")

            def rows() -> int:
                names = "SELECT relname FROM pg_stat_user_tables"
                with services.index.database.reading() as session:
                    found = [name for (name,) in session.connection().exec_driver_sql(names).all()]
                return sum(asked(f'SELECT count(*) FROM "{name}"') for name in found)

            def written() -> int:
                return asked("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")

            names = lake.register(services)
            refresh(services, names[:10])
            size, count, used = database_bytes(), rows(), cpu()
            refresh(services, names[10:])
            used, indexed = cpu() - used, len(names) - 10
            per_table = {
                "cpu_seconds": round(used / indexed, 5),
                "database_bytes": round((database_bytes() - size) / indexed),
                "database_rows": round((rows() - count) / indexed, 1),
                "manifests": MANIFESTS,
            }
            chosen = random.Random(22)
            size, count, (objects, segments) = database_bytes(), rows(), _segments(folder)
            used, wal, reads = 0.0, written(), services.store.counts.reads
            for _ in range(commits):
                number = chosen.randrange(tables)
                append_manifest(lake.table(number), files=COMMIT_FILES)
                start = cpu()
                services.refresh(lake.name(number))
                used += cpu() - start
            now, more = _segments(folder)
            per_commit = {
                "cpu_seconds": round(used / commits, 5),
                "database_bytes": round((database_bytes() - size) / commits),
                "database_rows": round((rows() - count) / commits, 1),
                "segment_bytes": round((more - segments) / commits),
                "wal_bytes": round((written() - wal) / commits),
                "objects_read": round((services.store.counts.reads - reads) / commits, 1),
                "objects_written": round((now - objects) / commits, 1),
                "files": COMMIT_FILES,
            }
            records = services.tables()
            counts, used = services.store.counts, time.process_time()
            requests = counts.reads + counts.stats + counts.lists
            looks = 5 * len(records)
            for number in range(looks):
                services.refresher.ensure_fresh(records[number % len(records)], now=True)
            requests = counts.reads + counts.stats + counts.lists - requests
            used = time.process_time() - used
            per_look = {"cpu_seconds": round(used / looks, 6), "objects_read": round(requests / looks, 1)}
    return {"tables": tables, "per_table": per_table, "per_commit": per_commit, "per_look": per_look}


def measure(entries: int, tables: int, commits: int, columns: Sequence[int] = COLUMNS) -> dict[str, Any]:
    """Measure all cases, each in a separate process."""
    about = machine()
    cases = [_apart(kind, count, entries) for kind in KINDS for count in columns]
    larger = _apart(KINDS[0], columns[0], LARGER * entries)
    small = small_tables(tables, commits)
    sys.stderr.write(f"{small}\n")
    return {"machine": about, "cases": cases, "larger": larger, "small_tables": small}


def _apart(kind: str, columns: int, entries: int) -> dict[str, Any]:
    """Measure a case in a separate process, so that its peak memory is of the case alone."""
    words = ["case", "--kind", kind, "--columns", str(columns), "--entries", str(entries)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.capacity", *words], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    sys.stderr.write(f"{found}\n")
    return found


def whole(text: str) -> int:
    """Parse a count, such as 10e9.

    Raises:
        ValueError: the text is not a count.
    """
    value = float(text)
    if not 0 <= value < 2**53 or value != int(value):
        raise ValueError(text)
    return int(value)


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(prog="benchmarks.capacity", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("case", help="one case, as JSON")
    one.add_argument("--kind", choices=KINDS, required=True)
    one.add_argument("--columns", type=int, required=True)
    one.add_argument("--entries", type=whole, default=ENTRIES)
    every = commands.add_parser("measure", help="all cases, into a JSON file")
    every.add_argument("--entries", type=whole, default=ENTRIES)
    every.add_argument("--tables", type=whole, default=TABLES)
    every.add_argument("--commits", type=whole, default=COMMITS)
    every.add_argument("--only", choices=["small-tables"], help="measure these anew, and leave the rest of the file")
    every.add_argument("--out", type=Path, default=FIGURES)
    usual = Lake()
    lake = commands.add_parser("project", help="what a lake takes")
    lake.add_argument("--tables", type=whole, default=usual.tables)
    lake.add_argument("--files", type=whole, default=usual.files, help="of all tables together")
    lake.add_argument("--columns", type=int, choices=COLUMNS, default=usual.columns)
    lake.add_argument("--kind", choices=KINDS, default=usual.kind)
    lake.add_argument("--manifest-entries", type=whole, default=usual.manifest_entries)
    lake.add_argument("--commits", type=float, default=usual.commits_per_second, help="a second, of all tables")
    lake.add_argument("--interval", type=float, default=usual.interval_seconds, help="seconds between two looks")
    lake.add_argument("--plans", type=float, default=usual.plans_per_second, help="a second, with new values")
    lake.add_argument("--active", type=float, default=usual.active, help="fraction of the tables that are asked for")
    lake.add_argument("--figures", type=Path, default=FIGURES)
    given = parser.parse_args()
    if given.command == "case":
        sys.stdout.write(json.dumps(case(given.kind, given.columns, given.entries)) + "\n")
    elif given.command == "measure":
        if given.only:
            found = json.loads(given.out.read_text()) | {"small_tables": small_tables(given.tables, given.commits)}
        else:
            found = measure(given.entries, given.tables, given.commits)
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    else:
        asked = Lake(
            given.tables,
            given.files,
            given.columns,
            given.kind,
            given.manifest_entries,
            given.commits,
            given.interval,
            given.plans,
            given.active,
        )
        sys.stdout.write(shown(project(asked, json.loads(given.figures.read_text()))))


if __name__ == "__main__":
    main()
