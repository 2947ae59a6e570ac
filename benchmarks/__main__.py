"""All workloads by name: ``python -m benchmarks W3 W5 --size small``; ``all`` runs everything, one after another.

Tables are written and indexed on first use, and stored below ``--folder``; ``prepare`` does only that.
Results are printed as a table. With ``all``, ``--out`` gets the table, and ``growth.svg`` beside it the cost against
the number of files; every workload runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks import (
    everything,
    figures,
    growth_plot,
    lasting,
    planning,
    programs,
    small_tables,
    table_lists,
    watching,
)
from benchmarks.lakes import Lakes
from benchmarks.measuring import Row, machine, table
from benchmarks.peers import KINDS, Peers
from benchmarks.planning import Sizes

WORKLOADS: dict[str, Callable[[Lakes, Sizes], Iterator[Row]]] = {
    "W1": programs.cold,
    "W2": programs.far,
    "W3": planning.warm,
    "W4": planning.growth,
    "W5": planning.worst,
    "W6": planning.hard,
    "W7": planning.lookups,
    "http": programs.requests,
    "W8": programs.lists,
    "W10": lasting.tasks,
    "W12": programs.restart,
    "W13": planning.deletes,
    "W14": lasting.memory,
    "memory": programs.memory,
    "W15": programs.paimon,
    "W16": planning.small_manifests,
    "W18": table_lists.table_lists,
    "W19": figures.figures,
    "W21": small_tables.small_tables,
    "watching": watching.watching,
    "W17": programs.sidecar,
    "W9": lasting.refresh,
    "W11": programs.load,
}
"""The workloads in the order of ``all``, those that commit last. ``http``: W4 and W7 over HTTP; ``memory``: W14."""

SIZES = {
    "tiny": Sizes(
        3_000,
        (1_000, 3_000),
        3,
        5,
        cold=((12, 2_000), (20, 1_000)),
        far=(1_000, 10),
        paimon=500,
        asked=5,
        seconds=0.2,
        tables=30,
        table_files=100,
        watched=30,
        listed=(30, 1_200),
    ),
    "small": Sizes(
        100_000,
        (10_000, 100_000),
        5,
        25,
        cold=((12, 50_000), (50, 20_000), (200, 5_000)),
        far=(20_000, 200),
        paimon=10_000,
        asked=50,
        seconds=2,
        tables=500,
        watched=500,
        listed=(1_000, 20_000),
    ),
    "1m": Sizes(
        1_000_000,
        (100_000, 1_000_000),
        9,
        51,
        cold=((12, 1_000_000), (50, 200_000), (200, 50_000)),
        tables=1_000,
        watched=1_000,
    ),
    "10m": Sizes(
        10_000_000,
        (100_000, 1_000_000, 10_000_000),
        9,
        101,
        cold=((12, 500_000), (50, 200_000), (200, 50_000)),
        far=(500_000, 1_000),
    ),
    "full": Sizes(10_000_000, (100_000, 1_000_000, 10_000_000), 9, 101),
}
"""``full`` is 10m, and W1 with a million files of 12, 50 and 200 columns, which take most of an hour to write."""

SECONDS = {"tiny": 60.0, "small": 15.0, "1m": 130.0, "10m": 180.0, "full": 3_600.0}
"""Time limit of one plan of a peer, in seconds, by size."""


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", help=f"of {', '.join(WORKLOADS)}; growth: the plot; all; prepare")
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--folder", default="build/benchmarks", help="of tables and indexes")
    parser.add_argument("--peer", default="pyiceberg,java", help=f"of {', '.join(KINDS)}, with commas; none")
    parser.add_argument("--peer-seconds", type=float, help="plans of peers that surely take longer are left out")
    parser.add_argument("--skip", nargs="*", default=[], help="workloads that all leaves out")
    parser.add_argument("--processes", type=int, default=1, help="that write tables side by side")
    parser.add_argument("--out", type=Path, help="of all: a Markdown file")
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    return parser


def main() -> None:
    """Run the workloads, and print their results."""
    parser = arguments()
    given = parser.parse_args()
    asked = given.workloads or ["all"]
    if unknown := set(asked) - {*WORKLOADS, "growth", "all", "prepare"}:
        parser.error(f"no workload: {', '.join(sorted(unknown))}")
    folder = Path(given.folder).absolute()
    if asked == ["all"]:
        names = [name for name in [*WORKLOADS, "growth"] if name not in given.skip]
        words = ["--size", given.size, "--peer", given.peer, "--processes", str(given.processes)]
        words += ["--peer-seconds", str(given.peer_seconds or SECONDS[given.size])]
        everything.run(names, given.skip, words, folder, given.out)
        return
    chosen = [name for name in given.peer.split(",") if name != "none"]
    if unknown := set(chosen) - set(KINDS):
        parser.error(f"no peer: {', '.join(sorted(unknown))}")
    peers = Peers(chosen, given.peer_seconds or SECONDS[given.size])
    lakes, sizes = Lakes(folder, processes=given.processes), replace(SIZES[given.size], peers=peers)
    try:
        if asked == ["prepare"]:
            everything.prepare(lakes, sizes)
            return
        _run(asked, lakes, sizes, given.rows)
    finally:
        peers.close()
        lakes.close()


def _run(asked: list[str], lakes: Lakes, sizes: Sizes, target: Path | None) -> None:
    rows = []
    for name in asked:
        if name == "growth":
            sys.stdout.write(f"{growth_plot.draw(lakes, sizes, lakes.folder / 'growth.svg')}\n")
            continue
        for row in WORKLOADS[name](lakes, sizes):
            sys.stderr.write(" | ".join(row.cells()) + "\n")
            rows.append(row.cells())
            if target is not None:
                with target.open("a") as file:
                    file.write(json.dumps(row.cells()) + "\n")
    if rows:
        sys.stdout.write(f"{machine()}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
