"""All workloads by name: ``python -m benchmarks W3 W5 --size small``; without names, those in process.

Tables are made, indexed and kept below ``--folder``; results go to stdout as a table. W1, W2, W8, W11, W12, W15 and
requests over HTTP measure other processes: they are programs with arguments of their own, which ``--list`` names.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import growth_plot, lasting, planning
from benchmarks.lakes import Lakes
from benchmarks.measuring import Row, machine, table
from benchmarks.planning import Sizes

IN_PROCESS: dict[str, Callable[[Lakes, Sizes], Iterator[Row]]] = {
    "W3": planning.warm,
    "W4": planning.growth,
    "W5": planning.worst,
    "W6": planning.hard,
    "W7": planning.lookups,
    "W9": lasting.refresh,
    "W10": lasting.tasks,
    "W13": planning.deletes,
    "W14": lasting.memory,
    "W16": planning.small_manifests,
}
ALONE = {"W14"}
"""What needs a process that did nothing before."""

PROGRAMS = {
    "W1": "python -m benchmarks.cold_index",
    "W2": "python -m benchmarks.far_index",
    "W4 and W7 over HTTP": "python -m benchmarks.http_requests",
    "W8": "python -m benchmarks.http_lists",
    "W11": "python -m benchmarks.http_load",
    "W12": "python -m benchmarks.http_restart",
    "W15": "python -m benchmarks.paimon_plan",
    "Spark beside the local engine": "python -m benchmarks.spark_index",
}
SIZES = {
    "small": Sizes(100_000, (10_000, 100_000), 5, 25),
    "1m": Sizes(1_000_000, (100_000, 1_000_000), 9, 51),
    "10m": Sizes(10_000_000, (100_000, 1_000_000, 10_000_000), 9, 101),
}


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", help=f"of {', '.join(IN_PROCESS)}; growth: the plot")
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--folder", default="build/benchmarks", help="of tables and indexes")
    parser.add_argument("--no-peer", action="store_true", help="without PyIceberg, which takes minutes")
    parser.add_argument("--processes", type=int, default=1, help="that write tables side by side")
    parser.add_argument("--list", action="store_true", help="name the workloads that are programs of their own")
    given = parser.parse_args()
    if given.list:
        sys.stdout.write("".join(f"{name}: {program}\n" for name, program in PROGRAMS.items()))
        return
    if unknown := set(given.workloads) - {*IN_PROCESS, "growth"}:
        parser.error(f"no workload in process: {', '.join(sorted(unknown))}; see --list")
    size = SIZES[given.size]
    sizes = Sizes(size.files, size.growth, size.few, size.many, peer=not given.no_peer)
    folder = Path(given.folder).absolute()
    asked = given.workloads or list(IN_PROCESS)
    together = [name for name in asked if name not in ALONE or len(asked) == 1]
    lakes = Lakes(folder, processes=given.processes)
    try:
        if "growth" in together:
            sys.stdout.write(f"{growth_plot.draw(lakes, sizes, folder / 'growth.svg')}\n")
            together.remove("growth")
        rows = []
        for name in together:
            for row in IN_PROCESS[name](lakes, sizes):
                sys.stderr.write(" | ".join(row.cells()) + "\n")
                rows.append(row)
        if rows:
            sys.stdout.write(f"{machine()}\n\n{table(rows)}")
    finally:
        lakes.close()
    for name in asked:
        if name not in together and name in ALONE:
            words = [sys.executable, "-m", "benchmarks", name, "--size", given.size, "--folder", str(folder)]
            subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
