"""Bugs that tests plant, by name: a decorator keeps them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Plant = Callable[[pytest.MonkeyPatch], None]


class PlantedBugs(dict[str, Plant]):
    """The bugs of one module of tests; calling it with a name decorates the function that plants the bug."""

    def __call__(self, name: str) -> Callable[[Plant], Plant]:
        """Keep the decorated function under a name."""

        def keep(plant: Plant) -> Plant:
            self[name] = plant
            return plant

        return keep
