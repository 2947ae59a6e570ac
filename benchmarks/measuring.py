"""Times of many runs, the noise of the machine beside them, and the table that they end in."""

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
PINNED = (
    ("requirements-spark.jars", "iceberg-spark-runtime"),
    ("requirements-duckdb.lock", "duckdb"),
    ("requirements-pypaimon.lock", "pypaimon"),
    ("requirements-pypaimon.lock", "pypaimon-rust"),
)
"""Peers of other environments, and where their versions stand."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of CPU of this process (``cpu``) and of the clock (``wall``), a run each."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median of CPU time."""
        return statistics.median(self.cpu)

    @property
    def p99(self) -> float:
        """Of the clock."""
        return sorted(self.wall)[min(len(self.wall) - 1, int(len(self.wall) * 0.99))]

    @property
    def wall50(self) -> float:
        """The median of the clock."""
        return statistics.median(self.wall)

    @property
    def spread(self) -> float:
        """Half of the middle half, as a part of the median."""
        if len(self.cpu) < 4:
            return 0.0
        low, _, high = statistics.quantiles(self.cpu, n=4)
        return (high - low) / 2 / self.p50 if self.p50 else 0.0

    @property
    def noise(self) -> float:
        """A/A: by how much the median of every other run differs from that of the rest."""
        if len(self.cpu) < 4:
            return 0.0
        one, other = statistics.median(self.cpu[::2]), statistics.median(self.cpu[1::2])
        return abs(one - other) / max(one, other) if max(one, other) else 0.0


def timed(run: Callable[[int], object], numbers: Iterable[int]) -> Times:
    """Time ``run`` with each number."""
    cpu, wall = [], []
    for number in numbers:
        used, started = time.process_time(), time.perf_counter()
        run(number)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    return Times(tuple(cpu), tuple(wall))


def alternating(runs: Sequence[Callable[[int], object]], numbers: Iterable[int]) -> list[Times]:
    """Time each of ``runs`` with each number, in turn: what slows the machine for a while slows all of them."""
    parts = [[timed(run, [number]) for run in runs] for number in numbers]
    return [together(of_one) for of_one in zip(*parts, strict=True)]


def together(parts: Sequence[Times]) -> Times:
    """Runs that were timed one by one."""
    return Times(tuple(one for part in parts for one in part.cpu), tuple(one for part in parts for one in part.wall))


@dataclass(frozen=True, slots=True)
class Peer:
    """Who else did the same, in the same run and on the same files.

    Attributes:
        name: who, and how.
        ms: of the clock; None where there is no figure.
        note: why there is none, or what else must be known of it.
    """

    name: str
    ms: float | None = None
    note: str = ""

    def shown(self, ours: float | None) -> str:
        """Its time, and how many times ours that is."""
        note = f" ({self.note})" if self.note else ""
        if self.ms is None:
            return f"{self.name}: none{note}"
        ratio = f", {_ratio(self.ms / ours)} ×" if ours else ""
        return f"{self.name} {shown_ms(self.ms)}{ratio}{note}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results.

    Attributes:
        workload: as in the specification: ``W3``.
        case: what of it.
        target, figure: in words, and what was measured; ``met`` says whether the one is the other, None without target.
        times: of our runs.
        peers: who else did the same.
        limit: what the machine needs for the least of the work, in milliseconds of CPU.
        fraction: of the limit that was reached, where it is known in another way.
        noise: A/A, where there are no times.
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
        """Of a Markdown table; as :data:`HEAD`."""
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
    """Rows' cells as Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def machine() -> str:
    """What the figures are of, in a line: the machine, and the versions of all that took part."""
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
    """Milliseconds in words."""
    if value >= 1000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
