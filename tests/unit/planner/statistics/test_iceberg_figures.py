"""Statistics of random Iceberg tables equal counts file by file; planted bugs are detected."""

from __future__ import annotations

from random import Random

import pytest

from lakemuster.planner.statistics import table_statistics
from tests.planted_bugs import fails
from tests.unit.planner.statistics.iceberg_check import check
from tests.unit.planner.statistics.planted_iceberg import PLANTED

MOST = 1_500
"""The number of tables within which every bug is caught; most are caught within ten."""


@pytest.mark.parametrize(("first", "at_once"), [(0, 1 << 16), (100, 1), (200, 2), (300, 3)])
def test_figures_are_those_of_counting_files(first: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_statistics, "_FILES", at_once)
    for seed in range(first, first + 100):
        check(Random(seed))


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_statistics, "_FILES", 2)
    plant, _ = PLANTED[name]
    plant(monkeypatch)
    assert any(fails(check, Random(seed)) for seed in range(5_000, 5_000 + MOST))
