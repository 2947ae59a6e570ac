"""A registry of bugs that tests plant, and a function that tells whether a check detects one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

import pytest

Plant = Callable[[pytest.MonkeyPatch], None]
Case = ParamSpec("Case")


class PlantedBugs(dict[str, Plant]):
    """The bugs of a test module; calling it with a name decorates the function that plants the bug."""

    def __call__(self, name: str) -> Callable[[Plant], Plant]:
        """Return a decorator that registers a function under a name."""

        def keep(plant: Plant) -> Plant:
            self[name] = plant
            return plant

        return keep


def fails(check: Callable[Case, object], *case: Case.args, **named: Case.kwargs) -> bool:
    """Return whether a check fails for a case."""
    try:
        check(*case, **named)
    except AssertionError:
        return True
    return False
