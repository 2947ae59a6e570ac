"""Recorded seeds of tables that catch planted bugs. A search tries the recorded seed first, then all others.

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
        """Yield the recorded seed of a bug, unless seeds are being updated, then all seeds from ``first``."""
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
    """Return the seeds of the requesting test module."""
    path = request.path.parent / "seeds" / f"{request.path.stem}.json"
    return CatchingSeeds(path, is_updated=request.config.getoption("update_golden"))
