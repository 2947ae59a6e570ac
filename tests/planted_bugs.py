"""Bugs that tests plant, by name: a decorator keeps them; and whether a check notices one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

import pytest

Plant = Callable[[pytest.MonkeyPatch], None]
Case = ParamSpec("Case")


class PlantedBugs(dict[str, Plant]):
    """The bugs of one module of tests; calling it with a name decorates the function that plants the bug."""

    def __call__(self, name: str) -> Callable[[Plant], Plant]:
        """Keep the decorated function under a name."""

        def keep(plant: Plant) -> Plant:
            self[name] = plant
            return plant

        return keep


def fails(check: Callable[Case, object], *case: Case.args, **named: Case.kwargs) -> bool:
    """Whether a check notices something wrong in a case."""
    try:
        check(*case, **named)
    except AssertionError:
        return True
    return False
