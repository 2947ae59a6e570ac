"""Measurement of repeated runs and of the machine's noise, and the table of results."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("pyiceberg", "pyarrow", "numpy", "fastapi", "uvicorn")
BASE_BYTES = 256 * 2**20
"""Anonymous memory of a server without its caches: the interpreter, libraries, threads, freed but retained memory."""
PINNED = (
    ("requirements-spark.jars", "iceberg-spark-runtime"),
    ("requirements-duckdb.lock", "duckdb"),
    ("requirements-pypaimon.lock", "pypaimon"),
    ("requirements-pypaimon.lock", "pypaimon-rust"),
)
"""Peers in other environments, and the files that pin their versions."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of each run: CPU time of this process (``cpu``) and wall-clock time (``wall``)."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median of CPU time."""
        return statistics.median(self.cpu)

    @property
    def p99(self) -> float:
        """The 99th percentile of wall-clock time."""
        return sorted(self.wall)[min(len(self.wall) - 1, int(len(self.wall) * 0.99))]

    @property
    def wall50(self) -> float:
        """The median of wall-clock time."""
        return statistics.median(self.wall)

    @property
    def spread(self) -> float:
        """Half of the interquartile range, as a fraction of the median."""
        if len(self.cpu) < 4:
            return 0.0
        low, _, high = statistics.quantiles(self.cpu, n=4)
        return (high - low) / 2 / self.p50 if self.p50 else 0.0

    @property
    def noise(self) -> float:
        """A/A noise: the relative difference between the medians of the even and the odd runs."""
        if len(self.cpu) < 4:
            return 0.0
        one, other = statistics.median(self.cpu[::2]), statistics.median(self.cpu[1::2])
        return abs(one - other) / max(one, other) if max(one, other) else 0.0


def timed(run: Callable[[int], object], numbers: Iterable[int]) -> Times:
    """Measure ``run`` with each number."""
    cpu, wall = [], []
    for number in numbers:
        used, started = time.process_time(), time.perf_counter()
        run(number)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    return Times(tuple(cpu), tuple(wall))


def alternating(runs: Sequence[Callable[[int], object]], numbers: Iterable[int]) -> list[Times]:
    """Measure each of ``runs`` with each number alternately, so that a slow phase of the machine affects all."""
    parts = [[timed(run, [number]) for run in runs] for number in numbers]
    return [together(of_one) for of_one in zip(*parts, strict=True)]


def together(parts: Sequence[Times]) -> Times:
    """Merge times that were measured separately."""
    return Times(tuple(one for part in parts for one in part.cpu), tuple(one for part in parts for one in part.wall))


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer's figure for the same work, in the same run and on the same files.

    Attributes:
        name: the peer, and how it ran.
        ms: wall-clock time; None if there is no figure.
        note: the reason for a missing figure, or a remark on it.
    """

    name: str
    ms: float | None = None
    note: str = ""

    def shown(self, ours: float | None) -> str:
        """Return the peer's time and its ratio to ours, as text."""
        note = f" ({self.note})" if self.note else ""
        if self.ms is None:
            return f"{self.name}: none{note}"
        ratio = f", {_ratio(self.ms / ours)} ×" if ours else ""
        return f"{self.name} {shown_ms(self.ms)}{ratio}{note}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results.

    Attributes:
        workload: its name in the specification, such as ``W3``.
        case: the part of the workload.
        target, figure: texts of the target and of the measured figure; ``met`` is None without a target.
        times: the times of our runs.
        peers: the peers' figures.
        limit: the machine's CPU milliseconds for the least possible work.
        fraction: the reached fraction of the limit, if it is not computed from ``limit``.
        noise: A/A noise, if there are no times.
    """

    workload: str
    case: str
    target: str
    figure: str
    met: bool | None = None
    times: Times | None = None
    files: int | None = None
    peers: Sequence[Peer] = ()
    limit: float | None = None
    fraction: float | None = None
    noise: float | None = None

    def cells(self) -> list[str]:
        """Return the cells of a row in Markdown; see :data:`HEAD`."""
        times, fraction = self.times, self.fraction
        if self.limit is not None and times is not None and times.p50:
            fraction = self.limit / times.p50
        shown = "" if self.noise is None else f"A/A {self.noise:.0%}"
        if times is not None:
            shown = f"{shown_ms(times.p50)} ± {times.spread:.0%} (A/A {times.noise:.0%})"
        peers = "; ".join(peer.shown(None if times is None else times.wall50) for peer in self.peers)
        met = {None: "", True: "yes", False: "**no**"}[self.met]
        files = "" if self.files is None else f"{self.files:,}"
        limit = "" if fraction is None else f"{fraction:.1%}" if fraction < 0.1 else f"{fraction:.0%}"
        return [self.workload, self.case, files, self.target, self.figure, met, shown, limit, peers]


HEAD = (
    "workload",
    "case",
    "files",
    "target",
    "figure",
    "met",
    "CPU time: median ± spread",
    "of the limit",
    "peers, clock: times as long as ours",
)


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells as a Markdown table."""
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def machine() -> str:
    """Return a line with the machine, and the versions of all participating programs."""
    model, info = platform.processor() or platform.machine(), Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    for lock, name in PINNED:
        found = re.search(rf"(?m)^(?:\S+:)?{name}(?:-[\d._]+)?(?:==|:)([\w.]+)", (ROOT / lock).read_text())
        versions += [f"{name} {found[1]}"] if found else []
    cores = f"{os.cpu_count()} processors ({model}), {memory:.0f} GiB, load {os.getloadavg()[0]:.1f} at the start"
    return f"{cores}; {', '.join(versions)}"


def shown_ms(value: float) -> str:
    """Return milliseconds as text with a unit."""
    if value >= 1000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def mib(size: int) -> str:
    """Return bytes as text in mebibytes."""
    return f"{size / 2**20:,.0f} MiB"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
