"""The seeds of the tables that catch planted bugs: a search begins with them, and goes on if they catch no longer.

``seeds/MODULE.json`` beside a module of tests has its seeds by bug; ``--update-golden`` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import pytest


class CatchingSeeds:
    """The seeds of one module's bugs."""

    def __init__(self, path: Path, *, is_updated: bool) -> None:
        self._path = path
        self._is_updated = is_updated
        self._seeds: dict[str, int] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def starting_at(self, first: int, bug: str) -> Iterator[int]:
        """The seed that is known to catch a bug, then all from ``first``; only those if seeds are updated."""
        known = [self._seeds[bug]] if bug in self._seeds and not self._is_updated else []
        return chain(known, count(first))

    def record(self, bug: str, seed: int) -> None:
        """Store the seed that caught a bug, if seeds are updated."""
        if self._is_updated:
            self._seeds[bug] = seed
            self._path.parent.mkdir(exist_ok=True)
            self._path.write_text(json.dumps(self._seeds, indent=1, sort_keys=True) + "\n", "utf-8")


@pytest.fixture(scope="module")
def catching_seeds(request: pytest.FixtureRequest) -> CatchingSeeds:
    """Those of the module that asks for them."""
    path = request.path.parent / "seeds" / f"{request.path.stem}.json"
    return CatchingSeeds(path, is_updated=request.config.getoption("update_golden"))
