"""Figures of random Iceberg tables are those of counting files one by one; bugs that are planted are noticed."""

from __future__ import annotations

from random import Random

import pytest

from tests.unit.planner.statistics.iceberg_check import check
from tests.unit.planner.statistics.planted_iceberg import PLANTED

TABLES = 400
MOST = 1_500
"""Tables within which every bug is caught; most fall within ten."""


@pytest.mark.parametrize("first", range(0, TABLES, 100))
def test_figures_are_those_of_counting_files(first: int) -> None:
    for seed in range(first, first + 100):
        check(Random(seed))


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, _ = PLANTED[name]
    plant(monkeypatch)
    assert any(_fails(seed) for seed in range(5_000, 5_000 + MOST))


def _fails(seed: int) -> bool:
    try:
        check(Random(seed))
    except AssertionError:
        return True
    return False
