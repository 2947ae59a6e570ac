"""The long run of the oracle: ``python -m tests.unit.planner.oracle.long_run --cases 100000``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import count
from multiprocessing import get_context

from tests.unit.planner.oracle.check import search


def share(of: tuple[int, int, int, int]) -> tuple[int, str]:
    """Check one process's share; return the number of cases and a description of the first wrong one."""
    first, number, processes, cases = of
    found = search(count(first + number, processes), cases)
    if found.violation is None or found.case is None:
        return found.cases, ""
    return (
        found.cases,
        f"seed {found.seed}, bound as {found.case.dialect}, nan={found.case.nan}: {found.case.node}\n{found.violation}",
    )


def run(description: str | None, share: Callable[[tuple[int, int, int, int]], tuple[int, str]], cases: int) -> int:
    """Check cases in several processes; return the exit status, 0 if all are right.

    Each process calls ``share`` with the first seed, its number, the number of processes, and its number of cases.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", type=int, default=cases, help="predicates over tables, eight to a table")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    started = time.monotonic()
    each = -(-asked.cases // asked.processes)
    shares = [(asked.seed, number, asked.processes, each) for number in range(asked.processes)]
    with get_context("spawn").Pool(asked.processes) as pool:
        found = pool.map(share, shares)
    wrong = [text for _, text in found if text]
    seconds = time.monotonic() - started
    print(f"{sum(done for done, _ in found):,} cases in {seconds:,.0f} s, {len(wrong)} wrong")
    print(*wrong, sep="\n\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(__doc__, share, 100_000))
