"""Measure this machine with the service itself: index and plan a synthetic table, flush, and reach an object store."""

from __future__ import annotations

import contextlib
import math
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakemuster import __version__
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.cli.measured_place import Place, place_at, reached, written
from lakemuster.cli.sources import Advance
from lakemuster.config import Settings, load_settings
from lakemuster.demo.synthetic_table import COLUMNS, DAY_FILES, FILE_ROWS, SyntheticTable
from lakemuster.errors import IndexUnavailable
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.main import build_services
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of

TABLE = "bench.here"
MANIFEST_FILES = 2_000
_WRITING, _PLANNING = 0.35, 2.0
"""The part of the time for writing the table, and the most seconds for the plans of one case."""
_SMALL, _SMALL_OBJECT = 4_096, 1_024
_FLUSHES, _OBJECTS, _MOST_PLANS = 50, 20, 2_000
_ONE_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Waits:
    """Wall-clock milliseconds of each repetition of some work, and this process's CPU time for all of them."""

    walls: Sequence[float]
    cpu_ms: float

    @classmethod
    def of(cls, work: Callable[[int], object], most: int, until: float, least: int = 3) -> Waits:
        """Repeat ``work`` with a rising number: ``most`` times, or until a time of the monotonic clock."""
        walls, used = list[float](), time.process_time()
        while len(walls) < least or (len(walls) < most and time.monotonic() < until):
            started = time.perf_counter()
            work(len(walls))
            walls.append((time.perf_counter() - started) * 1000)
        return cls(walls, (time.process_time() - used) * 1000)

    def document(self) -> dict[str, Any]:
        """Return the count, percentiles and rate."""
        ordered = sorted(self.walls)
        return {
            "count": len(ordered),
            "p50_ms": round(ordered[len(ordered) // 2], 3),
            "p99_ms": round(ordered[min(len(ordered) - 1, math.ceil(len(ordered) * 0.99) - 1)], 3),
            "per_second": round(1000 * len(ordered) / sum(ordered), 1),
        }


def measure(url: str | None, entries: int, seconds: float, advance: Advance, *, keep: bool = False) -> dict[str, Any]:
    """Measure this machine.

    Args:
        url: a local folder or an object store's URL; None: the system's folder for temporary files.
        entries: files of the table; fewer where writing their metadata takes more than a third of ``seconds``.
        seconds: about how long all may take.
        advance: called with steps done and steps in all.
        keep: leave the table and its index.

    Raises:
        ConfigInvalid: a setting is wrong, or nothing can be written to such a URL.
        StorageUnavailable, IndexUnavailable: a folder, disk or object store refuses to be written or read.
    """
    started, configured = time.monotonic(), load_settings()
    deadline = started + seconds
    with place_at(url, configured.storage, keep=keep) as place:
        advance(0, 4)
        flushes = _flushes(place.folder)
        storage = None if place.remote is None else _objects(place.remote, place.root, started + seconds / 4)
        settings = _settings(configured, place)
        build_services(settings).close()
        empty = _database_bytes(place.folder)
        table = SyntheticTable(f"{place.root}/table", lambda key, data: place.write(f"table/{key}", data))
        table.add_manifest(min(entries, DAY_FILES))
        table.commit()
        services = build_services(settings)
        try:
            decoders = start_decoders(services, settings.decoders)
            services.add(TABLE, table.location, "iceberg", (), operator=True)
            first = services.refresh(TABLE).entries_decoded
            advance(1, 4)
            _grow(table, entries, started + seconds * _WRITING)
            advance(2, 4)
            indexed = _indexing(services, decoders)
            advance(3, 4)
            plans = _plans(services, table.entries, deadline)
            memory = _memory(decoders)
        finally:
            services.close()
        database, segments = _database_bytes(place.folder), place.size("segments")
        all_entries = first + indexed["entries"]
        advance(4, 4)
        return {
            "version": __version__,
            "machine": _machine(),
            "location": place.root,
            "table": {
                "entries": table.entries,
                "columns": COLUMNS,
                "manifests": table.manifests,
                "metadata_bytes": table.size,
            },
            "index": {
                **indexed,
                "decoders": settings.decoders,
                "all_entries": all_entries,
                "database_bytes": database,
                "empty_database_bytes": empty,
                "segment_bytes": segments,
                "database_bytes_per_entry": round((database - empty) / all_entries, 2),
                "segment_bytes_per_entry": round(segments / all_entries, 2),
            },
            "plans": plans,
            "memory": memory,
            "flush": flushes,
            "storage": storage,
            "seconds": round(time.monotonic() - started, 2),
        }


def _settings(configured: Settings, place: Place) -> Settings:
    """Return this place's settings, with the configured decoders, caches and storage, without tables and catalogs."""
    return configured.model_copy(
        update={
            "database_url": f"sqlite:///{place.folder / 'index.db'}",
            "segments_url": f"{place.root}/segments",
            "cache_dir": str(place.folder / "cache"),
            "max_staleness": float(_ONE_DAY),
            "roots": (),
            "watch": {},
            "tables": {},
            "catalogs": {},
            "webhooks": {},
        }
    )


def _database_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("index.db*"))


def _grow(table: SyntheticTable, entries: int, until: float) -> None:
    """Add manifests, at least one, and commit them."""
    while table.entries < entries and (table.manifests == 1 or time.monotonic() < until):
        table.add_manifest(min(MANIFEST_FILES, entries - table.entries))
    table.commit()


def start_decoders(services: Services, count: int) -> list[int]:
    """Start every decoder process, and return their ids."""
    waiting = [services.refresher.pool.submit(os.getpid) for _ in range(count)]
    return sorted({future.result() for future in waiting})


def _indexing(services: Services, decoders: Sequence[int]) -> dict[str, Any]:
    before, own, started = cpu_seconds(decoders), time.process_time(), time.perf_counter()
    report = services.refresh(TABLE)
    wall, own, after = time.perf_counter() - started, time.process_time() - own, cpu_seconds(decoders)
    cpu = None if before is None or after is None else own + after - before
    entries = report.entries_decoded
    if report.quarantined:
        raise IndexUnavailable(f"the table was not indexed: {report.quarantined[0][1]}")
    return {
        "entries": entries,
        "seconds": round(wall, 3),
        "cpu_seconds": None if cpu is None else round(cpu, 3),
        "entries_per_second": round(entries / wall),
        "entries_per_cpu_second": None if not cpu else round(entries / cpu),
    }


def cpu_seconds(processes: Sequence[int]) -> float | None:
    """Return the CPU seconds that processes have used; None where the system does not report them."""
    ticks = 0
    for process in processes:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory(decoders: Sequence[int]) -> dict[str, int | None]:
    """Return the peak resident bytes of this process, and of all decoders together."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    peaks = [peak_memory(process) for process in decoders]
    known = [peak for peak in peaks if peak is not None]
    return {"process_bytes": own, "decoder_bytes": sum(known) if len(known) == len(peaks) else None}


def peak_memory(process: int) -> int | None:
    """Return the peak resident bytes of a process; None where the system does not report them."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), None)


def filters(entries: int) -> dict[str, Callable[[int], str | None]]:
    """Return the filters of each case, as functions of a number that varies their values."""
    days, rows = max(1, entries // DAY_FILES), entries * FILE_ROWS

    def day(number: int) -> str:
        start = time.gmtime((19_358 + number % days) * _ONE_DAY)
        end = time.gmtime((19_359 + number % days) * _ONE_DAY)
        shown = [time.strftime("%Y-%m-%dT00:00:00+00:00", moment) for moment in (start, end)]
        return f"ts >= '{shown[0]}' and ts < '{shown[1]}'"

    def clustered(number: int) -> str:
        low = number * 7_919_000 % rows
        return f"id >= {low} and id < {low + 10 * FILE_ROWS}"

    return {
        "one partition": day,
        "clustered range": clustered,
        "partition and bounds": lambda number: f"{day(number)} and double_17 < {1_000 + number}",
        "all files": lambda _: None,
    }


def plan(services: Services, text: str | None) -> int:
    """Plan a filter to its last file, and return the number of files."""
    view = services.view(TABLE)
    bound = Filter(text).bound(view.schemas[0])
    return sum(batch.table.num_rows for batch in Plan(scan_index_of(services.index, view), bound).batches())


def _plans(services: Services, entries: int, deadline: float) -> list[dict[str, Any]]:
    cases, found = filters(entries), []
    for left, (case, make) in zip(range(len(cases), 0, -1), cases.items(), strict=True):
        files = plan(services, make(0))  # opens columns
        now = time.monotonic()
        waits = Waits.of(
            lambda number, make=make: plan(services, make(number + 1)),  # type: ignore[misc]
            _MOST_PLANS,
            now + min(_PLANNING, max(0.0, deadline - now) / left),
        )
        about = {"case": case, "filter": make(0), "files": files}
        found.append({**about, **waits.document(), "cpu_ms": round(waits.cpu_ms / len(waits.walls), 3)})
    return found


def _flushes(folder: Path) -> dict[str, Any]:
    """Measure small writes to the database's disk, each flushed."""
    target = folder / "flushed"
    with written(folder), target.open("wb", buffering=0) as file:

        def flush(_: int) -> None:
            file.write(b"\0" * _SMALL)
            os.fsync(file.fileno())

        waits = Waits.of(flush, _FLUSHES, time.monotonic() + 1)
    with contextlib.suppress(OSError):
        target.unlink()
    return {"bytes": _SMALL, **waits.document()}


def _objects(remote: RemoteFolder, url: str, until: float) -> dict[str, Any]:
    """Measure writing small objects one after another, and reading them again."""
    half = time.monotonic() + max(0.0, until - time.monotonic()) / 2
    with reached(url):
        writes = Waits.of(lambda number: remote.write(f"probes/{number}", b"\0" * _SMALL_OBJECT), _OBJECTS, half)
        count = len(writes.walls)
        reads = Waits.of(lambda number: remote.read(f"probes/{number % count}"), _OBJECTS, until)
    return {"bytes": _SMALL_OBJECT, "write": writes.document(), "read": reads.document()}


def _machine() -> dict[str, Any]:
    model, info = platform.processor() or platform.machine(), Path("/proc/cpuinfo")
    with contextlib.suppress(OSError):
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return {
        "processors": os.cpu_count(),
        "processor": model,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "system": platform.system(),
    }
