"""The oracle catches each planted bug within a bounded number of cases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakemuster.planner.paimon.reading import bucket_filter
from tests.unit.planner.oracle.catching_seeds import CatchingSeeds
from tests.unit.planner.paimon.oracle.check import search
from tests.unit.planner.paimon.oracle.held import Lake, lake
from tests.unit.planner.paimon.oracle.planted import PLANTED
from tests.unit.planner.paimon.oracle.planted_indexes import PLANTED_INDEXES

FIRST_SEED = 3_000
MOST = 1_000
"""The number of cases within which every bug is caught; most are caught within a hundred."""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with lake(tmp_path_factory.mktemp("planted")) as found:
        yield found


BUGS = {**PLANTED, **PLANTED_INDEXES}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_caught(
    name: str, held: Lake, catching_seeds: CatchingSeeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, theme = BUGS[name]
    plant(monkeypatch)
    # Every bug gets the same tables and filters, so clear the cache of the previous bug.
    bucket_filter.cache_clear()
    try:
        found = search(held, catching_seeds.starting_at(FIRST_SEED, name), MOST, theme)
        assert found.violation is not None
        catching_seeds.record(name, found.seed)
    finally:
        bucket_filter.cache_clear()
