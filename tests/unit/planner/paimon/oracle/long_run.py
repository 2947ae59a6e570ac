"""The long run of the oracle: ``python -m tests.unit.planner.paimon.oracle.long_run --cases 20000``."""

from __future__ import annotations

import sys
import tempfile
from itertools import count
from pathlib import Path

from tests.unit.planner.oracle.long_run import run
from tests.unit.planner.paimon.oracle.check import search
from tests.unit.planner.paimon.oracle.held import lake
from tests.unit.planner.paimon.oracle.tables import THEMES

TABLES = 400
"""The number of tables per catalog; then its folder is deleted."""


def share(of: tuple[int, int, int, int]) -> tuple[int, str]:
    """Check one process's share; return the number of cases and a description of the first wrong one."""
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


if __name__ == "__main__":
    sys.exit(run(__doc__, share, 20_000))
