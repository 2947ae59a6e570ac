"""The oracle catches each planted bug within a bounded number of cases."""

from __future__ import annotations

import pytest

from tests.unit.planner.oracle.catching_seeds import CatchingSeeds
from tests.unit.planner.oracle.check import search
from tests.unit.planner.oracle.planted import PLANTED

FIRST_SEED = 3_000
MOST = 3_000
"""The number of cases within which every bug is caught; most are caught within two hundred."""


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, catching_seeds: CatchingSeeds, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, theme = PLANTED[name]
    plant(monkeypatch)
    found = search(catching_seeds.starting_at(FIRST_SEED, name), MOST, theme)
    assert found.violation is not None
    catching_seeds.record(name, found.seed)
