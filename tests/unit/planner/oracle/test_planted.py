"""The oracle catches bugs: one at a time is planted, and found within a bounded number of cases."""

from __future__ import annotations

from itertools import count

import pytest

from tests.unit.planner.oracle.check import search
from tests.unit.planner.oracle.planted import PLANTED

FIRST_SEED = 3_000
MOST = 3_000
"""Cases within which every bug is caught; most fall within a hundred or two."""


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, theme = PLANTED[name]
    plant(monkeypatch)
    assert search(count(FIRST_SEED), MOST, theme).violation is not None
