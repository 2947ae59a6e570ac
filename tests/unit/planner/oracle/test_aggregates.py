"""Aggregates against rows: a short run of the oracle, and planted bugs that it catches."""

from __future__ import annotations

import os
from itertools import count

import pytest

from tests.unit.planner.oracle.aggregates import SEEN, check
from tests.unit.planner.oracle.catching_seeds import CatchingSeeds
from tests.unit.planner.oracle.check import search
from tests.unit.planner.oracle.planted_aggregates import PLANTED_AGGREGATES

CASES = int(os.environ.get("MUSTER_AGGREGATES", "600"))
"""The number of filters; each is tried with every aggregate of every column."""
FIRST_SEED, MOST = 3_000, 2_000


def test_exact_answers_are_equal_and_intervals_hold_the_value() -> None:
    SEEN.clear()
    found = search(count(20_000), CASES, checks=(check,))
    assert found.violation is None, (found.seed, found.case and found.case.node, found.violation)
    # Unbounded intervals would pass, so require shares of exact answers.
    for function, share in {"count": 0.3, "null_count": 0.5, "min": 0.3, "max": 0.3, "files": 1, "bytes": 1}.items():
        exact, inexact = SEEN[function, True], SEEN[function, False]
        assert exact >= share * (exact + inexact), SEEN


@pytest.mark.parametrize("name", PLANTED_AGGREGATES)
def test_a_planted_bug_is_caught(name: str, catching_seeds: CatchingSeeds, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, theme = PLANTED_AGGREGATES[name]
    plant(monkeypatch)
    found = search(catching_seeds.starting_at(FIRST_SEED, name), MOST, theme, (check,))
    assert found.violation is not None
    catching_seeds.record(name, found.seed)
