"""Statistics of random Paimon tables equal counts file by file; planted bugs are detected."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.unit.planner.paimon.oracle.held import Lake, lake
from tests.unit.planner.statistics.paimon_check import check
from tests.unit.planner.statistics.planted_paimon import PLANTED

TABLES = 40
MOST = 60
"""The number of tables within which every bug is caught; most are caught within ten."""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with lake(tmp_path_factory.mktemp("figures")) as found:
        yield found


def test_figures_are_those_of_counting_files(held: Lake) -> None:
    for seed in range(TABLES):
        check(held, Random(seed))


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, held: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, theme = PLANTED[name]
    plant(monkeypatch)
    assert any(_fails(held, seed, theme) for seed in range(5_000, 5_000 + MOST))


def _fails(held: Lake, seed: int, theme: str | None) -> bool:
    try:
        check(held, Random(seed), theme)
    except AssertionError:
        return True
    return False
