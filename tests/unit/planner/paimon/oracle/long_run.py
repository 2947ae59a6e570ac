"""The long run of the oracle: ``python -m tests.unit.planner.paimon.oracle.long_run --cases 20000``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import count
from multiprocessing import get_context
from pathlib import Path

from tests.unit.planner.paimon.oracle.check import search
from tests.unit.planner.paimon.oracle.held import lake
from tests.unit.planner.paimon.oracle.tables import THEMES

TABLES = 400
"""Of one catalog; then its folder goes."""


def share(of: tuple[int, int, int, int]) -> tuple[int, str]:
    """The cases of one process, and what was wrong."""
    first, number, processes, cases = of
    done, seeds = 0, count(first + number, processes)
    themes = (None, *THEMES)
    while done < cases:
        with tempfile.TemporaryDirectory() as folder, lake(Path(folder)) as held:
            for _ in range(TABLES):
                seed = next(seeds)
                found = search(held, [seed], cases - done, themes[seed % len(themes)])
                done += found.cases
                if found.violation is not None and found.case is not None:
                    text = f"seed {seed}, theme {themes[seed % len(themes)]}: {found.case.filter}"
                    return done, f"{text}\n{found.violation}"
                if done >= cases:
                    break
    return done, ""


def main() -> int:
    """Check so many cases; the exit status says whether all were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="predicates over tables, eight to a table")
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
    sys.exit(main())
