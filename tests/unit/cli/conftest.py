"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.cli.commands import Shelf


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Shelf], Shelf]:
    """A function that replaces the local index by a shelf."""

    def put(shelf: Shelf) -> Shelf:
        monkeypatch.setattr("lakemuster.cli.opening.local_rows", lambda *_: None)
        for module in ("opening", "changing"):
            monkeypatch.setattr(f"lakemuster.cli.{module}.local_source", lambda **_: shelf)
        return shelf

    return put
