"""Times of many runs, the noise of the machine beside them, and the table that they end in."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("pyiceberg", "duckdb", "pyarrow", "numpy")


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


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results.

    Attributes:
        workload: as in the specification: ``W3``.
        case: what of it.
        target, figure: in words, and what was measured; ``met`` says whether the one is the other, None without target.
        times: of our runs.
        peer: who else did the same in the same run, after giving the same answer, and in how many milliseconds.
        limit: what the machine needs for the least of the work, in milliseconds.
    """

    workload: str
    case: str
    target: str
    figure: str
    met: bool | None = None
    times: Times | None = None
    files: int | None = None
    peer: tuple[str, float] | None = None
    limit: float | None = None

    def cells(self) -> list[str]:
        """Of a Markdown table; as :data:`HEAD`."""
        times = self.times
        peer = ratio = fraction = ""
        if self.peer is not None:
            peer = f"{self.peer[0]} {_ms(self.peer[1])}"
            ratio = f"{self.peer[1] / times.wall50:,.0f}" if times is not None and times.wall50 else ""
        if self.limit is not None and times is not None:
            fraction = f"{self.limit / times.p50:.0%}"
        shown = "" if times is None else f"{_ms(times.p50)} ± {times.spread:.0%} (A/A {times.noise:.0%})"
        met = {None: "", True: "yes", False: "**no**"}[self.met]
        files = "" if self.files is None else f"{self.files:,}"
        return [self.workload, self.case, files, self.target, self.figure, met, shown, peer, ratio, fraction]


HEAD = (
    "workload",
    "case",
    "files",
    "target",
    "figure",
    "met",
    "CPU time: median ± spread",
    "peer, clock",
    "times as long",
    "limit ÷ ours",
)


def table(rows: Iterable[Row]) -> str:
    """Rows as Markdown."""
    lines = [list(HEAD), ["---"] * len(HEAD), *(row.cells() for row in rows)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def machine() -> str:
    """What the figures are of, in a line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{os.cpu_count()} × {model}, {load}; Python {platform.python_version()}, {', '.join(versions)}"


def _ms(value: float) -> str:
    if value >= 1000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"
