"""Project the needs of a lake from measured figures, and find the limit that it reaches first.

Pure arithmetic: every quantity is proportional to files, tables, commits, looks or plans. Figures are from
``capacity.json``, and from ``benchmarks/README.md`` if they need a server; limits are those of other systems, with
their sources.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PLANS_PER_CORE = 413.0
"""W11: 32 clients over HTTP on one core, each plan with new values."""
AGAIN_PER_CORE = 8_432.0
"""W11: the same with repeated requests."""
PAGES_PER_CORE = 1_000 / 0.95
"""W4 over HTTP at 10,000,000 files: 0.95 ms of CPU for a plan with new values, in pages of 10 files."""
BUSY = 0.5
"""Maximum utilization of a process: at a full core, 32 clients wait for each other (W11: p99 115 ms)."""
TABLE_MEMORY, SEGMENT_MEMORY = 102_000, 52_600
"""W21: bytes of ``MEMORY_BYTES`` for a table in use, and for each of its open segments, with 20 columns.

54,000 of a table's bytes are the schema of its segments, which tables with equal columns share."""
CONNECTIONS = 8
"""Connections to PostgreSQL of each server process (docs/operations/replicas.md)."""
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake and its use.

    Attributes:
        files: number of files in all tables.
        manifest_entries: number of files in a manifest.
        commits_per_second, plans_per_second: rates for all tables together, where plans have new values.
        interval_seconds: the time between two looks at a table.
        active: the fraction of tables that receive requests.
    """

    tables: int = 100_000
    files: int = 10_000_000_000
    columns: int = 50
    kind: str = "iceberg"
    manifest_entries: int = 2_000
    commits_per_second: float = 50.0
    interval_seconds: float = 60.0
    plans_per_second: float = 1_000.0
    active: float = 0.1


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: its name, value and unit, and what it grows with."""

    name: str
    value: float
    unit: str
    grows_with: str


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a resource that an index has only one of.

    Attributes:
        use, most: the use and the limit, in the same unit.
        source: the source of the limit.
        remedy: what to divide or change beyond the limit.
    """

    name: str
    use: float
    most: float
    unit: str
    source: str
    remedy: str

    @property
    def headroom(self) -> float:
        """The factor by which the use may grow; below 1, it exceeds the limit."""
        return math.inf if self.use == 0 else self.most / self.use

    @property
    def parts(self) -> int:
        """The number of equal parts into which to divide so that each is within the limit."""
        return max(1, math.ceil(self.use / self.most))


@dataclass(frozen=True, slots=True)
class Projection:
    """The needs of a lake, and the limits by headroom: the first one is reached first."""

    lake: Lake
    quantities: Sequence[Quantity]
    limits: Sequence[Limit]

    def value(self, name: str) -> float:
        """Return the value of a quantity."""
        return next(one.value for one in self.quantities if one.name == name)


def cost(figures: Mapping[str, Any], kind: str, columns: int) -> Mapping[str, Any]:
    """Return the measured case of a kind of table and number of columns."""
    return next(one for one in figures["cases"] if (one["format"], one["columns"]) == (kind, columns))


def project(lake: Lake, figures: Mapping[str, Any]) -> Projection:
    """Compute the needs of a lake.

    Args:
        figures: the document of ``capacity.json``.

    Raises:
        ValueError: no interval, no files in a manifest, or a number is negative.
    """
    numbers = (lake.tables, lake.files, lake.commits_per_second, lake.plans_per_second, lake.active)
    if min(numbers) < 0 or lake.interval_seconds <= 0 or lake.manifest_entries < 1:
        raise ValueError("a lake has no negative numbers, and an interval and entries of a manifest above zero")
    case, small = cost(figures, lake.kind, lake.columns), figures["small_tables"]
    table, commit, look = small["per_table"], small["per_commit"], small["per_look"]
    manifests = max(lake.tables, lake.files / lake.manifest_entries)
    further = max(0.0, manifests - lake.tables * table["manifests"])
    of_kind = [one for one in figures["cases"] if one["format"] == lake.kind]
    of_manifests = sum(one["manifests"] for one in of_kind)
    rows, size = (sum(one[key] for one in of_kind) / of_manifests for key in ("database_rows", "database_bytes"))
    looks = lake.tables / lake.interval_seconds
    objects = manifests * case["segment_objects"] / case["manifests"]
    segment_bytes = lake.files * case["segment_bytes"] / case["entries"]
    plan_cores = lake.plans_per_second / PLANS_PER_CORE
    commit_cores, look_cores = lake.commits_per_second * commit["cpu_seconds"], looks * look["cpu_seconds"]
    cores = plan_cores + commit_cores + look_cores
    servers, commits_a_day = processes(cores), DAY_SECONDS * lake.commits_per_second
    active_memory = lake.active * (lake.tables * TABLE_MEMORY + objects * SEGMENT_MEMORY)
    quantities = (
        Quantity("manifests", manifests, "", "files, at least one a table"),
        Quantity("database rows", lake.tables * table["database_rows"] + further * rows, "", "tables and manifests"),
        Quantity("database", lake.tables * table["database_bytes"] + further * size, "B", "tables and manifests"),
        Quantity("segments", segment_bytes, "B", "files and columns"),
        Quantity("segment objects", objects, "", "manifests"),
        Quantity("local copies of segments", lake.active * segment_bytes, "B", "files of active tables"),
        Quantity("MEMORY_BYTES, all servers", active_memory, "B", "segments of active tables"),
        Quantity("CPU to index all once", lake.files * case["cpu_seconds"] / case["entries"], "s", "files and columns"),
        Quantity("CPU a day for commits", DAY_SECONDS * commit_cores, "s", "commits"),
        Quantity("CPU a day for looks", DAY_SECONDS * look_cores, "s", "tables and interval"),
        Quantity("CPU a day for plans", DAY_SECONDS * plan_cores, "s", "plans"),
        Quantity("looks a second", looks, "", "tables and interval"),
        Quantity("database rows a day", commits_a_day * commit["database_rows"], "", "commits, until snapshots expire"),
        Quantity("database a day", commits_a_day * commit["database_bytes"], "B", "commits, until snapshots expire"),
        Quantity("segments a day", commits_a_day * commit["segment_bytes"], "B", "commits, until swept"),
        Quantity("server processes, half busy", servers, "", "commits, looks and plans"),
    )
    wal, written = lake.commits_per_second * commit["wal_bytes"], lake.commits_per_second * commit["objects_written"]
    read = looks * look["objects_read"] + lake.commits_per_second * commit["objects_read"]
    limits = (
        Limit(
            "one process looks at all watched tables: a core",
            look_cores,
            1.0,
            "cores",
            "the job of WATCH has one holder",
            "a longer interval, WATCH for the tables that matter, or an index for each catalog",
        ),
        Limit(
            "connections of PostgreSQL",
            servers * CONNECTIONS,
            100,
            "",
            "PostgreSQL's default of max_connections",
            "PgBouncer, or a higher max_connections",
        ),
        Limit(
            "write-ahead log of PostgreSQL",
            wal,
            125 * 2**20,
            "B/s",
            "Amazon EBS, gp3 without extra throughput",
            "an index for each catalog or namespace",
        ),
        Limit(
            "size of a PostgreSQL table, if all were one",
            next(one.value for one in quantities if one.name == "database"),
            32 * 10**12,
            "B",
            "PostgreSQL, Appendix K",
            "an index for each catalog or namespace",
        ),
        Limit(
            "segments written below one prefix",
            written,
            3_500,
            "PUT/s",
            "Amazon S3, performance guidelines",
            "an index for each catalog or namespace, each with a SEGMENTS_URL of its own prefix",
        ),
        Limit(
            "segments read below one prefix",
            written * servers,
            5_500,
            "GET/s",
            "Amazon S3, performance guidelines; each process reads what was written",
            "an index for each catalog or namespace, each with a SEGMENTS_URL of its own prefix",
        ),
        Limit(
            "metadata read, if all tables have one prefix",
            read,
            5_500,
            "GET/s",
            "Amazon S3, performance guidelines",
            "tables below several prefixes, or a longer interval",
        ),
    )
    return Projection(lake, quantities, sorted(limits, key=lambda one: one.headroom))


def shown(found: Projection) -> str:
    """Return a projection as text."""
    lake = found.lake
    size = f"{lake.tables:,} tables, {lake.files:,} files ({lake.kind}, {lake.columns} columns"
    use = f"{lake.commits_per_second:g} commits and {lake.plans_per_second:g} plans a second"
    looks = f"a look each {lake.interval_seconds:g} s, {lake.active:.0%} of the tables active"
    lines = [f"{size}, {lake.manifest_entries:,} files a manifest)", f"{use}, {looks}", ""]
    lines += _columns([(one.name, _amount(one.value, one.unit), one.grows_with) for one in found.quantities])
    lines.append("")
    lines += _columns(
        [
            (one.name, f"{_amount(one.use, one.unit)} of {_amount(one.most, one.unit)}", f"x {one.headroom:.3g}")
            for one in found.limits
        ]
    )
    first = found.limits[0]
    lines += ["", f"first limit: {first.name} ({first.source})", f"beyond it: {first.remedy}"]
    if first.parts > 1:
        lines.append(f"parts that each keep it: {first.parts}")
    return "\n".join(lines) + "\n"


def _columns(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in (0, 1)]
    return [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]}" for row in rows]


_STEPS = {"B": ("B", "kB", "MB", "GB", "TB", "PB"), "B/s": ("B/s", "kB/s", "MB/s", "GB/s")}


def _amount(value: float, unit: str) -> str:
    if unit in _STEPS:
        steps = _STEPS[unit]
        step = 0
        while value >= 1_000 and step < len(steps) - 1:
            value, step = value / 1_000, step + 1
        unit = steps[step]
    number = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
    return "1 core" if (number, unit) == ("1", "cores") else f"{number} {unit}".rstrip()


def cost_table(figures: Mapping[str, Any]) -> str:
    """Return the cost of a million entries in each measured case, as a Markdown table."""
    lines = [
        "| table | columns | CPU seconds | database | segments | segment objects | peak memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in figures["cases"]:
        million = 1_000_000 / one["entries"]
        cells = [
            one["format"],
            str(one["columns"]),
            f"{one['cpu_seconds'] * million:.1f}",
            _amount(one["database_bytes"] * million, "B"),
            _amount(one["segment_bytes"] * million, "B"),
            f"{one['segment_objects'] * million:,.0f}",
            f"{one['peak_memory_bytes'] / 2**20:,.0f} MiB",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def limit_table(found: Projection) -> str:
    """Return the limits that a projection assumes, as a Markdown table sorted by name."""
    rows = [
        f"| {one.name} | {_amount(one.most, one.unit)} | {one.source} | {one.remedy} |\n"
        for one in sorted(found.limits, key=lambda one: one.name)
    ]
    return "".join(["| limit | at most | source | beyond it |\n|---|---|---|---|\n", *rows])


def process_table(requests: Sequence[int] = (100, 1_000, 10_000)) -> str:
    """Return the processes needed for request rates, by the figures of W11 and W4, as a Markdown table."""
    rates = (AGAIN_PER_CORE, PAGES_PER_CORE, PLANS_PER_CORE)
    head = "| requests a second | repeated | new, pages of 10 files | new, the whole plan |\n|---|---|---|---|\n"
    rows = [f"| {count:,} | {' | '.join(str(processes(count / rate)) for rate in rates)} |\n" for count in requests]
    return "".join([head, *rows])


def processes(cores: float) -> int:
    """Return the number of server processes, one core each, so that none is busier than :data:`BUSY`."""
    return max(1, math.ceil(cores / BUSY))
