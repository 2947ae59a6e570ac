"""Small files that a rewrite takes, and its gain, against counting group by group; planted bugs are detected."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.health.layout import FileGroups
from lakemuster.planner.iceberg import health as iceberg
from lakemuster.planner.paimon import health as paimon
from tests.unit.planner.health.small_files_check import File, check_iceberg, check_paimon

sizes = st.sampled_from([1, 10, 15, 25, 69, 70, 74, 75, 100, 101, 180, 181, 500])
files = st.lists(st.builds(File, st.integers(0, 2), st.integers(0, 1), st.sampled_from([True, True, False]), sizes))


@given(files, st.sampled_from([0, 0, 1]))
def test_iceberg_rewrites_the_groups_of_its_own_rules(found: list[File], deleted: int) -> None:
    check_iceberg(found, deleted)


@given(files)
def test_paimon_compacts_the_buckets_of_its_own_rules(found: list[File]) -> None:
    check_paimon(found)


def _summed(change: Callable[..., object]) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(FileGroups, "summed", change)


_ORIGINAL = FileGroups.summed
BUGS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a group of four is rewritten": lambda patch: patch.setattr(iceberg, "MIN_INPUT_FILES", 4),
    "files are large from twice the target on": lambda patch: patch.setattr(iceberg, "LARGE_PERCENT", 200),
    "a share is of one file more": lambda patch: patch.setattr(iceberg, "share", lambda a, b: 100 * a / (b + 1)),
    "Paimon's share is of one file more": lambda patch: patch.setattr(paimon, "share", lambda a, b: 100 * a / (b + 1)),
    "Paimon compacts four": lambda patch: patch.setattr(paimon, "DEFAULT_MIN_FILES", 4),
    "sizes are not summed": _summed(lambda *given: (_ORIGINAL(*given)[0], np.zeros_like(_ORIGINAL(*given)[1]))),
    "every file is counted": _summed(lambda groups, numbers, chosen: _ORIGINAL(groups, numbers, np.ones_like(chosen))),
    "all files are one group": _summed(
        lambda groups, numbers, chosen: _ORIGINAL(groups, np.zeros_like(numbers), chosen)
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_noticed(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BUGS[bug](monkeypatch)
    some = random.Random(7)
    values = [1, 10, 15, 25, 69, 70, 74, 75, 100, 101, 180, 181, 190, 500]
    cases = [
        [File(some.randrange(3), some.randrange(2), some.random() < 0.7, some.choice(values)) for _ in range(count)]
        for count in range(25)
        for _ in range(20)
    ]
    with pytest.raises((AssertionError, IndexError, ValueError)):
        check_all(cases)


def check_all(cases: list[list[File]]) -> None:
    for at, found in enumerate(cases):
        check_iceberg(found, at % 2)
        check_paimon(found)
